"""What a client remembers of the sessions, so that another process can go on with them."""

from dataclasses import dataclass, field, replace

from adk_tui.core.commands import RestoreSession, RunSettings, Start
from adk_tui.core.event_reader import read_event
from adk_tui.core.jsontools import EMPTY, JsonObject
from adk_tui.core.records import EventRecord
from adk_tui.core.reports import (
    Failure,
    Ready,
    SessionDeleted,
    SessionList,
    SessionOpened,
    SessionRenamed,
    Settings,
)
from adk_tui.core.state import initial_state, scope_of


@dataclass(slots=True)
class _Kept:
    """A session as it came up. Of ``state``, what the first ``count`` events wrote is not first."""

    state: JsonObject = field(default_factory=lambda: EMPTY)
    count: int = 0
    title: str = ""
    parent: str = ""
    events: dict[str, EventRecord] = field(default_factory=dict[str, EventRecord])

    def restored(self, user: str, session_id: str) -> RestoreSession:
        events = tuple(self.events.values())
        return RestoreSession(
            session_id,
            user,
            self.title,
            self.parent,
            initial_state(self.state, events[: self.count]),
            # The record's JSON is asked for now only: the log keeps it compressed once it is old.
            tuple(event.raw for event in events),
        )


class SessionMemory:
    """The sessions as the records told them.

    A session in a store is opened there again by its id; where the store has
    lost it, it is made again from what came up. Those in memory are gone with
    their process, so that all that were ever open, and those that were restored,
    are made again. ``version`` changes whenever a session does.
    """

    def __init__(self, start: Start) -> None:
        self._first = start
        self._kept: dict[tuple[str, str], _Kept] = {}
        self._listed: dict[tuple[str, str], str] = {}
        self._app: dict[str, object] = {}
        self._users: dict[str, dict[str, object]] = {}
        self._files: dict[str, None] = {}
        self._fleeting: frozenset[str] = frozenset()
        self._once = ""
        self._missed = False
        self.session: SessionOpened | None = None
        self.version = 0

    @property
    def rebuilt(self) -> bool:
        """Whether the sessions live in the engine's memory only."""
        return "sessions" in self._fleeting

    @property
    def repeated(self) -> bool:
        """Whether a new process gets told the sessions, and so cannot be told what changes."""
        return self.rebuilt or self._missed

    @property
    def setup(self) -> tuple[RunSettings | None, str]:
        """How the next turn runs, and the agent that is forced to take it."""
        return self._first.settings, self._once

    def loaded(self, ready: Ready) -> None:
        """An engine is there, and says what of it ends with its process."""
        self._fleeting = ready.fleeting

    def opened(self, session: SessionOpened) -> None:
        """A session was opened, or the same one told again; its events follow."""
        self.session = session
        self.version += 1
        self._missed = False
        key = (session.user, session.id)
        kept = self._kept.get(key)
        if kept is None or not session.count:
            kept = _Kept(session.state, session.count)
        if not self.rebuilt:
            # The others are in their store.
            self._kept.clear()
        self._kept[key] = kept
        kept.title = session.title if session.named else ""
        kept.parent = session.parent
        self._share(session.user, session.state)

    def event(self, event: EventRecord) -> None:
        """An event came up. Partials and inner events are no part of the session."""
        if event.partial or event.inner_of:
            return
        self.version += 1
        if self.session is None:
            return
        self._files.update(dict.fromkeys(event.actions.artifact_delta))
        if kept := self._kept.get((self.session.user, self.session.id)):
            kept.events[event.id or f"#{len(kept.events)}"] = event
            self._share(self.session.user, event.actions.state_delta)

    def renamed(self, renamed: SessionRenamed) -> None:
        """A session has another title."""
        if kept := self._kept.get((renamed.user, renamed.id)):
            kept.title = renamed.title if renamed.named else ""
            self.version += 1

    def deleted(self, deleted: SessionDeleted) -> None:
        """A session is gone."""
        if self._kept.pop((deleted.user, deleted.id), None):
            self.version += 1
        self._listed.pop((deleted.user, deleted.id), None)

    def restored(self, back: RestoreSession) -> None:
        """A deleted session is there again."""
        if self.rebuilt:
            events = {e.id: e for e in map(read_event, back.events)}
            kept = _Kept(back.state, 0, back.title, back.parent, events)
            self._kept[back.user, back.session_id] = kept
            self.version += 1

    def missed(self, failure: Failure) -> bool:
        """A new process cannot begin. True if the next one can: it makes the session again.

        That is so where the session is no longer in its store, and all of it came up once.
        """
        if failure.code != "session.unknown" or self.session is None or self.repeated:
            return False
        kept = self._kept.get((self.session.user, self.session.id))
        self._missed = kept is not None and len(kept.events) >= kept.count
        return self._missed

    def listed(self, found: SessionList) -> None:
        """Which sessions there are; some were perhaps never open here."""
        self._listed = {(s.user, s.id): s.title for s in found.sessions}

    def configured(self, settings: Settings) -> None:
        """The next turns run with other settings; so they do in the next process."""
        self._first = replace(self._first, settings=settings.run)
        self._once = settings.once

    def turn_cut(self) -> str:
        """The turn at work ended with its process: the agent that was forced to take it."""
        once, self._once = self._once, ""
        return once

    def gone(self) -> str:
        """What ended with a process and cannot be made again, in a sentence; empty for nothing."""
        words: list[str] = []
        if self.rebuilt:
            unknown = self._listed.keys() - self._kept.keys()
            lost = [title or key[1] for key, title in self._listed.items() if key in unknown]
            self._listed.clear()
            if lost:
                words.append(f"sessions that were never open here ({', '.join(lost)})")
        if "artifacts" in self._fleeting and self._files:
            words.append(f"artifacts ({', '.join(self._files)})")
            self._files.clear()
        if "memory" in self._fleeting:
            words.append("what was put into ADK's memory service")
            self._fleeting -= {"memory"}
        return f"Gone with the agent's process: {' and '.join(words)}." if words else ""

    def start(self, *, seal: bool = False) -> Start:
        """How a new process opens the session that is open, and makes the others again."""
        if self.session is None:
            return self._first
        here = replace(
            self._first,
            session_id=self.session.id,
            session_user=self.session.user,
            state={},
            seal=seal,
            once=self._once,
        )
        if not self.repeated:
            return here
        return replace(
            here,
            sessions=tuple(kept.restored(*key) for key, kept in self._kept.items()),
            shared={user: {**values, **self._app} for user, values in self._users.items()},
        )

    def _share(self, user: str, state: JsonObject) -> None:
        """Note what other sessions see of a state."""
        values = self._users.setdefault(user, {})
        for key, value in state.items():
            match scope_of(key):
                case "user":
                    values[key] = value
                case "app":
                    self._app[key] = value
                case _:
                    pass
