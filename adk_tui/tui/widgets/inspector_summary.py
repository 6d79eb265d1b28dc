"""The first page of the inspector: an event in plain words."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from adk_tui.core.brief import brief, size
from adk_tui.core.export import embedded
from adk_tui.core.kinds import KINDS, kinds_of
from adk_tui.core.oddities import error_hint
from adk_tui.core.records import (
    Blob,
    Call,
    Code,
    EventRecord,
    OtherPart,
    Part,
    Response,
    Text,
    Usage,
)
from adk_tui.core.reports import ToolRun
from adk_tui.core.requests import Found, call_of
from adk_tui.core.routing import find_agent
from adk_tui.core.sanitize import line as one
from adk_tui.core.sanitize import mask_text
from adk_tui.core.session import SessionView
from adk_tui.core.ticket import Ticket
from adk_tui.tui.widgets.event_rows import span_text
from adk_tui.tui.widgets.page_view import Block, fact, text_body
from adk_tui.tui.widgets.pretty import pretty
from adk_tui.tui.widgets.text_lines import Line

PARSED = 512 * 1024
"""Bytes of an event up to which its JSON is read for data and unknown fields."""

_FIELDS = """
    actions author avgLogprobs branch cacheMetadata citationMetadata content customMetadata
    environmentId errorCode errorMessage finishReason goAway groundingMetadata id inputTranscription
    interactionId interactionStatus interrupted invocationId isolationScope liveSessionId
    liveSessionResumptionUpdate logprobsResult longRunningToolIds messageAsOutput modelVersion
    nodeInfo output outputTranscription partial timestamp turnComplete turnCompleteReason
    usageMetadata voiceActivity
"""
KNOWN = frozenset(_FIELDS.split())
"""The fields of ADK 2.13's Event, as it writes them."""


@dataclass(frozen=True, slots=True)
class Subject:
    """The event that is looked at, and what is known around it."""

    view: SessionView
    index: int
    reveal: bool = False

    @property
    def record(self) -> EventRecord:
        """The event."""
        return self.view.log[self.index]

    def found(self) -> Found | None:
        """The model call behind the event."""
        return call_of(self.record, self.view.calls.values())


def tokens(usage: Usage) -> str:
    """Counts of tokens in words."""
    parts = [f"{usage.prompt:,} in", f"{usage.output:,} out"]
    if usage.cached:
        parts.insert(1, f"{usage.cached:,} of them cached")
    if usage.thoughts:
        parts.append(f"{usage.thoughts:,} thought")
    return ", ".join(parts) + (f", {usage.total:,} in all" if usage.total else "")


def summary_page(subject: Subject) -> list[Block]:
    """The page."""
    record = subject.record
    blocks = [Block("facts", [], lambda width: list(_facts(subject, width)), fixed=True)]
    for number, part in enumerate(record.parts):
        blocks.append(_part_block(f"part{number}", part, subject))
    if record.error_code or record.error_message:
        text = "\n".join(filter(None, (record.error_code, record.error_message)))
        head: Line = [("Error", "line--error line--strong")]
        body = text_body(text, "line--error", reveal=subject.reveal)
        blocks.insert(1, Block("error", head, body, fixed=True, gap=True))
    if "not a JSON object" in record.problems:
        head = [("As it came", "line--heading")]
        raw = record.raw.decode("utf-8", "replace")
        blocks.append(
            Block("raw", head, text_body(raw, reveal=subject.reveal), fixed=True, gap=True)
        )
    return blocks


def _facts(subject: Subject, width: int) -> Iterator[Line]:
    record = subject.record
    kinds = kinds_of(record)
    told = "; ".join(KINDS[k] for k in kinds)
    yield from fact("what", told[:1].upper() + told[1:], width, "line--strong")
    yield from fact("by", _author(subject), width)
    yield from fact("when", _when(subject), width)
    if record.invocation_id:
        yield from fact("invocation", _turn(subject), width)
    yield from fact("event id", one(record.id, 80) or "none", width)
    for label, value in (
        ("branch", record.branch),
        ("node", record.node_path),
        ("task", record.isolation_scope),
        ("finish", record.finish_reason),
        ("model", record.model_version),
        ("heard", record.input_transcription),
        ("spoken", record.output_transcription),
    ):
        if value:
            yield from fact(label, one(_masked(value, subject), 400), width)
    if record.inner_of:
        yield from fact("inner run", f"inside the tool call {_call_name(subject)}", width)
    for label, words, look in _fates(subject):
        yield from fact(label, words, width, look)
    for label, words, look in _effects(subject):
        yield from fact(label, words, width, look)
    if record.usage:
        yield from fact("tokens", tokens(record.usage), width)
    hint = error_hint(record.error_code, record.error_message)
    if hint:
        yield from fact("next step", hint, width, "line--warning")


