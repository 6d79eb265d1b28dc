import sys
from pathlib import Path
from typing import Any

import pytest
from google.adk.events._rewind_events import _apply_rewinds  # pyright: ignore[reportPrivateUsage]
from hypothesis import given
from hypothesis import strategies as st

from adk_tui.core.event_log import EventLog
from adk_tui.core.event_reader import read_event
from adk_tui.core.records import EventRecord
from adk_tui.core.state import state_before_after
from adk_tui.core.summary import badges, full_text, kind_of, one_line


def event(
    event_id: str,
    *,
    inv: str = "i1",
    author: str = "root",
    text: str = "",
    call: str = "",
    response: str = "",
    rewind: str = "",
    partial: bool = False,
    inner_of: str = "",
    at: float = 0.0,
) -> EventRecord:
    parts: list[dict[str, Any]] = [{"text": text}] if text else []
    if call:
        parts.append({"functionCall": {"id": call, "name": "tool", "args": {}}})
    if response:
        parts.append({"functionResponse": {"id": response, "name": "tool", "response": {"ok": 1}}})
    body = {
        "id": event_id,
        "invocationId": inv,
        "author": author,
        "timestamp": at,
        "partial": partial or None,
        "content": {"parts": parts},
        "actions": {"rewindBeforeInvocationId": rewind} if rewind else {},
    }
    return read_event(body, inner_of=inner_of)


def log_of(*records: EventRecord) -> EventLog:
    log = EventLog()
    log.extend(records)
    return log


def withdrawn(log: EventLog) -> list[str]:
    return [record.id for i, record in enumerate(log) if log.is_withdrawn(i)]


def test_events_are_kept_in_order_and_found_again() -> None:
    records = [
        event("u", author="user", text="hi"),
        event("a", call="c1"),
        event("b", response="c1"),
        event("d", inv="i2", author="sub"),
    ]
    log = log_of(*records)
    assert list(log) == records
    assert len(log) == 4
    assert log[1] is records[1]
    assert log[-1] is records[3]
    assert log[1:3] == records[1:3]
    assert log.find("b") == 2
    assert log.find("nothing") is None
    assert list(log.by_call("c1")) == [1, 2]
    assert list(log.by_invocation("i1")) == [0, 1, 2]
    assert list(log.by_call("x")) == list(log.by_invocation("x")) == []
    assert log.authors == ("user", "root", "sub")
    assert log.invocations == ("i1", "i2")


def test_version_grows_only_with_a_change_and_generation_only_with_a_reset() -> None:
    log = log_of(event("a"))
    version = log.version
    log.extend([])
    log.extend([event("a")])
    assert log.version == version
    log.extend([event("b")])
    assert log.version > version
    assert log.generation == 0
    log.reset()
    assert (log.generation, len(log), log.find("a"), list(log.history())) == (1, 0, None, [])
    assert log.version > version + 1


def test_a_partial_is_closed_by_the_final_event_with_its_id() -> None:
    log = log_of(event("a", text="he", partial=True), event("a", text="llo", partial=True))
    assert log.closed_by(0) is None
    assert log.find("a") == 1
    log.extend([event("a", text="hello")])
    assert log.closed_by(0) == log.closed_by(1) == 2
    assert log.closed_by(2) is None
    assert log.find("a") == 2
    log.extend([event("a", text="late", partial=True)])
    assert log.find("a") == 2


def test_calls_in_partials_are_not_indexed_for_their_ids_are_thrown_away() -> None:
    log = log_of(event("a", call="temporary", partial=True), event("a", call="real"))
    assert list(log.by_call("temporary")) == []
    assert list(log.by_call("real")) == [1]


def test_a_resync_adds_only_what_was_not_there() -> None:
    first = [event("a", at=1.0), event("b", at=2.0)]
    log = log_of(*first)
    log.extend([event("a", at=1.0), event("b", at=2.0000001), event("c", at=3.0)])
    assert [r.id for r in log] == ["a", "b", "c"]


def test_two_different_events_with_one_id_are_both_kept() -> None:
    log = log_of(event("same", text="one", at=1.0), event("same", text="two", at=1.001))
    assert [r.text for r in log] == ["one", "two"]
    assert log.find("same") == 1


def test_events_without_ids_are_all_kept_and_never_confused() -> None:
    log = log_of(event("", partial=True), event("", text="x"), event("", text="x"))
    assert len(log) == 3
    assert log.closed_by(0) is None
    assert log.find("") is None


def test_history_is_what_adk_stores() -> None:
    log = log_of(
        event("u", author="user"),
        event("a", text="x", partial=True),
        event("inner", inner_of="c1"),
        event("a", text="xy"),
    )
    assert [r.id for r in log.history()] == ["u", "a"]
    log.extend([event("b")])
    assert [r.id for r in log.history()] == ["u", "a", "b"]


