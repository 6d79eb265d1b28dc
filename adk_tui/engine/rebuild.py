"""Sessions of a former process made again, as it held them in memory or their store lost them.

The client tells them from what came up to it. What cannot be made again is
named: a session that is silently missing would be taken for one that never was.
"""

from collections.abc import Callable, Iterable
from typing import Any, cast

from google.adk.events.event import Event

from adk_tui.core.commands import RestoreSession, Start
from adk_tui.core.reports import Notice
from adk_tui.core.rewind_preview import artifact_versions
from adk_tui.engine.artifacts import Artifacts
from adk_tui.engine.copies import own_state
from adk_tui.engine.dump import read_stored, restore
from adk_tui.engine.failures import EngineError
from adk_tui.engine.listing import records_of
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
        except ValueError:
            unreadable += 1
            continue
        if event is not None:
            events.append(event)
    return events, unreadable


async def rebuild(
    start: Start,
    conversation: Conversation,
    titles: Titles,
    artifacts: Artifacts,
    tell: Callable[[Notice], None],
    store: str = "",
) -> dict[str, Any]:
    """Make the sessions of ``start`` again. Returns the first state of the one to be opened.

    ``store`` says in words which store has lost them; it is empty where they
    lived in memory. A store may still have some of them, and what others share:
    that stays as it is.

    Raises:
        EngineError: the one to be opened cannot be made; the others are told as notices.
    """
    first: dict[str, Any] = {}
    owner = start.session_user or start.user
    known = {user: await conversation.share(user, {}) for user in start.shared if store}
    for kept in start.sessions:
        if store and await conversation.read(kept.user, kept.session_id) is not None:
            continue
        opened = (kept.user, kept.session_id) == (owner, start.session_id)
        state = own_state(cast("dict[str, Any]", restore(dict(kept.state))))
        events, unreadable = read_events(kept.events)
        try:
            if store:
                await conversation.store_again(kept.user, state, kept.session_id, events)
            else:
                await conversation.make_again(kept.user, state, kept.session_id, events)
        except Exception as error:
            if opened:
                raise
            why = error.failure.message if isinstance(error, EngineError) else in_words(error)
            words = f"The session {_name(kept)} could not be made again: {why.rstrip('.')}."
            tell(Notice(words, "warning"))
            continue
        if store:
            words = (
                f"The session {_name(kept)} was no longer in its store, {store}, and was made"
                f" again there with the {_count(len(events))} that had been shown here."
            )
            tell(Notice(words + await _without(artifacts, kept, events), "warning"))
        _note(kept, titles, tell)
        if unreadable:
            lost = _count(unreadable)
            words = f"The session {_name(kept)} is here without {lost} this google-adk cannot read."
            tell(Notice(words, "warning"))
        if opened:
            first = state
    for user, shared in start.shared.items():
        seen = cast("dict[str, Any]", restore(shared))
        here = known.get(user, {})
        await conversation.share(user, {k: v for k, v in seen.items() if k not in here})
    return first


async def _without(artifacts: Artifacts, kept: RestoreSession, events: list[Event]) -> str:
    """Which artifacts of the session are gone too."""
    records = records_of(events)
    try:
        found = await artifacts.infos(kept.user, kept.session_id, records)
    except Exception as error:
        return f" Its artifacts could not be looked for: {in_words(error)}"
    there = {a.name for a in found}
    gone = [name for name in artifact_versions(records) if name not in there]
    return f" Its artifacts are gone: {', '.join(gone)}." if gone else ""


def _note(kept: RestoreSession, titles: Titles, tell: Callable[[Notice], None]) -> None:
    if not kept.title and not kept.parent:
        return
    try:
        titles.set(kept.user, kept.session_id, title=kept.title, parent=kept.parent)
    except EngineError as error:
        tell(Notice(error.failure.message, "warning"))


def _name(kept: RestoreSession) -> str:
    return f"{kept.title} ({kept.session_id})" if kept.title else kept.session_id


def _count(events: int) -> str:
    return "1 event" if events == 1 else f"{events} events"
