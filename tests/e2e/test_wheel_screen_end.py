"""Whatever ends the application, its engine ends with it."""

import contextlib
import os
import signal
import sys
import time
from pathlib import Path

import pytest

from tests.e2e.workbench import AGENTS, SLOW, loaded, workbench

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


def alive(pid: int) -> bool:
    """Whether the process runs; one that has ended and waits to be collected does not."""
    with contextlib.suppress(OSError):
        return _stat(pid)[0] != "Z"
    return False


def _stat(pid: int) -> list[str]:
    """State, parent and so on, as in proc(5), without the name."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def below(pid: int) -> set[int]:
    """All processes that a process has started, and those that they have."""
    children: dict[int, set[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            with contextlib.suppress(OSError):
                number = int(entry.name)
                children.setdefault(int(_stat(number)[1]), set()).add(number)
    found: set[int] = set()
    todo = [pid]
    while todo:
        new = children.get(todo.pop(), set()) - found
        found |= new
        todo += new
    return found


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_no_process_outlives_the_application(number: signal.Signals) -> None:
    with workbench(AGENTS / "stock") as terminal:
        loaded(terminal)
        started = below(terminal.process.pid)
        assert started
        os.kill(terminal.process.pid, number)
        terminal.wait_exit()
    end = time.monotonic() + SLOW
    while left := [pid for pid in started if alive(pid)]:
        assert time.monotonic() < end, left
        os.sched_yield()
