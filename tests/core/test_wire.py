import contextlib
import dataclasses
import json
import types
import typing
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from adk_tui.core import commands, reports
from adk_tui.core.event_reader import read_event
from adk_tui.core.records import EventRecord
from adk_tui.core.wire import (
    Hello,
    Ping,
    Pong,
    WireError,
    command_name,
    decode_command,
    decode_record,
    encode_command,
    encode_event,
    encode_record,
)


def keeps_its_surrogates(text: str) -> bool:
    # Two halves side by side are one character in JSON.
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass") == text


TEXT = st.text(st.characters(), max_size=6).filter(keeps_its_surrogates)
FLOATS = st.floats(allow_nan=False)
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-(10**9), 10**9), FLOATS, TEXT),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(TEXT, inner, max_size=3)),
    max_leaves=8,
)
OBJECTS = st.dictionaries(TEXT, JSON, max_size=3)
SIMPLE: dict[Any, Any] = {
    str: TEXT,
    int: st.integers(-(10**9), 10**9),
    float: FLOATS,
    bool: st.booleans(),
    bytes: st.binary(max_size=6),
}


def values(hint: Any, depth: int = 0) -> Any:
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if hint in SIMPLE:
        return SIMPLE[hint]
    if origin is tuple and args[-1] is Ellipsis:
        if depth > 2:
            return st.just(())
        return st.lists(values(args[0], depth + 1), max_size=2).map(tuple)
    if origin is tuple:
        return st.tuples(*(values(a, depth + 1) for a in args))
    if origin is frozenset:
        return st.frozensets(values(args[0]), max_size=3)
    if origin in (typing.Union, types.UnionType):
        return st.one_of(st.none(), values(args[0], depth + 1))
    if origin is typing.Literal:
        return st.sampled_from(args)
    if dataclasses.is_dataclass(hint):
        return instances(hint, depth + 1)
    assert origin is not None
    assert issubclass(origin, Mapping)
    return OBJECTS


def instances(cls: Any, depth: int = 0) -> Any:
    hints = typing.get_type_hints(cls)
    return st.builds(cls, **{f.name: values(hints[f.name], depth) for f in dataclasses.fields(cls)})


COMMANDS = [*typing.get_args(commands.Command), commands.Start, Ping]
RECORDS = [*typing.get_args(reports.Report), Hello, Pong]


def test_every_command_class_is_covered() -> None:
    defined = {c for c in vars(commands).values() if dataclasses.is_dataclass(c)}
    assert defined - set(COMMANDS) == {
        commands.Attachment,
        commands.RunSettings,
        commands.ToolAnswer,
    }


@pytest.mark.parametrize("cls", COMMANDS, ids=lambda c: c.__name__)
def test_commands_come_out_as_they_went_in(cls: Any) -> None:
    @given(instances(cls), st.integers(0, 10**9))
    def check(command: Any, command_id: int) -> None:
        frame = encode_command(command, command_id)
        assert frame.isascii()
        assert frame.startswith(b"\n")
        assert frame.endswith(b"\n")
        assert b"\n" not in frame[1:-1]
        assert decode_command(frame.strip()) == (command_id, command)

    check()


@pytest.mark.parametrize("cls", RECORDS, ids=lambda c: c.__name__)
def test_records_come_out_as_they_went_in(cls: Any) -> None:
    @given(instances(cls))
    def check(record: Any) -> None:
        frame = encode_record(record)
        assert frame.isascii()
        assert b"\n" not in frame[1:-1]
        assert decode_record(frame.strip()) == record

    check()


@given(OBJECTS, TEXT)
@example({"x": ',"event":{}'}, ',"event":')
def test_events_travel_as_they_are(event: Any, inner_of: str) -> None:
    raw = json.dumps(event).encode()
    frame = encode_event(raw, inner_of=inner_of)
    assert b"\n" not in frame[1:-1]
    assert decode_record(frame, received=7.0) == read_event(raw, inner_of=inner_of, received=7.0)
    record = read_event(raw, inner_of=inner_of)
    assert decode_record(encode_record(record)) == record


def test_an_event_written_over_several_lines_is_one_frame() -> None:
    pretty = json.dumps({"id": "a", "author": "b", "x": "1\n2"}, indent=2).encode()
    frame = encode_event(pretty)
    assert frame.count(b"\n") == 2
    record = decode_record(frame)
    assert isinstance(record, EventRecord)
    assert record.json() == {"id": "a", "author": "b", "x": "1\n2"}


def test_a_lone_surrogate_travels() -> None:
    frame = encode_command(commands.Say("a\ud800b"), 1)
    assert frame.isascii()
    assert decode_command(frame) == (1, commands.Say("a\ud800b"))


@given(st.one_of(st.binary(), JSON.map(lambda v: json.dumps(v).encode())))
@example(b"")
@example(b"{}")
@example(b'{"cmd": ["say"]}')
@example(b'{"cmd": "say"}')
@example(b'{"type": "event", "inner_of": "", "event": 1}')
@example(b'{"type":"event","inner_of":"","event":1}')
@example(b'{"type":"event","inner_of":')
@example(b'{"type":"event","inner_of":"","event":{"a":}')
@example(b"[" * 100_000)
@example(b"\xff\xfe")
@example(b"1" * 10_000)
def test_garbage_is_a_wire_error_and_nothing_else(line: bytes) -> None:
    for decode in (decode_command, decode_record):
        with pytest.raises(WireError):
            decode(line)


@pytest.mark.parametrize("cls", [*COMMANDS, *RECORDS], ids=lambda c: c.__name__)
def test_fields_of_a_wrong_type_never_raise_anything_but_a_wire_error(cls: Any) -> None:
    name = command_name(cls(**_least(cls)))
    names = [f.name for f in dataclasses.fields(cls)]

    @given(st.fixed_dictionaries(dict.fromkeys(names, JSON)) if names else st.just({}))
    def check(body: dict[str, Any]) -> None:
        line = json.dumps({**body, "cmd": name, "type": name}).encode()
        decode = decode_command if cls in COMMANDS else decode_record
        with contextlib.suppress(WireError):
            assert isinstance(decode(line), cls if cls in RECORDS else tuple)

    check()


def _least(cls: Any) -> dict[str, Any]:
    missing = dataclasses.MISSING
    return {
        f.name: None
        for f in dataclasses.fields(cls)
        if f.default is missing and f.default_factory is missing
    }


def test_a_frame_nested_too_deep_is_a_wire_error() -> None:
    node = b'{"name":"a","children":[' * 320 + b"]}" * 320
    line = b'{"type":"ready","app":"a","folder":"","user":"","store":"","root":' + node + b"}"
    with pytest.raises(WireError, match="nested too deep"):
        decode_record(line)


def test_a_missing_field_is_named() -> None:
    with pytest.raises(WireError, match="say has no 'text'"):
        decode_command(b'{"cmd":"say","id":1}')


def test_an_unknown_command_lists_the_known_ones() -> None:
    with pytest.raises(WireError, match=r"unknown command 'dance'; there are .*rewind.*say"):
        decode_command(b'{"cmd":"dance"}')


def test_unknown_fields_of_a_newer_engine_are_passed_over() -> None:
    record = decode_record(b'{"type":"pong","token":3,"lag":0.5,"mood":"fine"}')
    assert record == Pong(3, 0.5)
