"""What happened: our frozen view of ADK's events, and nothing about how they came here.

A record keeps the raw bytes it was read from (``event_reader``), so that what we
do not understand can still be shown.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from adk_tui.core.jsontools import JsonObject, as_object, nothing, parse
from adk_tui.core.packing import Block, Packed

INVOCATION_ABORTED = "INVOCATION_ABORTED"
REQUEST_CONFIRMATION = "adk_request_confirmation"
REQUEST_CREDENTIAL = "adk_request_credential"
REQUEST_INPUT = "adk_request_input"
REQUEST_NAMES = frozenset({REQUEST_CONFIRMATION, REQUEST_CREDENTIAL, REQUEST_INPUT})
POLICY = "adk_tui_policy"
"""Key of an event's metadata that names the policy by which an answer was given."""


@dataclass(frozen=True, slots=True)
class Text:
    """A piece of text; ``thought`` marks the model's reasoning."""

    text: str
    thought: bool = False


@dataclass(frozen=True, slots=True)
class Call:
    """A function call. ``id`` may be empty: some models and old sessions omit it."""

    id: str
    name: str
    args: JsonObject


@dataclass(frozen=True, slots=True)
class Response:
    """A function response.

    ``response`` is what the tool returned, as a JSON object. ``will_continue``
    is genai's flag for "more will follow"; ADK gives it no meaning, the ticket
    rule does.
    """

    id: str
    name: str
    response: JsonObject
    will_continue: bool = False
    parts: int = 0


@dataclass(frozen=True, slots=True)
class Blob:
    """Inline data or a file: ``size`` in bytes (-1 unknown), ``uri`` empty when inline."""

    mime_type: str
    size: int = -1
    name: str = ""
    uri: str = ""


@dataclass(frozen=True, slots=True)
class Code:
    """Code the model wants executed (``result`` False) or what came of it (``result`` True)."""

    text: str
    label: str
    result: bool = False


@dataclass(frozen=True, slots=True)
class OtherPart:
    """A part of a kind this version does not know; ``keys`` are its JSON keys."""

    keys: tuple[str, ...]


Part: TypeAlias = Text | Call | Response | Blob | Code | OtherPart


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one model call, as the model counted them."""

    prompt: int = 0
    output: int = 0
    thoughts: int = 0
    cached: int = 0
    total: int = 0


@dataclass(frozen=True, slots=True)
class Actions:
    """``Event.actions``: what the event changes besides adding content."""

    state_delta: JsonObject = field(default_factory=nothing)
    artifact_delta: JsonObject = field(default_factory=nothing)
    transfer_to_agent: str = ""
    transfer_reason: str = ""
    escalate: bool = False
    skip_summarization: bool = False
    requested_auth_configs: JsonObject = field(default_factory=nothing)
    requested_tool_confirmations: JsonObject = field(default_factory=nothing)
    compaction: JsonObject = field(default_factory=nothing)
    rewind_before_invocation_id: str = ""
    agent_state: JsonObject | None = None
    end_of_agent: bool = False
    route: Any = None
    render_ui_widgets: int = 0
    set_model_response: Any = None


NO_ACTIONS = Actions()


@dataclass(frozen=True, slots=True)
class EventRecord:
    """One ADK event. ``timestamp`` is in seconds since the epoch, by the agent's clock.

    ``inner_of`` is the function call id of the AgentTool whose inner run made
    the event; such an event belongs to another session and never to a ticket,
    the state or the routing of this one. ``received`` is the wall clock, in
    seconds, of the process that first saw it (0 when read from a store).
    ``policy`` is in words the standing permission by which the answer in it was
    given without asking; empty where a human gave it.
    """

    id: str
    invocation_id: str
    author: str
    timestamp: float
    source: bytes | Packed
    parts: tuple[Part, ...] = ()
    role: str = ""
    actions: Actions = NO_ACTIONS
    partial: bool = False
    branch: str = ""
    node_path: str = ""
    isolation_scope: str = ""
    long_running_tool_ids: tuple[str, ...] = ()
    error_code: str = ""
    error_message: str = ""
    finish_reason: str = ""
    usage: Usage | None = None
    model_version: str = ""
    turn_complete: bool = False
    interrupted: bool = False
    has_output: bool = False
    input_transcription: str = ""
    output_transcription: str = ""
    sources: int = 0
    policy: str = ""
    inner_of: str = ""
    received: float = 0.0
    problems: tuple[str, ...] = ()

    @property
    def raw(self) -> bytes:
        """The event's JSON as it came, which ``pack`` may have compressed meanwhile."""
        source = self.source
        return source if isinstance(source, bytes) else source.read()

    @property
    def size(self) -> int:
        """Bytes of ``raw``."""
        source = self.source
        return len(source) if isinstance(source, bytes) else source.size

    @property
    def calls(self) -> tuple[Call, ...]:
        """The function calls in the content, in order."""
        return tuple(p for p in self.parts if isinstance(p, Call))

    @property
    def responses(self) -> tuple[Response, ...]:
        """The function responses in the content, in order."""
        return tuple(p for p in self.parts if isinstance(p, Response))

    @property
    def text(self) -> str:
        """The spoken text: all text parts that are no thoughts, joined."""
        return "".join(p.text for p in self.parts if isinstance(p, Text) and not p.thought)

    @property
    def thought(self) -> str:
        """The model's reasoning, joined."""
        return "".join(p.text for p in self.parts if isinstance(p, Text) and p.thought)

    @property
    def aborted(self) -> bool:
        """Whether this event seals a stopped invocation."""
        return self.error_code == INVOCATION_ABORTED

    def json(self) -> JsonObject:
        """The whole event as parsed JSON (parsed again at each call); empty if unreadable."""
        return as_object(parse(self.raw))


def pack(records: Sequence[EventRecord]) -> None:
    """Keep the raw JSON of these records compressed from now on; what they say does not change."""
    block = Block(record.raw for record in records)
    for index, record in enumerate(records):
        object.__setattr__(record, "source", Packed(block, index))
