"""What a model was sent: ADK's LlmRequest as plain parts, and how it differs from the one before.

The requests come from the recorder as JSON of whatever google-adk is installed;
outer keys are snake_case, those of google-genai below them camelCase. Reading
is total: what is not understood stays visible as ``raw``.
"""

import difflib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, cast

from adk_tui.core.jsontools import EMPTY, JsonObject, as_list, as_object, as_text, nothing, pick
from adk_tui.core.records import EventRecord
from adk_tui.core.reports import ModelCall

DIFF_LINES = 2_000
"""Lines of a system instruction up to which a line by line comparison is made."""

NEAR = 0.25
"""Seconds by which an event's own time may lie outside the call that made it."""


@dataclass(frozen=True, slots=True)
class Message:
    """One content of a request: what one side said at one point. ``raw`` is all of it."""

    role: str
    parts: tuple[JsonObject, ...]
    raw: JsonObject


@dataclass(frozen=True, slots=True)
class Declaration:
    """A tool as the model was told of it. A built-in one has a name and its settings only."""

    name: str
    description: str
    raw: JsonObject
    builtin: bool = False


@dataclass(frozen=True, slots=True)
class Request:
    """A request in parts. ``config`` is what is left of the configuration without those.

    ``problem`` says why there is nothing to read; empty where all is well.
    """

    model: str = ""
    system: str = ""
    messages: tuple[Message, ...] = ()
    tools: tuple[Declaration, ...] = ()
    config: JsonObject = field(default_factory=nothing)
    raw: JsonObject = field(default_factory=nothing)
    problem: str = ""


def read_request(raw: bytes) -> Request:
    """Read a request as the recorder keeps it. Never raises."""
    if not raw:
        return Request(problem="The request was not kept.")
    source = _object(raw)
    if source is None:
        return Request(problem="The request is no JSON object.")
    config = as_object(source.get("config"))
    messages = tuple(_message(m) for m in as_list(source.get("contents")))
    return Request(
        model=as_text(source.get("model")),
        system=instruction_text(pick(config, "systemInstruction")),
        messages=messages,
        tools=tuple(_declarations(config)),
        config=_rest(source, config),
        raw=source,
    )


def read_response(raw: bytes) -> JsonObject:
    """A response as JSON; empty where there is none to read."""
    return _object(raw) or EMPTY


def _object(raw: bytes) -> JsonObject | None:
    try:
        parsed: object = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    return cast(JsonObject, parsed) if isinstance(parsed, dict) else None


def _message(value: object) -> Message:
    source = as_object(value)
    parts = tuple(as_object(p) for p in as_list(source.get("parts")))
    return Message(as_text(source.get("role")), parts, source)


def instruction_text(value: object) -> str:
    """A system instruction as text: google-genai takes a string, a content, or a list of parts."""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        source = as_object(cast(object, value))
        if "parts" in source:
            return instruction_text(source["parts"])
        return as_text(source.get("text"))
    return "\n\n".join(filter(None, (instruction_text(v) for v in as_list(value))))


def _declarations(config: JsonObject) -> Iterable[Declaration]:
    for tool in map(as_object, as_list(config.get("tools"))):
        for name, settings in tool.items():
            if name in ("functionDeclarations", "function_declarations"):
                for raw in map(as_object, as_list(settings)):
                    told = as_text(raw.get("description"))
                    yield Declaration(as_text(raw.get("name")), told, raw)
            else:
                yield Declaration(str(name), "", {str(name): settings}, builtin=True)


_READ = {"systemInstruction", "system_instruction", "tools"}


def _rest(source: JsonObject, config: JsonObject) -> JsonObject:
    found = {k: v for k, v in config.items() if k not in _READ}
    for key, value in source.items():
        # ADK writes the settings of a live connection into every request; empty ones say nothing.
        if key not in ("model", "contents", "config") and _says_something(value):
            found[key] = value
    return found


def _says_something(value: object) -> bool:
    if isinstance(value, Mapping):
        return any(map(_says_something, as_object(cast(object, value)).values()))
    return value is not None and value != [] and value != ""


# Which call belongs to an event

Link: TypeAlias = Literal["made", "failed", "next"]


@dataclass(frozen=True, slots=True)
class Found:
    """A call and its ``link`` to an event.

    ``made``: the event is its answer. ``failed``: the event was made while
    the call went wrong. ``next``: no model made the event, and this is the
    first request after it.
    """

    call: ModelCall
    link: Link


