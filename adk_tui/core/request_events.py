"""Which events of a session a request holds, which ADK rewrote or left out, and why.

ADK builds the messages of a request from the session's events (google-adk's
``flows/llm_flows/context/_contents.py``): own events as they are, other agents'
as quotations that begin with "For context:", several responses as one message;
and it leaves out what belongs to other branches and tasks, what asks a person,
and what was undone or summarised. Nothing in the request says which event a
message came from, so they are found again by what they say.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from adk_tui.core.event_log import EventLog
from adk_tui.core.event_reader import read_event
from adk_tui.core.jsontools import as_number, as_object, pick
from adk_tui.core.records import (
    REQUEST_CONFIRMATION,
    REQUEST_CREDENTIAL,
    Blob,
    Call,
    Code,
    EventRecord,
    OtherPart,
    Part,
    Response,
    Text,
)
from adk_tui.core.reports import ModelCall
from adk_tui.core.requests import NEAR, Message, Request
from adk_tui.core.rewinds import live as live_events

How: TypeAlias = Literal["event", "merged", "changed", "quoted", "summary", "task", "added"]

HOW: dict[How, str] = {
    "event": "as it is in the session",
    "merged": "several events in one message",
    "changed": "changed on its way, by a callback or a plugin",
    "quoted": "another agent's words, rewritten as a quotation",
    "summary": "a summary that takes the place of earlier events",
    "task": "the task this agent was given",
    "added": "in no event of the session",
}
"""What became of an event on its way into a message, in words."""


@dataclass(frozen=True, slots=True)
class Sent:
    """Where a message of a request comes from: ``events`` are indexes into the log."""

    how: How
    events: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Hidden:
    """An event the request does not hold, and why."""

    index: int
    reason: str


@dataclass(frozen=True, slots=True)
class Sources:
    """One ``Sent`` for each message of the request, and the events that are in none.

    ``more_hidden`` counts those before the ones that are told.
    """

    sent: tuple[Sent, ...]
    hidden: tuple[Hidden, ...]
    more_hidden: int = 0


_Key: TypeAlias = tuple[str, ...]


def sources(
    request: Request, call: ModelCall, log: EventLog, *, most_hidden: int = 1_000_000
) -> Sources:
    """Find the events of the session in a request. The newest ``most_hidden`` others are told."""
    seen = list(_before(call, log))
    if call.parent_call_id:
        live = set(seen)
    else:
        # A rewind after the request changed nothing about it.
        standing = {id(r) for r in live_events([log[i] for i in seen])}
        live = {i for i in seen if id(log[i]) in standing}
    finder = _Finder(log, [i for i in seen if i in live], call.parent_call_id)
    # From the end: what a request leaves out, it leaves out at the beginning.
    sent = [finder.find(message) for message in reversed(request.messages)][::-1]
    used = {i for s in sent for i in s.events}
    why = _Reasons(call, log, seen, live)
    others = [i for i in seen if i not in used]
    told = others[max(len(others) - most_hidden, 0) :]
    hidden = tuple(Hidden(i, why.of(i)) for i in told)
    return Sources(tuple(sent), hidden, len(others) - len(told))


def _before(call: ModelCall, log: EventLog) -> Iterable[int]:
    made = log.find(call.event_id) if call.event_id else None
    end = len(log) if made is None else made
    for index, record in enumerate(log[:end]):
        if record.partial or record.inner_of != call.parent_call_id:
            continue
        if made is None and record.timestamp > call.started + NEAR / 10:
            continue
        if record.id and record.id == call.event_id:
            continue
        yield index


class _Finder:
    def __init__(self, log: EventLog, candidates: list[int], parent_call_id: str) -> None:
        self._log = log
        self._parent = parent_call_id
        self._candidates = candidates
        self._own: dict[_Key, list[int]] = {}
        self._quoted: dict[_Key, list[int]] = {}
        for index in candidates:
            record = log[index]
            for part in record.parts:
                self._own.setdefault(_key(part), []).append(index)
                self._quoted.setdefault((record.author, *_quoted_key(part)), []).append(index)

    def find(self, message: Message) -> Sent:
        parts = read_event({"content": message.raw}).parts
        if _is_quotation(parts):
            return self._quotation(parts[1:])
        found = [self._pop(self._own, _key(part)) for part in reversed(parts)]
        events = tuple(sorted({i for i in found if i is not None}))
        if not events:
            return self._other(parts)
        if None in found:
            return Sent("changed", events)
        return Sent("event" if len(events) == 1 else "merged", events)

    def _quotation(self, parts: tuple[Part, ...]) -> Sent:
        found: set[int] = set()
        for part in reversed(parts):
            key = _read_quote(part.text) if isinstance(part, Text) else None
            index = self._pop(self._quoted, key) if key else self._pop(self._own, _key(part))
            if index is not None:
                found.add(index)
        return Sent("quoted", tuple(sorted(found)))

    def _pop(self, index: dict[_Key, list[int]], key: _Key) -> int | None:
        at = index.get(key)
        return at.pop() if at else None

    def _other(self, parts: tuple[Part, ...]) -> Sent:
        text = "\n".join(p.text for p in parts if isinstance(p, Text))
        # An AgentTool hands its call's arguments to the agent in it, or the one named request.
        for i in self._log.by_call(self._parent) if self._parent else ():
            args = [c.args for c in self._log[i].calls if c.id == self._parent]
            if any(text in (a.get("request"), _arguments(a)) for a in args):
                return Sent("task", (i,))
        for i in reversed(self._candidates):
            record = self._log[i]
            summary = as_object(pick(record.actions.compaction, "compactedContent"))
            if summary and text and read_event({"content": summary}).text == text:
                return Sent("summary", (i,))
            if any(call.args and _arguments(call.args) == text.strip() for call in record.calls):
                return Sent("task", (i,))
        return Sent("added")


def _arguments(args: Any) -> str:
    # As ADK tells an agent its task (``_build_task_input_user_content``).
    try:
        return json.dumps(args, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return ""


def _dumped(value: object) -> str:
    try:
        return json.dumps(value, sort_keys=True, default=str)
    except (TypeError, ValueError, RecursionError):
        return "?"


def _key(part: Part) -> _Key:
    match part:
        case Text():
            return ("text", part.text)
        case Call():
            return ("call", part.name, _dumped(part.args))
        case Response():
            return ("response", part.name, _dumped(part.response))
        case Blob():
            return ("data", part.mime_type, str(part.size), part.uri)
        case Code():
            return ("code", part.label, part.text)
        case OtherPart():
            return ("other", *part.keys)


_PREAMBLE = "For context:"
_QUOTE = re.compile(
    r"\[(?P<author>[^\]\n]*)\] (?:said:|called tool `(?P<tool>[^`]*)` with parameters:|"
    r"`(?P<result>[^`]*)` tool returned result:)\s*(?P<rest>.*)",
    re.DOTALL,
)
_FENCE = re.compile(r"\A<<<\w+>>>\n(.*)\n<<<\w+>>>\s*\Z", re.DOTALL)
_FENCES = re.compile(r"\s*^<<<\w+>>>$\s*", re.MULTILINE)


def _is_quotation(parts: tuple[Part, ...]) -> bool:
    first = parts[0] if parts else None
    return isinstance(first, Text) and first.text.startswith(_PREAMBLE) and len(parts) > 1


def quoted_words(message: Message) -> str:
    """What another agent did, without the sentences ADK puts around it; "" where it is no quote."""
    parts = read_event({"content": message.raw}).parts
    if not _is_quotation(parts):
        return ""
    return " ".join(_FENCES.sub(" ", p.text).strip() for p in parts[1:] if isinstance(p, Text))


def _read_quote(text: str) -> _Key | None:
    found = _QUOTE.match(text)
    if found is None:
        return None
    if found["tool"] is not None:
        return (found["author"], "call", found["tool"])
    if found["result"] is not None:
        return (found["author"], "response", found["result"])
    fenced = _FENCE.match(found["rest"])
    return (found["author"], "said", (fenced[1] if fenced else found["rest"]).strip())


def _quoted_key(part: Part) -> _Key:
    match part:
        case Text():
            return ("said", part.text.strip())
        case Call():
            return ("call", part.name)
        case Response():
            return ("response", part.name)
        case _:
            return _key(part)


# Why an event is in no message


class _Reasons:
    """Why events are in no message. What follows from the whole session is worked out once."""

    def __init__(self, call: ModelCall, log: EventLog, seen: list[int], live: set[int]) -> None:
        made = log.find(call.event_id) if call.event_id else None
        self._log = log
        self._live = live
        self._made = log[made] if made is not None else None
        self._spans = [s for i in seen for s in _summarised(log[i])]
        self._calls: dict[str, int] = {}
        self._results: dict[str, int] = {}
        for index in seen:
            for asked in log[index].calls:
                self._calls[asked.id] = index
            for result in log[index].responses:
                self._results[result.id] = index
        last = log[seen[-1]] if seen else None
        answered = [self._calls.get(r.id, len(log)) for r in last.responses] if last else []
        self._gap = (min(answered), seen[-1]) if answered else (0, 0)

    def of(self, index: int) -> str:
        record = self._log[index]
        return (
            self._nothing_to_send(record)
            or ("" if index in self._live else "undone by a rewind")
            or self._elsewhere(record)
            or self._paired(record, index)
            or "left out by ADK, by the agent's settings or by a plugin"
        )

    def _nothing_to_send(self, record: EventRecord) -> str:
        if record.actions.rewind_before_invocation_id:
            return "a rewind has nothing to say to a model"
        if record.actions.compaction:
            return "a summary that another one, or the events themselves, stand for"
        if not record.parts:
            return "nothing in it to say to a model"
        names = {p.name for p in record.parts if isinstance(p, (Call, Response))}
        if names & {REQUEST_CONFIRMATION, REQUEST_CREDENTIAL}:
            return "asks a person; models are not shown that"
        if all(isinstance(p, Text) and (p.thought or not p.text) for p in record.parts):
            return "only thoughts; they are not sent again"
        return ""

    def _elsewhere(self, record: EventRecord) -> str:
        made = self._made
        if made is not None:
            if record.isolation_scope != made.isolation_scope:
                return "belongs to another task"
            if _other_branch(record.branch, made.branch):
                return f"on another branch, {record.branch}"
        if any(start <= record.timestamp <= end for start, end in self._spans):
            return "a summary takes its place"
        return ""

    def _paired(self, record: EventRecord, index: int) -> str:
        if any(self._results.get(r.id, index) > index for r in record.responses):
            return "a newer result of the same call takes its place"
        if record.calls and not any(c.id in self._results for c in record.calls):
            return "a call without a result; ADK sends only pairs"
        if self._gap[0] < index < self._gap[1]:
            return "between a call and the answer that came later; ADK sends only those two"
        return ""


def _other_branch(branch: str, mine: str) -> bool:
    if not branch or not mine:
        return False
    return branch != mine and not mine.startswith(branch + ".")


def _summarised(record: EventRecord) -> Iterator[tuple[float, float]]:
    found = record.actions.compaction
    if found:
        yield as_number(pick(found, "startTimestamp")), as_number(pick(found, "endTimestamp"))
