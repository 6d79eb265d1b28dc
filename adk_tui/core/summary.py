"""An event in one line, in badges, and in full: safe to show, secrets masked.

``one_line`` and ``badges`` are asked for every visible row, so they look at no
more than a row can hold. All functions are total.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from adk_tui.core import sanitize
from adk_tui.core.brief import arguments, brief, prose, size
from adk_tui.core.event_log import EventLog
from adk_tui.core.jsontools import JsonObject, as_list, as_object, as_text, pick
from adk_tui.core.kinds import KINDS, is_ticket, kind_of, kinds_of
from adk_tui.core.records import (
    NO_ACTIONS,
    REQUEST_CONFIRMATION,
    REQUEST_CREDENTIAL,
    REQUEST_INPUT,
    Actions,
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

__all__ = ["KINDS", "Badge", "badges", "full_text", "is_ticket", "kind_of", "kinds_of", "one_line"]

Tone: TypeAlias = Literal["muted", "info", "success", "warning", "error"]

_PARSED = 64 * 1024


@dataclass(frozen=True, slots=True)
class Badge:
    """A short mark behind a row's summary; ``tone`` chooses its colour."""

    text: str
    tone: Tone


def one_line(
    record: EventRecord, limit: int = 200, *, reveal: bool = False, log: EventLog | None = None
) -> str:
    """What the event says, in at most ``limit`` characters of one safe line.

    Empty only where the event has nothing to show. ``reveal`` leaves secrets
    unmasked. In ``log`` a call that another event tells of is found by its id.
    """
    pieces: list[str] = []
    room = limit
    for piece in _pieces(record, limit, reveal, log):
        if not piece:
            continue
        pieces.append(piece)
        room -= len(piece) + 3
        if room <= 0:
            break
    text = " · ".join(pieces)
    return sanitize.shorten(text, limit) if len(text) > limit else text


def _pieces(record: EventRecord, limit: int, reveal: bool, log: EventLog | None) -> Iterator[str]:
    if "not a JSON object" in record.problems:
        yield (
            prose(record.raw[: 4 * limit].decode("utf-8", "replace"), limit, reveal=reveal)
            or "no bytes"
        )
        return
    if record.error_code or record.error_message:
        yield prose(": ".join(filter(None, (record.error_code, record.error_message))), limit)
    thought: list[str] = []
    for part in record.parts:
        if isinstance(part, Text) and part.thought:
            thought.append(part.text)
        elif not (record.actions.transfer_to_agent and _says_nothing(part)):
            yield _credential(part, log) or _part(part, limit, reveal)
    if not any(isinstance(p, Text) and not p.thought for p in record.parts) and thought:
        yield prose("".join(thought)[: 8 * limit], limit, reveal=reveal)
    for spoken in (record.input_transcription, record.output_transcription):
        if spoken:
            yield f"“{prose(spoken, limit, reveal=reveal)}”"
    if record.actions is not NO_ACTIONS:
        yield from _effects(record, limit, reveal)
    if record.has_output and not record.parts:
        yield f"output {_output(record, limit, reveal)}"


def _says_nothing(part: Part) -> bool:
    # transfer_to_agent answers with a null result; its action says it all.
    return isinstance(part, Response) and not any(part.response.values())


def _part(part: Part, limit: int, reveal: bool) -> str:
    match part:
        case Text():
            return prose(part.text, limit, reveal=reveal)
        case Call():
            return _request(part, limit, reveal) or _call(part.name, part.args, limit, reveal)
        case Response():
            more = " (more will follow)" if part.will_continue else ""
            data = f" +{part.parts} files" if part.parts else ""
            body = brief(_unwrapped(part.response), limit, reveal=reveal)
            return f"{sanitize.line(part.name, 80)} → {body}{data}{more}"
        case Blob():
            name = part.name or part.uri
            return f"<{_blob(part)}>" + (f" {prose(name, 120)}" if name else "")
        case Code(result=True):
            return f"{sanitize.line(part.label or 'result', 40)}: {prose(part.text, limit)}"
        case Code():
            return f"{sanitize.line(part.label or 'code', 40)}: {prose(part.text, limit)}"
        case OtherPart():
            return f"<{sanitize.line(', '.join(part.keys), 80)}>"


