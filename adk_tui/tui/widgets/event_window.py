"""Which events of a log a list shows, and at which row: a filtered, folded window over it.

The window holds indexes into the log and nothing else (four bytes a row). It is
filled in slices of a few milliseconds, outward from the place the reader looks
at, so that a filter over a hundred thousand events shows its first screen at
once and never holds up a key.
"""

from array import array
from bisect import bisect_left
from collections.abc import Callable
from time import perf_counter

from adk_tui.core.event_log import EventLog
from adk_tui.core.records import EventRecord

Accept = Callable[[EventRecord], bool]

SLICE = 0.005
"""Seconds of work at a time: below a frame."""
_CHUNK = 48
_DEPTH = 8
STREAMED = 300
"""Characters kept of the end of a text that streams in."""


class EventWindow:
    """The rows of an event list: ascending indexes into the log.

    Folded partials: one row stands for all partials of an answer, at the
    place of the first, and shows the newest; the final event takes over.
    Folded inner runs: the events of an AgentTool's run are hidden until its
    call is opened. A filter looks into folded inner runs, and one that asks for
    partials (``seek_partials``) has them unfolded, so that it never misses what
    it was asked for.
    """

    def __init__(self) -> None:
        self.log = EventLog()
        self.accept: Accept | None = None
        self.fold_partials = True
        self.seek_partials = False
        self.fold_inner = True
        self.opened: set[str] = set()
        self.rows = array("I")
        self._generation: int = -1
        self._low = self._high = 0
        self._live: dict[str, tuple[int, int]] = {}
        self._streamed: dict[str, str] = {}
        self._inner: dict[str, int] = {}

    def show(self, log: EventLog) -> bool:
        """Follow this log; True if it is another one than before, told from the start."""
        if log is self.log and log.generation == self._generation:
            return False
        self.log = log
        self._generation = log.generation
        self.opened.clear()
        self.restart(0)
        return True

    def restart(self, around: int) -> None:
        """Fill anew, outward from the event at index ``around``."""
        around = max(0, min(around, len(self.log)))
        self._low = self._high = around
        self.rows = array("I")
        self._live.clear()
        self._streamed.clear()
        self._inner.clear()

    @property
    def complete(self) -> bool:
        """Whether every event of the log has been looked at."""
        return self._low == 0 and self._high >= len(self.log)

    @property
    def folds_partials(self) -> bool:
        """Whether one row stands for all partials of an answer."""
        return self.fold_partials and not (self.seek_partials and self.accept is not None)

    def advance(self, *, screen: int, budget: float = SLICE, backward_first: bool = False) -> bool:
        """Look at more events, for at most ``budget`` seconds; True if more are left.

        The first ``screen`` rows on either side come first.
        """
        end = perf_counter() + budget
        if backward_first:
            self._backward(end, screen)
            self._forward(end, len(self.log))
            self._backward(end, len(self.log))
        else:
            self._forward(end, screen)
            self._backward(end, screen)
            self._forward(end, len(self.log))
            self._backward(end, len(self.log))
        return not self.complete

    def _forward(self, end: float, enough: int) -> None:
        log, total, accept, append = self.log, len(self.log), self.accept, self.rows.append
        start = len(self.rows)
        while self._high < total and len(self.rows) - start < enough:
            stop = min(self._high + _CHUNK, total)
            for index, record in enumerate(log[self._high : stop], self._high):
                if record.inner_of or record.partial or self._live:
                    self._take(index, record)
                elif accept is None or accept(record):
                    append(index)
            self._high = stop
            if perf_counter() >= end:
                return

    def _take(self, index: int, record: EventRecord) -> None:
        if record.inner_of:
            if not record.partial:
                self._inner[record.inner_of] = self._inner.get(record.inner_of, 0) + 1
            if self._hidden_inner(record):
                return
        if self.folds_partials and record.id:
            live = self._live.get(record.id)
            if record.partial:
                if live is not None:
                    self._live[record.id] = (live[0], index)
                    self._hear(record)
                    return
                if self.log.closed_by(index) is not None:
                    return
                if self.accept is None or self.accept(record):
                    self._live[record.id] = (index, index)
                    self._hear(record)
                    self.rows.append(index)
                return
            if live is not None:
                del self._live[record.id]
                self._streamed.pop(record.id, None)
                at = bisect_left(self.rows, live[0])
                if at < len(self.rows) and self.rows[at] == live[0]:
                    del self.rows[at]
        if self.accept is None or self.accept(record):
            self.rows.append(index)

    def _backward(self, end: float, enough: int) -> None:
        log, accept = self.log, self.accept
        found = array("I")
        append = found.append
        while self._low > 0 and len(found) < enough:
            stop = max(self._low - _CHUNK, 0)
            for index, record in zip(
                range(self._low - 1, stop - 1, -1), reversed(log[stop : self._low]), strict=True
            ):
                if record.inner_of or record.partial:
                    if self._takes_back(index, record):
                        append(index)
                elif accept is None or accept(record):
                    append(index)
            self._low = stop
            if perf_counter() >= end:
                break
        if found:
            found.reverse()
            self.rows = found + self.rows

    def _takes_back(self, index: int, record: EventRecord) -> bool:
        if record.inner_of:
            if not record.partial:
                self._inner[record.inner_of] = self._inner.get(record.inner_of, 0) + 1
            if self._hidden_inner(record):
                return False
        if self.folds_partials and record.id and record.partial:
            if self.log.closed_by(index) is not None:
                return False
            if record.id in self._live:
                later = self._streamed.get(record.id, "")
                self._streamed[record.id] = (record.text + later)[-STREAMED:]
                return False
            if self.accept is not None and not self.accept(record):
                return False
            self._live[record.id] = (index, index)
            self._hear(record)
            return True
        return self.accept is None or self.accept(record)

    def _hidden_inner(self, record: EventRecord) -> bool:
        if not self.fold_inner or self.accept is not None:
            return False
        call = record.inner_of
        for _ in range(_DEPTH):
            if call not in self.opened:
                return True
            at = self.log.by_call(call)
            call = self.log[at[0]].inner_of if at else ""
            if not call:
                return False
        return False

    def _hear(self, record: EventRecord) -> None:
        if text := record.text:
            self._streamed[record.id] = (self._streamed.get(record.id, "") + text)[-STREAMED:]

    def streamed(self, index: int) -> str:
        """The end of the text so far, where the row stands for an answer still coming in."""
        record = self.log[index]
        return self._streamed.get(record.id, "") if record.partial and self.folds_partials else ""

    def newest(self, index: int) -> int:
        """The event a row shows: of a folded answer, its newest partial."""
        live = self._live.get(self.log[index].id)
        return live[1] if live is not None and live[0] == index else index

    def row_of(self, index: int) -> int | None:
        """The row of an event, or of the nearest event that is shown; None without rows.

        A partial that its final event has replaced is found there.
        """
        if not self.rows:
            return None
        if index < len(self.log):
            record = self.log[index]
            closing = self.log.closed_by(index) if self.folds_partials else None
            live = self._live.get(record.id) if record.partial else None
            if live is not None:
                index = live[0]
            elif closing is not None:
                index = closing
        return min(bisect_left(self.rows, index), len(self.rows) - 1)

    def depth(self, record: EventRecord) -> int:
        """How many AgentTools deep an event happened."""
        depth, call = 0, record.inner_of
        while call and depth < _DEPTH:
            depth += 1
            at = self.log.by_call(call)
            call = self.log[at[0]].inner_of if at else ""
        return depth

    def turn(self, record: EventRecord) -> str:
        """The invocation an event belongs to; of an inner run, the one around it."""
        for _ in range(_DEPTH):
            at = self.log.by_call(record.inner_of) if record.inner_of else ()
            if not at:
                break
            record = self.log[at[0]]
        return record.invocation_id

    def inner_count(self, record: EventRecord) -> int:
        """How many final events the inner runs of an event's calls have."""
        if not self._inner or record.partial:
            return 0
        return sum(self._inner.get(call.id, 0) for call in record.calls if call.id)
