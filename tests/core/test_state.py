from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adk_tui.core.event_log import EventLog
from adk_tui.core.event_reader import read_event
from adk_tui.core.records import EventRecord
from adk_tui.core.state import (
    SCOPES,
    StateChange,
    by_scope,
    diff,
    initial_state,
    scope_of,
    state_at,
    state_before_after,
)


def event(
    delta: dict[str, Any] | None, *, inv: str = "i1", partial: bool = False, inner_of: str = ""
) -> EventRecord:
    body = {
        "id": "e",
        "author": "root",
        "invocationId": inv,
        "partial": partial,
        "actions": {"stateDelta": delta or {}},
    }
    return read_event(body, inner_of=inner_of)


@pytest.mark.parametrize(
    ("key", "scope"),
    [
        ("cart", "session"),
        ("user:name", "user"),
        ("app:rate", "app"),
        ("temp:x", "temp"),
        ("user", "session"),
        ("other:x", "session"),
        ("", "session"),
        (":x", "session"),
        ("user:app:x", "user"),
    ],
)
def test_the_prefix_of_a_key_is_its_scope(key: str, scope: str) -> None:
    assert scope_of(key) == scope


def test_state_is_what_the_deltas_add_up_to() -> None:
    events = [event({"a": 1}), event(None), event({"a": 2, "user:b": 3}), event({"a": None})]
    initial = {"app:z": 9}
    assert [state_at(events, i, initial) for i in range(-1, 4)] == [
        {"app:z": 9},
        {"app:z": 9, "a": 1},
        {"app:z": 9, "a": 1},
        {"app:z": 9, "a": 2, "user:b": 3},
        {"app:z": 9, "a": None, "user:b": 3},
    ]
    assert initial == {"app:z": 9}


def test_a_partial_shows_its_delta_too_early_and_does_not_count() -> None:
    events = [event({"out": "Hello"}, partial=True), event({"out": "Hello"})]
    assert state_at(events, 0) == {}
    assert state_before_after(events, 0).delta == {}
    at_final = state_before_after(events, 1)
    assert (at_final.before, at_final.after) == ({}, {"out": "Hello"})


def test_temp_keys_live_for_one_invocation() -> None:
    events = [
        event({"temp:t": 1, "a": 1}, inv="i1"),
        event({"b": 2}, inv="i1"),
        event({"c": 3}, inv="i2"),
        event({"d": 4}, inv="i1"),
    ]
    assert state_at(events, 1) == {"temp:t": 1, "a": 1, "b": 2}
    assert state_at(events, 2) == {"a": 1, "b": 2, "c": 3}
    assert state_at(events, 3) == {"temp:t": 1, "a": 1, "b": 2, "c": 3, "d": 4}


def test_an_inner_run_has_a_state_of_its_own_that_begins_with_the_outer_one() -> None:
    events = [
        event({"a": 1}),
        event({"x": 1}, inner_of="c1", inv="n1"),
        event({"y": 1}, inner_of="c2", inv="n2"),
        event({"x": 2}, inner_of="c1", inv="n1"),
        event({"b": 2}),
    ]
    assert state_at(events, 3) == {"a": 1, "x": 2}
    assert state_before_after(events, 3).before == {"a": 1, "x": 1}
    assert state_at(events, 4) == {"a": 1, "b": 2}


def test_before_delta_and_after_of_an_event_in_a_log() -> None:
    log = EventLog()
    log.extend([event({"a": 1, "same": 5}), event({"a": 2, "same": 5, "user:n": [1]}, inv="i2")])
    around = state_before_after(log, 1)
    assert around.before == {"a": 1, "same": 5}
    assert around.delta == {"a": 2, "same": 5, "user:n": [1]}
    assert around.after == {"a": 2, "same": 5, "user:n": [1]}
    assert around.changes == (
        StateChange("a", "session", 1, 2, "changed"),
        StateChange("user:n", "user", None, [1], "added"),
    )
    with pytest.raises(IndexError):
        state_before_after(log, 2)


def test_a_difference_names_added_changed_and_removed_keys_by_scope() -> None:
    changes = diff({"b": 1, "gone": 2, "kept": 3}, {"b": True, "kept": 3, "user:u": None, "a": 0})
    assert [(c.key, c.kind) for c in changes] == [
        ("a", "added"),
        ("b", "changed"),
        ("gone", "removed"),
        ("user:u", "added"),
    ]


def test_scopes_are_told_apart_and_sorted() -> None:
    parts = by_scope({"user:b": 1, "z": 2, "a": 3, "temp:t": 4})
    assert list(parts) == list(SCOPES)
    assert parts == {"session": {"a": 3, "z": 2}, "user": {"user:b": 1}, "app": {},
                     "temp": {"temp:t": 4}}  # fmt: skip
    assert list(parts["session"]) == ["a", "z"]


def test_the_initial_state_is_what_no_event_has_set() -> None:
    assert initial_state({"a": 1, "b": 2}, [event({"a": 1}), event({"b": 3}, partial=True)]) == {
        "b": 2
    }


VALUES = st.one_of(st.none(), st.booleans(), st.integers(0, 2), st.text(max_size=2))
STATES = st.dictionaries(st.sampled_from(["a", "b", "user:a", "app:c"]), VALUES)


@given(STATES, STATES)
def test_a_difference_turns_one_state_into_the_other(before: Any, after: Any) -> None:
    made = dict(before)
    for change in diff(before, after):
        assert change.before == before.get(change.key)
        if change.kind == "removed":
            del made[change.key]
        else:
            made[change.key] = change.after
    assert made == after
    assert diff(after, after) == ()


@given(st.lists(STATES, max_size=6))
def test_after_one_event_is_before_the_next(deltas: list[dict[str, Any]]) -> None:
    events = [event(delta) for delta in deltas]
    for index in range(1, len(events)):
        earlier, later = (state_before_after(events, i) for i in (index - 1, index))
        assert earlier.after == later.before
        assert later.after == state_at(events, index)


@pytest.mark.parametrize("name", ["state_sqlite", "state_memory"])
def test_a_recorded_session_ends_in_the_state_adk_had(name: str) -> None:
    golden = Path(__file__).parent.parent / "golden" / f"{name}.jsonl"
    events = [read_event(row) for row in golden.read_bytes().splitlines()]
    state = state_at(events, len(events) - 1)
    state.pop("obj", None)
    assert state == {
        "out": "a",
        "plain": 1,
        "only": 1,
        "edited": {"a": [1]},
        "in": "v",
        "app:n": 3,
        "user:n": 2,
        "user:in": "uv",
    }
