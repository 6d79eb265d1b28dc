"""The sessions of the app as a whole: renamed, deleted, restored, forked."""

from google.adk.sessions.session import Session

from adk_tui.core.commands import Fork, RestoreSession
from adk_tui.core.records import EventRecord
from adk_tui.core.reports import Notice, SessionDeleted, SessionRenamed
from adk_tui.core.tickets import read_tickets
from adk_tui.engine.artifacts import Artifacts
from adk_tui.engine.channel import Channel
from adk_tui.engine.copies import cut, own_state, unanswered
from adk_tui.engine.dump import dump_event, plain
from adk_tui.engine.failures import EngineError
from adk_tui.engine.listing import records_of, title_of
from adk_tui.engine.rebuild import read_events
from adk_tui.engine.session import Conversation
from adk_tui.engine.titles import Titles


class StoredSessions:
    """What can be done with stored sessions. Each method returns what came of it, in words."""

    def __init__(
        self,
        app_name: str,
        conversation: Conversation,
        titles: Titles,
        artifacts: Artifacts,
        channel: Channel,
        root: str,
    ) -> None:
        self._app = app_name
        self._root = root
        self._conversation = conversation
        self._titles = titles
        self._artifacts = artifacts
        self._channel = channel

    async def rename(self, user: str, session_id: str, title: str) -> str:
        """Give a session a title, or take it away."""
        session = await self._conversation.existing(user, session_id)
        before = self._titles.get(user, session_id).title
        given = " ".join(title.split())
        self._titles.set(user, session_id, title=given)
        shown = given or title_of(session.events)
        self._channel.send(SessionRenamed(session_id, user, shown, bool(given), before))
        return f"Called {shown!r}." if shown else "It has no title."

    async def delete(self, user: str, session_id: str) -> str:
        """Delete a session, and tell all of it."""
        note = self._titles.get(user, session_id)
        session = await self._conversation.delete(user, session_id)
        self._titles.forget(user, session_id)
        shown = note.title or title_of(session.events)
        written = {key for event in session.events for key in event.actions.state_delta}
        state = {k: v for k, v in own_state(session.state).items() if k not in written}
        events = tuple(dump_event(e) for e in session.events)
        deleted = SessionDeleted(
            session_id, user, self._app, note.title, shown, note.parent, plain(state), events
        )
        self._channel.send(deleted)
        return f"{shown or session_id} was deleted."

    async def restore(self, command: RestoreSession) -> str:
        """Store a deleted session again."""
        events, unreadable = read_events(command.events)
        _, stale = await self._conversation.store_again(
            command.user, command.state, command.session_id, events
        )
        self._note(command.user, command.session_id, command.title, command.parent)
        note = f"{command.session_id} is back, with {_count(len(events), 'event')}."
        if unreadable:
            note += f" {_count(unreadable, 'event')} could not be read and were left out."
        return note + _kept(stale)

    async def fork(self, command: Fork) -> tuple[Session, str]:
        """Copy the open session up to a point. Returns the new session, not opened yet.

        Raises:
            EngineError: ``fork.unknown``: the session has no such event.
        """
        conversation = self._conversation
        await conversation.catch_up()
        events = (await conversation.whole()).events
        end = cut(events, event_id=command.event_id, invocation_id=command.invocation_id)
        if end is None:
            what = command.event_id or command.invocation_id
            raise EngineError(
                "fork.unknown",
                f"The session has nothing called {what} to fork at.",
                "Choose an event of the open session.",
            )
        user, parent, copied = conversation.user, conversation.id, events[:end]
        session, stale = await conversation.store_again(
            user, own_state(conversation.initial), command.session_id, copied
        )
        inside = end < len(events) and events[end].invocation_id == events[end - 1].invocation_id
        records = records_of(copied)
        closed = unanswered(records) if inside else ()
        if closed:
            await conversation.seal_calls(session, self._root)
        missed = await self._artifacts.copy(user, parent, records, session.id)
        self._note(user, session.id, " ".join(command.title.split()), parent)
        session = await conversation.existing(user, session.id)
        words = [f"{_count(end, 'event')} copied; the original is as it was."]
        words.append(_tickets(records_of(events), records_of(session.events)))
        if closed:
            words.append(f"Closed as aborted, as the run went on there: {', '.join(closed)}.")
        if missed:
            words.append(f"These artifacts could not be copied: {', '.join(missed)}.")
        return session, " ".join(w for w in words if w) + _kept(stale)

    def _note(self, user: str, session_id: str, title: str, parent: str) -> None:
        if not title and not parent:
            return
        try:
            self._titles.set(user, session_id, title=title, parent=parent)
        except EngineError as error:
            self._channel.send(Notice(error.failure.message, "warning"))


def _tickets(before: list[EventRecord], after: list[EventRecord]) -> str:
    """Which open tickets of the original stand in the copy too, and which do not."""
    ours = {t.key: t.name for t in read_tickets(after) if t.is_open}
    theirs = {t.key: t.name for t in read_tickets(before) if t.is_open and t.key not in ours}
    words: list[str] = []
    if ours:
        words.append(
            f"Open tickets carried over: {', '.join(ours.values())}; each copy is answered by"
            " itself."
        )
    if theirs:
        words.append(f"Not carried over: {', '.join(theirs.values())}.")
    return " ".join(words)


def _kept(stale: tuple[str, ...]) -> str:
    if not stale:
        return ""
    return f" Shared with other sessions and left as it is now: {', '.join(stale)}."


def _count(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"
