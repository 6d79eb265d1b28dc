"""A person's answer to a ticket: made into the function response ADK will take, or refused.

ADK stores an answer before it looks at it, and looks at it again in every
later turn: one that breaks its schema poisons the session for good. So
everything is checked here first, and a refused draft stays with its writer.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias, assert_never, cast

from adk_tui.client.credentials import Credential, answer_auth, check_raw
from adk_tui.client.schemas import Problem, convert, problems
from adk_tui.core.answer_rules import is_progress
from adk_tui.core.commands import ToolAnswer
from adk_tui.core.jsontools import JsonObject, as_object
from adk_tui.core.records import Response
from adk_tui.core.tickets import Ticket
from adk_tui.core.typed import read_json

__all__ = [
    "Checked",
    "Choice",
    "Credential",
    "Decision",
    "Entered",
    "Problem",
    "Value",
    "approve_response",
    "check",
    "parse_json",
    "reject_response",
]

_REFERENCE = re.compile(r"(?:^|[_\W])(?:id|ids|ticket|reference|ref|request|case|number|uuid)$")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


@dataclass(frozen=True, slots=True)
class Value:
    """Any JSON value, or the text of a form: for long-running calls, inputs and JSON editors.

    ``progress`` keeps a long-running call open.
    """

    value: Any
    progress: bool = False


@dataclass(frozen=True, slots=True)
class Decision:
    """Yes or no to a confirmation; ``payload`` counts only where ``has_payload``."""

    confirmed: bool
    payload: Any = None
    has_payload: bool = False


@dataclass(frozen=True, slots=True)
class Choice:
    """One of the options of ``get_user_choice``."""

    option: str


Entered: TypeAlias = Value | Decision | Choice | Credential


@dataclass(frozen=True, slots=True)
class Checked:
    """The answer to send, or None and why it cannot be sent."""

    answer: ToolAnswer | None
    problems: tuple[Problem, ...] = ()


def parse_json(text: str) -> tuple[Any, tuple[Problem, ...]]:
    """JSON that a person typed, or where it stops being JSON (``line 2, column 5: …``)."""
    try:
        return read_json(text), ()
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        return None, (Problem("", f"{where}: {error.msg}"),)
    except ValueError as error:
        return None, (Problem("", str(error)),)


def check(ticket: Ticket, entered: Entered) -> Checked:
    """What to send for what a person entered, or what is wrong with it.

    Every kind of ticket takes a ``Value`` too (a JSON editor). A ticket that
    is dead or stuck takes nothing; one that was answered takes another answer.
    """
    if ticket.dead:
        return _refused("", ticket.dead)
    if ticket.state == "stuck":
        return _refused(
            "",
            "An earlier answer broke the schema, and ADK reads it in every turn: rewind this one.",
        )
    match entered:
        case Decision():
            return _decision(ticket, entered)
        case Choice():
            return _choice(ticket, entered.option)
        case Credential():
            if ticket.kind != "credential":
                return _refused("", "This ticket does not ask for a credential.")
            response, wrong = answer_auth(ticket.auth, entered)
            return _checked(ticket, response, wrong)
        case Value():
            return _value(ticket, entered)
        case _:
            assert_never(entered)


def _value(ticket: Ticket, entered: Value) -> Checked:
    value = entered.value
    if entered.progress and ticket.kind != "long_running":
        return _refused(
            "", "Only a long-running tool takes progress: ADK takes this as the answer."
        )
    match ticket.kind:
        case "long_running":
            return _long_running(ticket, value, progress=entered.progress)
        case "input":
            return _input(ticket, value)
        case "confirmation" | "node_confirmation":
            return _raw_decision(ticket, value)
        case "choice":
            inner = as_object(value).get("result", value)
            return _choice(ticket, inner if isinstance(inner, str) else json.dumps(inner))
        case "credential":
            if not isinstance(value, Mapping):
                return _refused("", "must be a JSON object")
            return _checked(ticket, cast(JsonObject, value), check_raw(value))
        case _:
            assert_never(ticket.kind)


def _long_running(ticket: Ticket, value: Any, *, progress: bool) -> Checked:
    response = dict(cast(JsonObject, value)) if isinstance(value, Mapping) else {"result": value}
    if progress:
        response.setdefault("status", "pending")
    elif is_progress(Response(ticket.call_id, ticket.function_name, response)):
        return _refused(
            "status", "says that more will follow: send it as progress, or give a final status"
        )
    return _checked(ticket, response, (), progress=progress)


def _decision(ticket: Ticket, decision: Decision) -> Checked:
    if ticket.kind == "long_running":
        made = approve_response(ticket) if decision.confirmed else reject_response(ticket)
        if decision.has_payload:
            extra = decision.payload
            made = {**made, **(as_object(extra) or {"result": extra})}
        return _long_running(ticket, made, progress=False)
    if ticket.kind not in ("confirmation", "node_confirmation"):
        return _refused("", "This ticket does not ask for yes or no.")
    response: dict[str, Any] = {"confirmed": decision.confirmed}
    if decision.has_payload:
        response["payload"] = decision.payload
    return _checked(ticket, response, ())


def _raw_decision(ticket: Ticket, value: Any) -> Checked:
    if not isinstance(value, Mapping):
        return _refused("", 'must be an object like {"confirmed": true}')
    answer = cast(JsonObject, value)
    wrong = [
        Problem(str(key), "is no key of a confirmation: only confirmed and payload are")
        for key in answer
        if key not in ("confirmed", "payload")
    ]
    if not isinstance(answer.get("confirmed"), bool):
        # ADK takes a missing one as a refusal, which nobody meant to send.
        wrong.append(Problem("confirmed", "must be true or false"))
    return _checked(ticket, answer, tuple(wrong))


def _choice(ticket: Ticket, option: str) -> Checked:
    if ticket.kind != "choice":
        return _refused("", "This ticket does not offer options.")
    if option not in ticket.options:
        return _refused("", "must be one of " + ", ".join(ticket.options))
    return _checked(ticket, {"result": option}, ())


def _input(ticket: Ticket, value: Any) -> Checked:
    schema = ticket.schema
    if not schema:
        return _checked(ticket, _wrapped(value, exact=False), ())
    if reason := _unanswerable(schema):
        return _refused("", reason)
    converted = convert(value, schema)
    return _checked(ticket, _wrapped(converted, exact=True), problems(converted, schema))


def _wrapped(value: Any, *, exact: bool) -> JsonObject:
    """A value as ADK's workflow nodes unwrap it: ``{"result": x}`` is x, a JSON string parsed.

    With ``exact`` a text that happens to be JSON ("42") is quoted once more,
    so that it arrives as the text it is.
    """
    if isinstance(value, Mapping):
        answer = cast(JsonObject, value)
        return {"result": answer} if set(answer) == {"result"} else answer
    if isinstance(value, str) and exact:
        try:
            json.loads(value)
        except (ValueError, RecursionError):
            pass
        else:
            value = json.dumps(value)
    return {"result": value}


def _unanswerable(schema: JsonObject) -> str:
    """Why ADK itself fails on every answer to a schema; empty where it does not.

    It makes a pydantic model of an object's properties, which takes one type
    name each and none of pydantic's own names.
    """
    if schema.get("type") != "object":
        return ""
    why = "ADK cannot check any answer to this form and would fail in every later turn"
    for name, rule in as_object(schema.get("properties")).items():
        if name == "model_config" or name.startswith(("__", "model_dump", "model_validate")):
            return f"{why}: the name {name} is taken. Rewind this turn."
        if not isinstance(rule, Mapping) or isinstance(
            as_object(cast(object, rule)).get("type"), list
        ):
            return f"{why}: {name} has more than one type. Rewind this turn."
    return ""


def _checked(
    ticket: Ticket, response: JsonObject, wrong: tuple[Problem, ...], *, progress: bool = False
) -> Checked:
    wrong = wrong or _unsendable(response)
    if wrong:
        return Checked(None, wrong)
    answer = ToolAnswer(ticket.call_id, ticket.function_name, response, progress)
    return Checked(answer)


def _unsendable(value: Any) -> tuple[Problem, ...]:
    """What no session store can keep: NaN, half a surrogate pair, things that are no JSON."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
        text.encode("utf-8")
    except UnicodeEncodeError:
        return (
            Problem("", "contains half a character (a lone surrogate), which cannot be stored"),
        )
    except RecursionError:
        return (Problem("", "is nested too deeply"),)
    except (TypeError, ValueError) as error:
        return (Problem("", f"cannot be sent as JSON: {error}"),)
    return ()


def _refused(path: str, message: str) -> Checked:
    return Checked(None, (Problem(path, message),))


def _references(ticket: Ticket) -> JsonObject:
    """What names the matter in the tool's own pending response: ``ticket_id`` and the like."""
    for reply in ticket.replies:
        if reply.author == "user":
            continue
        return {
            key: value
            for key, value in reply.response.items()
            if isinstance(value, (str, int))
            and not isinstance(value, bool)
            and _REFERENCE.search(_CAMEL.sub("_", key).lower())
        }
    return {}


def approve_response(ticket: Ticket) -> JsonObject:
    """What approving a long-running call sends, unless it is edited first."""
    return {"status": "approved", **_references(ticket)}


def reject_response(ticket: Ticket) -> JsonObject:
    """What rejecting a long-running call sends, unless it is edited first."""
    return {"status": "rejected", **_references(ticket)}
