"""What a client remembers of the open session, so that another process can go on with it."""

from dataclasses import replace

from adk_tui.core.commands import Start
from adk_tui.core.jsontools import JsonObject
from adk_tui.core.records import EventRecord
from adk_tui.core.reports import SessionOpened, SessionRenamed, Settings


class SessionMemory:
    """The open session as the records told it.

    A session in a store is opened there again by its id. An in-memory one is
    gone with its process, so it is rebuilt from the events that came up.
    ``version`` changes whenever the session does.
    """

    def __init__(self, start: Start) -> None:
        self._first = start
        self._events: dict[str, EventRecord] = {}
        self._state: JsonObject = start.state
        self._title = ""
        self.session: SessionOpened | None = None
        self.version = 0

    @property
    def rebuilt(self) -> bool:
        """Whether the session lives in the engine's memory only."""
        uri = self._first.session_service_uri
        return uri.startswith("memory:") if uri else self._first.storage == "memory"

    def opened(self, session: SessionOpened) -> None:
        """A session was opened, or the same one told again; its events follow."""
        same = self.session is not None and self.session.id == session.id
        if not same or not session.count:
            self._state = session.state
        if not same:
            self._title = ""
        self.session = session
        self._events.clear()
        self.version += 1

    def event(self, event: EventRecord) -> None:
        """An event came up. Partials and inner events are no part of the session."""
        if event.partial or event.inner_of:
            return
        if self.rebuilt:
            # The record, not its JSON, which the log keeps compressed once it is old.
            self._events[event.id or f"#{len(self._events)}"] = event
        self.version += 1

    def renamed(self, renamed: SessionRenamed) -> None:
        """A session has another title; an in-memory one must be given it again."""
        if self.session is not None and self.session.id == renamed.id:
            self._title = renamed.title if renamed.named else ""

    def configured(self, settings: Settings) -> None:
        """The next turns run with other settings; so they do in the next process."""
        self._first = replace(self._first, settings=settings.run)

    def start(self, *, seal: bool = False) -> Start:
        """How a new process opens this session.

        An in-memory session without events is not rebuilt but made anew: there
        is nothing in it but its first state.
        """
        if self.session is None:
            return self._first
        here = replace(self._first, user=self.session.user, seal=seal)
        if not self.rebuilt:
            return replace(here, session_id=self.session.id, state={})
        if not self._events:
            return replace(here, session_id="", state=self._state)
        return replace(
            here,
            session_id=self.session.id,
            state=self._state,
            events=tuple(event.raw for event in self._events.values()),
            title=self._title,
        )
