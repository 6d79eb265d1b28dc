"""What an application costs that nobody uses: CPU of both processes while nothing happens.

    python -m tests.perf.idle [--seconds N]

Should hold: below 2 % of one core, application and engine together.
"""

import argparse
import os
from collections.abc import Sequence
from pathlib import Path
from time import monotonic

from tests.e2e.terminal import Terminal
from tests.perf.common import AGENTS, REPOSITORY, clean_home, table
from tests.perf.programs import IDLE, PROMPT, adk_tui

SETTLING = 8.0
"""Seconds after the last record until the application looks for news less often, and some."""


def family(pid: int) -> list[int]:
    """A process and all its descendants."""
    told = [p.read_text() for p in Path("/proc", str(pid), "task").glob("*/children")]
    return [pid, *(i for text in told for child in text.split() for i in family(int(child)))]


def cpu(pid: int) -> float:
    """Seconds of CPU a process has used."""
    fields = Path("/proc", str(pid), "stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measure(seconds: float) -> tuple[float, float]:
    """Share of a core that the application and its engine take."""
    with (
        clean_home() as env,
        Terminal(adk_tui(AGENTS / "scripted", "--in-memory"), env=env, cwd=REPOSITORY) as terminal,
    ):
        terminal.wait_raw(PROMPT.encode(), timeout=60)
        terminal.wait_for(IDLE, timeout=60)
        _read(terminal, SETTLING)
        app, *others = family(terminal.process.pid)
        before = [cpu(app), sum(map(cpu, others))]
        start = monotonic()
        _read(terminal, seconds)
        passed = monotonic() - start
        after = [cpu(app), sum(map(cpu, others))]
    return (after[0] - before[0]) / passed, (after[1] - before[1]) / passed


def _read(terminal: Terminal, seconds: float) -> None:
    end = monotonic() + seconds
    while (left := end - monotonic()) > 0:
        terminal.read(left)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=30)
    app, engine = measure(parser.parse_args(arguments).seconds)
    rows = [["app", "engine", "together", "should be"]]
    rows.append([f"{app:.1%}", f"{engine:.1%}", f"{app + engine:.1%}", "< 2 %"])
    print(table("CPU while nothing happens", rows))


if __name__ == "__main__":
    main()
