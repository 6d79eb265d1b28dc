"""``adk-tui sessions`` and ``adk-tui tickets``: what of all stored sessions is told, and how."""

import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

from adk_tui.client.credentials import scheme_of
from adk_tui.client.engine import Engine
from adk_tui.console.conversation import Conversation, NotLoaded
from adk_tui.console.plain import masked_text, ticket_json
from adk_tui.console.stored import StoredSession
from adk_tui.console.tickets import AnswerError, prepare
from adk_tui.core.ages import ago
from adk_tui.core.brief import brief
from adk_tui.core.records import EventRecord
from adk_tui.core.sanitize import line
from adk_tui.core.tickets import Ticket, read_tickets
from adk_tui.core.typed import read_json

TITLE = 60

Stored: TypeAlias = Iterable[tuple[StoredSession, Iterable[EventRecord]]]
"""Sessions with their events, newest first: ``stored.walk`` or ``catalog.walk``."""


@dataclass(frozen=True, slots=True)
class StoredTicket:
    """A ticket and the session it belongs to."""

    session: StoredSession
    ticket: Ticket


def list_sessions(stored: Stored) -> list[StoredSession]:
    """The sessions, newest first. Raises StoreError where they cannot be read."""
    return [session for session, _ in stored]


def list_tickets(stored: Stored) -> list[StoredTicket]:
    """The open tickets of all sessions, those of the newest session first. Raises StoreError."""
    return [
        StoredTicket(session, ticket)
        for session, events in stored
        for ticket in read_tickets(events)
        if ticket.is_open
    ]


def find_stored(tickets: Iterable[StoredTicket], name: str) -> StoredTicket:
    """The open ticket meant by its id, its call id or its tool's name.

    Raises AnswerError where none or more than one is meant.
    """
    known = list(tickets)
    for meant in (
        [t for t in known if t.ticket.key == name],
        [t for t in known if t.ticket.call_id == name],
        [t for t in known if name in (t.ticket.name, t.ticket.function_name)],
    ):
        if len(meant) == 1:
            return meant[0]
        if meant:
            where = ", ".join(f"{t.ticket.key} in session {t.session.id}" for t in meant)
            raise AnswerError(
                f"{len(meant)} tickets are open for {name!r}: {where}."
                " Write the ticket's id, or say which one with --session ID."
            )
    there = ", ".join(f"{t.ticket.key} ({t.ticket.name})" for t in known[:8])
    raise AnswerError(
        f"No open ticket is {name!r}. " + (f"Open are {there}." if there else "None is open.")
    )


def answer_stored(engine: Engine, found: StoredTicket, text: str) -> str:
    """Send the answer ``text`` (JSON) to a ticket and let the agent go on.

    ``engine`` opens the ticket's session when it starts. Returns a sentence
    about what came of it. Raises AnswerError or NotLoaded.
    """
    try:
        value = read_json(text)
    except ValueError as error:
        raise AnswerError(
            f'The answer is not JSON ({error}). Write for example \'{{"status": "approved"}}\'.'
        ) from error
    # What ADK would refuse is refused before anything runs.
    prepare(found.ticket, value)
    with Conversation(engine) as talk:
        talk.wait_until_ready()
        ticket = talk.view.tickets.get(found.ticket.key)
        if ticket is None:
            raise AnswerError(f"The ticket {found.ticket.key} is no longer in its session.")
        done = talk.run(prepare(ticket, value))
        if done.failure is not None:
            raise NotLoaded(done.failure)
        now = talk.view.tickets.get(ticket.key)
        open_now = len(talk.view.tickets.open)
    state = now.state if now is not None else "gone"
    if state == "updated":
        state = "still open after this progress"
    rest = f"; {open_now} still open in this session" if open_now else ""
    return f"{ticket.name} is {state}{rest}."


def session_line(session: StoredSession, reveal: bool) -> str:
    """A session for people to read."""
    when = ago(time.time() - session.updated) if session.updated else ""
    title = line(masked_text(session.title, reveal), TITLE)
    count = f"{session.events} event{'' if session.events == 1 else 's'}"
    columns = (line(session.id, 80), line(session.user, 40), when, count, title)
    return "  ".join(c for c in columns if c)


def session_json(session: StoredSession, reveal: bool) -> dict[str, Any]:
    """A session for programs."""
    return {
        "id": session.id,
        "user": session.user,
        "app": session.app,
        "updated": session.updated,
        "events": session.events,
        "title": masked_text(session.title, reveal),
    }


def ticket_line(found: StoredTicket, reveal: bool) -> str:
    """A ticket for people to read."""
    ticket = found.ticket
    when = ago(time.time() - ticket.opened) if ticket.opened else ""
    asks = ticket.message or (brief(ticket.args, TITLE, reveal=reveal) if ticket.args else "")
    if ticket.kind == "credential":
        asks = f"wants a credential ({scheme_of(ticket.auth)}) {asks}"
    columns = (
        line(ticket.key, 120),
        line(ticket.name, 60),
        when,
        f"session {line(found.session.id, 80)}",
        line(masked_text(asks, reveal), TITLE),
    )
    return "  ".join(c for c in columns if c)


def stored_ticket_json(found: StoredTicket, reveal: bool) -> dict[str, Any]:
    """A ticket for programs."""
    session = {"session": found.session.id, "user": found.session.user}
    return {**session, **ticket_json(found.ticket, reveal)}
