"""ADK's objects as JSON, whatever is in them.

Events travel as ADK's own JSON (camelCase, nulls left out, as its API server
writes them). Agents put things into events that JSON has no word for: bytes,
lone surrogates, NaN, cycles, objects of their own. pydantic then raises, or
worse, writes something else without a word. Such a value is dumped anyway and
marked: ``{"$dumped": kind, …}``.
"""

import base64
import json
import math
import re
from collections.abc import Collection, Iterator, Mapping
from types import UnionType
from typing import Any, Union, cast, get_args, get_origin

from google.adk.events.event import Event
from pydantic import BaseModel
from pydantic_core import to_jsonable_python

MARK = "$dumped"

MAX_BYTES = 64 * 1024
"""Bytes in free-form values beyond this many are told by their size only."""

MAX_DEPTH = 150
"""Nesting below this is replaced by a mark: JSON readers give up at a few hundred levels."""

MAX_REPR = 2_000
"""Characters kept of the ``repr`` of an object that is no data."""

MAX_BITS = 4_096
"""Python refuses to write longer integers in decimal."""

_ACTIONS = {"actions"}
_NON_ASCII = re.compile(r"[^\x00-\x7f]")


def dump_event(event: Event) -> bytes:
    """One event as one line of ASCII JSON, as it is at this moment. Never raises.

    The actions of a partial event are left out: ADK shares one object between
    all events of a model call, so they tell of the future (ADK_FACTS §9).
    """
    without = _ACTIONS if event.partial else None
    if all(_is_plain(v, 0) for v in _free(event)):
        return dump(event, without)
    return _encode(_walk_model(event, (id(event),), without or ()))


def dump(model: BaseModel, without: set[str] | None = None) -> bytes:
    """A pydantic model (request, response, event) as one line of ASCII JSON. Never raises.

    ``without`` names fields to leave out.
    """
    try:
        text = model.model_dump_json(
            by_alias=True, exclude_none=True, warnings=False, exclude=without
        )
    except Exception:
        return _encode(_walk_model(model, (id(model),), without or ()))
    return (text if text.isascii() else _NON_ASCII.sub(_escape, text)).encode("ascii")


def plain(value: object) -> Any:
    """Any value as something ``json.dumps`` takes; what is no JSON is marked. Never raises."""
    return value if _is_plain(value, 0) else _walk(value, (), free=True)


def restore(value: object) -> Any:
    """The inverse of the marks, where nothing was lost: bytes, numbers, strings."""
    if isinstance(value, list):
        return [restore(v) for v in cast("list[object]", value)]
    if not isinstance(value, dict):
        return value
    source = cast("dict[str, Any]", value)
    match source:
        case {"$dumped": "bytes", "base64": str(data)}:
            return base64.urlsafe_b64decode(data)
        case {"$dumped": "float", "value": str(number)}:
            return float(number)
        case _:
            return {k: restore(v) for k, v in source.items()}


def read_stored(raw: bytes) -> Event | None:
    """An event of a log as ADK's own; None for a partial, which no store keeps.

    Raises:
        ValueError: it is no event that this google-adk knows.
    """
    try:
        source = restore(json.loads(raw))
        partial = isinstance(source, dict) and cast("dict[str, Any]", source).get("partial") is True
        return None if partial else Event.model_validate(source)
    except Exception as error:
        # The readers of google-genai's enums raise whatever they stumble over.
        raise ValueError(str(error)) from error


def _escape(match: re.Match[str]) -> str:
    return json.dumps(match.group())[1:-1]


