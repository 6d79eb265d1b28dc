"""The log of one session: every event in the order it came, and where to find it again.

Append-only, so that a list on the screen never has to be rebuilt: a reader that
remembers ``version`` and its length knows that only the tail is new. Partials
and the events of inner runs are rows of the log like all others; ``history``
is the session as ADK stores it, without them.

An index is a position in this log. It stays valid until ``reset``, which
``generation`` counts.
"""

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import overload

from adk_tui.core.records import Call, EventRecord, Response, pack

RECENT = 16 << 20
"""Bytes of raw JSON kept as it came: the newest. What is older is kept compressed."""
BLOCK = 256 << 10
"""Bytes of raw JSON compressed at a time: little enough that no key waits for it."""

_NONE: Sequence[int] = ()


class History(list[EventRecord]):
    """The stored events of a session; ``firsts``: where each invocation begins, for rewinds."""

    def __init__(self) -> None:
        super().__init__()
        self.firsts: dict[str, int] = {}


class EventLog:
    """Append-only store of one session's events with indexes by id, call, invocation and author.

    Not thread-safe: one owner appends, on the thread that reads.
    """

    def __init__(self) -> None:
        self.version = 0
        self.generation = 0
        self._clear()

    def _clear(self) -> None:
        self._records: list[EventRecord] = []
        self._loose = 0
        self._packed = 0
        self._history = History()
        self._finals: dict[str, int] = {}
        self._partials: dict[str, int] = {}
        self._by_call: dict[str, tuple[int, ...]] = {}
        self._by_invocation: dict[str, array[int]] = {}
        self._authors: dict[str, None] = {}
        self._opened: dict[str, int] = {}
        self._rewinds: list[tuple[int, int]] = []
        self._gone_from = array("I")
        self._gone_to = array("I")

    def reset(self) -> None:
        """Forget everything: another session begins, or the same one is told again."""
        self._clear()
        self.generation += 1
        self.version += 1

    def extend(self, records: Iterable[EventRecord]) -> None:
        """Append events. A final event that is already here is ignored.

        A resync tells stored events again; they are known by id and timestamp.
        The id alone would not do: an agent of the user's own may give two
        events one id, and both happened.
        """
        before = len(self._records)
        for record in records:
            self._append(record)
        if len(self._records) != before:
            self.version += 1
            self._compress()

    def _compress(self) -> None:
        while self._loose > RECENT:
            start, size = self._packed, 0
            while size < BLOCK:
                size += self._records[self._packed].size
                self._packed += 1
            pack(self._records[start : self._packed])
            self._loose -= size

    def _append(self, record: EventRecord) -> None:
        index = len(self._records)
        if record.partial:
            if record.id and record.id not in self._finals:
                self._partials[record.id] = index
        else:
            if record.id:
                known = self._finals.get(record.id)
                if known is not None and _same(self._records[known], record):
                    return
                self._finals[record.id] = index
                self._partials.pop(record.id, None)
            for part in record.parts:
                if isinstance(part, (Call, Response)) and part.id:
                    at = self._by_call.get(part.id, ())
                    if not at or at[-1] != index:
                        self._by_call[part.id] = (*at, index)
        self._records.append(record)
        self._loose += record.size
        _note(self._by_invocation, record.invocation_id, index)
        self._authors[record.author] = None
        if not record.partial and not record.inner_of:
            if record.invocation_id:
                self._history.firsts.setdefault(record.invocation_id, len(self._history))
            self._history.append(record)
            if record.actions.rewind_before_invocation_id:
                self._rewind(record.actions.rewind_before_invocation_id, index)
            if record.invocation_id:
                self._opened.setdefault(record.invocation_id, index)

    def _rewind(self, invocation_id: str, index: int) -> None:
        # ADK walks the events backward and jumps over what each rewind covers
        # (google.adk.events._rewind_events._apply_rewinds), so a rewind inside
        # the range of a later one has no effect any more. The same walk here
        # goes over the rewinds only.
        start = self._opened.get(invocation_id)
        if start is None:
            return
        self._rewinds.append((start, index))
        ranges: list[tuple[int, int]] = []
        end = index + 1
        for start, at in reversed(self._rewinds):
            if at < end:
                ranges.append((start, at))
                end = start
        ranges.reverse()
        self._gone_from = array("I", [start for start, _ in ranges])
        self._gone_to = array("I", [at for _, at in ranges])

    def __len__(self) -> int:
        return len(self._records)

    @overload
    def __getitem__(self, index: int) -> EventRecord: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[EventRecord]: ...
    def __getitem__(self, index: int | slice) -> EventRecord | Sequence[EventRecord]:
        return self._records[index]

    def __iter__(self) -> Iterator[EventRecord]:
        return iter(self._records)

    def find(self, event_id: str) -> int | None:
        """Index of the newest final event with that id, else of the newest partial, else None."""
        found = self._finals.get(event_id)
        return self._partials.get(event_id) if found is None else found

    def by_call(self, call_id: str) -> Sequence[int]:
        """Indexes of the final events that hold a call or a response with that call id."""
        return self._by_call.get(call_id, ())

    def by_invocation(self, invocation_id: str) -> Sequence[int]:
        """Indexes of all events of an invocation, partials included."""
        return self._by_invocation.get(invocation_id, _NONE)

    @property
    def authors(self) -> Sequence[str]:
        """Every author in the log, in order of appearance."""
        return tuple(self._authors)

    @property
    def invocations(self) -> Sequence[str]:
        """Every invocation id in the log, in order of appearance."""
        return tuple(self._by_invocation)

    def history(self) -> Sequence[EventRecord]:
        """The final events of this session itself, in order: what ADK stores.

        A live view that grows with the log, for reading only. Rewound events
        are in it, as they are in ADK's store.
        """
        return self._history

    @property
    def rewinds(self) -> int:
        """How many rewinds had an effect: when it grows, old rows look different."""
        return len(self._rewinds)

    def is_withdrawn(self, index: int) -> bool:
        """Whether a rewind has undone the event at ``index``.

        A rewind undoes everything from the first event of the invocation it
        names up to itself; the rewind event stays. A partial shares the fate
        of the event that closes it.
        """
        if not self._gone_from:
            return False
        closing = self.closed_by(index)
        at = index if closing is None else closing
        place = bisect_right(self._gone_from, at) - 1
        return place >= 0 and at < self._gone_to[place]

    def closed_by(self, index: int) -> int | None:
        """For a partial, the index of the final event with its id; None while it streams."""
        record = self._records[index]
        return self._finals.get(record.id) if record.partial else None


def _note(positions: "dict[str, array[int]]", key: str, index: int) -> None:
    found = positions.get(key)
    if found is None:
        positions[key] = array("I", (index,))
    else:
        found.append(index)


def _same(known: EventRecord, record: EventRecord) -> bool:
    # Databases keep the timestamp to the microsecond, and no agent makes two events in one.
    moment = record.timestamp > 0 and abs(known.timestamp - record.timestamp) < 2e-6
    return moment or known.raw == record.raw