def call_of(event: EventRecord, calls: Iterable[ModelCall]) -> Found | None:
    """The model call behind an event, else the first one that could have seen it."""
    mine = [c for c in calls if c.parent_call_id == event.inner_of]
    for call in mine:
        if event.id and call.event_id == event.id:
            return Found(call, "made")
    here = [c for c in mine if c.invocation_id == event.invocation_id]
    if event.author != "user" and not event.responses:
        # A failed call names no event; the error and the partials before it lie within its time.
        during = [
            c
            for c in here
            if not c.event_id
            and c.agent == event.author
            and c.started - NEAR <= event.timestamp
            and (not c.ended or event.timestamp <= c.ended + NEAR)
        ]
        if during:
            last = max(during, key=lambda c: c.started)
            return Found(last, "failed" if last.error else "made")
    after = [c for c in here if c.started >= event.timestamp]
    if after and not event.partial:
        return Found(min(after, key=lambda c: c.started), "next")
    return None


def previous_call(call: ModelCall, calls: Iterable[ModelCall]) -> ModelCall | None:
    """The request the same agent sent before in the same session; an inner run has its own."""
    before = [
        c
        for c in calls
        if c.agent == call.agent
        and c.parent_call_id == call.parent_call_id
        and (c.session_id == call.session_id or not call.session_id)
        and c.started < call.started
        and c.id != call.id
    ]
    return max(before, key=lambda c: c.started, default=None)


# What is different


@dataclass(frozen=True, slots=True)
class Change:
    """A tool or a setting that differs. ``before`` is None where it is new, ``after`` if gone."""

    name: str
    before: Any
    after: Any
    kind: Literal["added", "changed", "removed"]


@dataclass(frozen=True, slots=True)
class RequestDiff:
    """What changed between two requests.

    ``same`` counts the messages both begin with; ``removed`` stood after them
    in the first, ``added`` in the second. ``system`` are the lines of the
    system instruction that differ, with ``+``, ``-`` or a blank before each.
    """

    same: int
    removed: tuple[Message, ...] = ()
    added: tuple[Message, ...] = ()
    system: tuple[tuple[str, str], ...] = ()
    tools: tuple[Change, ...] = ()
    config: tuple[Change, ...] = ()
    model: tuple[str, str] | None = None

    @property
    def only_grew(self) -> bool:
        """Whether nothing but new messages at the end came in."""
        return not (self.removed or self.system or self.tools or self.config or self.model)


def diff(before: Request, after: Request) -> RequestDiff:
    """How ``after`` differs from ``before``."""
    old, new = before.messages, after.messages
    same = 0
    while same < min(len(old), len(new)) and _equal(old[same].raw, new[same].raw):
        same += 1
    # What both end with was neither removed nor added.
    tail = 0
    while tail < min(len(old), len(new)) - same and _equal(
        old[len(old) - 1 - tail].raw, new[len(new) - 1 - tail].raw
    ):
        tail += 1
    return RequestDiff(
        same=same + tail,
        removed=old[same : len(old) - tail],
        added=new[same : len(new) - tail],
        system=tuple(_lines(before.system, after.system)),
        tools=_changes(_by_name(before.tools), _by_name(after.tools)),
        config=_changes(before.config, after.config),
        model=(before.model, after.model) if before.model != after.model else None,
    )


def _by_name(tools: Sequence[Declaration]) -> JsonObject:
    return {t.name: t.raw for t in tools}


def _changes(before: JsonObject, after: JsonObject) -> tuple[Change, ...]:
    found: list[Change] = []
    for name in {**before, **after}:
        old, new = before.get(name), after.get(name)
        if name not in before:
            found.append(Change(str(name), None, new, "added"))
        elif name not in after:
            found.append(Change(str(name), old, None, "removed"))
        elif not _equal(old, new):
            found.append(Change(str(name), old, new, "changed"))
    return tuple(found)


def _equal(one: object, other: object) -> bool:
    try:
        return one == other
    except RecursionError:
        return False


def _lines(before: str, after: str) -> Iterable[tuple[str, str]]:
    if before == after:
        return
    old, new = before.splitlines(), after.splitlines()
    if len(old) + len(new) > DIFF_LINES:
        yield "-", f"{len(before):,} characters"
        yield "+", f"{len(after):,} characters"
        return
    for line in list(difflib.unified_diff(old, new, n=1, lineterm=""))[2:]:
        if not line.startswith("@@"):
            yield line[:1], line[1:]
