"""The event stream: every event of the session as a row, at any size."""

import asyncio
from bisect import bisect_left
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import ClassVar, Literal
from zlib import crc32

from textual.binding import BindingType
from textual.message import Message
from textual.reactive import reactive

from adk_tui.core.event_log import EventLog
from adk_tui.core.export import event_json
from adk_tui.core.records import EventRecord
from adk_tui.core.summary import full_text, is_ticket
from adk_tui.tui.actions import bindings
from adk_tui.tui.later import later
from adk_tui.tui.messages import Act
from adk_tui.tui.widgets.event_rows import RowView, event_row
from adk_tui.tui.widgets.event_window import SLICE, Accept, EventWindow
from adk_tui.tui.widgets.line_view import LineView
from adk_tui.tui.widgets.text_lines import Line

Jump = Literal["error", "ticket", "state", "turn"]
_PAUSE = 0.004
_LANES = 6


_JUMPS: dict[Jump, Accept] = {
    "error": lambda r: bool(r.error_code or r.error_message),
    "ticket": is_ticket,
    "state": lambda r: not r.partial and bool(r.actions.state_delta),
    "turn": lambda r: r.author == "user" and bool(r.text) and not r.inner_of,
}


@dataclass(slots=True)
class _Hunt:
    """A search under way: from row to row until it is back where it began."""

    accept: Accept
    step: int
    row: int
    left: int
    what: str


