"""Runs the full screen from its first frame until the user leaves, and says how it ended."""

import sys
from typing import TYPE_CHECKING

from adk_tui.client.engine import Engine
from adk_tui.tui.app import TuiOptions, WorkbenchApp

if TYPE_CHECKING:
    from adk_tui.core.reports import Failure


def run(engine: Engine, options: TuiOptions) -> "int | Failure":
    """Run until the user leaves; the engine is closed in any case.

    Returns the exit code, or what kept the agent or its session from being
    opened if that was still so when the user left.
    """
    if sys.__stderr__ is None or not sys.__stderr__.isatty():
        # Textual draws on standard error; whoever keeps that in a file still wants a screen.
        sys.__stderr__ = sys.__stdout__
    app = WorkbenchApp(engine, options)
    try:
        result = app.run()
    finally:
        engine.close()
    code = app.return_code or 0 if result is None else result
    view = app.view
    if code == 0 and view.status.phase == "failed" and view.failures:
        return view.failures[-1]
    return code
