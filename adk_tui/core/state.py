"""The session's state at any event, and what each event changed.

ADK keeps one dictionary whose key prefixes say how far a value reaches: none
for the session, ``user:`` and ``app:`` for what other sessions share, ``temp:``
for one invocation only (ADK strips it when it stores the event). State is
what the deltas of the final events add up to, in order. A partial shows the
delta of its final event early, so partials do not count; a rewind takes back
what it undoes by a delta of its own.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from adk_tui.core.event_log import EventLog
from adk_tui.core.jsontools import EMPTY, JsonObject
from adk_tui.core.records import NO_ACTIONS, EventRecord

Scope: TypeAlias = Literal["session", "user", "app", "temp"]
SCOPES: tuple[Scope, ...] = ("session", "user", "app", "temp")

_PREFIXES: Mapping[str, Scope] = {"user:": "user", "app:": "app", "temp:": "temp"}


def scope_of(key: str) -> Scope:
    """How far a state key reaches, by its prefix."""
    return _PREFIXES.get(key[: key.find(":") + 1], "session")


def by_scope(state: JsonObject) -> dict[Scope, dict[str, Any]]:
    """The state in four parts, keys sorted; a scope without keys is there and empty."""
    parts: dict[Scope, dict[str, Any]] = {scope: {} for scope in SCOPES}
    for key in sorted(state, key=str):
        parts[scope_of(str(key))][key] = state[key]
    return parts


@dataclass(frozen=True, slots=True)
class StateChange:
    """One key that differs. ``before`` is None where the key is new, ``after`` where it is gone."""

    key: str
    scope: Scope
    before: Any
    after: Any
    kind: Literal["added", "changed", "removed"]


def diff(before: JsonObject, after: JsonObject) -> tuple[StateChange, ...]:
    """What differs between two states, by scope and key."""
    changes: list[StateChange] = []
    for key in {**before, **after}:
        scope = scope_of(str(key))
        if key not in before:
            changes.append(StateChange(key, scope, None, after[key], "added"))
        elif key not in after:
            changes.append(StateChange(key, scope, before[key], None, "removed"))
        elif not _equal(before[key], after[key]):
            changes.append(StateChange(key, scope, before[key], after[key], "changed"))
    return tuple(sorted(changes, key=lambda c: (SCOPES.index(c.scope), str(c.key))))


def _equal(one: object, other: object) -> bool:
    # In Python 1 == 1.0 == True; in JSON they are three values.
    if type(one) is not type(other):
        return False
    try:
        return one == other
    except RecursionError:
        return False


def state_at(
    events: Sequence[EventRecord] | EventLog, index: int, initial: JsonObject = EMPTY
) -> dict[str, Any]:
    """The state right after the event at ``index``; with -1 the state before the first.

    ``temp:`` keys are those of that event's own invocation. For an event of an
    inner run it is the state of that run's own session, which begins as a
    copy of this one's.
    """
    if not 0 <= index < len(events):
        return dict(initial)
    event = events[index]
    state = _fold(events[: index + 1], event, initial)
    _apply(state, _delta(event))
    return state


@dataclass(frozen=True, slots=True)
class StateAtEvent:
    """The state around one event. ``delta`` may set a key to the value it had."""

    before: Mapping[str, Any]
    delta: JsonObject
    after: Mapping[str, Any]
    changes: tuple[StateChange, ...]


def state_before_after(
    log: Sequence[EventRecord] | EventLog, index: int, initial: JsonObject = EMPTY
) -> StateAtEvent:
    """State before, delta and state after the event at ``index``.

    A partial changes nothing; its final event does. Raises IndexError where
    there is no such event.
    """
    event = log[index]
    before = _fold(log[: index + 1], event, initial)
    delta = _delta(event)
    after = dict(before)
    _apply(after, delta)
    return StateAtEvent(before, delta, after, diff(before, after))


def initial_state(current: JsonObject, events: Iterable[EventRecord]) -> dict[str, Any]:
    """What of ``current`` no event has set: the state the session was created with.

    ``user:`` and ``app:`` values that other sessions wrote are among it.
    """
    known: set[str] = set()
    for event in events:
        known.update(_delta(event))
    return {key: value for key, value in current.items() if key not in known}


def _delta(event: EventRecord) -> JsonObject:
    return EMPTY if event.partial else event.actions.state_delta


def _fold(events: Sequence[EventRecord], last: EventRecord, initial: JsonObject) -> dict[str, Any]:
    # The last of the events is not applied: its caller shows what it changes.
    state = dict(initial)
    inner: dict[str, Any] = {}
    for event in events[:-1]:
        if event.actions is NO_ACTIONS or event.partial or not event.actions.state_delta:
            continue
        same = event.invocation_id == last.invocation_id
        delta = event.actions.state_delta
        kept = delta if same else {k: v for k, v in delta.items() if scope_of(str(k)) != "temp"}
        if not event.inner_of:
            state.update(kept)
        elif event.inner_of == last.inner_of:
            inner.update(kept)
    if last.inner_of:
        # ADK's AgentTool gives the inner session a copy of the outer state.
        state.update(inner)
    return state


def _apply(state: dict[str, Any], delta: JsonObject) -> None:
    state.update(delta)
