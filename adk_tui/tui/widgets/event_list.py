"""The events of a session as rows: filtered, folded, and drawn; the reader's place among them."""

import asyncio
from collections.abc import Callable, Hashable, Sequence
from typing import ClassVar
from zlib import crc32

from textual.message import Message
from textual.reactive import reactive

from adk_tui.core.event_log import EventLog
from adk_tui.core.records import EventRecord
from adk_tui.tui.later import later
from adk_tui.tui.widgets.event_rows import RowView, event_row
from adk_tui.tui.widgets.event_window import Accept, EventWindow
from adk_tui.tui.widgets.line_view import LineView
from adk_tui.tui.widgets.text_lines import Line

_PAUSE = 0.004
_LANES = 6


class EventList(LineView):
    """All events of an ``EventLog`` that a filter lets through, one a row.

    ``show`` again whenever the log has grown; it is cheap when it has not.
    What takes long is done in slices, between which keys have their turn.
    """

    DEFAULT_CSS = """
    EventList {
        & > .line--lane-0 { color: $foreground 30%; }
        & > .line--lane-1 { color: $text-primary 80%; }
        & > .line--lane-2 { color: $text-success 80%; }
        & > .line--lane-3 { color: $text-accent 80%; }
        & > .line--lane-4 { color: $text-secondary 80%; }
        & > .line--lane-5 { color: $text-warning 80%; }
    }
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {f"line--lane-{n}" for n in range(_LANES)}

    relative: reactive[bool] = reactive(False)
    """Times since the invocation began, instead of the wall clock's."""
    filtering: reactive[bool] = reactive(False, repaint=False)
    """Whether a filter is still at work on part of the log."""

    class Counted(Message):
        """How many rows are shown of how many events, when a filter has finished."""

        def __init__(self, shown: int, total: int) -> None:
            super().__init__()
            self.shown = shown
            self.total = total

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.window = EventWindow()
        self._version = -1
        self._work: asyncio.TimerHandle | None = None
        self._needle = ""
        self._wanted: int | None = None

    # What it shows

    @property
    def log_shown(self) -> EventLog:
        """The log the rows come from."""
        return self.window.log

    def show(self, log: EventLog, changed: bool = True) -> None:
        """Show this log. Cheap and idempotent: call it as often as you like."""
        if log is self.window.log and log.version == self._version and not changed:
            return
        with self.changing():
            if self.window.show(log):
                self._begin()
                self.window.restart(len(log))
            self._version = log.version
            more = self._advance()
        if more:
            self._continue()

    def _begin(self) -> None:
        """Another log: an index means another event now, and rows are drawn by index."""
        self._strips.clear()
        self.follow = True
        self.unseen = 0
        self._cursor = None

    def _advance(self) -> bool:
        return self.window.advance(screen=max(self.size.height, 24), backward_first=self.follow)

    def set_filter(self, accept: Accept | None, *, partials: bool = False) -> None:
        """Show only what ``accept`` takes; None shows all. Keeps the reader's place.

        ``partials`` are shown one by one where the filter is about them.
        """

        def change() -> None:
            self.window.accept = accept
            self.window.seek_partials = partials

        self._refill(change)

    def _refill(self, change: Callable[[], None]) -> None:
        index = self.index_at_cursor()
        top = self.top_line
        if index is None and top < len(self.window.rows):
            index = self.window.rows[top]
        with self.changing(keep_new=True):
            change()
            self.window.restart(len(self.window.log) if self.follow or index is None else index)
            more = self._advance()
        if more:
            self._continue()
        else:
            self._filled()

    def _continue(self) -> None:
        self.filtering = True
        self._soon()

    def _soon(self) -> None:
        """Go on when keys have had their turn."""
        if self._work is None:
            self._work = later(self, _PAUSE, self._go_on)

    def _go_on(self) -> None:
        self._work = None
        # Events that came meanwhile may have had the last of it looked at already.
        if self.filtering:
            with self.changing(keep_new=True):
                more = self._advance()
            if more:
                self._continue()
            else:
                self._filled()

    def _filled(self) -> None:
        self.filtering = False
        self.post_message(self.Counted(len(self.window.rows), len(self.window.log)))
        if self._wanted is not None:
            wanted, self._wanted = self._wanted, None
            self.go_to(wanted)

    def watch_relative(self) -> None:
        """Times are part of every row."""
        self._strips.clear()

    # Rows

    def row_count(self) -> int:
        """Rows found so far."""
        return len(self.window.rows)

    def row_key(self, row: int) -> Hashable:
        """The index of the event in the log."""
        return self.window.rows[row]

    def find_row(self, key: Hashable) -> int | None:
        """The row of an event, or the nearest."""
        return self.window.row_of(key) if isinstance(key, int) else None

    def _gutter(self, row: int) -> str:
        rows, log = self.window.rows, self.window.log
        turn = self.window.turn
        mine = turn(log[rows[row]])
        above = row > 0 and turn(log[rows[row - 1]]) == mine
        below = row + 1 < len(rows) and turn(log[rows[row + 1]]) == mine
        return "│" if above and below else "╰" if above else "╭" if below else "·"

    def row_token(self, row: int) -> Hashable:
        """The event, its bracket, and what may change about an old event."""
        window = self.window
        index = window.rows[row]
        record = window.log[index]
        return (
            window.newest(index),
            self._gutter(row),
            window.log.is_withdrawn(index),
            window.inner_count(record),
            self._is_open(record),
            self._needle,
        )

    def _is_open(self, record: EventRecord) -> bool:
        if self.window.accept is not None or not self.window.fold_inner:
            return True
        return any(call.id in self.window.opened for call in record.calls)

    def row_lines(self, row: int, width: int) -> Sequence[Line]:
        """The line of an event."""
        window = self.window
        index = window.rows[row]
        record = window.log[window.newest(index)]
        started = 0.0
        if self.relative and (first := window.log.by_invocation(record.invocation_id)):
            started = window.log[first[0]].timestamp
        view = RowView(
            gutter=self._gutter(row),
            depth=window.depth(record),
            inner=window.inner_count(record),
            open=self._is_open(record),
            withdrawn=window.log.is_withdrawn(index),
            started=started,
            match=self._needle,
            lane=_lane(record),
            streamed=window.streamed(index),
            log=window.log,
        )
        return [event_row(record, view, width)]

    def index_at_cursor(self) -> int | None:
        """The log index of the event under the cursor."""
        row = self.cursor
        return None if row is None else self.window.rows[row]

    def record_at_cursor(self) -> EventRecord | None:
        """The event under the cursor."""
        index = self.index_at_cursor()
        return None if index is None else self.window.log[self.window.newest(index)]

    # Going to an event

    def go_to(self, index: int) -> bool:
        """Put the cursor on an event; False if it is hidden (the nearest one has it then).

        Inner runs it lies in are opened. While a filter is still at work, the
        cursor goes there when it is done.
        """
        if not 0 <= index < len(self.window.log):
            return False
        record = self.window.log[index]
        if record.inner_of and self.window.fold_inner and self.window.accept is None:
            self._open_around(record)
        if not self.window.complete:
            self._wanted = index
            return True
        row = self.window.row_of(index)
        if row is None:
            return False
        self.move_cursor(row, center=True)
        shown = self.window.rows[row]
        return shown == index or self.window.log[shown].id == record.id

    def go_to_event(self, event_id: str) -> bool:
        """Put the cursor on the event with this id; False if it is unknown or hidden."""
        index = self.window.log.find(event_id)
        return index is not None and self.go_to(index)

    def _open_around(self, record: EventRecord) -> None:
        closed: set[str] = set()
        call = record.inner_of
        while call and call not in closed:
            closed.add(call)
            at = self.window.log.by_call(call)
            call = self.window.log[at[0]].inner_of if at else ""
        if not closed <= self.window.opened:
            self._refill(lambda: self.window.opened.update(closed))


def _lane(record: EventRecord) -> int:
    if not record.branch:
        return 0
    return 1 + crc32(record.branch.encode("utf-8", "replace")) % (_LANES - 1)
