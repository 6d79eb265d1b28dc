"""The open session: what of it has been told, and what the store knows.

Every event is told exactly once, as the store keeps it, in the order in which
it was stored. The user's own words, compaction and rewind events are never
yielded by ADK's Runner, so the store's appends are observed; partial events
are never stored, so they come from the Runner.
"""

import uuid
from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

from google.adk.errors.already_exists_error import AlreadyExistsError
from google.adk.events.event import Event
from google.adk.events.event_actions import EventActions
from google.adk.sessions.base_session_service import BaseSessionService, GetSessionConfig
from google.adk.sessions.session import Session

from adk_tui.core.jsontools import JsonObject
from adk_tui.core.records import INVOCATION_ABORTED
from adk_tui.core.reports import Notice, SessionInfo, SessionOpened
from adk_tui.core.state_check import explain, refusals
from adk_tui.engine.channel import Channel
from adk_tui.engine.copies import replay
from adk_tui.engine.dump import dump_event, plain
from adk_tui.engine.failures import EngineError
from adk_tui.engine.listing import Listing, stored_sessions, title_of
from adk_tui.engine.stores import abort_events, made_again, observe
from adk_tui.engine.titles import Titles

OVERLAP = 2.0
"""Seconds looked back for other processes' events: they are stored later than they are made."""

Reason: TypeAlias = Literal["start", "new", "open", "fork", "restart", "resync"]


def new_invocation_id() -> str:
    """An invocation id for an event of our own, in ADK's form."""
    return f"e-{uuid.uuid4()}"


