"""Tickets as text: a row of the list, and everything a person should read before answering."""

import json
import time
from collections.abc import Sequence

from textual.content import Content

from adk_tui.client.credentials import login_url, scheme_of
from adk_tui.core.ages import age, ago
from adk_tui.core.jsontools import JsonObject
from adk_tui.core.reports import SessionInfo
from adk_tui.core.sanitize import clean, line, mask, mask_text
from adk_tui.core.tickets import Reply, Ticket
from adk_tui.tui.widgets.ticket_keys import Key

MOST_LINES = 40
"""Lines of arguments shown; the event has them all."""

KINDS = {
    "long_running": "long-running tool",
    "confirmation": "confirmation",
    "credential": "credentials",
    "input": "input",
    "choice": "choice",
    "node_confirmation": "step confirmation",
}

STATES = {
    "open": ("●", "$text-warning", ""),
    "updated": ("◐", "$text-warning", "in progress"),
    "final": ("✓", "$text-success", "answered"),
    "invalid": ("!", "$text-error", "the last answer was not usable"),
    "stuck": ("✗", "$text-error", "stuck: an answer broke the schema"),
    "aborted": ("■", "$foreground 62%", "the run was stopped"),
    "superseded": ("·", "$foreground 62%", "asked again later"),
    "withdrawn": ("·", "$foreground 62%", "undone by a rewind"),
}

_ASKED = frozenset(
    {"message", "response_schema", "responseSchema", "interruptId", "payload", "options"}
)
"""Arguments of a question that the panel shows in other ways."""

_BOILERPLATE = "Please approve or reject the tool call "
"""How ADK itself asks for a confirmation."""
_HOLDABLE = frozenset({"approve", "reject", "progress", "hold"})

Pairs = list[tuple[str, str]]


def row(ticket: Ticket, now: float, *, word: str = "") -> Content:
    """One line: state, name, ``word`` on the user's own work, age, who asks, what."""
    mark, style, _ = STATES[ticket.state]
    if ticket.dead:
        mark, style = "–", "$foreground 62%"
    word = f"{word} " if word else ""
    when = age(now - ticket.opened) if ticket.opened else ""
    return Content.assemble(
        (f"{mark} ", style),
        (title(ticket), "bold" if ticket.is_open else "$foreground 62%"),
        (f"  {word}", "bold $accent"),
        (f"{when}  {line(ticket.agent, 30)}  ", "$foreground 62%"),
        (line(question(ticket), 120), "" if ticket.is_open else "$foreground 62%"),
    )


def question(ticket: Ticket) -> str:
    """What is asked, in one sentence; the arguments where nothing was said."""
    if said := message(ticket):
        return said
    if ticket.kind == "credential":
        return f"wants a credential ({line(scheme_of(ticket.auth), 30)})"
    return ", ".join(f"{k}={_short(v)}" for k, v in mask_object(arguments(ticket)).items())


def message(ticket: Ticket) -> str:
    """What the asker says; nothing where it is ADK's own sentence, which says no more."""
    return "" if ticket.message.startswith(_BOILERPLATE) else mask_text(ticket.message)


def title(ticket: Ticket) -> str:
    """The tool's name; for a question of ADK's own, the kind of it."""
    if ticket.name.startswith("adk_request_"):
        return KINDS[ticket.kind]
    return line(ticket.name, 60)


def arguments(ticket: Ticket) -> JsonObject:
    """The arguments worth showing: not those that the form or the question show."""
    if ticket.kind in ("input", "choice", "node_confirmation"):
        return {k: v for k, v in ticket.args.items() if k not in _ASKED}
    return ticket.args


