"""Sentences about what went wrong or is out of the ordinary."""

from collections.abc import Mapping

from adk_tui.core.answer_rules import NEEDS_CONFIRMATION, REJECTED, read_confirmation
from adk_tui.core.jsontools import JsonObject
from adk_tui.core.records import EventRecord, Response, Text
from adk_tui.core.ticket_ledger import USER, Entry

_USUAL_FINISH = frozenset({"", "STOP", "FINISH_REASON_UNSPECIFIED"})
_HINTS: Mapping[str, str] = {
    "SAFETY": "The model's safety filter stopped the answer. Say it differently.",
    "PROHIBITED_CONTENT": "The model refused the content. Say it differently.",
    "BLOCKLIST": "The request holds a blocked term. Say it differently.",
    "RECITATION": "The answer came too close to a source. Ask for it in other words.",
    "SPII": "The answer held personal data. Ask for it in other words.",
    "LANGUAGE": "The model does not speak this language. Say it in another one.",
    "IMAGE_SAFETY": "The model's safety filter stopped the image. Say it differently.",
    "OTHER": "The provider gave no reason. Send the message again, or say it differently.",
    "MAX_TOKENS": "The limit of tokens is reached. Raise max_output_tokens or ask for less.",
    "MALFORMED_FUNCTION_CALL": "The model wrote an unreadable call. Send the message again.",
    "UNEXPECTED_TOOL_CALL": "The model called a tool it was not given. Send the message again.",
    "TOO_MANY_TOOL_CALLS": "The model called too many tools at once. Send the message again.",
    "MODEL_RETURNED_NO_CONTENT": "The model answered with nothing. Send the message again.",
    "429": "The model's quota is used up for now. Wait a moment, then send the message again.",
    "RESOURCE_EXHAUSTED": "The model's quota is used up. Wait a moment, then send it again.",
    "401": "The key was not accepted. Check it in the agent's .env, or run with --offline.",
    "403": "Access was refused. Check the key's rights and the model's name.",
    "404": "There is no such model. Check its name in the agent.",
    "503": "The model is overloaded. Wait a moment, then send the message again.",
    "INVOCATION_ABORTED": "",
}


def error_hint(code: str, message: str) -> str:
    """The next step after an error of that code, empty where none is known."""
    found = _HINTS.get(code)
    if found is not None:
        return found
    first = message.split(" ", 1)[0].rstrip(".:,")
    return _HINTS.get(first, "") if first.isdigit() else ""


def unusual_finish(event: EventRecord, *, silent: bool) -> str:
    """A line about a model answer that ended in an unusual way, empty if it did not.

    ``silent``: nothing of the event stands in the chat so far. An answer is
    never shown as nothing.
    """
    finish = event.finish_reason
    if event.error_code or event.error_message:
        return ""
    if finish not in _USUAL_FINISH and not (finish == "MAX_TOKENS" and event.text.strip()):
        hint = _HINTS.get(finish, "")
        return f"The model ended its answer with {finish}. {hint}".rstrip()
    blank = all(isinstance(p, Text) and not p.text.strip() for p in event.parts)
    if silent and blank and event.role == "model":
        reason = f" (finish reason {finish})" if finish else ""
        return f"{event.author} answered with nothing{reason}."
    return ""


def state_line(delta: JsonObject) -> str:
    """A line about state that was edited by hand."""
    return f"State edited: {', '.join(str(key) for key in delta)}"


def rejected_tool_problem(gate: Entry, event: EventRecord, response: Response) -> str:
    """Why a response of a tool behind a confirmation should not be there, empty if it should.

    Only tools that ADK itself holds back can be judged: one that asks for its
    confirmation from within runs before the answer and after a refusal by
    design. A response with an error need not mean that the tool ran.
    """
    ticket = gate.call
    if ticket.kind != "confirmation" or gate.withdrawn or event.aborted:
        return ""
    if not ticket.message.startswith(f"Please approve or reject the tool call {ticket.name}()"):
        return ""
    if event.author == USER or response.id in event.actions.requested_tool_confirmations:
        return ""
    if response.response.get("error") in (NEEDS_CONFIRMATION, REJECTED):
        return ""
    if response.response.get("error"):
        return ""
    answers = [r for r in gate.replies if r.author == USER and not r.problem]
    if not answers:
        return f"{ticket.name} ran although nobody had answered its request for confirmation."
    if not read_confirmation(answers[-1].response)[0]:
        return f"{ticket.name} ran although it was rejected."
    return ""
