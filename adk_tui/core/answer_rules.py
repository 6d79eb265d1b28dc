"""What ADK makes of an answer: progress or final, and whether it can use it at all.

ADK gives ``status`` and ``will_continue`` no meaning; the convention that they
mean "more will follow" is that of its own samples, and ours. The checks of a
confirmation are those of ``ToolConfirmation.from_response_dict``; those of an
input request those of ``workflow/utils/_rehydration_utils.py``, pydantic's lax
mode included. Both are told here without pydantic, and held against ADK by
contract tests.
"""

import json
from collections.abc import Mapping
from typing import Any, cast

from adk_tui.core.jsontools import JsonObject
from adk_tui.core.records import Response

_ONGOING = frozenset({
    "pending", "in_progress", "running", "queued", "waiting", "processing", "submitted",
    "scheduled", "working", "ongoing", "started", "starting", "awaiting", "paused", "on_hold",
    "progress", "updated", "requested",
})  # fmt: skip
_ENDED = frozenset({
    "approved", "rejected", "denied", "declined", "refused", "granted", "confirmed", "completed",
    "complete", "done", "finished", "success", "succeeded", "successful", "ok", "paid", "failed",
    "failure", "error", "cancelled", "canceled", "aborted", "expired", "timeout", "timed_out",
    "closed", "resolved",
})  # fmt: skip
_TRUE = frozenset({"1", "on", "t", "true", "y", "yes"})
_FALSE = frozenset({"0", "off", "f", "false", "n", "no"})

REJECTED = "This tool call is rejected."
"""What ADK answers in the name of a tool whose confirmation was refused."""

NEEDS_CONFIRMATION = "This tool call requires confirmation, please approve or reject."
"""What ADK answers in the name of a tool that waits for its confirmation."""


def _status(response: JsonObject) -> str:
    value = response.get("status")
    return (
        value.strip().lower().replace("-", "_").replace(" ", "_") if isinstance(value, str) else ""
    )


def is_progress(response: Response) -> bool:
    """Whether more will follow: ``will_continue``, or a ``status`` that is not final."""
    status = _status(response.response)
    return (
        response.will_continue
        or status in _ONGOING
        or status.split("_")[0]
        in (
            "pending",
            "awaiting",
            "waiting",
        )
    )


def is_explicitly_final(response: Response) -> bool:
    """Whether it says itself that nothing more will follow.

    An agent's own response to a long-running call is its receipt for the
    ticket, unless it says so or ADK refused the tool.
    """
    if response.will_continue:
        return False
    return _status(response.response) in _ENDED or response.response.get("error") == REJECTED


def read_confirmation(response: JsonObject) -> tuple[bool, str]:
    """A confirmation answer as ``(confirmed, problem)``; ``problem`` is empty when ADK can read it.

    ADK takes ``hint``, ``confirmed`` and ``payload`` and no other key, or all
    of it as a JSON string under the one key ``response``. ``{}`` is a refusal.
    """
    body: object = response
    if len(response) == 1 and "response" in response:
        try:
            body = json.loads(response["response"])
        except (TypeError, ValueError, RecursionError):
            return False, "the text under 'response' is not JSON"
    if not isinstance(body, Mapping):
        return False, "a confirmation must be a JSON object"
    answer = cast(JsonObject, body)
    if extra := [str(k) for k in answer if k not in ("hint", "confirmed", "payload")]:
        return (
            False,
            f"unknown key {', '.join(extra)}: only confirmed, payload and hint are allowed",
        )
    if not isinstance(answer.get("hint", ""), str):
        return False, "hint must be text"
    confirmed = _as_bool(answer.get("confirmed", False))
    if confirmed is None:
        return False, "confirmed must be true or false"
    return confirmed, ""


def schema_problem(response: JsonObject, schema: JsonObject | None) -> str:
    """Why an answer to an input request violates its schema, as ADK checks it; empty if it fits.

    ADK checks the top-level type, and of an object's properties presence and
    type; nothing deeper, no enums.
    """
    if not schema:
        return ""
    value = _unwrap(response)
    expected = schema.get("type")
    properties = schema.get("properties")
    if expected != "object" or not isinstance(properties, Mapping):
        return _type_problem(value, expected)
    if not isinstance(value, Mapping):
        return "must be a JSON object"
    answer = cast(JsonObject, value)
    required = schema.get("required") or ()
    for name, rule in cast(JsonObject, properties).items():
        wanted = cast(JsonObject, rule).get("type") if isinstance(rule, Mapping) else None
        if name not in answer:
            if name in required:
                return f"{name} is missing"
            continue
        if answer[name] is None and name not in required:
            continue
        if problem := _type_problem(answer[name], wanted):
            return f"{name} {problem}"
    return ""


def _unwrap(response: JsonObject) -> object:
    if len(response) == 1 and "result" in response:
        value = response["result"]
        if isinstance(value, str):
            try:
                return json.loads(value)
            except (ValueError, RecursionError):
                return value
        return value
    return response


def _type_problem(value: Any, expected: object) -> str:
    match expected:
        case "integer":
            return "" if _is_integer(value) else "must be an integer"
        case "number":
            return "" if _is_number(value) else "must be a number"
        case "string":
            return "" if isinstance(value, str) else "must be text"
        case "boolean":
            return "" if _as_bool(value) is not None else "must be true or false"
        case "array":
            return "" if isinstance(value, (list, tuple)) else "must be a list"
        case "object":
            return "" if isinstance(value, Mapping) else "must be a JSON object"
        case _:
            return ""


def _is_number(value: object) -> bool:
    if isinstance(value, (bool, int, float)):
        return True
    if not isinstance(value, str) or not value.isascii():
        return False
    try:
        float(value)
    except ValueError:
        return False
    return True


def _is_integer(value: object) -> bool:
    if isinstance(value, (bool, int)):
        return True
    if isinstance(value, float):
        return value.is_integer()
    if not isinstance(value, str) or not value.isascii():
        return False
    whole, dot, rest = value.strip().partition(".")
    if dot and rest.strip("0"):
        return False
    try:
        int(whole)
    except ValueError:
        return False
    return True


def _as_bool(value: object) -> bool | None:
    if isinstance(value, bool):
        return value
    if isinstance(value, (int, float)):
        return None if value not in (0, 1) else value == 1
    if isinstance(value, str):
        word = value.lower()
        return True if word in _TRUE else False if word in _FALSE else None
    return None