class EventStream(LineView):
    """All events of an ``EventLog``, one a row.

    ``show`` again whenever the log has grown; it is cheap when it has not.
    Keys: those of the list, and the bindings below.
    """

    DEFAULT_CSS = """
    EventStream {
        & > .line--lane-0 { color: $foreground 30%; }
        & > .line--lane-1 { color: $text-primary 80%; }
        & > .line--lane-2 { color: $text-success 80%; }
        & > .line--lane-3 { color: $text-accent 80%; }
        & > .line--lane-4 { color: $text-secondary 80%; }
        & > .line--lane-5 { color: $text-warning 80%; }
    }
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {f"line--lane-{n}" for n in range(_LANES)}

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("events")]

    relative: reactive[bool] = reactive(False)
    """Times since the invocation began, instead of the wall clock's."""
    filtering: reactive[bool] = reactive(False, repaint=False)
    """Whether a filter is still at work on part of the log."""

    class Highlighted(Message):
        """The cursor is on another event (``index`` in the log)."""

        def __init__(self, stream: "EventStream", index: int) -> None:
            super().__init__()
            self.stream = stream
            self.index = index

        @property
        def control(self) -> "EventStream":
            """The stream it comes from."""
            return self.stream

    class Selected(Highlighted):
        """Open this event (``index`` in the log)."""

    class Searched(Message):
        """A search or a jump has ended; ``what`` was looked for."""

        def __init__(self, what: str, found: bool) -> None:
            super().__init__()
            self.what = what
            self.found = found

    class Copied(Message):
        """A row went to the clipboard, as ``kind`` (``text`` or ``JSON``)."""

        def __init__(self, kind: str) -> None:
            super().__init__()
            self.kind = kind

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
        self._hunt: _Hunt | None = None
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
                # Rows are drawn by index, and an index means another event now.
                self._strips.clear()
                self.follow = True
                self.unseen = 0
                self._cursor = None
                self.window.restart(len(log))
            self._version = log.version
            more = self._advance()
        if more:
            self._continue()

    def _advance(self) -> bool:
        return self.window.advance(screen=max(self.size.height, 24), backward_first=self.follow)

    def set_filter(self, accept: Accept | None) -> None:
        """Show only what ``accept`` takes; None shows all. Keeps the reader's place."""
        self._refill(lambda: setattr(self.window, "accept", accept))

    def _refill(self, change: Callable[[], None]) -> None:
        index = self.index_at_cursor()
        top = self.top_line
        if index is None and top < len(self.window.rows):
            index = self.window.rows[top]
        self._hunt = None
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
        if self._work is None:
            self._work = later(self, _PAUSE, self._go_on)

    def _go_on(self) -> None:
        self._work = None
        if not self.window.complete:
            with self.changing(keep_new=True):
                more = self._advance()
            if more:
                self._continue()
            else:
                self._filled()
        if self._hunt is not None:
            self._hunt_on(self._hunt)

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
        mine = log[rows[row]].invocation_id
        above = row > 0 and log[rows[row - 1]].invocation_id == mine
        below = row + 1 < len(rows) and log[rows[row + 1]].invocation_id == mine
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
        )
        return [event_row(record, view, width)]

    def row_highlighted(self, row: int) -> None:
        """Say which event the cursor is on."""
        self.post_message(self.Highlighted(self, self.window.newest(self.window.rows[row])))

    def row_selected(self, row: int) -> None:
        """Ask to open an event."""
        self.post_message(self.Selected(self, self.window.newest(self.window.rows[row])))

    def index_at_cursor(self) -> int | None:
        """The log index of the event under the cursor."""
        row = self.cursor
        return None if row is None else self.window.rows[row]

    def record_at_cursor(self) -> EventRecord | None:
        """The event under the cursor."""
        index = self.index_at_cursor()
        return None if index is None else self.window.log[self.window.newest(index)]

    # Keys

    def action_act(self, name: str) -> None:
        """A registered key was pressed."""
        if not self.act(name):
            self.post_message(Act(name))

    def act(self, name: str) -> bool:
        """Do a registered action; False where it is not the list's own."""
        kind, _, what = name.partition("_")
        if kind in ("next", "last") and what in _JUMPS:
            self.action_jump(what, 1 if kind == "next" else -1)
            return True
        own: dict[str, Callable[[], None]] = {
            "inspect": self.action_select,
            "search_next": self.action_search_next,
            "search_back": self.action_search_previous,
            "counterpart": self.action_counterpart,
            "partials": self.action_toggle_partials,
            "relative": self.action_toggle_relative,
            "inner": self.action_toggle_inner,
            "all_inner": self.action_toggle_all_inner,
            "copy_text": self.action_copy_text,
            "copy_json": self.action_copy_json,
        }
        if name in own:
            own[name]()
        return name in own

    # Going places

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

    def search(self, text: str) -> None:
        """Go to the next event that contains this text; nothing is filtered. Empty: forget it."""
        self._needle = text
        self.refresh()
        if text:
            self._start(self._contains, 1, text, here=True)

    def _contains(self, record: EventRecord) -> bool:
        wanted = self._needle.casefold()
        return wanted in record.author.casefold() or wanted in full_text(record).casefold()

    def action_search_next(self) -> None:
        """The next match of the last search."""
        if self._needle:
            self._start(self._contains, 1, self._needle)

    def action_search_previous(self) -> None:
        """The match before."""
        if self._needle:
            self._start(self._contains, -1, self._needle)

    def action_jump(self, kind: Jump, step: int = 1) -> None:
        """Go to the next error, ticket, state change or turn; ``step`` -1: the one before."""
        self._start(_JUMPS[kind], step, kind)

    def _start(self, accept: Accept, step: int, what: str, *, here: bool = False) -> None:
        count = self.row_count()
        if not count:
            self.post_message(self.Searched(what, False))
            return
        row = self.cursor
        row = (0 if step > 0 else count - 1) if row is None else row if here else row + step
        self._hunt = _Hunt(accept, step, row % count, count, what)
        self._hunt_on(self._hunt)

    def _hunt_on(self, hunt: _Hunt) -> None:
        end = perf_counter() + SLICE
        rows, log = self.window.rows, self.window.log
        while hunt.left > 0 and rows:
            row = hunt.row % len(rows)
            if hunt.accept(log[rows[row]]):
                self._hunt = None
                self.move_cursor(row, center=True)
                self.post_message(self.Searched(hunt.what, True))
                return
            hunt.row = row + hunt.step
            hunt.left -= 1
            if perf_counter() >= end:
                if self._work is None:
                    self._work = later(self, _PAUSE, self._go_on)
                return
        self._hunt = None
        self.post_message(self.Searched(hunt.what, False))

    def action_counterpart(self) -> None:
        """From a call to its response and back."""
        index = self.index_at_cursor()
        if index is None:
            return
        record = self.window.log[index]
        ids = [part.id for part in (*record.calls, *record.responses) if part.id]
        for call_id in ids:
            others = [at for at in self.window.log.by_call(call_id) if at != index]
            if others:
                place = bisect_left(others, index)
                self.go_to(others[place if place < len(others) else 0])
                self.post_message(self.Searched("counterpart", True))
                return
        self.post_message(self.Searched("counterpart", False))

    # Folds

    def action_toggle_partials(self) -> None:
        """Show every partial, or fold each answer's into one row."""
        self._refill(lambda: setattr(self.window, "fold_partials", not self.window.fold_partials))

    def action_toggle_relative(self) -> None:
        """Wall times, or times since the invocation began."""
        self.relative = not self.relative

    def action_toggle_all_inner(self) -> None:
        """Open or fold the inner runs of all AgentTools."""
        self._refill(lambda: setattr(self.window, "fold_inner", not self.window.fold_inner))

    def action_toggle_inner(self) -> None:
        """Open or fold the inner run of the call under the cursor, or the one around it."""
        record = self.record_at_cursor()
        if record is None:
            return
        calls = {call.id for call in record.calls if call.id}
        if not self.window.inner_count(record):
            calls = {record.inner_of} - {""}
        if calls:
            self._refill(
                lambda: (
                    self.window.opened.difference_update(calls)
                    if calls & self.window.opened
                    else self.window.opened.update(calls)
                )
            )

    # Copying

    def action_copy_text(self) -> None:
        """Copy the event as plain text."""
        if (record := self.record_at_cursor()) is not None:
            self.copy(full_text(record))
            self.post_message(self.Copied("text"))

    def action_copy_json(self) -> None:
        """Copy the event as JSON, secrets masked."""
        if (record := self.record_at_cursor()) is not None:
            self.copy(event_json(record))
            self.post_message(self.Copied("JSON"))


def _lane(record: EventRecord) -> int:
    if not record.branch:
        return 0
    return 1 + crc32(record.branch.encode("utf-8", "replace")) % (_LANES - 1)
