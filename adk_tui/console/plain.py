"""Records as plain JSON for programs: events as ADK writes them, tickets in a stable shape.

Secrets are masked unless ``reveal`` is set; nothing else is changed.
"""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from adk_tui.core.jsontools import Json, as_object
from adk_tui.core.masking import mask, mask_text
from adk_tui.core.records import EventRecord
from adk_tui.core.reports import Failure, ModelCall, Record
from adk_tui.core.tickets import Ticket
from adk_tui.core.typed import read_json
from adk_tui.core.wire import encode_record


def masked(value: Json, reveal: bool) -> Json:
    """The value with its secrets masked, unless they are to be shown."""
    return value if reveal else mask(value)


def masked_text(text: str, reveal: bool) -> str:
    """The text with its secrets masked, unless they are to be shown."""
    return text if reveal else mask_text(text)


def event_json(event: EventRecord, reveal: bool) -> Json:
    """ADK's own JSON of an event; where it is unreadable, an object that holds what there was."""
    source = event.json()
    if not source:
        return masked({"unreadable": event.raw.decode("utf-8", "backslashreplace")}, reveal)
    return masked(source, reveal)


def record_json(record: Record, reveal: bool) -> dict[str, Any]:
    """Any record as an object with its ``type``; a model call's request and response as JSON."""
    if isinstance(record, EventRecord):
        event = event_json(record, reveal)
        return {"type": "event", "inner_of": record.inner_of, "event": event}
    bodies: dict[str, Any] = {}
    if isinstance(record, ModelCall):
        bodies = {"request": _body(record.request), "response": _body(record.response)}
        record = replace(record, request=b"", response=b"")
    plain = {**as_object(json.loads(encode_record(record))), **bodies}
    return dict(as_object(masked(plain, reveal)))


def _body(data: bytes) -> Any:
    try:
        return json.loads(data) if data else None
    except (ValueError, RecursionError):
        return data.decode("utf-8", "backslashreplace")


def ticket_json(ticket: Ticket, reveal: bool) -> dict[str, Any]:
    """A ticket as the pipe protocol tells it; ``id`` is unique even where call ids repeat."""
    return {
        "id": ticket.key,
        "call_id": ticket.call_id,
        "invocation_id": ticket.invocation_id,
        "kind": ticket.kind,
        "state": ticket.state,
        "name": ticket.name,
        "author": ticket.agent,
        "args": masked(ticket.args, reveal),
        "message": masked_text(ticket.message, reveal),
        "schema": ticket.schema,
        "options": list(ticket.options),
        "payload": masked(ticket.payload, reveal),
        "auth": masked(ticket.auth, reveal),
        "dead": ticket.dead,
        "responses": [
            {
                "author": reply.author,
                "timestamp": reply.timestamp,
                "response": masked(reply.response, reveal),
                "progress": reply.progress,
                "problem": reply.problem,
            }
            for reply in ticket.replies
        ],
    }


def dump_line(value: Json) -> bytes:
    """One line of ASCII JSON, newline included; lone surrogates travel as escapes."""
    return json.dumps(value, separators=(",", ":"), default=repr).encode("ascii") + b"\n"


def parse_object(text: str) -> dict[str, Any]:
    """The JSON object in ``text``. Raises ValueError with a sentence about what it is instead."""
    try:
        value: object = read_json(text)
    except ValueError as error:
        raise ValueError(f"not JSON ({error})") from error
    if not isinstance(value, dict):
        raise ValueError(f"{_KINDS.get(type(value), 'a JSON value')}, not a JSON object")
    return dict(as_object(cast(object, value)))


_KINDS: dict[type, str] = {
    list: "a JSON array",
    str: "a JSON string",
    int: "a number",
    float: "a number",
    bool: "true or false",
    type(None): "null",
}


NOT_LOADED = 3
"""Exit code when the agent, its Python or its process is at fault before anything could be said."""


def failure_text(failure: Failure, *, debug: bool = False) -> str:
    """What went wrong, where in the user's code, and what to do next, as one line.

    With ``debug`` the details follow (a traceback, the last output); without, how to get them.
    """
    message = failure.message.rstrip()
    place = f"{failure.file}:{failure.line}" if failure.line else failure.file
    if place and not _names(message, failure):
        message = f"{message.removesuffix('.')} ({place})."
    elif not message.endswith((".", "!", "?", ":", "…")):
        message += "."
    text = f"{message} {failure.hint}".strip()
    if not failure.details:
        return text
    return f"{text}\n{failure.details}" if debug else f"{text} --debug shows the details."


def _names(message: str, failure: Failure) -> bool:
    """Whether a message says by itself where it happened."""
    if not failure.line:
        return Path(failure.file).name in message
    return f":{failure.line}" in message or f"(line {failure.line})" in message


def exit_code(failure: Failure) -> int:
    """The exit code where an engine did not become ready: 3, or 1 for a session or its store."""
    return 1 if failure.code.startswith(("session.", "store.")) else NOT_LOADED
