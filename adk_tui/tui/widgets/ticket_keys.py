"""Which keys act on a ticket, and what each of them will do, before it is pressed."""

import json
from dataclasses import dataclass

from adk_tui.client.answers import approve_response, reject_response
from adk_tui.client.credentials import login_url
from adk_tui.core.jsontools import JsonObject
from adk_tui.core.sanitize import line, mask
from adk_tui.core.tickets import Ticket
from adk_tui.tui.actions import BY_NAME, key_label
from adk_tui.tui.widgets.ticket_work import Work

FORMS = frozenset({"input", "choice", "credential"})
"""Kinds that are answered by a form alone: there is nothing to approve or to reject."""


WORDS = {"log_in": "log in", "another": "another"}
"""Actions whose names are too long for a column of keys."""


@dataclass(frozen=True, slots=True)
class Key:
    """An action of the registry, and what it does to this ticket."""

    action: str
    does: str

    @property
    def label(self) -> str:
        """The key itself."""
        return key_label(BY_NAME[self.action].keys[0])

    @property
    def word(self) -> str:
        """What it is called, in a word or two."""
        action = BY_NAME[self.action]
        return WORDS.get(self.action) or action.footer or action.title.lower()


def keys_of(ticket: Ticket, work: Work, *, fields: bool) -> list[Key]:
    """The keys of a ticket in its present state. ``fields``: its form has any."""
    if work.sending:
        return []
    if ticket.state == "stuck":
        return [Key("rewind_ticket", "undo this turn and all after it: the only way out")]
    if ticket.dead or ticket.state in ("superseded", "withdrawn"):
        return []
    if not ticket.is_open and not work.another:
        return [Key("another", "give another answer; the last one counts")]
    if work.as_json:
        return _json_keys(ticket)
    name, stays = line(ticket.name, 40), stays_of(ticket)
    match ticket.kind:
        case "long_running":
            return [
                Key("approve", f"final answer {short(approve_response(ticket))}"),
                Key("reject", f"final answer {short(reject_response(ticket))}"),
                Key("progress", f'report {{"status": "in_progress"}}; the ticket {stays}'),
                Key("edit_json", "any other answer, as JSON"),
                *_more(),
            ]
        case "confirmation" | "node_confirmation":
            given = "with the values below" if fields else "with these arguments"
            return [
                Key("approve", f"confirm: {name} runs {given}"),
                Key("reject", f"{name} is told no"),
                *([Key("open_ticket", "change the values below")] if fields else []),
                Key("edit_json", "write the answer as JSON"),
                *_more(),
            ]
        case "credential":
            link = [Key("log_in", "open the login page, copy its address")]
            return [
                *(link if login_url(ticket.auth) else []),
                Key("open_ticket", "enter it; nothing of it is shown"),
            ]
        case "input" | "choice":
            return [
                Key("open_ticket", "choose" if ticket.kind == "choice" else "fill in the form"),
                Key("edit_json", "write the answer as JSON"),
                Key("hold", "keep the answer, send it later with others"),
            ]


def stays_of(ticket: Ticket) -> str:
    """What becomes of a ticket after progress."""
    return "stays open" if ticket.is_open else "stays answered"


def _more() -> list[Key]:
    return [
        Key("hold", "keep an answer, send it later with others"),
        Key("policies", "approve without asking; list and revoke"),
    ]


def _json_keys(ticket: Ticket) -> list[Key]:
    last = [Key("edit_json", "back to the form; the text is kept"), *_more()[:1]]
    if ticket.kind != "long_running":
        return [Key("approve", "send the JSON below"), *last]
    return [
        Key("approve", "send the JSON below as the final answer"),
        Key("progress", f"send it as progress: the ticket {stays_of(ticket)}"),
        Key("reject", f"final answer {short(reject_response(ticket))}"),
        *last,
    ]


def short(value: JsonObject) -> str:
    """JSON on one line, secrets masked."""
    return line(json.dumps(mask(dict(value)), ensure_ascii=False, default=str), 120)
