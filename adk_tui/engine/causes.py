"""Exceptions that are known for what they mean: of the model, the session store, the disk.

Each becomes a code, what happened, what to do next, and how many seconds the
other side wants us to wait.
"""

import errno
import os
import re
import sqlite3
import time
import traceback
from contextlib import suppress
from email.utils import parsedate_to_datetime
from typing import Any, TypeAlias, cast

from google.adk.errors import StaleSessionError
from google.adk.errors.session_not_found_error import SessionNotFoundError
from google.genai import errors as genai_errors

from adk_tui.core.jsontools import as_int, as_list, as_number, as_object, as_text
from adk_tui.engine.misdeclared import misdeclared

Cause: TypeAlias = tuple[str, str, str, float]
"""Code, sentence, next step, seconds to wait."""

KEYS = (
    "Set GOOGLE_API_KEY (or the provider's own key) in the environment or in the agent's .env, "
    "or run with --offline."
)

_NO_TRANSFER = re.compile(r"Transfer target agent '.*' not found|Cannot transfer from '", re.S)
"""How ADK's dynamic scheduler refuses a transfer; it has no class of error for it."""

_PLUGIN = re.compile(r"Error in plugin '(.*?)' during '(.*?)' callback: ", re.S)
"""How ADK's plugin manager wraps what a plugin raises; it has no class of error for it."""

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
LONGEST_WAIT = 1e6
"""Seconds; a header that names more is no help to anybody."""
_CLIENTS = ("httpx", "httpcore", "aiohttp", "openai", "anthropic", "litellm", "requests")
"""Packages whose errors are those of the line to a model."""
_BROKEN_OFF = frozenset(
    ["RemoteProtocolError", "ReadError", "ClientPayloadError", "ServerDisconnectedError"]
)
"""Their errors of a line that was there and then was not."""

_FULL = "The disk is full: free some space and do it again."
_READ_ONLY = "It may not be written: make it writable and do it again, or run with --in-memory."
_OPEN_FILES = (
    "Something in the agent opens files or connections and does not close them; F9 starts it again."
)
_GONE = (
    "The file was deleted or moved while it was in use. Put it back and do it again; or reload "
    "the agent (F9): that makes the session again from what is shown here."
)
_STORES = {
    sqlite3.SQLITE_FULL: ("store.full", _FULL),
    sqlite3.SQLITE_READONLY: ("store.readonly", _READ_ONLY),
    sqlite3.SQLITE_BUSY: (
        "store.locked",
        "Another program is writing to it: wait for it, or close it, and do it again.",
    ),
    sqlite3.SQLITE_CANTOPEN: ("store.gone", _GONE),
    sqlite3.SQLITE_NOTADB: ("store.broken", ""),
    sqlite3.SQLITE_CORRUPT: ("store.broken", ""),
}
_STORE = "The file may be damaged; move it away to start a new one, or run with --in-memory."


def known(error: BaseException) -> Cause | None:
    """What the exception means by itself; None where only its context can tell."""
    if told := misdeclared(error):
        return (*told, 0.0)
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
        return _sqlite(error)
    kind = type(error)
    module = kind.__module__
    text = str(error)
    if isinstance(error, RuntimeError) and (plugin := _PLUGIN.match(text)):
        why = text[plugin.end() :] if error.__cause__ is None else words(error.__cause__)
        hint = "Fix the plugin, reload, and send the message again; the session is sound."
        told = f"The plugin {plugin[1]} failed in {plugin[2]}: {why}"
        return ("plugin.error", told, hint, 0.0)
    if isinstance(error, genai_errors.UnknownApiResponseError):
        hint = (
            "Something on the way may have changed or cut it, a proxy for one: check the base URL "
            "and the network, and send again."
        )
        return ("model.answer", f"The model's answer cannot be read: {text}", hint, 0.0)
    if module.startswith(("sqlalchemy.", "asyncpg.")):
        inner = getattr(error, "orig", None)
        if isinstance(inner, sqlite3.Error):
            return _sqlite(inner)
        first = text.partition("\n")[0]
        return ("store.error", f"The session store refused: {first}", _STORE, 0.0)
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
    if _timed_out(error):
        hint = (
            "Send the message again. How long the agent waits is its own setting "
            "(http_options.timeout of its model or generate_content_config)."
        )
        return ("model.timeout", f"The model did not answer in time: {words(error)}", hint, 0.0)
    if module.startswith(_CLIENTS) and kind.__name__ in _BROKEN_OFF:
        hint = "Send the message again. If it happens again, check the network and any proxy."
        return ("model.network", f"The line to the model broke off: {words(error)}", hint, 0.0)
    if module.startswith(("httpx", "httpcore", "aiohttp")):
        hint = "Check the network, a proxy, or the base URL, and send again."
        return ("model.network", f"The model could not be reached: {words(error)}", hint, 0.0)
    if isinstance(error, ModuleNotFoundError):
        hint = f"Install it where the agent runs: pip install {error.name}"
        return ("run.import", text, hint, 0.0)
    if isinstance(error, OSError) and (hint := obstacle(error)):
        return ("run.system", f"The system refused: {words(error)}", hint, 0.0)
    status = getattr(error, "status_code", None)
    if isinstance(status, int) and 400 <= status < 600:
        retry = _retry_after(error)
        return (f"model.{status}", words(error), _with_delay(_hint(status), retry), retry)
    return None