def _call(name: str, args: JsonObject, limit: int, reveal: bool) -> str:
    return f"{sanitize.line(name, 80)}({arguments(args, limit, reveal=reveal)})"


def _request(call: Call, limit: int, reveal: bool) -> str:
    """ADK's own three calls in words; empty for any other call or where the words are missing."""
    args = call.args
    if call.name == REQUEST_CONFIRMATION:
        gated = as_object(pick(args, "originalFunctionCall"))
        hint = as_text(as_object(pick(args, "toolConfirmation")).get("hint"))
        if not gated:
            return ""
        shown = _call(as_text(gated.get("name")), as_object(gated.get("args")), limit, reveal)
        return f"confirm {shown}" + (f": {prose(hint, limit, reveal=reveal)}" if hint else "")
    if call.name == REQUEST_INPUT and args.get("message"):
        return f"asks: {prose(as_text(args['message']), limit, reveal=reveal)}"
    return ""


def _credential(part: Part, log: EventLog | None) -> str:
    """A credential request by the tool that waits for it; empty for any other part."""
    if not isinstance(part, Call) or part.name != REQUEST_CREDENTIAL:
        return ""
    call_id = as_text(pick(part.args, "functionCallId"))
    events = [log[at] for at in log.by_call(call_id)] if log is not None else []
    tool = next((c.name for e in events for c in e.calls if c.id == call_id), "")
    return f"credentials for {sanitize.line(tool or call_id, 60)}" if call_id else ""


def _blob(blob: Blob) -> str:
    kind = sanitize.line(blob.mime_type, 60) or "data"
    return kind if blob.size < 0 else f"{kind} {size(blob.size)}"


def _unwrapped(response: JsonObject) -> Any:
    # ADK wraps a result that is no object as {"result": …}.
    return response["result"] if len(response) == 1 and "result" in response else response


def _output(record: EventRecord, limit: int, reveal: bool) -> str:
    if record.size > _PARSED:
        return f"in {size(record.size)} of JSON"
    return brief(record.json().get("output"), limit, reveal=reveal)


def _effects(record: EventRecord, limit: int, reveal: bool) -> Iterator[str]:
    # Actions of a partial belong to its final event.
    if record.partial:
        return
    a = record.actions
    if a.rewind_before_invocation_id:
        yield f"rewound to before {sanitize.line(a.rewind_before_invocation_id, 60)}"
    if a.compaction:
        yield f"earlier events summarised: {_compacted(a, limit, reveal)}"
    if a.transfer_to_agent:
        reason = f" ({prose(a.transfer_reason, 80)})" if a.transfer_reason else ""
        author = sanitize.line(record.author, 60)
        yield f"{author} → {sanitize.line(a.transfer_to_agent, 60)}{reason}"
    if a.requested_auth_configs:
        count = len(a.requested_auth_configs)
        yield f"credentials needed for {count} call{'s' if count > 1 else ''}"
    if record.parts:
        return
    if a.state_delta:
        yield f"state {brief(a.state_delta, limit, reveal=reveal)}"
    if a.artifact_delta:
        yield f"saved {', '.join(_artifacts(a))}"
    if a.route is not None:
        yield f"route {brief(a.route, 60)}"
    if a.escalate:
        yield "ends the loop"
    if a.agent_state is not None:
        yield f"workflow {brief(a.agent_state, limit, reveal=reveal)}"
    if a.end_of_agent:
        yield "agent has ended"


def _compacted(actions: Actions, limit: int, reveal: bool) -> str:
    content = as_object(pick(actions.compaction, "compactedContent"))
    texts = [as_text(as_object(p).get("text")) for p in as_list(content.get("parts"))]
    return prose(" ".join(texts), limit, reveal=reveal)


