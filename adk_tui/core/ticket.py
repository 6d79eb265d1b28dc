"""The ticket as data: something that waits, or waited, for a human."""

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from adk_tui.core.jsontools import JsonObject, nothing

TicketKind: TypeAlias = Literal[
    "long_running", "confirmation", "credential", "input", "choice", "node_confirmation"
]
TicketState: TypeAlias = Literal[
    "open", "updated", "final", "invalid", "stuck", "aborted", "superseded", "withdrawn"
]


@dataclass(frozen=True, slots=True)
class Reply:
    """One function response to a ticket, by a human or by the agent itself.

    ``timestamp`` in seconds since the epoch. ``progress``: the ticket stays
    open after it. ``problem`` says why ADK cannot use it, empty if it can.
    ``policy``: the standing permission that gave it, empty for a human's own.
    """

    event_id: str
    timestamp: float
    author: str
    response: JsonObject
    progress: bool = False
    problem: str = ""
    policy: str = ""


@dataclass(frozen=True, slots=True)
class Ticket:
    """Something that waits, or waited, for a human.

    ``key`` is unique in the session even where call ids repeat. ``name`` is
    the tool to show to a person, ``function_name`` the name to answer under;
    for confirmations and credentials they differ, and ``args`` are those of
    the gated call. ``opened`` is the call event's time in seconds. ``payload``
    is what the asker sent along (a value that is no object as ``{"value":
    it}``, and ``bare_payload`` says so). ``auth`` is a credential request's
    AuthConfig. ``gated_id`` is the id of the call that runs after the answer,
    empty where there is none.
    ``duplicate_id``: another open ticket has the same call id. ``dead`` says
    why it cannot be answered now; empty when it can.
    """

    key: str
    call_id: str
    invocation_id: str
    event_id: str
    kind: TicketKind
    state: TicketState
    name: str
    function_name: str
    agent: str
    branch: str
    opened: float
    args: JsonObject = field(default_factory=nothing)
    message: str = ""
    schema: JsonObject | None = None
    payload: JsonObject | None = None
    bare_payload: bool = False
    options: tuple[str, ...] = ()
    auth: JsonObject = field(default_factory=nothing)
    gated_id: str = ""
    replies: tuple[Reply, ...] = ()
    duplicate_id: bool = False
    dead: str = ""

    @property
    def is_open(self) -> bool:
        """Whether it still waits for a human."""
        return self.state in ("open", "updated", "invalid")
