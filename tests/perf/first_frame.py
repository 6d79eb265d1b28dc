"""How long until one can type: ours, a minimal Textual application's, and ``adk run``'s.

    python -m tests.perf.first_frame [--runs N]

Each program is started on a pseudo terminal; the clock runs from the start of
the process to the bytes of its prompt on the terminal, and on to the echo of a
key that is pressed at that moment, because a prompt that takes no key yet is
only a picture. Should hold: ours at most 1.5 times the minimal application's
and 0.35 times ``adk run``'s.
"""

import argparse
from collections.abc import Sequence
from time import perf_counter

from tests.e2e.terminal import Terminal
from tests.perf.common import PYTHON, REPOSITORY, clean_home, median, ms, table
from tests.perf.programs import MINIMAL_PROMPT, PROMPT, adk_run, adk_tui

AGENT = REPOSITORY / "agents" / "stock"
LETTER = "ж"


def first_frame(argv: Sequence[str], marker: str, env: dict[str, str]) -> tuple[float, float]:
    """Seconds from the start of the process until the prompt, and until the echo of a key."""
    with Terminal(argv, env=env, cwd=REPOSITORY) as terminal:
        terminal.wait_raw(marker.encode(), timeout=60)
        frame = perf_counter() - terminal.started
        terminal.type(LETTER)
        terminal.wait_raw(LETTER.encode(), timeout=60)
        return frame, perf_counter() - terminal.started


def measure(runs: int) -> dict[str, list[tuple[float, float]]]:
    """Seconds of each run, in turns, so that what else the machine does hits all alike."""
    programs = {
        "minimal Textual": ([PYTHON, "-m", "tests.perf.minimal_app"], MINIMAL_PROMPT),
        "adk-tui run": (adk_tui(AGENT, "--in-memory"), PROMPT),
        "adk run": (adk_run(AGENT), "[user]: "),
    }
    seconds: dict[str, list[tuple[float, float]]] = {name: [] for name in programs}
    with clean_home() as env:
        for _ in range(runs):
            for name, (argv, marker) in programs.items():
                seconds[name].append(first_frame(argv, marker, env))
    return seconds


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=9)
    runs = parser.parse_args(arguments).runs
    seconds = measure(runs)
    rows = [
        ["program", "prompt", "fastest", "adk-tui run / it", "should be", "key shows", "ours / it"]
    ]
    limits = {"minimal Textual": "≤ 1.5", "adk run": "≤ 0.35", "adk-tui run": ""}
    frame, key = (median([pair[i] for pair in seconds["adk-tui run"]]) for i in (0, 1))
    for name, pairs in seconds.items():
        frames, keys = [f for f, _ in pairs], [k for _, k in pairs]
        rows.append(
            [
                name,
                ms(median(frames)),
                ms(min(frames)),
                f"{frame / median(frames):.2f}",
                limits[name],
                ms(median(keys)),
                f"{key / median(keys):.2f}",
            ]
        )
    print(table(f"Time until one can type (medians of {runs} runs)", rows))


if __name__ == "__main__":
    main()
