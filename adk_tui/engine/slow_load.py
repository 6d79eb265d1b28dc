"""Says where an agent is that takes long to load: an import that hangs would say nothing at all."""

import sys
import threading
import traceback
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

from adk_tui.core.reports import Notice
from adk_tui.engine.load_errors import is_own
from adk_tui.engine.nearby import shown

LONG = 10.0
"""Seconds after which a person is told."""


@contextmanager
def told_if_slow(send: Callable[[Notice], None], after: float = LONG) -> Generator[None]:
    """Tell once which line of the user's code the calling thread is at, ``after`` that long."""
    caller = threading.get_ident()
    over = threading.Event()

    def watch() -> None:
        if not over.wait(after):
            send(Notice(_where(caller, after), "warning"))

    threading.Thread(target=watch, name="slow-load", daemon=True).start()
    try:
        yield
    finally:
        over.set()


def _where(thread: int, seconds: float) -> str:
    still = f"The agent is still loading after {seconds:.0f} s"
    own = [
        frame
        for frame in traceback.extract_stack(sys._current_frames().get(thread))  # pyright: ignore[reportPrivateUsage]
        if is_own(frame.filename)
    ]
    if not own:
        return f"{still}."
    place = f"{shown(Path(own[-1].filename))}:{own[-1].lineno}"
    return (
        f"{still}: it is at {place}. If that never returns, end the program (Ctrl+C, or Ctrl+Q on "
        "the full screen) and move the line out of the import, into a tool or a callback."
    )
