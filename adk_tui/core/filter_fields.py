"""What the filter language can look at in an event: its fields, its flags, and its words."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from adk_tui.core.kinds import is_ticket, kinds_of
from adk_tui.core.records import Blob, Call, Code, EventRecord, OtherPart, Response, Text

Predicate: TypeAlias = Callable[[EventRecord], bool]


@dataclass(frozen=True, slots=True)
class Field:
    """One ``name:value`` of the language: what it looks at, and how a value without ``*`` fits.

    ``match`` is ``whole`` (equal), ``start`` (ids: a beginning is enough) or
    ``under`` (equal, or below it: ``state:cart`` fits ``cart.items``).
    """

    name: str
    help: str
    read: Callable[[EventRecord], tuple[str, ...]]
    match: Literal["whole", "start", "under"] = "whole"


def _state_keys(record: EventRecord) -> tuple[str, ...]:
    if record.partial:
        return ()
    keys = tuple(str(key) for key in record.actions.state_delta)
    # A key is found with and without its scope.
    return keys + tuple(key.partition(":")[2] for key in keys if ":" in key)


def _tools(record: EventRecord) -> tuple[str, ...]:
    return tuple(p.name for p in record.parts if isinstance(p, (Call, Response)))


def _call_ids(record: EventRecord) -> tuple[str, ...]:
    own = tuple(p.id for p in record.parts if isinstance(p, (Call, Response)))
    return (*own, *record.long_running_tool_ids, record.inner_of)


def _artifact_names(record: EventRecord) -> tuple[str, ...]:
    return () if record.partial else tuple(str(key) for key in record.actions.artifact_delta)


_ALL_FIELDS = (
    Field("author", "who wrote the event", lambda r: (r.author,)),
    Field("kind", "what kind of event it is", kinds_of),
    Field("tool", "the function called or answering", _tools),
    Field("state", "a state key it changes", _state_keys, "under"),
    Field("branch", "its branch, and those below", lambda r: (r.branch,), "under"),
    Field("inv", "its invocation id, or the start of it", lambda r: (r.invocation_id,), "start"),
    Field("id", "its event id, or the start of it", lambda r: (r.id,), "start"),
    Field("call", "a function call id, or the start of it", _call_ids, "start"),
    Field("node", "the workflow node, and those below", lambda r: (r.node_path,), "under"),
    Field("to", "the agent it transfers to", lambda r: (r.actions.transfer_to_agent,)),
    Field("artifact", "an artifact it saves", _artifact_names),
    Field("code", "its error code or finish reason", lambda r: (r.error_code, r.finish_reason)),
    Field("model", "the model version", lambda r: (r.model_version,)),
)
FIELDS = {field.name: field for field in _ALL_FIELDS}
"""The fields by name."""

FLAGS: dict[str, tuple[str, Predicate]] = {
    "error": (
        "it has an error",
        lambda r: bool(r.error_code or r.error_message) and not r.aborted,
    ),
    "ticket": ("it asks a person for something", is_ticket),
    "partial": ("a piece of a streamed event", lambda r: r.partial),
    "inner": ("from the inner run of an agent used as a tool", lambda r: bool(r.inner_of)),
    "state": ("it changes the state", lambda r: bool(_state_keys(r))),
    "artifact": ("it saves an artifact", lambda r: bool(_artifact_names(r))),
    "transfer": (
        "it hands over to an agent",
        lambda r: bool(r.actions.transfer_to_agent) and not r.partial,
    ),
    "stopped": ("it ends a stopped invocation", lambda r: r.aborted),
    "tokens": ("it tells how many tokens were used", lambda r: r.usage is not None),
    "odd": ("something about it is not as ADK writes it", lambda r: bool(r.problems)),
}
"""The words that stand alone, with what is true of an event that fits."""


def searchable(record: EventRecord) -> str:
    """All words of an event that a search goes through: texts, names, arguments, results, ids."""
    words = [record.author, record.error_code, record.error_message]
    for part in record.parts:
        match part:
            case Text() | Code():
                words.append(part.text)
            case Call():
                words += (part.name, _dumped(part.args))
            case Response():
                words += (part.name, _dumped(part.response))
            case Blob():
                words += (part.name, part.mime_type, part.uri)
            case OtherPart():
                words += part.keys
    words += (record.input_transcription, record.output_transcription)
    if not record.partial and record.actions.state_delta:
        words.append(_dumped(record.actions.state_delta))
    if record.actions.transfer_to_agent:
        words.append(record.actions.transfer_to_agent)
    if record.has_output and not record.parts:
        words.append(_dumped(record.json().get("output")))
    words += (record.id, record.invocation_id)
    return "\n".join(filter(None, words))


def _dumped(value: object) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, default=str)
    except (TypeError, ValueError, RecursionError):
        return ""
