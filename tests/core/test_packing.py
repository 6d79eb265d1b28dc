"""Old events keep every byte of their JSON, compressed; large requests of old calls go."""

import json
import sys

import pytest

from adk_tui.core import event_log, session
from adk_tui.core.event_log import EventLog
from adk_tui.core.event_reader import read_event
from adk_tui.core.packing import Packed
from adk_tui.core.records import EventRecord, pack
from adk_tui.core.reports import ModelCall
from adk_tui.core.session import SessionView


def events(count: int, size: int = 300) -> list[EventRecord]:
    return [
        read_event(
            json.dumps(
                {"id": f"e{n}", "author": "a", "content": {"parts": [{"text": f"{n} " * size}]}}
            ).encode()
        )
        for n in range(count)
    ]


def held(record: EventRecord) -> int:
    """Bytes of memory of the JSON that belong to this record alone."""
    return sys.getsizeof(record.source)


def test_a_packed_record_gives_the_same_bytes_and_size():
    records = events(50)
    before = [(r.raw, r.size, r.json()) for r in records]
    pack(records)
    assert all(isinstance(r.source, Packed) for r in records)
    assert [(r.raw, r.size, r.json()) for r in reversed(records)] == before[::-1]


def test_an_empty_json_can_be_packed():
    records = [read_event(b""), read_event(b"{}"), read_event(b"")]
    pack(records)
    assert [r.raw for r in records] == [b"", b"{}", b""]
    assert [r.size for r in records] == [0, 2, 0]


def test_a_log_keeps_the_newest_json_as_it_is_and_packs_the_rest(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(event_log, "RECENT", 50_000)
    monkeypatch.setattr(event_log, "BLOCK", 10_000)
    records = events(400)
    raws = [r.raw for r in records]
    log = EventLog()
    for at in range(0, 400, 7):
        log.extend(records[at : at + 7])
    assert [r.raw for r in log] == raws
    loose = [r for r in log if isinstance(r.source, bytes)]
    assert sum(r.size for r in loose) <= 50_000
    assert [r.id for r in loose] == [r.id for r in log][-len(loose) :]
    assert loose
    assert sum(held(r) for r in log) < sum(map(len, raws)) / 2


def test_an_event_larger_than_the_bound_is_packed_whole(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(event_log, "RECENT", 5_000)
    monkeypatch.setattr(event_log, "BLOCK", 1_000)
    records = [*events(3, 10), *events(1, 9_000)]
    raws = [r.raw for r in records]
    log = EventLog()
    log.extend(records)
    assert [r.raw for r in log] == raws


def test_a_reset_log_counts_anew(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(event_log, "RECENT", 5_000)
    monkeypatch.setattr(event_log, "BLOCK", 1_000)
    log = EventLog()
    log.extend(events(100))
    log.reset()
    log.extend(events(4, 10))
    assert all(isinstance(r.source, bytes) for r in log)


def test_requests_of_old_calls_go_first_and_their_times_stay(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(session, "CALL_ROOM", 10_000)
    view = SessionView()
    for n in range(20):
        begun = ModelCall(f"c{n}", "a", "i", started=float(n + 1), request=b"r" * 900)
        view.apply([begun])
        view.apply([ModelCall(f"c{n}", "a", "i", started=n + 1, ended=n + 2, request=b"r" * 900)])
    calls = list(view.calls.values())
    assert [c.started for c in calls] == [float(n + 1) for n in range(20)]
    assert [bool(c.request) for c in calls] == [False] * 9 + [True] * 11
