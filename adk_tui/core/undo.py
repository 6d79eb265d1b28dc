"""The command that takes back what was done, where anything can.

A state edit and a transfer stand in the session as events, so what they
replaced is read from the events before them; a new title and a deletion are
told by records that hold what was there. ADK cannot delete a state key, so a
key that was not there before comes back as null.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from adk_tui.core.commands import Command, EditState, RenameSession, RestoreSession, Transfer
from adk_tui.core.jsontools import EMPTY, JsonObject
from adk_tui.core.records import EventRecord
from adk_tui.core.reports import AgentNode, SessionDeleted, SessionRenamed
from adk_tui.core.rewinds import live
from adk_tui.core.routing import next_agent, transfer_targets
from adk_tui.core.state import state_at

USER = "user"


@dataclass(frozen=True, slots=True)
class Undo:
    """What takes something back. ``words`` say what comes of it.

    ``event_id`` is the event that is taken back, empty where it is none.
    ``problem`` says why it cannot be done now, empty when it can: then
    ``command`` is given. ``warning`` is what one should know before.
    """

    command: Command | None
    words: str
    event_id: str = ""
    problem: str = ""
    warning: str = ""
    delta: JsonObject = field(default_factory=lambda: EMPTY)


def is_state_edit(event: EventRecord) -> bool:
    """Whether the event is an edit of the state by the user."""
    return (
        event.author == USER
        and bool(event.actions.state_delta)
        and not event.parts
        and not event.actions.rewind_before_invocation_id
        and not event.partial
        and not event.inner_of
    )


def is_forced_transfer(event: EventRecord) -> bool:
    """Whether the event moved the conversation without a word of a model."""
    return (
        bool(event.actions.transfer_to_agent)
        and event.author != USER
        and not event.parts
        and not event.partial
        and not event.inner_of
    )


def undoable(events: Sequence[EventRecord]) -> tuple[str, ...]:
    """Ids of the events that ``undo_event`` can take back, newest first."""
    found = (e.id for e in live(events) if is_state_edit(e) or is_forced_transfer(e))
    return tuple(i for i in found if i)


def undo_event(
    events: Sequence[EventRecord],
    event_id: str,
    root: AgentNode,
    initial: JsonObject = EMPTY,
    *,
    resumable: bool = False,
) -> Undo | None:
    """What takes the event back; None where it is neither a state edit nor a forced transfer.

    ``events`` is the session, oldest first, ``initial`` the state before the
    first (``core.state.initial_state``).
    """
    places = (i for i in range(len(events) - 1, -1, -1) if events[i].id == event_id)
    place = next(places, None)
    if place is None:
        return None
    if is_state_edit(events[place]):
        return _undo_edit(events, place, initial)
    if is_forced_transfer(events[place]):
        return _undo_transfer(events, place, root, resumable)
    return None


def _undo_edit(events: Sequence[EventRecord], place: int, initial: JsonObject) -> Undo:
    event = events[place]
    before = state_at(events, place - 1, initial)
    delta: dict[str, Any] = {key: before.get(key) for key in event.actions.state_delta}
    now = state_at(events, len(events) - 1, initial)
    written = event.actions.state_delta
    since = [k for k in delta if now.get(k) != written[k]]
    absent = [k for k in delta if k not in before]
    words = "Set back: " + ", ".join(delta) + "."
    if absent:
        words += f" ADK cannot delete a key: {', '.join(absent)} becomes null."
    warning = f"Changed again since then: {', '.join(since)}." if since else ""
    return Undo(EditState(delta), words, event.id, warning=warning, delta=delta)


def _undo_transfer(
    events: Sequence[EventRecord], place: int, root: AgentNode, resumable: bool
) -> Undo:
    event = events[place]
    back = next_agent(root, events[:place], resumable=resumable).agent
    now = next_agent(root, events, resumable=resumable).agent
    words = f"{back} answers next again."
    if now == back:
        return Undo(None, words, event.id, problem=f"{back} answers next already.")
    target = next((t for t in transfer_targets(root, events) if t.agent == back), None)
    if target is None or not target.reachable:
        why = target.reason if target is not None else "It is no longer in the tree."
        return Undo(None, words, event.id, problem=f"{back} cannot take over again: {why}")
    reached = event.actions.transfer_to_agent
    warning = "" if now == reached else f"{now} has taken over since then."
    return Undo(Transfer(back), words, event.id, warning=warning)


def undo_rename(renamed: SessionRenamed) -> Undo:
    """What gives a session its former title."""
    words = f"Called {renamed.before!r} again." if renamed.before else "Called by its first words."
    return Undo(RenameSession(renamed.id, renamed.user, renamed.before), words)


def undo_delete(deleted: SessionDeleted) -> Undo:
    """What brings a deleted session back."""
    command = RestoreSession(
        deleted.id, deleted.user, deleted.title, deleted.parent, deleted.state, deleted.events
    )
    return Undo(command, f"{deleted.shown or deleted.id} is back.")
