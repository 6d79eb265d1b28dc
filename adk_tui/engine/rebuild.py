"""Sessions of a former process made again, where its memory was the only place they lived in.

The client tells them from what came up to it. What cannot be made again is
named: a session that is silently missing would be taken for one that never was.
"""

from collections.abc import Callable, Iterable
from typing import Any, cast

from google.adk.events.event import Event

from adk_tui.core.commands import Start
from adk_tui.core.reports import Notice
from adk_tui.engine.copies import own_state
from adk_tui.engine.dump import read_stored, restore
from adk_tui.engine.failures import EngineError
from adk_tui.engine.recorder import in_words
from adk_tui.engine.session import Conversation
from adk_tui.engine.titles import Titles


def read_events(rows: Iterable[bytes]) -> tuple[list[Event], int]:
    """The events of a log as ADK's own, and how many this google-adk cannot read."""
    events: list[Event] = []
    unreadable = 0
    for raw in rows:
        try:
            event = read_stored(raw)
        except (ValueError, TypeError, RecursionError):
            unreadable += 1
            continue
        if event is not None:
            events.append(event)
    return events, unreadable


async def rebuild(
    start: Start, conversation: Conversation, titles: Titles, tell: Callable[[Notice], None]
) -> dict[str, Any]:
    """Make the sessions of ``start`` again. Returns the first state of the one to be opened.

    Raises:
        EngineError: that one cannot be made; the others are told as notices.
    """
    first: dict[str, Any] = {}
    owner = start.session_user or start.user
    for kept in start.sessions:
        opened = (kept.user, kept.session_id) == (owner, start.session_id)
        state = own_state(cast("dict[str, Any]", restore(dict(kept.state))))
        events, unreadable = read_events(kept.events)
        name = f"{kept.title} ({kept.session_id})" if kept.title else kept.session_id
        try:
            await conversation.make_again(kept.user, state, kept.session_id, events)
        except Exception as error:
            if opened:
                raise
            why = error.failure.message if isinstance(error, EngineError) else in_words(error)
            words = f"The session {name} could not be made again: {why.rstrip('.')}."
            tell(Notice(words, "warning"))
            continue
        titles.set(kept.user, kept.session_id, title=kept.title, parent=kept.parent)
        if unreadable:
            lost = "1 event" if unreadable == 1 else f"{unreadable} events"
            words = f"The session {name} is here without {lost} this google-adk cannot read."
            tell(Notice(words, "warning"))
        if opened:
            first = state
    for user, shared in start.shared.items():
        await conversation.share(user, cast("dict[str, Any]", restore(shared)))
    return first
