"""Tickets of the golden streams, for tests of answers."""

from pathlib import Path

from adk_tui.core.event_reader import read_event
from adk_tui.core.tickets import Ticket, read_tickets

GOLDEN = Path(__file__).parents[1] / "golden"


def first_ticket(name: str, *, upto_user_answer: bool = True) -> Ticket:
    """The first ticket of a golden stream, as it stood before anybody answered it."""
    events = [read_event(line) for line in (GOLDEN / f"{name}.jsonl").read_bytes().splitlines()]
    if upto_user_answer:
        end = next(
            (i for i, e in enumerate(events) if e.author == "user" and e.responses), len(events)
        )
        events = events[:end]
    return read_tickets(events)[0]
