"""Exceptions of a run in plain sentences: what happened, to what, what to do next."""

import traceback
from pathlib import Path
from types import TracebackType
from typing import Any, cast

from google.adk.events.event import Event
from pydantic import TypeAdapter
from pydantic_core import PydanticSerializationError

from adk_tui.core.reports import Failure
from adk_tui.engine.causes import known, obstacle, words

_OWN = (
    "It comes from the agent's own code: fix it, reload, and send the message again; the session "
    "is sound."
)
_MEND = "Fix the tool, reload, and send the message again; the session is sound."
_NO_KEYBOARD = (
    "The agent has no keyboard: adk-tui uses the terminal itself. Let the tool be a "
    "LongRunningFunctionTool, or ask with ADK's request_input tool, and reload."
)
_ON_A_LOOP = (
    "asyncio.run() inside a tool cannot work: tools run on ADK's event loop. Make the tool "
    "`async def` and await instead, or let tools run in threads (run setting tool_thread_pool)."
)
_NO_LOOP_IN_A_LOOP = ("asyncio.run() cannot be called", "event loop is already running")


class EngineError(Exception):
    """A command cannot be done; ``failure`` says why and what to do next."""

    def __init__(self, code: str, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.failure = Failure(code, message, hint)


def classify(
    error: BaseException, *, folder: Path, tool: tuple[BaseException, str] | None = None
) -> Failure:
    """The failure that an exception of a run means.

    ``folder`` is the agent's: frames below it are the user's own code. ``tool``
    is the newest exception that a tool raised, with the tool's name.
    """
    if isinstance(error, EngineError):
        return error.failure
    chain = list(_chain(error))
    details = _traceback(error, folder)
    file, line = _place(error, folder)
    if tool is not None and tool[0] in chain:
        message = f"The tool {tool[1]} raised {words(tool[0])}"
        return Failure("tool.error", message, _tool_hint(tool[0]), file, line, details)
    for cause in chain:
        found = known(cause)
        if found is not None:
            code, message, hint, retry = found
            return Failure(code, message, hint, file, line, details, retry)
    if names := _not_storable(chain):
        message = (
            f"The session store cannot keep what is in the state under {names}: {words(error)}"
        )
        hint = "Store plain JSON there (text, numbers, lists, objects), or run with --in-memory."
        return Failure("store.value", message, hint, file, line, details)
    message = f"The run ended with {words(error)}"
    hint = _OWN if file else "The details show where."
    return Failure("run.error", message, hint, file, line, details)


def _not_storable(chain: list[BaseException]) -> str:
    """The state keys whose values a store refused, as its frames still hold the event."""
    found: list[str] = []
    for cause in chain:
        for frame, _ in traceback.walk_tb(cause.__traceback__):
            event = frame.f_locals.get("event")
            if isinstance(event, Event) and frame.f_code.co_name == "append_event":
                found += [k for k, v in event.actions.state_delta.items() if not _is_json(v)]
    return ", ".join(repr(name) for name in dict.fromkeys(found))


def _is_json(value: object) -> bool:
    try:
        TypeAdapter(Any).dump_json(value)
    except (PydanticSerializationError, ValueError):
        return False
    return True


def _tool_hint(error: BaseException) -> str:
    if isinstance(error, EOFError):
        return _NO_KEYBOARD
    if isinstance(error, RuntimeError) and any(w in str(error) for w in _NO_LOOP_IN_A_LOOP):
        return _ON_A_LOOP
    if isinstance(error, OSError) and (hint := obstacle(error)):
        return hint
    return _MEND


def _chain(error: BaseException | None) -> "list[BaseException]":
    found: list[BaseException] = []
    while error is not None and error not in found:
        found.append(error)
        if isinstance(error, BaseExceptionGroup):
            group = cast("BaseExceptionGroup[BaseException]", error)
            found.extend(e for inner in group.exceptions for e in _chain(inner))
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return found


def _frames(tb: TracebackType | None) -> list[traceback.FrameSummary]:
    return list(traceback.extract_tb(tb))


def _is_own(frame: traceback.FrameSummary, folder: Path) -> bool:
    path = Path(frame.filename)
    parts = path.parts
    return path.is_relative_to(folder) and not {"site-packages", ".venv", "venv"} & set(parts)


def _place(error: BaseException, folder: Path) -> tuple[str, int]:
    """Where the user's code raised, seen from outside; else where what it called began to fail."""
    chain = [_frames(cause.__traceback__) for cause in _chain(error)]
    raised = [frames for frames in chain if frames and _is_own(frames[-1], folder)]
    for frames in [*raised, *reversed(chain)]:
        own = [f for f in frames if _is_own(f, folder)]
        if own:
            return own[-1].filename, own[-1].lineno or 0
    return "", 0


def _traceback(error: BaseException, folder: Path) -> str:
    """The traceback with the user's own frames first: ADK's are many, and seldom the cause."""
    first = ""
    for cause in reversed(_chain(error)):
        if own := [f for f in _frames(cause.__traceback__) if _is_own(f, folder)]:
            first += "".join([*traceback.format_list(own), *traceback.format_exception_only(cause)])
    whole = "".join(traceback.format_exception(error))
    return f"In your code:\n{first}\nThe whole traceback:\n{whole}" if first else whole