def test_a_rewind_withdraws_its_invocation_and_all_after_it_but_not_itself() -> None:
    log = log_of(
        event("a", inv="i1"),
        event("b", inv="i2"),
        event("p", inv="i2", partial=True),
        event("inner", inv="x", inner_of="c"),
        event("p", inv="i2", text="done"),
        event("c", inv="i3"),
    )
    assert withdrawn(log) == []
    log.extend([event("r", inv="i4", author="user", rewind="i2"), event("d", inv="i5")])
    assert withdrawn(log) == ["b", "p", "inner", "p", "c"]
    assert log.rewinds == 1


def test_a_rewind_of_a_rewind_brings_back_what_was_before() -> None:
    log = log_of(
        event("a", inv="i1"),
        event("b", inv="i2"),
        event("r1", inv="i3", rewind="i1"),
        event("c", inv="i4"),
    )
    assert withdrawn(log) == ["a", "b"]
    log.extend([event("r2", inv="i5", rewind="i2")])
    assert withdrawn(log) == ["b", "r1", "c"]


def test_a_rewind_to_an_unknown_invocation_withdraws_nothing() -> None:
    log = log_of(event("a"), event("r", inv="i2", rewind="nowhere"), event("b", inv="nowhere"))
    assert withdrawn(log) == []
    assert log.rewinds == 0


INVOCATIONS = st.sampled_from(["i1", "i2", "i3", "i4", ""])


@given(st.lists(st.tuples(INVOCATIONS, st.one_of(st.just(""), INVOCATIONS)), max_size=14))
def test_rewinds_agree_with_adk_after_every_event(steps: list[tuple[str, str]]) -> None:
    log = EventLog()
    for number, (inv, rewind) in enumerate(steps):
        log.extend([event(f"e{number}", inv=inv, rewind=rewind)])
        history: list[Any] = list(log.history())
        live = [record.id for record in _apply_rewinds(history)]
        ours = [
            record.id
            for i, record in enumerate(log)
            if not log.is_withdrawn(i) and not record.actions.rewind_before_invocation_id
        ]
        assert ours == live


RECORDS = st.builds(
    event,
    st.sampled_from(["a", "b", "c", ""]),
    inv=INVOCATIONS,
    author=st.sampled_from(["user", "root"]),
    call=st.sampled_from(["", "c1", "c2"]),
    response=st.sampled_from(["", "c1"]),
    rewind=st.sampled_from(["", "", "i1"]),
    partial=st.booleans(),
    inner_of=st.sampled_from(["", "", "c9"]),
    at=st.sampled_from([0.0, 1.0]),
)


@given(st.lists(RECORDS, max_size=12), st.integers(0, 12))
def test_batches_make_no_difference(records: list[EventRecord], cut: int) -> None:
    whole = log_of(*records)
    parts = log_of(*records[:cut])
    parts.extend(records[cut:])
    assert list(whole) == list(parts)
    assert withdrawn(whole) == withdrawn(parts)
    for key in ("a", "b", "c", ""):
        assert whole.find(key) == parts.find(key)
    for index, record in enumerate(whole):
        assert index in whole.by_invocation(record.invocation_id)
        assert record.author in whole.authors


def test_an_event_costs_the_log_little_memory() -> None:
    log = EventLog()
    count = 5_000
    log.extend(event(f"e{i}", inv=f"i{i // 8}", call=f"c{i}", at=float(i)) for i in range(count))
    attributes = vars(log)
    total = sum(sys.getsizeof(value) for value in attributes.values())
    for value in attributes.values():
        if isinstance(value, dict):
            total += sum(map(sys.getsizeof, value.values()))
    assert total / count < 400


GOLDEN = Path(__file__).parent.parent / "golden"
NAMES = sorted(p.name.removesuffix(".stream.jsonl") for p in GOLDEN.glob("*.stream.jsonl"))


def recorded(name: str) -> list[EventRecord]:
    return [read_event(row) for row in (GOLDEN / name).read_bytes().splitlines()]


def test_there_are_recorded_sessions() -> None:
    assert len(NAMES) > 100


@pytest.mark.parametrize("name", NAMES)
def test_a_session_told_again_from_its_store_doubles_nothing(name: str) -> None:
    yielded, stored = recorded(f"{name}.stream.jsonl"), recorded(f"{name}.jsonl")
    log = log_of(*yielded)
    length = len(log)
    assert length == len(yielded)
    log.extend(yielded)
    log.extend(record for record in yielded if not record.partial)
    partials = sum(record.partial for record in yielded)
    assert len(log) == length + partials
    log.extend(stored)
    ids = [record.id for record in log.history()]
    assert len(ids) == len(set(ids))
    assert set(ids) >= {record.id for record in stored}
    version = log.version
    log.extend(stored)
    assert log.version == version


@pytest.mark.parametrize("name", NAMES)
def test_every_prefix_of_a_session_is_a_good_log(name: str) -> None:
    log = EventLog()
    for record in recorded(f"{name}.stream.jsonl"):
        log.extend([record])
        index = len(log) - 1
        assert log.find(record.id) is not None
        assert record in (log[i] for i in log.by_invocation(record.invocation_id))
        state_before_after(log, index)
        assert one_line(record) or badges(record) or kind_of(record) == "empty"
        assert full_text(record)
