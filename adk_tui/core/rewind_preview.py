"""What a rewind undoes, before it is done.

The rule is google-adk's ``sessions/_rewind_utils.py``: everything from the
first event of the invocation on is skipped from then on. State of the session
goes back to what it was; what ``user:`` and ``app:`` keys and ``user:``
artifacts hold is shared with other sessions and stays. A key or an artifact
that came up since cannot be deleted: the key becomes null, the artifact gets a
version that cannot be read.

ADK forgets one thing: the state a session was created with. Our engine puts it
back after the rewind, so it counts here.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from adk_tui.core.jsontools import EMPTY, JsonObject, as_int
from adk_tui.core.records import EventRecord
from adk_tui.core.reports import AgentNode
from adk_tui.core.rewinds import live
from adk_tui.core.routing import Route, next_agent
from adk_tui.core.state import StateChange, diff, scope_of, state_at
from adk_tui.core.ticket import Ticket
from adk_tui.core.tickets import read_tickets

USER = "user"


@dataclass(frozen=True, slots=True)
class ArtifactChange:
    """An artifact that goes back to the version it had; ``before`` -1: it was not there."""

    name: str
    now: int
    before: int


@dataclass(frozen=True, slots=True)
class RewindPreview:
    """What comes of a rewind to before ``invocation_id``.

    ``events`` and ``turns`` count what is undone and still counted until now;
    ``text`` is the message that began the invocation. ``state`` is told from
    now to then. ``shared`` are the ``user:`` and ``app:`` keys that the undone
    events wrote and that stay. ``withdrawn`` tickets wait no more,
    ``reopened`` ones wait again. ``route`` says who answers next then.
    """

    invocation_id: str
    events: int
    turns: int
    text: str
    state: tuple[StateChange, ...] = ()
    shared: tuple[str, ...] = ()
    artifacts: tuple[ArtifactChange, ...] = ()
    withdrawn: tuple[Ticket, ...] = ()
    reopened: tuple[Ticket, ...] = ()
    route: Route | None = None


def preview_rewind(
    events: Sequence[EventRecord],
    invocation_id: str,
    initial: JsonObject = EMPTY,
    root: AgentNode | None = None,
    *,
    resumable: bool = False,
) -> RewindPreview | None:
    """What a rewind to before the invocation undoes; None where the session has no such invocation.

    ``events`` is the session as ADK stores it, oldest first, ``initial`` the
    state before the first event.
    """
    stored = [e for e in events if not e.partial and not e.inner_of]
    place = next((i for i, e in enumerate(stored) if e.invocation_id == invocation_id), None)
    if place is None:
        return None
    kept, undone = stored[:place], stored[place:]
    counted = {id(e) for e in live(stored)}
    lost = [e for e in undone if id(e) in counted]
    after = read_tickets(kept)
    open_then = {t.key for t in after if t.is_open}
    now = read_tickets(stored)
    open_now = {t.key for t in now if t.is_open}
    return RewindPreview(
        invocation_id,
        events=len(lost),
        turns=sum(is_turn(e) for e in lost),
        text=next((e.text for e in undone if is_turn(e)), ""),
        state=diff(state_at(stored, len(stored) - 1, initial), state_then(stored, place, initial)),
        shared=_shared(undone),
        artifacts=_artifacts(kept, stored),
        withdrawn=tuple(t for t in now if t.is_open and t.key not in open_then),
        reopened=tuple(t for t in after if t.is_open and t.key not in open_now),
        route=None if root is None else next_agent(root, kept, resumable=resumable),
    )


def is_turn(event: EventRecord) -> bool:
    """Whether the event is a message of the user's own, not an answer to a call."""
    return event.author == USER and bool(event.parts) and not event.responses


def state_then(
    stored: Sequence[EventRecord], place: int, initial: JsonObject = EMPTY
) -> dict[str, object]:
    """The state after a rewind to before the event at ``place``: ADK sets to null what came since.

    Also null is what was null then: ADK takes both for absent.
    """
    then = state_at(stored, place - 1, initial)
    now = state_at(stored, len(stored) - 1, initial)
    result: dict[str, object] = {}
    for key in now:
        scope = scope_of(str(key))
        if scope in ("user", "app"):
            result[key] = now[key]
        elif scope == "session":
            result[key] = then.get(key)
    return result


def _shared(undone: Sequence[EventRecord]) -> tuple[str, ...]:
    keys = {k for e in undone for k in e.actions.state_delta if scope_of(str(k)) in ("user", "app")}
    return tuple(sorted(keys))


def _artifacts(
    kept: Sequence[EventRecord], stored: Sequence[EventRecord]
) -> tuple[ArtifactChange, ...]:
    then, now = artifact_versions(kept), artifact_versions(stored)
    return tuple(
        ArtifactChange(name, version, then.get(name, -1))
        for name, version in sorted(now.items())
        if not name.startswith("user:") and then.get(name) != version
    )


def artifact_versions(events: Sequence[EventRecord]) -> dict[str, int]:
    """The newest version of each artifact that the events have saved."""
    found: dict[str, int] = {}
    for event in events:
        for name, version in event.actions.artifact_delta.items():
            found[str(name)] = as_int(version, -1)
    return found