def _artifacts(actions: Actions) -> list[str]:
    return [
        f"{sanitize.line(name, 60)}@{brief(version, 20)}"
        for name, version in actions.artifact_delta.items()
    ]


def badges(record: EventRecord) -> tuple[Badge, ...]:
    """The marks of a row: what the event does besides what its line says."""
    found = list(_record_badges(record))
    if record.actions is not NO_ACTIONS and not record.partial:
        found += _action_badges(record)
    if record.usage is not None:
        found.append(Badge(_tokens(record.usage), "muted"))
    if record.problems:
        found.append(Badge("odd", "warning"))
    return tuple(found)


def _record_badges(record: EventRecord) -> Iterator[Badge]:
    if record.aborted:
        yield Badge("stopped", "muted")
    elif record.error_code or record.error_message:
        # The line begins with the code.
        yield Badge("✗", "error")
    if record.finish_reason and record.finish_reason not in ("STOP", record.error_code):
        yield Badge(sanitize.line(record.finish_reason, 40), "warning")
    if record.interrupted:
        yield Badge("interrupted", "warning")
    if is_ticket(record):
        count = len(record.long_running_tool_ids)
        yield Badge(f"{count} tickets" if count > 1 else "ticket", "warning")
    if any(isinstance(p, Response) and p.will_continue for p in record.parts):
        yield Badge("progress", "info")
    if record.policy and record.author == "user":
        yield Badge("automatic", "warning")
    files = sum(isinstance(p, Blob) for p in record.parts)
    if files:
        yield Badge("1 file" if files == 1 else f"{files} files", "info")
    if record.has_output and record.parts:
        yield Badge("output", "info")
    if record.sources:
        yield Badge("1 source" if record.sources == 1 else f"{record.sources} sources", "info")
    if record.branch:
        yield Badge(f"├ {sanitize.line(record.branch, 40)}", "muted")
    if record.isolation_scope:
        yield Badge(f"task {sanitize.line(record.isolation_scope, 20)}", "muted")
    node = record.node_path.rpartition("/")[2]
    # Every agent is a node, too; its first run is told by its author.
    if node not in ("", f"{record.author}@1"):
        yield Badge(sanitize.line(node, 40), "muted")


def _action_badges(record: EventRecord) -> Iterator[Badge]:
    a = record.actions
    if a.state_delta:
        yield Badge(f"Δ{len(a.state_delta)}", "info")
    if a.transfer_to_agent:
        yield Badge(f"→ {sanitize.line(a.transfer_to_agent, 40)}", "info")
    # Without parts the line itself says these.
    for name in _artifacts(a)[:3] if record.parts else ():
        yield Badge(name, "info")
    if a.escalate and record.parts:
        yield Badge("exit loop", "info")
    if a.skip_summarization:
        yield Badge("no summary", "muted")
    if a.requested_auth_configs:
        yield Badge("credential", "warning")
    if a.requested_tool_confirmations:
        yield Badge("confirmation", "warning")
    if a.compaction:
        yield Badge("compacted", "muted")
    if a.rewind_before_invocation_id:
        yield Badge("rewind", "warning")
    if a.route is not None and record.parts:
        yield Badge(f"route {brief(a.route, 30)}", "muted")
    if a.set_model_response is not None:
        yield Badge("structured", "info")
    for widget in _widgets(record):
        yield Badge(widget, "info")


def _widgets(record: EventRecord) -> list[str]:
    if not record.actions.render_ui_widgets:
        return []
    if record.size > _PARSED:
        return [f"{record.actions.render_ui_widgets} widgets"]
    actions = as_object(record.json().get("actions"))
    found: list[str] = []
    for item in as_list(pick(actions, "renderUiWidgets"))[:3]:
        widget = as_object(item)
        uri = as_text(pick(as_object(widget.get("payload")), "resource_uri"))
        found.append(sanitize.line(f"widget {as_text(widget.get('provider'))} {uri}".strip(), 60))
    return found


def _tokens(usage: Usage) -> str:
    return f"↑{usage.prompt} ↓{usage.output + usage.thoughts}"


