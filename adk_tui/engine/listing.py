"""The list of sessions: what can be said of each without opening it."""

import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass

from google.adk.errors.session_not_found_error import SessionNotFoundError
from google.adk.events.event import Event
from google.adk.sessions.base_session_service import BaseSessionService
from google.adk.sessions.session import Session

from adk_tui.core.event_reader import read_event
from adk_tui.core.records import EventRecord
from adk_tui.core.reports import SessionInfo
from adk_tui.core.rewind_preview import is_turn
from adk_tui.core.rewinds import live
from adk_tui.core.tickets import read_tickets
from adk_tui.engine.dump import dump_event
from adk_tui.engine.titles import NONE, Titles, families

TITLE_LENGTH = 80
READ = 100
"""Sessions of the list that are read, newest first."""
READ_SECONDS = 1.0
"""Time that reading them may take."""


def title_of(events: Iterable[Event]) -> str:
    """The first thing the user said, shortened; empty where there is none."""
    for event in events:
        if event.author == "user" and event.content:
            for part in event.content.parts or ():
                if part.text and not part.thought:
                    return " ".join(part.text.split())[:TITLE_LENGTH]
    return ""


async def stored_sessions(service: BaseSessionService, app: str, user: str) -> list[Session]:
    """The sessions of an app without their events, in no order.

    Of all users; of ``user`` alone where a service lists one user's sessions only.
    """
    try:
        found = await service.list_sessions(app_name=app)
    except (NotImplementedError, ValueError, SessionNotFoundError):
        found = await service.list_sessions(app_name=app, user_id=user)
    return found.sessions


def records_of(events: Iterable[Event]) -> list[EventRecord]:
    """ADK's events as our records."""
    return [read_event(dump_event(e)) for e in events]


@dataclass(frozen=True, slots=True)
class _Read:
    updated: float
    title: str
    events: int
    turns: int
    tickets: int


class Listing:
    """Describes sessions; remembers what it has read until a session changes.

    ``read`` fetches a whole session by user and id.
    """

    def __init__(
        self, read: Callable[[str, str], Awaitable[Session | None]], titles: Titles
    ) -> None:
        self._fetch = read
        self._titles = titles
        self._known: dict[tuple[str, str], _Read] = {}

    async def infos(
        self, listed: Sequence[Session], first: tuple[str, str] = ("", "")
    ) -> tuple[SessionInfo, ...]:
        """A row for each, newest first; counts as far as time allows, those of ``first`` always.

        ``first`` is a user and a session id.
        """
        newest = sorted(listed, key=lambda s: s.last_update_time, reverse=True)
        notes = self._titles.all()
        keys = {(s.user_id, s.id) for s in newest}
        kin = families({key: notes.get(key, NONE).parent for key in keys})
        until = time.monotonic() + READ_SECONDS
        rows: list[SessionInfo] = []
        for index, session in enumerate(newest):
            key = (session.user_id, session.id)
            in_time = index < READ and time.monotonic() < until
            found = await self._read(session, in_time or key == first)
            note = notes.get(key, NONE)
            rows.append(
                SessionInfo(
                    session.id,
                    session.user_id,
                    session.last_update_time,
                    note.title or (found.title if found else ""),
                    found.events if found else -1,
                    found.turns if found else -1,
                    found.tickets if found else -1,
                    named=bool(note.title),
                    parent=note.parent,
                    relatives=kin[key],
                )
            )
        return tuple(rows)

    async def _read(self, session: Session, may_fetch: bool) -> _Read | None:
        key = (session.user_id, session.id)
        known = self._known.get(key)
        if known is not None and known.updated == session.last_update_time:
            return known
        whole = await self._fetch(*key) if may_fetch else None
        if whole is None:
            return None
        records = records_of(whole.events)
        read = _Read(
            session.last_update_time,
            title_of(whole.events),
            len(records),
            sum(is_turn(e) for e in live(records)),
            sum(t.is_open for t in read_tickets(records)),
        )
        self._known[key] = read
        return read
