"""What an answer to a ticket will do, told before it is given."""

from collections.abc import Iterable, Sequence

from adk_tui.core.records import EventRecord
from adk_tui.core.reports import AgentNode
from adk_tui.core.tickets import Ticket


def siblings(ticket: Ticket, tickets: Iterable[Ticket]) -> tuple[Ticket, ...]:
    """The other open tickets of the same invocation: those one message can answer together."""
    return tuple(
        t
        for t in tickets
        if t.is_open and t.invocation_id == ticket.invocation_id and t.key != ticket.key
    )


def consequences(
    ticket: Ticket, tree: AgentNode, events: Sequence[EventRecord], resumable: bool
) -> tuple[str, ...]:
    """Sentences for a person, the most important first."""
    return ()
