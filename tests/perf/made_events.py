"""Events like those of a session: a user's turn, a call, a response, a text, in turn."""

import json
from typing import Any


def made_event(number: int) -> dict[str, Any]:
    """The event of that number, as ADK stores it."""
    parts = (
        {"text": f"question {number}"},
        {"functionCall": {"id": f"c{number}", "name": "lookup", "args": {"symbol": "GOOG"}}},
        {"functionResponse": {"id": f"c{number - 1}", "name": "lookup", "response": {"p": 1.5}}},
        {"text": f"The price of number {number} is 180.25 USD, and that is all there is to say."},
    )
    kind = number % 4
    return {
        "id": f"event-{number}",
        "invocationId": f"invocation-{number // 4}",
        "author": "user" if kind == 0 else f"agent_{number // 4 % 3}",
        "timestamp": 1_790_000_000 + number / 10,
        "content": {"role": "model", "parts": [parts[kind]]},
    }


def made_rewind(number: int, before: int) -> dict[str, Any]:
    """The event of that number: it undoes all from the event numbered ``before`` on."""
    return {
        "id": f"event-{number}",
        "invocationId": f"invocation-{number}",
        "author": "user",
        "timestamp": 1_790_000_000 + number / 10,
        "actions": {"rewindBeforeInvocationId": f"invocation-{before // 4}"},
    }


def ascii_json(event: dict[str, Any]) -> bytes:
    """The event as the engine sends it."""
    return json.dumps(event, separators=(",", ":")).encode("ascii")
