"""Tickets: everything in a session that waits for a human, and its life.

``read_tickets`` is the rule as a pure function; ``TicketBook`` is the same for
a log that grows, at the cost of what is new.
"""

from collections.abc import Iterable

from adk_tui.core.event_log import EventLog
from adk_tui.core.records import EventRecord
from adk_tui.core.rewinds import live
from adk_tui.core.ticket import Reply, Ticket, TicketKind, TicketState
from adk_tui.core.ticket_ledger import Ledger

__all__ = ["Reply", "Ticket", "TicketBook", "TicketKind", "TicketState", "read_tickets"]


def read_tickets(events: Iterable[EventRecord]) -> tuple[Ticket, ...]:
    """All tickets of a session, whatever became of them, in order of appearance."""
    ledger = _read(list(events))
    ledger.show()
    return _shown(ledger)


def _read(events: list[EventRecord]) -> Ledger:
    kept = {id(event) for event in live(events)}
    ledger = Ledger()
    for event in events:
        ledger.feed(event, withdrawn=id(event) not in kept)
    return ledger


def _shown(ledger: Ledger) -> tuple[Ticket, ...]:
    return tuple(e.shown for e in ledger.entries if e.shown is not None)


class TicketBook:
    """The tickets of a growing log, in order of appearance."""

    def __init__(self) -> None:
        self.tickets: tuple[Ticket, ...] = ()
        self.open: tuple[Ticket, ...] = ()
        self._by_key: dict[str, Ticket] = {}
        self._ledger = Ledger()
        self._mattered: list[int] = []
        """Which events of the log opened or touched a ticket, or might have."""
        self._generation = -1
        self._seen = 0

    def get(self, key: str) -> Ticket | None:
        """The ticket with that key, None if there is none."""
        return self._by_key.get(key)

    def update(self, log: EventLog) -> bool:
        """Take in what is new in the log; True if any ticket is new or changed."""
        if log.generation != self._generation:
            self._generation = log.generation
            self._ledger = Ledger()
            self._mattered = []
            self._seen = 0
        new = range(self._seen, len(log))
        self._seen = len(log)
        rewound = False
        for index in new:
            event = log[index]
            rewound = rewound or bool(event.actions.rewind_before_invocation_id)
            if self._ledger.feed(event) or event.actions.requested_auth_configs:
                self._mattered.append(index)
        if rewound:
            # A rewind takes answers back too, so the story is told again.
            self._ledger = self._told_again(log)
        if not self._ledger.show() and len(self._ledger.entries) == len(self.tickets):
            return False
        tickets = _shown(self._ledger)
        if tickets == self.tickets:
            return False
        self.tickets = tickets
        self.open = tuple(t for t in tickets if t.is_open)
        self._by_key = {t.key: t for t in tickets}
        return True

    def _told_again(self, log: EventLog) -> Ledger:
        """The ledger as the events that still count make it.

        Only what concerns a ticket is read: a session has far more other calls.
        """
        before = self._ledger
        matter = set(self._mattered)
        for call_id in before.ids:
            matter.update(log.by_call(call_id))
        ledger = Ledger()
        for index in sorted(matter):
            ledger.feed(log[index], withdrawn=log.is_withdrawn(index))
        ledger.know_calls(before)
        return ledger
