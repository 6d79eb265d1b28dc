"""Lets a debugger attach to the agent's process, where debugpy is installed in its Python."""

import importlib
import os
import socket
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from adk_tui.core.reports import Notice

HOST = "127.0.0.1"

PATIENCE = 60.0
"""Seconds that a reloaded agent waits for the process before it to give the port free."""

POLL = 0.2


def listen(port: int, tell: Callable[[Notice], None]) -> None:
    """Listen for a debugger on ``port`` of this machine; ``tell`` is told what came of it.

    A port that is taken is tried again on a thread of its own: on a reload the
    process before this one has it until it ends.
    """
    # Python ships frozen modules, of which debugpy warns on stderr although it works.
    os.environ.setdefault("PYDEVD_DISABLE_FILE_VALIDATION", "1")
    try:
        debugpy: Any = importlib.import_module("debugpy")
    except ImportError:
        words = f"debugpy is not installed in {sys.executable}, so no debugger can attach."
        tell(
            Notice(f"{words} Install it there: {sys.executable} -m pip install debugpy", "warning")
        )
        return
    if _is_free(port):
        _open(debugpy, port, tell)
        return

    def wait() -> None:
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            if _is_free(port):
                _open(debugpy, port, tell)
                return
            time.sleep(POLL)
        tell(Notice(f"Port {port} is taken, so no debugger can attach. Choose another.", "warning"))

    threading.Thread(target=wait, name="adk-tui-debugger", daemon=True).start()


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except (OSError, OverflowError):
            return False
    return True


def _open(debugpy: Any, port: int, tell: Callable[[Notice], None]) -> None:
    try:
        debugpy.listen((HOST, port))
    except Exception as error:
        tell(Notice(f"No debugger can attach at {HOST}:{port}: {error}", "warning"))
    else:
        tell(Notice(f"A debugger can attach at {HOST}:{port}."))