def full_text(record: EventRecord, *, reveal: bool = False, limit: int = 0) -> str:
    """The whole event in words: many lines, everything that is set.

    ``limit`` cuts each text of its content to that many characters, and says
    how many more there are; 0 cuts nothing off. A screen should set it: masking
    ten million characters takes seconds.
    """
    rows: list[str] = []

    def row(label: str, value: object) -> None:
        if value not in (None, "", (), {}, False):
            shown = value if isinstance(value, str) else brief(value, 100_000, reveal=reveal)
            rows.append(f"{label}: {shown if reveal else sanitize.mask_text(shown)}")

    row("kind", ", ".join(f"{k} ({KINDS[k]})" for k in kinds_of(record)))
    row("author", record.author)
    row("id", record.id)
    row("invocation", record.invocation_id)
    row("branch", record.branch)
    row("node", record.node_path)
    row("task", record.isolation_scope)
    row("inner run of call", record.inner_of)
    row("role", record.role)
    row("error", ": ".join(filter(None, (record.error_code, record.error_message))))
    row("finish reason", record.finish_reason)
    row("waits for a person on", ", ".join(record.long_running_tool_ids))
    for part in record.parts:
        rows.append(_whole_part(part, reveal, limit))
    row("heard", record.input_transcription)
    row("spoken", record.output_transcription)
    row("problems", ", ".join(record.problems))
    parsed = record.json()
    if record.has_output:
        rows.append(f"output: {brief(parsed.get('output'), 100_000, reveal=reveal)}")
    for label, key in _RAW:
        row(label, pick(parsed, key))
    actions = as_object(parsed.get("actions"))
    for key, value in actions.items():
        row(f"action {key}", value)
    if record.usage:
        u = record.usage
        row(
            "tokens",
            f"{u.prompt} in ({u.cached} cached), {u.output} out, {u.thoughts} thought, "
            f"{u.total} in all",
        )
    if not parsed:
        row("raw", record.raw.decode("utf-8", "replace"))
    return sanitize.clean("\n".join(rows))


_RAW = (
    ("model", "modelVersion"),
    ("turn complete", "turnComplete"),
    ("turn ended because", "turnCompleteReason"),
    ("interrupted", "interrupted"),
    ("interaction status", "interactionStatus"),
    ("interaction", "interactionId"),
    ("environment", "environmentId"),
    ("sources", "groundingMetadata"),
    ("citations", "citationMetadata"),
    ("metadata", "customMetadata"),
    ("average log probability", "avgLogprobs"),
    ("log probabilities", "logprobsResult"),
    ("cache", "cacheMetadata"),
    ("voice activity", "voiceActivity"),
    ("server is going away", "goAway"),
    ("live session", "liveSessionId"),
    ("live session resumption", "liveSessionResumptionUpdate"),
)


def _whole_part(part: Part, reveal: bool, limit: int) -> str:
    def shown(text: str) -> str:
        cut = bool(limit) and len(text) > limit
        # A secret that lies across the cut is masked as a whole first.
        kept = text[: limit + 1_000] if cut else text
        kept = kept if reveal else sanitize.mask_text(kept)
        return f"{kept[:limit]}… ({len(text) - limit:,} more characters)" if cut else kept

    match part:
        case Text(thought=True):
            return f"thought: {shown(part.text)}"
        case Text():
            return f"text: {shown(part.text)}"
        case Call():
            return f"call {part.name} [{part.id}]: {brief(part.args, 100_000, reveal=reveal)}"
        case Response():
            more = " (more will follow)" if part.will_continue else ""
            body = brief(_unwrapped(part.response), 100_000, reveal=reveal)
            return f"response {part.name} [{part.id}]{more}: {body}"
        case Blob():
            return f"file: {_blob(part)} {shown(part.name)} {shown(part.uri)}".rstrip()
        case Code():
            return f"{'result' if part.result else 'code'} {part.label}:\n{shown(part.text)}"
        case OtherPart():
            return f"unknown part: {', '.join(part.keys)}"