def _turn(subject: Subject) -> str:
    record, log = subject.record, subject.view.log
    shown = one(record.invocation_id, 80)
    known = list(dict.fromkeys(r.invocation_id for r in log.history()))
    if record.invocation_id not in known:
        return shown
    return f"{known.index(record.invocation_id) + 1} of {len(known)}   {shown}"


def _masked(text: str, subject: Subject) -> str:
    return text if subject.reveal else mask_text(text)


def _author(subject: Subject) -> str:
    record, ready = subject.record, subject.view.ready
    name = one(record.author, 80) or "nobody"
    if record.author == "user":
        return "user" if record.role != "model" else "user, in the role of the model"
    if ready is None:
        return name
    node = find_agent(ready.root, record.author)
    if node is None:
        return f"{name}, who is not in the agent tree" if not record.inner_of else name
    model = f" on {one(node.model, 60)}" if node.model else ""
    return f"{name}, {_article(node.kind)}{model}" + (
        " (the offline model)" if node.offline else ""
    )


def _article(kind: str) -> str:
    return f"{'an' if kind[:1] in 'AEIOUL' and kind != 'LoopAgent' else 'a'} {one(kind, 40)}"


def _when(subject: Subject) -> str:
    record, log = subject.record, subject.view.log
    try:
        moment = datetime.fromtimestamp(record.timestamp)
        stamp = moment.strftime("%Y-%m-%d %H:%M:%S.") + f"{moment.microsecond // 1000:03}"
    except (OverflowError, OSError, ValueError):
        stamp = ""
    if record.timestamp <= 0 or not stamp:
        return "unknown: the event has no time"
    first = log.by_invocation(record.invocation_id)
    if first and log[first[0]].timestamp > 0 and first[0] != subject.index:
        passed = record.timestamp - log[first[0]].timestamp
        return f"{stamp}   {span_text(passed)} after its invocation began"
    return stamp


def _call_name(subject: Subject) -> str:
    log, call_id = subject.view.log, subject.record.inner_of
    for at in log.by_call(call_id):
        for call in log[at].calls:
            if call.id == call_id:
                return f"{one(call.name, 60)} of {one(log[at].author, 60)}"
    return one(call_id, 80)


def _fates(subject: Subject) -> Iterator[tuple[str, str, str]]:
    """What became of the event, or was odd about it."""
    record, log = subject.record, subject.view.log
    if log.is_withdrawn(subject.index):
        yield "undone", "a rewind took it back; models are not shown it any more", "line--warning"
    if record.partial:
        closing = log.closed_by(subject.index)
        words = "the final event has not come yet" if closing is None else "the final event came"
        yield "piece", f"of a streamed answer; {words}; ADK stores only the final one", ""
    known = {call.id for call in record.calls}
    ghosts = [i for i in record.long_running_tool_ids if i not in known]
    if ghosts and not record.partial:
        names = one(", ".join(ghosts), 200)
        yield "odd", f"says that it waits for {names}, but holds no such call", "line--warning"
    if record.interrupted:
        yield "interrupted", "the answer was cut off before its end", "line--warning"
    if record.problems:
        yield "odd", one(", ".join(record.problems), 300), "line--warning"
    if len(record.raw) <= PARSED:
        unknown = [k for k in record.json() if k not in KNOWN and _camel(str(k)) not in KNOWN]
        if unknown:
            names = one(", ".join(map(str, unknown)), 300)
            told = f"fields this version does not know: {names}; JSON shows them"
            yield "unknown", told, "line--warning"
    found = subject.found()
    if found is not None and found.link != "next":
        call = found.call
        took = span_text(call.ended - call.started) if call.ended else "still running"
        if call.first_token and call.chunks > 1:
            took += f", the first token after {span_text(call.first_token - call.started)}"
        yield "model call", f"{one(call.model, 60) or 'model'}, {took}", ""
    for run in _runs(subject):
        took = span_text(run.ended - run.started) if run.ended else "still running"
        bad = f"   {one(_masked(run.error, subject), 300)}" if run.error else ""
        yield "tool run", f"{one(run.name, 60)}, {took}{bad}", "line--error" if bad else ""


