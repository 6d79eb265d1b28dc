"""The event stream: the list of events with its keys: search, jumps, folds, selection, copying."""

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import ClassVar, Literal

from rich.style import Style
from textual import events
from textual.binding import BindingType
from textual.message import Message

from adk_tui.core.export import event_json
from adk_tui.core.records import EventRecord
from adk_tui.core.summary import full_text, is_ticket
from adk_tui.tui.actions import bindings
from adk_tui.tui.messages import Act
from adk_tui.tui.widgets.event_list import EventList
from adk_tui.tui.widgets.event_window import SLICE, Accept

Jump = Literal["error", "ticket", "state", "turn"]

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


class EventStream(EventList):
    """The events of the session, and what a person does with them.

    Keys: those of the list, and the bindings below. Several events are
    selected with Shift and the arrows, or with the mouse; any other move of
    the cursor lets go of them.
    """

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("events")]

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
        """``count`` events went to the clipboard, as ``kind`` (``text`` or ``JSON``)."""

        def __init__(self, kind: str, count: int) -> None:
            super().__init__()
            self.kind = kind
            self.count = count

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._hunt: _Hunt | None = None
        self._mark: int | None = None
        """Index of the event at which the selection begins; it ends at the cursor."""
        self._pressed: int | None = None
        """Row on which a button of the mouse went down."""
        self._drawn = False
        """Whether the mouse was drawn over other rows since."""

    def _begin(self) -> None:
        super()._begin()
        self._hunt = None
        self._mark = None

    def _refill(self, change: Callable[[], None]) -> None:
        self._hunt = None
        self._mark = None
        super()._refill(change)

    def _go_on(self) -> None:
        super()._go_on()
        if self._hunt is not None:
            self._hunt_on(self._hunt)

    def row_highlighted(self, row: int) -> None:
        """Say which event the cursor is on."""
        self.post_message(self.Highlighted(self, self.window.newest(self.window.rows[row])))

    def row_selected(self, row: int) -> None:
        """Ask to open an event."""
        self.post_message(self.Selected(self, self.window.newest(self.window.rows[row])))

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
            "select_up": self.action_select_up,
            "select_down": self.action_select_down,
            "copy_text": self.action_copy_text,
            "copy_json": self.action_copy_json,
        }
        if name in own:
            own[name]()
        return name in own

    # Search and jumps

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
                self._soon()
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

    # Several events

    def move_cursor(self, row: int, *, center: bool = False) -> None:
        """Put the cursor on a row; nothing else is selected then."""
        self._let_go()
        super().move_cursor(row, center=center)

    def action_follow(self) -> None:
        """The last row, and stay at the end as rows arrive."""
        self._let_go()
        super().action_follow()

    def select_to(self, row: int) -> None:
        """Select what lies between the cursor, or where the selection began, and a row."""
        if not self.row_count():
            return
        mark = self.index_at_cursor() if self._mark is None else self._mark
        super().move_cursor(max(row, 0))
        self._mark = mark
        self.refresh()

    def _let_go(self) -> None:
        if self._mark is not None:
            self._mark = None
            self.refresh()

    def _selected_rows(self) -> range:
        row, rows = self.cursor, self.window.rows
        if row is None:
            return range(0)
        if self._mark is None:
            return range(row, row + 1)
        first, last = sorted((self._mark, rows[row]))
        return range(bisect_left(rows, first), bisect_left(rows, last + 1))

    def selected(self) -> list[EventRecord]:
        """The selected events; without a selection, the one under the cursor."""
        window = self.window
        return [window.log[window.newest(window.rows[row])] for row in self._selected_rows()]

    def _back(self, row: int, base: Style) -> Style:
        if self._mark is not None and row != self.cursor and row in self._selected_rows():
            return base + self.looks("line--selection")
        return super()._back(row, base)

    def action_select_up(self) -> None:
        """Select the row above, too."""
        self.select_to((self.cursor or 0) - 1)

    def action_select_down(self) -> None:
        """Select the row below, too."""
        self.select_to((self.cursor or 0) + 1)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """A selection may begin here."""
        place = self._row_under(event)
        self._pressed = None if place is None else place[0]
        self._drawn = False

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Select what the mouse is drawn over."""
        place = self._row_under(event)
        if event.button != 1 or place is None or self._pressed is None:
            return
        if not self._drawn and place[0] != self._pressed:
            self.move_cursor(self._pressed)
            self._drawn = True
        if self._drawn and place[0] != self.cursor:
            self.select_to(place[0])

    def on_click(self, event: events.Click) -> None:
        """A click that ends a selection, or makes one longer, opens nothing."""
        place = self._row_under(event)
        if event.shift and place is not None:
            self.select_to(place[0])
        if event.shift or self._drawn:
            event.prevent_default()

    # Copying

    def action_copy_text(self) -> None:
        """Copy the selected events as plain text, secrets masked."""
        if found := self.selected():
            self.copy("\n\n".join(map(full_text, found)))
            self.post_message(self.Copied("text", len(found)))

    def action_copy_json(self) -> None:
        """Copy the selected events as JSON, secrets masked; several as an array."""
        if found := self.selected():
            texts = list(map(event_json, found))
            self.copy(texts[0] if len(texts) == 1 else "[\n" + ",\n".join(texts) + "\n]")
            self.post_message(self.Copied("JSON", len(found)))