def _short(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else text[:59] + "…"


def mask_object(value: JsonObject) -> JsonObject:
    """The object with secrets masked."""
    masked = mask(value)
    return masked if isinstance(masked, dict) else {}


def pretty(value: object, most: int = MOST_LINES) -> str:
    """JSON for reading, secrets masked, cut after ``most`` lines."""
    text = clean(json.dumps(mask(value), indent=2, ensure_ascii=False, default=str))  # pyright: ignore[reportArgumentType]
    lines = text.split("\n")
    if len(lines) > most:
        lines = [*lines[:most], f"… {len(lines) - most} more lines (the event shows all)"]
    return "\n".join(lines)


def details(
    ticket: Ticket,
    consequences: Sequence[str],
    *,
    now: float | None = None,
    width: int = 80,
) -> Content:
    """The ticket in full: question, arguments, what an answer will do, earlier answers."""
    now = time.time() if now is None else now
    kind = KINDS[ticket.kind]
    pairs: Pairs = [(title(ticket), "bold $primary")]
    if kind != title(ticket):
        pairs.append((f"   {kind}", "$foreground 62%"))
    when = f" {ago(now - ticket.opened)}" if ticket.opened else ""
    pairs.append((f", asked by {line(ticket.agent, 60)}{when}\n", "$foreground 62%"))
    if said := message(ticket):
        pairs.append((clean(said) + "\n", "bold"))
    if ticket.dead:
        pairs.append((clean(ticket.dead) + "\n", "$text-warning"))
    _, style, word = STATES[ticket.state]
    if word:
        problem = ticket.replies[-1].problem if ticket.replies else ""
        pairs.append((f"{word}{': ' if problem else ''}{clean(problem)}\n", style))
    if ticket.duplicate_id:
        pairs.append((f"Another open call has the same id, {line(ticket.call_id, 60)}: both are"
                      " in the list.\n", "$text-warning"))  # fmt: skip
    if address := login_url(ticket.auth):
        pairs += [("log in at ", "$foreground 62%"), (line(address, 2_000) + "\n", "underline")]
    args = arguments(ticket)
    payload = ticket.payload if ticket.kind != "confirmation" else None
    flat, flat_payload = _flat(args, width), _flat(payload or {}, width)
    pairs += [(f"{text}\n", "") for text in (flat, flat_payload) if text]
    if not ticket.dead:
        for told in consequences:
            pairs += [("→ ", "bold $accent"), (f"{clean(told)}\n", "$foreground 85%")]
    if args and not flat:
        pairs.append((pretty(args) + "\n", ""))
    if payload and not flat_payload:
        pairs.append((pretty(payload) + "\n", ""))
    for reply in ticket.replies:
        pairs += _reply(reply, now, secret=ticket.kind == "credential")
    text, last = pairs[-1]
    pairs[-1] = (text.rstrip("\n"), last)
    return Content.assemble(*pairs)


def _flat(args: JsonObject, width: int) -> str:
    """Arguments on one line; empty where they need more, and so must not hide what follows."""
    safe = mask_object(args)
    flat = "  ".join(f"{line(str(k), 60)}: {line(_short(v))}" for k, v in safe.items())
    simple = all(not isinstance(v, (dict, list)) for v in safe.values())
    return flat if simple and len(flat) <= width else ""


def _reply(reply: Reply, now: float, *, secret: bool) -> Pairs:
    who = "you" if reply.author == "user" else "the tool itself"
    if reply.policy:
        who = f"automatically ({line(reply.policy, 160)})"
    # What the tool said by itself is neither: its receipt leaves the ticket open.
    word = "" if reply.author != "user" else ", progress" if reply.progress else ", answer"
    text = line(json.dumps(mask(reply.response), ensure_ascii=False, default=str), 300)
    if secret and reply.author == "user":
        text = "a credential, not shown"
    when = f" {ago(now - reply.timestamp)}" if reply.timestamp else ""
    pairs: Pairs = [(f"{line(who, 200)}{when}{word}: ", "$foreground 62%"), (text + "\n", "")]
    if reply.problem:
        pairs.append((f"  {clean(reply.problem)}\n", "$text-error"))
    return pairs


def key_lines(keys: Sequence[Key], *, holding: bool) -> Content:
    """The keys that act on a ticket, one a line, with what each will do."""
    pairs: Pairs = []
    if holding:
        pairs.append(("Which answer is to be kept? Nothing is sent yet.\n", "$text-warning"))
    shown = [k for k in keys if not holding or k.action in _HOLDABLE]
    column = max((len(k.word) for k in shown), default=0)
    for key in shown:
        pairs.append((f"{key.label:>5} ", "bold $primary"))
        pairs.append((f"{key.word:<{column}} ", "bold"))
        pairs.append((f"{key.does}\n", "$foreground 72%"))
    if pairs:
        text, style = pairs[-1]
        pairs[-1] = (text.rstrip("\n"), style)
    return Content.assemble(*pairs)


def session_row(session: SessionInfo, now: float) -> Content:
    """One line: another session in which something waits."""
    when = age(now - session.updated) if session.updated else ""
    return Content.assemble(
        ("↗ ", "$text-warning"),
        (f"{session.tickets} waiting", "bold"),
        (f"  {when}  {line(session.user, 20)}  ", "$foreground 62%"),
        (line(session.title, 80) or line(session.id, 80), ""),
    )


def about_session(session: SessionInfo, *, now: float) -> Content:
    """Another session in which something waits, in full."""
    many = "1 ticket waits" if session.tickets == 1 else f"{session.tickets} tickets wait"
    when = f", last used {ago(now - session.updated)}" if session.updated else ""
    title = line(session.title, 200) or "(no message yet)"
    return Content.assemble(
        (f"{many} in another session", "bold $primary"),
        (f"   user {line(session.user, 60)}{when}\n", "$foreground 62%"),
        (f"{title}\n", ""),
        (f"{line(session.id, 100)}\n", "$foreground 62%"),
        ("Enter ", "bold $primary"),
        ("opens it here; this session is kept.", "$foreground 72%"),
    )
