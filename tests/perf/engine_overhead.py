"""What the engine process costs on top of ADK's own Runner, with the same agent and model.

    python -m tests.perf.engine_overhead [--turns N] [--partials N]

Three ways to run one turn of a scripted agent, each in a process of its own and
warmed up: the bare Runner; the engine, from the command to the end of it; the
whole application, from Enter on a pseudo terminal to the answer on its screen.
Should hold: a turn of 1,000 partial events costs the engine at most 1.3 times
the bare Runner's; the application shows the first event at most 50 ms later.
"""

import argparse
import json
import subprocess
from collections.abc import Sequence
from time import perf_counter

from tests.e2e.terminal import Terminal
from tests.perf.common import AGENTS, PYTHON, REPOSITORY, clean_home, median, ms, table
from tests.perf.programs import IDLE, PROMPT, adk_tui

SCRIPTED = AGENTS / "scripted"


def _child(module: str, env: dict[str, str], turns: int, partials: int) -> dict[str, list[float]]:
    done = subprocess.run(
        [PYTHON, "-m", module, str(turns), str(partials)],
        cwd=REPOSITORY,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        check=True,
    )
    return json.loads(done.stdout.splitlines()[-1])


def _on_screen(env: dict[str, str], turns: int) -> list[float]:
    """Seconds from Enter to the answer's bytes on the terminal."""
    seconds: list[float] = []
    argv = adk_tui(SCRIPTED, "--in-memory")
    with Terminal(argv, env=env, cwd=REPOSITORY) as terminal:
        terminal.wait_raw(PROMPT.encode(), timeout=60)
        terminal.wait_for(IDLE, timeout=60)
        for turn in range(turns + 1):
            order = f"turn{turn}"
            terminal.type(order)
            terminal.wait_for(order)
            answers = terminal.text.count("Answered at once.")
            terminal.press("enter")
            start = perf_counter()
            before = len(terminal.raw)
            terminal.wait_raw(b"Answered", start=before)
            seconds.append(perf_counter() - start)
            terminal.wait(
                lambda seen=answers: (
                    terminal.text.count("Answered at once.") > seen and IDLE in terminal.text
                ),
                "the end of the turn",
            )
    return seconds[1:]


def measure(turns: int, partials: int) -> dict[str, dict[str, list[float]]]:
    """Seconds of each turn: ``bare`` and ``engine`` (``first``, ``turn``) and ``screen``."""
    with clean_home() as env:
        return {
            "bare": _child("tests.perf.bare_runner", env, turns, partials),
            "engine": _child("tests.perf.engine_client", env, turns, partials),
            "screen": {"first": _on_screen(env, turns)},
        }


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=10)
    parser.add_argument("--partials", type=int, default=1000)
    options = parser.parse_args(arguments)
    seconds = measure(options.turns, options.partials)
    bare, engine = median(seconds["bare"]["turn"]), median(seconds["engine"]["turn"])
    first = {name: median(values["first"]) for name, values in seconds.items()}
    rows = [["measure", "bare Runner", "engine", "application", "against bare", "should be"]]
    rows.append(
        [
            f"a turn of {options.partials} partial events",
            ms(bare),
            ms(engine),
            "",
            f"{engine / bare:.2f} x",
            "≤ 1.3 x",
        ]
    )
    rows.append(
        [
            "first event of a short turn",
            ms(first["bare"]),
            ms(first["engine"]),
            ms(first["screen"]),
            f"+ {ms(first['screen'] - first['bare'])}",
            "≤ + 50 ms",
        ]
    )
    print(table(f"Cost of the engine process (medians of {options.turns} turns)", rows))


if __name__ == "__main__":
    main()
