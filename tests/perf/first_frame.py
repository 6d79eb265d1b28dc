"""How long until one can type: ours, a minimal Textual application's, and ``adk run``'s.

    python -m tests.perf.first_frame [--runs N]

Each program is started on a pseudo terminal; the clock runs from the start of
the process to the bytes of its prompt on the terminal. Should hold: ours at
most 1.5 times the minimal application's and 0.35 times ``adk run``'s.
"""

import argparse
from collections.abc import Sequence
from time import perf_counter

from tests.e2e.terminal import Terminal
from tests.perf.common import PYTHON, REPOSITORY, clean_home, median, ms, table
from tests.perf.programs import MINIMAL_PROMPT, PROMPT, adk_run, adk_tui

AGENT = REPOSITORY / "agents" / "stock"


def first_frame(argv: Sequence[str], marker: str, env: dict[str, str]) -> float:
    """Seconds from the start of the process until ``marker`` is on its terminal."""
    with Terminal(argv, env=env, cwd=REPOSITORY) as terminal:
        terminal.wait_raw(marker.encode(), timeout=60)
        return perf_counter() - terminal.started


def measure(runs: int) -> dict[str, list[float]]:
    """Seconds of each run, in turns, so that what else the machine does hits all alike."""
    programs = {
        "minimal Textual": ([PYTHON, "-m", "tests.perf.minimal_app"], MINIMAL_PROMPT),
        "adk-tui run": (adk_tui(AGENT, "--in-memory"), PROMPT),
        "adk run": (adk_run(AGENT), "[user]: "),
    }
    seconds: dict[str, list[float]] = {name: [] for name in programs}
    with clean_home() as env:
        for _ in range(runs):
            for name, (argv, marker) in programs.items():
                seconds[name].append(first_frame(argv, marker, env))
    return seconds


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=7)
    runs = parser.parse_args(arguments).runs
    seconds = measure(runs)
    ours = median(seconds["adk-tui run"])
    rows = [["program", "median", "fastest", "slowest", "adk-tui run / it", "should be"]]
    limits = {"minimal Textual": "≤ 1.5", "adk run": "≤ 0.35", "adk-tui run": ""}
    for name, values in seconds.items():
        middle = median(values)
        ratio = f"{ours / middle:.2f}"
        rows.append([name, ms(middle), ms(min(values)), ms(max(values)), ratio, limits[name]])
    print(table(f"Time until one can type ({runs} runs)", rows))


if __name__ == "__main__":
    main()
