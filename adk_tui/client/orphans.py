"""Finds what an agent has started after it killed the keeper that looks after that.

Such processes belong to nobody we know any more. All of them have inherited the
environment of the engine, and with it a mark (Linux; elsewhere none is found).
"""

import contextlib
import os
import signal
import time
from pathlib import Path

MARK = "ADK_TUI_ENGINE"
"""Environment variable with a value of its own for each engine process."""
PATIENCE = 2.0
"""Seconds to go on looking while processes are still found."""


def marked(value: str) -> list[int]:
    """Ids of our own processes with this mark."""
    wanted = f"{MARK}={value}".encode()
    found: list[int] = []
    with contextlib.suppress(OSError):
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                with contextlib.suppress(OSError):
                    if wanted in (entry / "environ").read_bytes().split(b"\0"):
                        found.append(int(entry.name))
    return found


def kill_marked(value: str) -> None:
    """Kill all processes with this mark, and those that they start meanwhile."""
    end = time.monotonic() + PATIENCE
    while (left := marked(value)) and time.monotonic() < end:
        for pid in left:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.01)
