"""How long a key takes to show while the agent keeps its own process busy.

    python -m tests.perf.key_echo [--keys N]

Keys are pressed one at a time on a pseudo terminal; the clock runs from the key
to its letter on the terminal. Measured in an idle application, while a tool
blocks the agent's event loop for 4 s, while an agent is being imported, and
while an answer streams in at up to 500 pieces a second. Should hold at the 95th percentile: at
most 1.5 times the idle application's.
"""

import argparse
from collections.abc import Callable, Iterator, Sequence
from time import perf_counter

from tests.e2e.terminal import Terminal
from tests.perf.common import AGENTS, REPOSITORY, clean_home, ms, percentile, table
from tests.perf.programs import IDLE as IDLE_SIGN
from tests.perf.programs import PROMPT, adk_tui

IDLE = "idle"
BLOCKED = "a tool blocks"
LOADING = "the agent loads"
STREAMING = "an answer streams in"


def letters() -> Iterator[str]:
    """Letters that nothing else on the screen uses, so that each is known by its bytes."""
    while True:
        yield from map(chr, range(0x430, 0x450))
        yield from map(chr, range(0x3B1, 0x3CA))


class Typist:
    """Presses keys and notes how long each takes to show."""

    def __init__(self, terminal: Terminal) -> None:
        self.terminal = terminal
        self.seconds: list[float] = []
        self._letters = letters()
        self._on_line = 0

    def press(self) -> None:
        """Press one key and wait for it to show. The prompt is emptied before it is used twice."""
        if self._on_line == 40:
            self.empty()
        letter = next(self._letters)
        before = len(self.terminal.raw)
        start = perf_counter()
        self.terminal.type(letter)
        self.terminal.wait_raw(letter.encode(), start=before)
        self.seconds.append(perf_counter() - start)
        self._on_line += 1

    def empty(self) -> None:
        """Take back what was typed."""
        if self._on_line:
            before = len(self.terminal.raw)
            self.terminal.press(*["backspace"] * self._on_line)
            self.terminal.wait_raw(PROMPT.encode(), start=before)
            self._on_line = 0


def _typed(
    agent: str,
    keys: int,
    env: dict[str, str],
    prepare: Callable[[Terminal], None],
    until: str = "",
) -> list[float]:
    argv = adk_tui(AGENTS / agent, "--in-memory")
    with Terminal(argv, env=env, cwd=REPOSITORY) as terminal:
        terminal.wait_raw(PROMPT.encode(), timeout=60)
        prepare(terminal)
        typist = Typist(terminal)
        start, end = len(terminal.raw), until.encode()
        while len(typist.seconds) < keys and not (end and terminal.raw.find(end, start) >= 0):
            typist.press()
        return typist.seconds


def _ready(terminal: Terminal) -> None:
    terminal.wait_for(IDLE_SIGN, timeout=60)


def _order(text: str, sign: str) -> Callable[[Terminal], None]:
    def give(terminal: Terminal) -> None:
        _ready(terminal)
        terminal.type(text)
        terminal.wait_for(text)
        terminal.press("enter")
        terminal.wait_for(sign)

    return give


def measure(keys: int) -> dict[str, list[float]]:
    """Seconds of each key in each situation; a situation that ends early gives fewer keys."""
    with clean_home() as env:
        return {
            IDLE: _typed("scripted", keys, env, _ready),
            BLOCKED: _typed("scripted", keys, env, _order("block 4", "block("), "has come back"),
            LOADING: _typed("slow_import", keys, env, lambda _: None, IDLE_SIGN),
            STREAMING: _typed("scripted", keys, env, _order("stream 4", "word"), IDLE_SIGN),
        }


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--keys", type=int, default=600)
    seconds = measure(parser.parse_args(arguments).keys)
    idle = percentile(seconds[IDLE], 95)
    rows = [["while", "keys", "median", "95th percentile", "slowest", "p95 / idle", "should be"]]
    for name, values in seconds.items():
        p95 = percentile(values, 95)
        limit = "≤ 1.5" if name in (BLOCKED, LOADING) else ""
        rows.append(
            [
                name,
                str(len(values)),
                ms(percentile(values, 50)),
                ms(p95),
                ms(max(values)),
                f"{p95 / idle:.2f}",
                limit,
            ]
        )
    print(table("Echo of a key", rows))


if __name__ == "__main__":
    main()