def words(error: BaseException) -> str:
    """An exception as its own line of a traceback has it."""
    text = str(error).strip()
    return f"{type(error).__name__}: {text}" if text else f"{type(error).__name__}."


def obstacle(error: OSError | sqlite3.Error) -> str:
    """What to do where the machine, and not the code, stands in the way; empty where unknown."""
    if isinstance(error, sqlite3.Error):
        code, hint = _STORES.get(_number(error), ("", ""))
        return hint if code in ("store.full", "store.readonly", "store.locked") else ""
    match error.errno:
        case errno.ENOSPC | errno.EDQUOT:
            return _FULL
        case errno.EROFS:
            return _READ_ONLY
        case errno.EMFILE | errno.ENFILE:
            return _OPEN_FILES
        case _:
            return ""


def _sqlite(error: sqlite3.Error) -> Cause:
    file = _file_of(error)
    told = f"The session store {file} refused: {error}" if file else f"The store refused: {error}"
    if "no such table" in str(error):
        return ("store.gone", told, _GONE, 0.0)
    number = _number(error)
    if number == sqlite3.SQLITE_CANTOPEN and _out_of_files():
        told = f"The agent's process has too many files open to read its store: {error}"
        return ("run.system", told, _OPEN_FILES, 0.0)
    code, hint = _STORES.get(number, ("store.error", ""))
    return (code, told, hint or _STORE, 0.0)


def _number(error: sqlite3.Error) -> int:
    # The low byte is the kind; what is above it says more than we tell.
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def _file_of(error: BaseException) -> str:
    """The file that ADK's SQLite service keeps, as its frames still hold it."""
    for frame, _ in traceback.walk_tb(error.__traceback__):
        path = getattr(frame.f_locals.get("self"), "_db_path", None)
        if isinstance(path, str):
            return path
    return ""


def _out_of_files() -> bool:
    try:
        os.close(os.open(os.devnull, os.O_RDONLY))
    except OSError:
        return True
    return False


def _timed_out(error: BaseException) -> bool:
    name = type(error).__name__
    if type(error).__module__.startswith(_CLIENTS):
        return name.endswith(("Timeout", "TimeoutError"))
    # aiohttp tells the end of its patience by the built-in class.
    return isinstance(error, TimeoutError) and any(
        str(frame.f_globals.get("__name__", "")).startswith(("google.genai", "google.adk.models"))
        for frame, _ in traceback.walk_tb(error.__traceback__)
    )


def _hint(status: int) -> str:
    return _HINTS.get(status, _SERVER if status >= 500 else "")


def _with_delay(hint: str, retry: float) -> str:
    return f"{hint} The provider says: again in {retry:g} s.".lstrip() if retry else hint


def _retry_after(error: BaseException) -> float:
    """Seconds that the answer's ``Retry-After`` header names (RFC 9110: seconds, or a date)."""
    get = getattr(getattr(getattr(error, "response", None), "headers", None), "get", None)
    value = str(get("retry-after") or "").strip() if callable(get) else ""
    with suppress(ValueError, OverflowError):
        if value.isdecimal():
            return min(float(value), LONGEST_WAIT)
        wait = parsedate_to_datetime(value).timestamp() - time.time()
        return float(round(min(max(wait, 0.0), LONGEST_WAIT)))
    return 0.0


def _api(error: genai_errors.APIError) -> Cause:
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
    retry = retry if 0 < retry <= LONGEST_WAIT else _retry_after(error)
    told = f"The model answered {status} {name}: {message}".strip()
    return f"model.{status}", told, _with_delay(hint, retry), retry
