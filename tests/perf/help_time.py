"""How long until the help, and a completion, are there: ours, and a bare Typer program's.

    python -m tests.perf.help_time [--runs N]

Should hold: ours at most 2 times the bare program's.
"""

import argparse
import subprocess
import sys
from collections.abc import Mapping, Sequence
from time import perf_counter

from tests.perf.common import PYTHON, REPOSITORY, clean_home, median, ms, table

BARE = """
import typer
app = typer.Typer()
@app.command()
def run(path: str = ".", loud: bool = False) -> None:
    "Run."
@app.command()
def stop() -> None:
    "Stop."
app()
"""


def seconds(argv: Sequence[str], env: Mapping[str, str]) -> float:
    """From the start of a process to its end."""
    begun = perf_counter()
    subprocess.run(
        argv, cwd=REPOSITORY, env=env, stdin=subprocess.DEVNULL, capture_output=True, check=True
    )
    return perf_counter() - begun


def measure(runs: int) -> dict[str, list[float]]:
    """Seconds of each run, in turns, so that what else the machine does hits all alike."""
    ours = [PYTHON, "-m", "adk_tui"]
    words = {"COMP_WORDS": "adk-tui run agents/", "COMP_CWORD": "2"}
    completing = {"_ADK_TUI_COMPLETE": "complete_bash", **words}
    programs: dict[str, tuple[list[str], dict[str, str]]] = {
        "bare Typer --help": ([PYTHON, "-c", BARE, "--help"], {}),
        "adk-tui --help": ([*ours, "--help"], {}),
        "adk-tui ask --help": ([*ours, "ask", "--help"], {}),
        "completion of agents": (
            [PYTHON, "-c", "from adk_tui.cli import app; app(prog_name='adk-tui')"],
            completing,
        ),
    }
    found: dict[str, list[float]] = {name: [] for name in programs}
    with clean_home() as env:
        for _ in range(runs):
            for name, (argv, more) in programs.items():
                found[name].append(seconds(argv, {**env, **more}))
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=7)
    found = measure(parser.parse_args(arguments).runs)
    bare = median(found["bare Typer --help"])
    rows = [["program", "median", "fastest", "it / bare Typer", "should be"]]
    for name, values in found.items():
        limit = "" if name.startswith("bare") else "≤ 2"
        middle = median(values)
        rows.append([name, ms(middle), ms(min(values)), f"{middle / bare:.2f}", limit])
    print(table("Time until the help is there", rows))


if __name__ == "__main__":
    main(sys.argv[1:])
