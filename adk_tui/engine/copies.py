"""Sessions stored again: as a fork, or after a deletion.

A copy holds the same events, with their ids and times, so that tickets, routing
and state are what they were at that point. Its own state comes from replaying
them. What ``user:`` and ``app:`` keys hold is shared with other sessions: a replay
must not bring old values back there, so deltas that would are left out.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from google.adk.events.event import Event
from google.adk.sessions.base_session_service import BaseSessionService
from google.adk.sessions.session import Session

from adk_tui.core.jsontools import JsonObject
from adk_tui.core.records import REQUEST_NAMES, EventRecord
from adk_tui.core.state import scope_of


def own_state(state: JsonObject) -> dict[str, Any]:
    """The part of a state that belongs to one session."""
    return {k: v for k, v in state.items() if scope_of(k) == "session"}


async def replay(
    service: BaseSessionService,
    session: Session,
    events: Sequence[Event],
    *,
    whole: bool = False,
) -> tuple[str, ...]:
    """Append copies of ``events`` to a new session, of which nothing stays if that fails.

    Returns the shared keys whose old values were left out; ``whole`` leaves none out.
    """
    stale = frozenset[str]() if whole else _stale(events, session.state)
    try:
        for event in events:
            copy = event.model_copy(deep=True)
            if stale and copy.actions.state_delta:
                delta = copy.actions.state_delta
                copy.actions.state_delta = {k: v for k, v in delta.items() if k not in stale}
            await service.append_event(session=session, event=copy)
    except BaseException:
        await service.delete_session(
            app_name=session.app_name, user_id=session.user_id, session_id=session.id
        )
        raise
    return tuple(sorted(stale))


def _stale(events: Iterable[Event], now: JsonObject) -> frozenset[str]:
    """The shared keys that now hold another value than the events end in.

    A store that knows nothing of a key has forgotten it, so the events tell.
    """
    last: dict[str, Any] = {}
    for event in events:
        for key, value in event.actions.state_delta.items():
            if scope_of(key) in ("user", "app"):
                last[key] = value
    return frozenset(k for k, v in last.items() if k in now and now[k] != v)


def cut(events: Sequence[Event], *, event_id: str = "", invocation_id: str = "") -> int | None:
    """How many events to copy: up to and with an event, or an invocation's last; all by default.

    None where the session has no such event.
    """
    if not event_id and not invocation_id:
        return len(events)
    for index in range(len(events) - 1, -1, -1):
        event = events[index]
        if event_id and event.id == event_id:
            return index + 1
        if not event_id and event.invocation_id == invocation_id:
            return index + 1
    return None


def unanswered(events: Sequence[EventRecord]) -> tuple[str, ...]:
    """Names of the calls of the last invocation that should have a response and have none.

    A long-running call may well have none: it waits for a human.
    """
    if not events:
        return ()
    last = [e for e in events if e.invocation_id == events[-1].invocation_id]
    answered = {r.id for e in last for r in e.responses}
    waiting = {i for e in last for i in e.long_running_tool_ids}
    return tuple(
        c.name
        for e in last
        for c in e.calls
        if c.id not in answered and c.id not in waiting and c.name not in REQUEST_NAMES
    )
