"""Short ways to write a session down, as ADK's own JSON."""

import itertools
from collections.abc import Sequence
from typing import Any

from adk_tui.core.event_log import EventLog
from adk_tui.core.event_reader import read_event
from adk_tui.core.records import EventRecord

_number = itertools.count(1)

Json = dict[str, Any]


def text(value: str, *, thought: bool = False) -> Json:
    return {"text": value, "thought": True} if thought else {"text": value}


def call(name: str, call_id: str = "", **args: Any) -> Json:
    found: Json = {"name": name, "args": args}
    if call_id:
        found["id"] = call_id
    return {"functionCall": found}


def response(name: str, call_id: str, body: Json, *, will_continue: bool | None = None) -> Json:
    found: Json = {"id": call_id, "name": name, "response": body}
    if will_continue is not None:
        found["willContinue"] = will_continue
    return {"functionResponse": found}


def confirmation(call_id: str, gated: Json, **asked: Any) -> Json:
    original = gated["functionCall"]
    hint = f"Please approve or reject the tool call {original['name']}() by responding."
    return call(
        "adk_request_confirmation",
        call_id,
        originalFunctionCall=original,
        toolConfirmation={"hint": hint, "confirmed": False, **asked},
    )


def event(author: str, *parts: Json, inv: str = "i1", **fields: Any) -> EventRecord:
    """An event as ADK writes it; ``fields`` are its other fields, in ADK's camelCase."""
    number = next(_number)
    data: Json = {
        "id": f"e{number}",
        "invocationId": inv,
        "author": author,
        "timestamp": 1_700_000_000.0 + number,
        **fields,
    }
    if parts:
        data["content"] = {"role": "user" if author == "user" else "model", "parts": list(parts)}
    return read_event(data)


def user(value: str, *, inv: str = "i1") -> EventRecord:
    return event("user", text(value), inv=inv)


def rewind(target: str, *, inv: str) -> EventRecord:
    return event("user", inv=inv, actions={"rewindBeforeInvocationId": target})


def aborted(author: str, *parts: Json, inv: str = "i1", **fields: Any) -> EventRecord:
    return event(
        author,
        *parts,
        inv=inv,
        errorCode="INVOCATION_ABORTED",
        errorMessage="Invocation was aborted by client.",
        **fields,
    )


def log_of(events: Sequence[EventRecord]) -> EventLog:
    log = EventLog()
    log.extend(events)
    return log
