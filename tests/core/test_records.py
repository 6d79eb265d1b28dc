import base64
import dataclasses
import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from adk_tui.core.event_reader import read_event
from adk_tui.core.jsontools import as_flag, as_int, as_list, as_number, as_object, as_text
from adk_tui.core.records import Blob, Call, Code, EventRecord, OtherPart, Response, Text, Usage
from tests.fakes.event_json import EVENT_LIKE, JSON, WHOLE

SHAPES: dict[str, type | tuple[type, ...]] = {
    "id": str,
    "invocation_id": str,
    "author": str,
    "timestamp": float,
    "raw": bytes,
    "role": str,
    "partial": bool,
    "branch": str,
    "error_code": str,
    "error_message": str,
    "sources": int,
    "has_output": bool,
    "input_transcription": str,
}


def check(record: EventRecord) -> None:
    for name, kind in SHAPES.items():
        assert isinstance(getattr(record, name), kind), name
    assert abs(record.timestamp) < float("inf")
    assert all(isinstance(i, str) for i in record.long_running_tool_ids)
    for part in record.parts:
        assert isinstance(part, (Text, Call, Response, Blob, Code, OtherPart))
    actions = record.actions
    for value in (actions.state_delta, actions.artifact_delta, actions.compaction):
        assert isinstance(value, dict)
    assert isinstance(record.text + record.thought, str)
    assert len(record.calls) + len(record.responses) <= len(record.parts)
    assert isinstance(record.json(), dict)
    hash(record.id)


@given(st.one_of(JSON, EVENT_LIKE))
def test_any_json_is_read(value: Any) -> None:
    check(read_event(json.dumps(value)))
    if isinstance(value, dict):
        check(read_event(value))


@given(st.binary())
@example(b"")
@example(b"\xff\xfe{}")
@example(b"[" * 100_000)
@example(b'{"a":' * 100_000)
@example(b'{"timestamp": 1e999, "id": NaN}')
@example(b'{"id": ' + b"9" * 5_000 + b"}")
def test_any_bytes_are_read_and_kept(data: bytes) -> None:
    record = read_event(data)
    check(record)
    assert record.raw == data


@given(st.text(st.characters()))
def test_any_text_is_read(data: str) -> None:
    check(read_event(data))


def test_objects_that_are_no_json_are_read_and_marked() -> None:
    cycle: dict[str, Any] = {"id": "a"}
    cycle["content"] = {"parts": [cycle]}
    check(read_event(cycle))
    record = read_event(
        {"id": 10**5_000, "author": object(), "content": {"parts": [{"text": b"x"}]}}
    )
    check(record)
    assert record.id == "<int>"


def test_what_is_no_event_says_so() -> None:
    assert read_event(b"nonsense").problems == ("not a JSON object", "no id", "no author")
    assert read_event(b'{"id":"a","author":"b","content":{"parts":[{}]}}').problems == (
        "empty part",
    )
    assert "no finite timestamp" in read_event(b'{"timestamp": NaN}').problems


def snake(name: str) -> str:
    return "".join("_" + c.lower() if c.isupper() else c for c in name)


def snake_keys(value: Any) -> Any:
    if isinstance(value, dict):
        return {snake(key): snake_keys(item) for key, item in value.items()}
    return [snake_keys(item) for item in value] if isinstance(value, list) else value


def test_every_field_is_read() -> None:
    record = read_event(json.dumps(WHOLE))
    assert record.parts == (
        Text("hm", thought=True),
        Text("hello"),
        Call("c1", "pay", {"amount": 1}),
        Response("c1", "pay", {"ok": 1}),
        Response("c2", "n", {"result": "plain"}, will_continue=True, parts=1),
        Blob("image/png", 4, "a.png"),
        Blob("text/plain", -1, "", "gs://x"),
        Code("1+1", "PYTHON"),
        Code("2", "OUTCOME_OK", result=True),
        OtherPart(("videoMetadata",)),
    )
    assert record.usage == Usage(1, 2, 3, 4, 6)
    assert (record.sources, record.has_output, record.problems) == (3, True, ())
    default = EventRecord("", "", "", 0.0, b"")
    unset = {"inner_of", "received", "problems"}
    for field in dataclasses.fields(record):
        if field.name not in unset:
            assert getattr(record, field.name) != getattr(default, field.name), field.name
    for field in dataclasses.fields(record.actions):
        assert getattr(record.actions, field.name) != getattr(default.actions, field.name)


def test_snake_case_spells_the_same_event() -> None:
    known = json.loads(json.dumps(WHOLE))
    known["content"]["parts"].pop()
    known["actions"]["compaction"] = {"summary": 1}
    camel, other = read_event(json.dumps(known)), read_event(json.dumps(snake_keys(known)))
    assert dataclasses.replace(camel, source=b"") == dataclasses.replace(other, source=b"")


@pytest.mark.parametrize("size", range(9))
def test_the_size_of_inline_data_is_told_with_and_without_padding(size: int) -> None:
    data = base64.urlsafe_b64encode(b"\xff" * size).decode()
    for text in (data, data.rstrip("=")):
        record = read_event({"content": {"parts": [{"inlineData": {"data": text}}]}})
        assert record.parts == (Blob("", size),)


@given(JSON)
@example(10**400)
@example("9" * 5_000)
@example({1, "a", None})
def test_readers_are_total(value: Any) -> None:
    assert isinstance(as_text(value), str)
    assert isinstance(as_number(value), float)
    assert isinstance(as_int(value), int)
    assert isinstance(as_flag(value), bool)
    assert len(as_list(value)) >= 0
    assert len(as_object(value)) >= 0
