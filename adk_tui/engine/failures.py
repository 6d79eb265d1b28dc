"""Exceptions of a run in plain sentences: what happened, to what, what to do next."""

import re
import sqlite3
import traceback
from pathlib import Path
from types import TracebackType
from typing import Any, cast

from google.adk.errors import StaleSessionError
from google.adk.errors.session_not_found_error import SessionNotFoundError
from google.adk.events.event import Event
from google.genai import errors as genai_errors
from pydantic import TypeAdapter
from pydantic_core import PydanticSerializationError

from adk_tui.core.jsontools import as_int, as_list, as_number, as_object, as_text
from adk_tui.core.reports import Failure

KEYS = (
    "Set GOOGLE_API_KEY (or the provider's own key) in the environment or in the agent's .env, "
    "or run with --offline."
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
_NO_TRANSFER = re.compile(r"Transfer target agent '.*' not found|Cannot transfer from '", re.S)
"""How ADK's dynamic scheduler refuses a transfer; it has no class of error for it."""

_NO_KEY = re.compile(r"(?i)\bapi[ _]key\b.*\b(provide|set|pass)|(no|missing) (api )?key")
"""How google-genai says that there is no key; it has no class of error for it."""

_HINTS = {
    400: "The request that was sent is in the inspector of the model call.",
    401: "The key was not accepted. " + KEYS,
    403: "The key may not use this model. " + KEYS,
    404: "The model's name may be wrong, or not served in this region; --model NAME tries another.",
    429: "The quota is used up for now: wait and send again, or try another model with --model.",
}
_SERVER = "The provider has a problem: send the message again in a moment."


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
        message = f"The tool {tool[1]} raised {_words(tool[0])}"
        return Failure("tool.error", message, _tool_hint(tool[0]), file, line, details)
    for cause in chain:
        found = _known(cause)
        if found is not None:
            code, message, hint, retry = found
            return Failure(code, message, hint, file, line, details, retry)
    if names := _not_storable(chain):
        message = (
            f"The session store cannot keep what is in the state under {names}: {_words(error)}"
        )
        hint = "Store plain JSON there (text, numbers, lists, objects), or run with --in-memory."
        return Failure("store.value", message, hint, file, line, details)
    message = f"The run ended with {_words(error)}"
    return Failure("run.error", message, "The details show where.", file, line, details)


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


def _words(error: BaseException) -> str:
    text = str(error).strip()
    return f"{type(error).__name__}: {text}" if text else f"{type(error).__name__}."


_Known = tuple[str, str, str, float]


def _known(error: BaseException) -> _Known | None:
    if isinstance(error, genai_errors.APIError):
        return _api(error)
    if isinstance(error, StaleSessionError):
        return (
            "session.stale",
            "Another process changed this session during the run, so its result was not stored.",
            "The session has been read again as it is stored now: check it and send again.",
            0.0,
        )
    if isinstance(error, SessionNotFoundError):
        return ("session.unknown", str(error), "It may have been deleted; open another one.", 0.0)
    if isinstance(error, sqlite3.Error):
        return ("store.error", f"The session store refused: {error}", _STORE_HINT, 0.0)
    kind = type(error)
    module = kind.__module__
    text = str(error)
    if module.startswith(("sqlalchemy.", "asyncpg.")):
        first = text.partition("\n")[0]
        return ("store.error", f"The session store refused: {first}", _STORE_HINT, 0.0)
    if module.startswith("google.auth"):
        hint = "Run `gcloud auth application-default login`. " + KEYS
        return ("model.credentials", f"Google credentials: {text}", hint, 0.0)
    if isinstance(error, ValueError) and _NO_KEY.search(text):
        return ("model.credentials", f"The model has no credentials: {text}", KEYS, 0.0)
    if isinstance(error, ValueError) and text.startswith("Function call not found"):
        hint = "It may have been answered under another id, or undone by a rewind."
        return ("answer.unknown", "The session has no such call to answer.", hint, 0.0)
    if isinstance(error, ValueError) and text.startswith("Function responses resolve to multiple"):
        hint = "Answer the calls of one invocation at a time."
        return ("answer.mixed", "The answers belong to several invocations.", hint, 0.0)
    if isinstance(error, ValueError) and _NO_TRANSFER.match(text):
        hint = (
            "The model asked for it. The agent that was active stays so; F6 shows which agents "
            "can be reached, and why others cannot."
        )
        return ("transfer.refused", text, hint, 0.0)
    if kind.__name__ == "InvocationNotFoundError":
        hint = "Choose an invocation of this session that is not undone already."
        return ("rewind.unknown", text, hint, 0.0)
    if kind.__name__ == "LlmCallsLimitExceededError":
        hint = "The agent may be calling tools in a circle; the limit is a run setting."
        return ("run.limit", text, hint, 0.0)
    if module.startswith(("httpx", "httpcore", "aiohttp")):
        hint = "Check the network, a proxy, or the base URL, and send again."
        return ("model.network", f"The model could not be reached: {_words(error)}", hint, 0.0)
    if isinstance(error, ModuleNotFoundError):
        hint = f"Install it where the agent runs: pip install {error.name}"
        return ("run.import", text, hint, 0.0)
    status = getattr(error, "status_code", None)
    if isinstance(status, int) and 400 <= status < 600:
        return (f"model.{status}", _words(error), _hint(status), 0.0)
    return None


_STORE_HINT = "The file may be damaged, locked or full; --in-memory runs without it."


def _hint(status: int) -> str:
    return _HINTS.get(status, _SERVER if status >= 500 else "")


def _api(error: genai_errors.APIError) -> _Known:
    status = as_int(cast(Any, error).code)
    message = as_text(cast(Any, error).message) or str(error)
    details = as_object(cast(Any, error).details)
    body = as_object(details.get("error")) or details
    retry = 0.0
    invalid_key = False
    for item in map(as_object, as_list(body.get("details"))):
        kind = as_text(item.get("@type"))
        if kind.endswith("RetryInfo"):
            retry = as_number(as_text(item.get("retryDelay")).rstrip("s"))
        if item.get("reason") == "API_KEY_INVALID":
            invalid_key = True
    name = as_text(cast(Any, error).status)
    hint = _HINTS[401] if invalid_key else _hint(status)
    if retry:
        hint = f"{hint} The provider says: again in {retry:g} s."
    return f"model.{status}", f"The model answered {status} {name}: {message}".strip(), hint, retry


def _frames(tb: TracebackType | None) -> list[traceback.FrameSummary]:
    return list(traceback.extract_tb(tb))


def _is_own(frame: traceback.FrameSummary, folder: Path) -> bool:
    path = Path(frame.filename)
    parts = path.parts
    return path.is_relative_to(folder) and not {"site-packages", ".venv", "venv"} & set(parts)


def _place(error: BaseException, folder: Path) -> tuple[str, int]:
    for cause in reversed(_chain(error)):
        own = [f for f in _frames(cause.__traceback__) if _is_own(f, folder)]
        if own:
            return own[-1].filename, own[-1].lineno or 0
    return "", 0


def _traceback(error: BaseException, folder: Path) -> str:
    """The traceback with the user's own frames first: ADK's are many, and seldom the cause."""
    own = [f for cause in _chain(error) for f in _frames(cause.__traceback__) if _is_own(f, folder)]
    whole = "".join(traceback.format_exception(error))
    if not own:
        return whole
    first = "".join(traceback.format_list(own))
    last = "".join(traceback.format_exception_only(error))
    return f"In your code:\n{first}{last}\nThe whole traceback:\n{whole}"
