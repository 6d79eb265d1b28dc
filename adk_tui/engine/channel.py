"""The engine's own end of the protocol: descriptors that no agent code can reach by accident.

An agent prints, reads its stdin and starts children. If the protocol stayed on
descriptors 0 and 1, the first ``print`` would break it and the first
``input()`` would eat a command. So both move away before any agent code runs,
are closed in every child, and 0, 1 and 2 become what the agent may use.
"""

import builtins
import contextlib
import os
import sys
import threading
from typing import NoReturn

from adk_tui.core.wire import Up, encode_event, encode_record

_HIGH = 100
"""Lowest number of the private descriptors: above what programs close by number."""

NO_INPUT = (
    "The agent asked for keyboard input, but no keyboard is connected to it: adk-tui uses the "
    "terminal itself. Use a LongRunningFunctionTool or ADK's request_input tool."
)


def _move(fd: int) -> int:
    if sys.platform == "win32":
        return os.dup(fd)
    import fcntl

    try:
        return fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, _HIGH)
    except OSError:
        return os.dup(fd)


def set_aside(stdout_fd: int = -1) -> tuple[int, int]:
    """Move the protocol away from descriptors 0 and 1; returns (commands, frames).

    From then on 0 is empty, 1 the pipe ``stdout_fd`` for the agent's output (or
    where 2 goes, if none was given), 2 unchanged. To be called before anything
    of google-adk or the agent is imported.
    """
    commands, frames = _move(0), _move(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(stdout_fd if stdout_fd > 2 else 2, 1)
    if stdout_fd > 2:
        os.close(stdout_fd)
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError, ValueError):
            stream.reconfigure(line_buffering=True, errors="backslashreplace")  # type: ignore[union-attr]
    builtins.input = _no_input

    def close_in_child() -> None:
        for fd in (commands, frames):
            with contextlib.suppress(OSError):
                os.close(fd)

    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=close_in_child)
    return commands, frames


def _no_input(_prompt: object = "", /) -> NoReturn:
    raise EOFError(NO_INPUT)


class Channel:
    """Writes frames, whole and in order, from any thread."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._lock = threading.Lock()

    def send(self, record: Up) -> None:
        """Write one record. Does nothing once the client is gone."""
        self._write(encode_record(record))

    def send_event(self, raw: bytes, *, inner_of: str = "") -> None:
        """Write one event, given as one line of ASCII JSON."""
        self._write(encode_event(raw, inner_of=inner_of))

    def _write(self, frame: bytes) -> None:
        with self._lock, contextlib.suppress(BrokenPipeError):
            while frame:
                frame = frame[os.write(self._fd, frame) :]