def _camel(key: str) -> str:
    head, *rest = key.split("_")
    return head + "".join(w.capitalize() for w in rest)


def _runs(subject: Subject) -> Sequence[ToolRun]:
    record, runs = subject.record, subject.view.runs
    ids = [p.id for p in (*record.calls, *record.responses) if p.id]
    return [runs[i] for i in ids if i in runs]


def _effects(subject: Subject) -> Iterator[tuple[str, str, str]]:
    """What the event changed, and who waits for whom."""
    record, reveal = subject.record, subject.reveal
    for ticket in subject.view.tickets.tickets:
        if ticket.event_id == record.id and not record.partial:
            yield "ticket", _ticket(ticket), "line--warning" if ticket.is_open else ""
    if record.partial:
        return
    a = record.actions
    if a.state_delta:
        names = ", ".join(one(str(k), 60) for k in a.state_delta)
        yield "state", f"changes {names}", ""
    if a.artifact_delta:
        yield "artifact", brief(a.artifact_delta, 300, reveal=reveal), ""
    if a.transfer_to_agent:
        yield "transfer", f"{one(a.transfer_to_agent, 60)} takes over", ""
    if a.escalate:
        yield "loop", "ends the loop around it", ""
    if a.skip_summarization:
        yield "no summary", "the model is not asked to tell the result", ""
    if a.rewind_before_invocation_id:
        where = one(a.rewind_before_invocation_id, 80)
        yield "rewind", f"takes back {where} and everything after it", ""
    if a.compaction:
        yield "summary", "stands in the place of earlier events in requests to models", ""
    if a.route is not None:
        yield "route", brief(a.route, 200, reveal=reveal), ""
    if a.agent_state is not None:
        yield "workflow", f"saves where it stands: {brief(a.agent_state, 300, reveal=reveal)}", ""
    if a.end_of_agent:
        yield "end", "the agent has ended its work", ""
    if len(record.raw) <= PARSED:
        for data in embedded(record.json()):
            kind = one(data.mime_type, 60)
            name = f" {one(data.name, 80)}" if data.name else ""
            yield "data", f"{kind}{name}, {size(len(data.text) * 3 // 4)}; s saves it", ""
    if record.has_output:
        shown = brief(record.json().get("output"), 2_000, reveal=reveal)
        yield "output", shown, ""


def _ticket(ticket: Ticket) -> str:
    words = {
        "open": "waits for a person",
        "updated": "waits for a person, who has reported progress",
        "invalid": "waits for a better answer",
        "final": "was answered",
    }.get(ticket.state, one(ticket.state, 20))
    answers = f", {len(ticket.replies)} answers so far" if len(ticket.replies) > 1 else ""
    return f"{one(ticket.name, 60)} {words}{answers}"


def _part_block(key: str, part: Part, subject: Subject) -> Block:
    reveal = subject.reveal
    match part:
        case Text(thought=True):
            return _block(key, "Thought", text_body(part.text, "line--muted", reveal=reveal))
        case Text():
            return _block(key, "Text", text_body(part.text, reveal=reveal))
        case Call():
            shown = f"{one(part.name, 80)}   {one(part.id, 60)}"
            body = text_body(pretty(part.args, reveal), reveal=True)
            return _block(key, f"Call  {shown}", body)
        case Response():
            more = "   more will follow" if part.will_continue else ""
            shown = f"{one(part.name, 80)}   {one(part.id, 60)}{more}"
            body = text_body(pretty(part.response, reveal), reveal=True)
            return _block(key, f"Result  {shown}", body)
        case Blob():
            told = "   ".join(filter(None, (part.name, part.uri or "s saves it to a file")))
            known = size(part.size) if part.size >= 0 else "size not told"
            kind = f"{one(part.mime_type, 60) or 'data'}, {known}"
            return _block(key, f"File  {kind}", text_body(told, reveal=reveal))
        case Code():
            label = "Result of code" if part.result else "Code"
            return _block(
                key, f"{label}  {one(part.label, 40)}", text_body(part.text, reveal=reveal)
            )
        case OtherPart():
            keys = one(", ".join(part.keys), 300)
            return _block(key, "A part of a kind this version does not know", text_body(keys))


def _block(key: str, head: str, body: Callable[[int], Sequence[Line]]) -> Block:
    return Block(key, [(head.rstrip(), "line--heading")], body, fixed=True, gap=True)