class Conversation:
    """One session of ``service`` at a time, told to ``channel``."""

    def __init__(
        self,
        service: BaseSessionService,
        app_name: str,
        channel: Channel,
        titles: Titles | None = None,
    ) -> None:
        self.id = ""
        self.user = ""
        self.initial: dict[str, Any] = {}
        """The state before the first event, as far as it is still known."""
        self.told = 0
        """Final events told since the session was opened."""
        self.last_error: Event | None = None
        """The newest event told that shows an error."""
        self._service = service
        self._app = app_name
        self._channel = channel
        self._known: set[str] = set()
        self._newest = 0.0
        self._titles = titles or Titles(None, app_name)
        self._listing = Listing(self.read, self._titles)
        observe(service, self._stored)

    async def create(self, user: str, state: JsonObject, session_id: str = "") -> Session:
        """Make a session. Raises EngineError where its id is taken or its state refused."""
        check_state(state)
        made_again(self._service)
        try:
            return await self._service.create_session(
                app_name=self._app,
                user_id=user,
                state=dict(state),
                session_id=session_id or None,
            )
        except AlreadyExistsError as error:
            raise EngineError(
                "session.exists",
                f"There is a session {session_id} already.",
                "Open it, or choose another id.",
            ) from error

    async def find(self, user: str, session_id: str) -> Session:
        """A stored session, of another user where only that one has it.

        Raises:
            EngineError: ``session.unknown``; the hint names those that exist.
        """
        session = await self.read(user, session_id)
        if session is not None:
            return session
        listed = await self._list()
        owners = [s.user_id for s in listed if s.id == session_id]
        session = await self.read(owners[0], session_id) if len(owners) == 1 else None
        if session is None:
            raise _unknown(session_id, listed)
        self._channel.send(Notice(f"The session belongs to the user {session.user_id}."))
        return session

    async def make_again(
        self, user: str, state: JsonObject, session_id: str, events: list[Event]
    ) -> None:
        """Make a session again from all of its events, in a store that has forgotten it."""
        session = await self.create(user, state, session_id)
        await replay(self._service, session, events, whole=True)

    async def share(self, user: str, state: JsonObject) -> JsonObject:
        """Let the ``user:`` and ``app:`` keys of ``state`` hold what they say. Returns all such.

        ADK has no call for that but making a session with them.
        """
        session = await self.create(user, state)
        await self._service.delete_session(app_name=self._app, user_id=user, session_id=session.id)
        return session.state

    async def store_again(
        self, user: str, state: JsonObject, session_id: str, events: list[Event]
    ) -> tuple[Session, tuple[str, ...]]:
        """Make a session from events of another one, or of its own former life.

        Returns it and the ``user:`` and ``app:`` keys whose old values were left out.
        """
        session = await self.create(user, state, session_id)
        return session, await replay(self._service, session, events)

    def begin(
        self, session: Session, reason: Reason, initial: Mapping[str, Any] | None = None
    ) -> None:
        """Open a session: tell it whole, and from now on what is added to it.

        ``initial`` is the state that it was made with, where somebody knows.
        """
        same = (session.id, session.user_id) == (self.id, self.user)
        known = initial or (self.initial if same else {})
        self.id, self.user = session.id, session.user_id
        written = {key for event in session.events for key in event.actions.state_delta}
        first = {key: value for key, value in session.state.items() if key not in written}
        self.initial = {**first, **known}
        self.told, self._newest, self.last_error = 0, 0.0, None
        self._known.clear()
        note = self._titles.get(session.user_id, session.id)
        self._channel.send(
            SessionOpened(
                session.id,
                session.user_id,
                self._app,
                len(session.events),
                reason,
                note.title or title_of(session.events),
                plain(session.state),
                note.parent,
                named=bool(note.title),
            )
        )
        for event in session.events:
            self.tell(event)

    async def seal(self, root: str) -> None:
        """Answer the calls of the last invocation, which was killed, as ADK does on an abort.

        ``root`` is the name of the root agent, which authors the event where no
        call was left open.
        """
        session = await self._get(None)
        if not session.events or session.events[-1].error_code == INVOCATION_ABORTED:
            return
        await self.seal_calls(session, root)

    async def seal_calls(self, session: Session, root: str) -> None:
        """Answer the open calls of the last invocation of any session as aborted."""
        for event in abort_events(session.events, root):
            await self._service.append_event(session=session, event=event)

    async def resync(self) -> None:
        """Tell the whole session again as the store has it now."""
        self.begin(await self._get(None), "resync")

    async def catch_up(self) -> int:
        """Tell what another process has added since; returns how many events that were.

        Costs no more than the newest events.

        Raises:
            EngineError: ``session.unknown``: the session is gone from its store.
        """
        since = self._newest - OVERLAP if self._known else 0.0
        config = GetSessionConfig(after_timestamp=since) if since > 0 else None
        session = await self._get(config)
        foreign = [e for e in session.events if e.id not in self._known]
        if not foreign:
            return 0
        if foreign[0].timestamp < self._newest:
            await self.resync()
        else:
            for event in foreign:
                self.tell(event)
        word = "event" if len(foreign) == 1 else "events"
        self._channel.send(
            Notice(f"Another process has added {len(foreign)} {word} to this session.", "warning")
        )
        return len(foreign)

    async def append(self, author: str, actions: EventActions) -> Event:
        """Store an event without content; the session is fetched again first (ADK_FACTS §7)."""
        session = await self._get(GetSessionConfig(num_recent_events=0))
        event = Event(invocation_id=new_invocation_id(), author=author, actions=actions)
        return await self._service.append_event(session=session, event=event)

    async def saved(self, name: str, version: int) -> None:
        """Let the session know of an artifact that the user has saved."""
        await self.append("user", EventActions(artifact_delta={name: version}))

    async def whole(self) -> Session:
        """The open session as its store has it."""
        return await self._get(None)

    async def infos(self) -> tuple[SessionInfo, ...]:
        """The sessions of the app, of all users, newest first."""
        return await self._listing.infos(await self._list(), (self.user, self.id))

    async def delete(self, user: str, session_id: str) -> Session:
        """Delete a stored session; returns what it was.

        Raises:
            EngineError: it is open, or does not exist.
        """
        if (session_id, user) == (self.id, self.user):
            raise EngineError(
                "session.open",
                "The open session cannot be deleted.",
                "Open another one first.",
            )
        session = await self.existing(user, session_id)
        await self._service.delete_session(app_name=self._app, user_id=user, session_id=session_id)
        return session

    async def existing(self, user: str, session_id: str) -> Session:
        """A stored session of that very user. Raises EngineError (``session.unknown``)."""
        session = await self.read(user, session_id)
        if session is None:
            raise _unknown(session_id, await self._list())
        return session

    def tell(self, event: Event) -> None:
        """Tell an event that the Runner yielded, unless the store told it already."""
        if not event.partial:
            if event.id in self._known:
                return
            self._known.add(event.id)
            self._newest = max(self._newest, event.timestamp)
            self.told += 1
            if event.error_code and event.error_code != INVOCATION_ABORTED:
                self.last_error = event
        self._channel.send_event(dump_event(event))

    def _stored(self, session: Session, event: Event) -> None:
        if session.id == self.id and session.user_id == self.user:
            self.tell(event)

    async def read(
        self, user: str, session_id: str, config: GetSessionConfig | None = None
    ) -> Session | None:
        """A stored session, None where there is none of that user."""
        return await self._service.get_session(
            app_name=self._app, user_id=user, session_id=session_id, config=config
        )

    async def _get(self, config: GetSessionConfig | None) -> Session:
        session = await self.read(self.user, self.id, config)
        if session is None:
            raise EngineError(
                "session.unknown",
                f"The session {self.id} is no longer in its store.",
                "Another process may have deleted it, or its file. Reload the agent (F9): that "
                "makes it again from what is shown here. Or open another one.",
            )
        return session

    async def _list(self) -> list[Session]:
        return await stored_sessions(self._service, self._app, self.user)


def check_state(state: JsonObject) -> None:
    """Raises EngineError where a session service would refuse a state; it names the keys."""
    problems = refusals(state)
    if problems:
        raise EngineError(
            "state.refused",
            f"This state cannot be stored. {explain(problems)}",
            "Nothing was written. Change these values and try again.",
        )


def _unknown(session_id: str, listed: list[Session]) -> EngineError:
    newest = sorted(listed, key=lambda s: s.last_update_time, reverse=True)
    names = ", ".join(f"{s.id} ({s.user_id})" for s in newest[:10])
    more = f" and {len(newest) - 10} more" if len(newest) > 10 else ""
    hint = f"There are: {names}{more}." if newest else "There are none yet; leave --session out."
    return EngineError("session.unknown", f"There is no session {session_id}.", hint)
