"""The protocol between an engine and its client: one JSON object a line, both ways, versioned.

Down go commands, ``{"cmd": "say", "id": 7, "text": "…"}``; the first one is
``start``. Up come records, ``{"type": "status", …}``; the first one is
``hello``. Every frame is wrapped in newlines on both sides, so that stray bytes
an agent writes into the pipe spoil at most the frame they fall into: empty
lines are skipped, and a line that is no frame is reported as stray output, not
taken for one.

Frames are pure ASCII: what JSON cannot say in UTF-8 (lone surrogates) travels
as ``\\u`` escapes. Events travel as ADK's own JSON, untouched.
"""

import dataclasses
import json
import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias, TypeVar, cast

from adk_tui.core import commands, reports
from adk_tui.core.event_reader import read_event
from adk_tui.core.jsontools import as_flag, as_int, as_list, as_number, as_object, as_text
from adk_tui.core.records import EventRecord

PROTOCOL = 1
"""Version of the protocol. A client refuses an engine of another one."""


@dataclass(frozen=True, slots=True)
class Hello:
    """The engine's first frame: process and versions, before any agent code has run."""

    protocol: int = PROTOCOL
    pid: int = 0
    python: str = ""
    adk_version: str = ""


@dataclass(frozen=True, slots=True)
class Ping:
    """Are you there? Answered from a thread of its own, whatever the agent blocks."""

    token: int = 0


@dataclass(frozen=True, slots=True)
class Pong:
    """The answer to a ping. ``lag`` is how many seconds the agent's event loop has been stuck."""

    token: int = 0
    lag: float = 0.0


Down: TypeAlias = commands.Command | commands.Start | Ping
Up: TypeAlias = reports.Record | Hello | Pong


class WireError(ValueError):
    """A line that is no frame; the message says what is wrong with it."""


def _name(cls: type) -> str:
    return "".join("_" + c.lower() if c.isupper() else c for c in cls.__name__).lstrip("_")


def _classes(union: Any) -> dict[str, type]:
    found: dict[str, type] = {}
    for member in typing.get_args(union):
        found |= _classes(member) if typing.get_args(member) else {_name(member): member}
    return found


_DOWN = _classes(Down)
_UP = {name: cls for name, cls in _classes(Up).items() if cls is not EventRecord}

COMMAND_NAMES = frozenset(_name(c) for c in typing.get_args(commands.Command))
"""The names of the commands, as capabilities list them."""


def command_name(command: Down) -> str:
    """The wire name of a command: ``Say`` is ``say``, ``EditState`` is ``edit_state``."""
    return _name(type(command))


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: _plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, bytes):
        return value.decode("latin-1")
    if isinstance(value, (tuple, list)):
        return [_plain(v) for v in cast("list[Any]", value)]
    if isinstance(value, (set, frozenset)):
        return sorted(cast("set[Any]", value))
    return value


def _frame(body: bytes) -> bytes:
    return b"\n" + body + b"\n"


def _dump(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode("ascii")


def encode_command(command: Down, command_id: int = 0) -> bytes:
    """The frame of a command. Raises TypeError where its values are no JSON."""
    return _frame(_dump({"cmd": command_name(command), "id": command_id, **_plain(command)}))


def encode_record(record: Up) -> bytes:
    """The frame of a record. An event's raw bytes are embedded as they are."""
    if isinstance(record, EventRecord):
        return encode_event(record.raw, inner_of=record.inner_of)
    return _frame(_dump({"type": _name(type(record)), **_plain(record)}))


def encode_event(raw: bytes, *, inner_of: str = "") -> bytes:
    """The frame of an event given as ADK's JSON, which must be ASCII."""
    if b"\n" in raw or b"\r" in raw:
        # Inside JSON strings both are escaped, so these are white space.
        raw = raw.replace(b"\n", b" ").replace(b"\r", b" ")
    return _frame(b'{"type":"event","inner_of":' + _dump(inner_of) + b',"event":' + raw + b"}")


_T = TypeVar("_T")


@cache
def _hints(cls: type) -> dict[str, Any]:
    return typing.get_type_hints(cls)


def _read(cls: type[_T], source: Mapping[str, Any]) -> _T:
    try:
        return _build(cls, source)
    except RecursionError as error:
        raise WireError(f"{_name(cls)} is nested too deep") from error


def _build(cls: type[_T], source: Mapping[str, Any]) -> _T:
    values: dict[str, Any] = {}
    hints = _hints(cls)
    for f in dataclasses.fields(cast(Any, cls)):
        if f.name in source:
            values[f.name] = _value(hints[f.name], source[f.name])
        elif f.default is dataclasses.MISSING and f.default_factory is dataclasses.MISSING:
            raise WireError(f"{_name(cls)} has no {f.name!r}")
    return cls(**values)


def _value(hint: Any, value: Any) -> Any:
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin is tuple and args[-1] is Ellipsis:
        return tuple(_value(args[0], v) for v in as_list(value))
    if origin is tuple:
        items = list(as_list(value)) + [None] * len(args)
        return tuple(_value(a, v) for a, v in zip(args, items, strict=False))
    if origin is frozenset:
        return frozenset(_value(args[0], v) for v in as_list(value))
    if origin in (typing.Union, types.UnionType):
        return None if value is None else _value(args[0], value)
    if origin is typing.Literal:
        if value not in args:
            raise WireError(f"{value!r} is none of {', '.join(map(str, args))}")
        return value
    if dataclasses.is_dataclass(hint):
        return _build(cast("type[Any]", hint), as_object(value))
    if hint is bytes:
        return as_text(value).encode("latin-1", "replace")
    readers = {str: as_text, int: as_int, float: as_number, bool: as_flag}
    return readers[hint](value) if hint in readers else as_object(value)


def _object(line: bytes) -> dict[str, Any]:
    try:
        parsed = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise WireError(f"not JSON: {error}") from error
    if not isinstance(parsed, dict):
        raise WireError("not a JSON object")
    return cast("dict[str, Any]", parsed)


def decode_command(line: bytes) -> tuple[int, Down]:
    """The command in a line and its id. Raises WireError with the reason."""
    source = _object(line)
    name = source.get("cmd")
    cls = cast("type[Down] | None", _DOWN.get(as_text(name)))
    if cls is None:
        known = ", ".join(sorted(_DOWN))
        raise WireError(f"unknown command {as_text(name)[:80]!r}; there are {known}")
    return as_int(source.get("id")), _read(cls, source)


_EVENT_KEY = b',"event":'


def decode_record(line: bytes, *, received: float = 0.0) -> Up:
    """The record in a line; ``received`` in wall-clock seconds. Raises WireError: the reason."""
    line = line.strip()
    if line.startswith(b'{"type":"event","inner_of":') and line.endswith(b"}"):
        head, key, raw = line.partition(_EVENT_KEY)
        if key:
            inner_of = _object(head + b"}").get("inner_of")
            event = read_event(raw[:-1], inner_of=as_text(inner_of), received=received)
            if "not a JSON object" in event.problems:
                raise WireError("an event that is no JSON object")
            return event
    source = _object(line)
    name = source.get("type")
    cls = cast("type[Up] | None", _UP.get(as_text(name)))
    if cls is None:
        raise WireError(f"unknown record {as_text(name)[:80]!r}")
    return _read(cls, source)