def _encode(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode("ascii")


def _free(event: Event) -> Iterator[object]:
    """The values of an event whose type ADK leaves open."""
    if not event.partial:
        actions = event.actions
        yield actions.state_delta
        for name in ("agent_state", "route", "set_model_response"):
            yield getattr(actions, name, None)
    yield event.custom_metadata
    yield getattr(event, "output", None)
    if event.content and event.content.parts:
        for part in event.content.parts:
            if part.function_call is not None:
                yield part.function_call.args
            if part.function_response is not None:
                yield part.function_response.response


def _is_plain(value: object, depth: int) -> bool:
    kind = type(value)
    if value is None or kind is str or kind is bool or kind is int:
        return kind is not int or -(1 << 63) <= cast(int, value) < 1 << 64
    if kind is float:
        return math.isfinite(cast(float, value))
    if depth >= MAX_DEPTH:
        return False
    if kind is dict:
        source = cast("dict[object, object]", value)
        return all(type(k) is str and _is_plain(v, depth + 1) for k, v in source.items())
    if kind is list:
        return all(_is_plain(v, depth + 1) for v in cast("list[object]", value))
    return False


def _marked(kind: str, **values: object) -> dict[str, object]:
    return {MARK: kind, **values}


def _walk(value: Any, above: tuple[int, ...], *, free: bool) -> Any:
    """``free``: the value sits where any type may, so a change of type must be marked."""
    match value:
        case None | bool() | str():
            return value if type(value) in (str, bool, type(None)) else str(value)
        case int():
            if value.bit_length() > MAX_BITS:
                return _marked("int", bits=value.bit_length())
            return int(value)
        case float():
            return float(value) if math.isfinite(value) else _marked("float", value=repr(value))
        case bytes() | bytearray() | memoryview():
            return _walk_bytes(bytes(cast(bytes, value)), free)
        case _:
            pass
    if id(value) in above:
        return _marked("cycle", type=type(value).__name__)
    if len(above) >= MAX_DEPTH:
        return _marked("depth", type=type(value).__name__)
    try:
        return _walk_compound(value, (*above, id(value)), free)
    except Exception as error:
        return _marked("unreadable", type=type(value).__name__, error=_safe_repr(error))


def _walk_bytes(data: bytes, free: bool) -> Any:
    text = base64.urlsafe_b64encode(data).decode("ascii")
    if not free:
        return text
    if len(data) > MAX_BYTES:
        return _marked("bytes", size=len(data))
    return _marked("bytes", size=len(data), base64=text)


def _walk_compound(value: Any, above: tuple[int, ...], free: bool) -> Any:
    if isinstance(value, BaseModel):
        body = _walk_model(value, above)
        return _marked(type(value).__name__, value=body) if free else body
    if isinstance(value, Mapping):
        source = cast("Mapping[Any, Any]", value)
        return {
            k if isinstance(k, str) else str(plain_key(k)): _walk(v, above, free=True)
            for k, v in source.items()
        }
    if isinstance(value, (list, tuple)):
        return [_walk(v, above, free=free) for v in cast("list[Any]", value)]
    if isinstance(value, (set, frozenset)):
        items = [_walk(v, above, free=free) for v in sorted(cast("set[Any]", value), key=repr)]
        return _marked("set", value=items) if free else items
    try:
        known = to_jsonable_python(value)
    except Exception:
        return _marked("object", type=type(value).__qualname__, repr=_safe_repr(value))
    known = _walk(known, above, free=True)
    return _marked(type(value).__qualname__, value=known) if free else known


def plain_key(key: object) -> object:
    """A mapping's key as JSON writes it: strings only."""
    return key if isinstance(key, (str, int, float)) else _safe_repr(key)


def _walk_model(
    model: BaseModel, above: tuple[int, ...], without: Collection[str] = ()
) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, field in type(model).model_fields.items():
        value = getattr(model, name, None)
        if value is None or field.exclude or name in without:
            continue
        alias = field.serialization_alias or field.alias or name
        found[alias] = _walk(value, above, free=_is_open(field.annotation))
    return found


def _is_open(annotation: Any) -> bool:
    """Whether a field takes anything, so that a reader cannot know what was put there."""
    if annotation is Any or annotation is object:
        return True
    union = get_origin(annotation) in (Union, UnionType)
    return union and any(_is_open(a) for a in get_args(annotation))


def _safe_repr(value: object) -> str:
    try:
        return repr(value)[:MAX_REPR]
    except Exception as error:
        return f"<{type(value).__name__}: its repr raised {type(error).__name__}>"
