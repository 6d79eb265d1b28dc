"""Records as plain JSON for programs: events as ADK writes them, tickets in a stable shape.

Secrets are masked unless ``reveal`` is set; nothing else is changed.
"""

import json
from typing import Any, cast

from adk_tui.core.jsontools import Json, as_object
from adk_tui.core.masking import mask
from adk_tui.core.records import EventRecord
from adk_tui.core.tickets import Ticket


def masked(value: Json, reveal: bool) -> Json:
    """The value with its secrets masked, unless they are to be shown."""
    return value if reveal else mask(value)


def event_json(event: EventRecord, reveal: bool) -> Json:
    """ADK's own JSON of an event; where it is unreadable, an object that holds what there was."""
    source = event.json()
    if not source:
        return {"unreadable": event.raw.decode("utf-8", "backslashreplace")}
    return masked(source, reveal)


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
        "message": ticket.message,
        "schema": ticket.schema,
        "options": list(ticket.options),
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
        value: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"not JSON ({error})") from error
    if not isinstance(value, dict):
        raise ValueError(f"a JSON {type(value).__name__}, not an object")
    return dict(as_object(cast(object, value)))
