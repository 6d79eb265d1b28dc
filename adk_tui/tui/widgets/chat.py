"""The chat: what was said and done, as a person reads it.

One line view, however long the talk is: only items near the screen are laid
out; the height of the others is a guess until they come near or a quiet moment
comes. While an answer streams, only its last block is parsed and wrapped.
"""

import asyncio
from collections.abc import Hashable, Iterator, Sequence
from time import perf_counter
from typing import ClassVar

from rich.segment import Segment
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.strip import Strip

from adk_tui.core.chat_items import ChatItem, TicketMark, ToolCard
from adk_tui.core.sanitize import mask_text
from adk_tui.core.transcript import Transcript
from adk_tui.tui.later import later
from adk_tui.tui.widgets.chat_blocks import MARGIN, RIGHT, can_fold
from adk_tui.tui.widgets.chat_layout import Layout, Layouts
from adk_tui.tui.widgets.chat_rows import ChatRows
from adk_tui.tui.widgets.line_view import LineView
from adk_tui.tui.widgets.markdown_text import MarkdownText
from adk_tui.tui.widgets.text_lines import Line

_SLICE = 0.004
_PAUSE = 0.02
_QUIET = 0.3
"""Seconds after the last change until what is off the screen is laid out."""
_STREAK = 5
_TURN = 0.006
"""Seconds between laying out and painting in a streak of changes: time for a key to show."""


class ChatView(LineView):
    """The items of a ``Transcript``.

    ``show`` again whenever it changed; it looks only at what is new.
    """

    DEFAULT_CSS = """
    ChatView {
        & > .line--cursor { background: $boost; }
        & > .line--cursor-blurred { background: $background 0%; }
        & > .line--hover { background: $background 0%; }
        & > .line--mark { color: $primary; text-style: bold; }
        & > .line--turn { background: $surface; }
        & > .line--said { text-style: none; }
        & > .line--em { text-style: italic; }
        & > .line--strike { text-style: strike; }
        & > .line--link { color: $text-primary; text-style: underline; }
        & > .line--code { background: $surface; }
        & > .line--inline-code { color: $text-accent; background: $surface; }
        & > .line--h1 { color: $text-primary; text-style: bold underline; }
        & > .line--h2 { color: $text-primary; text-style: bold; }
        & > .line--h3 { text-style: bold; }
        & > .line--bullet { color: $text-primary; }
        & > .line--quote { color: $foreground 72%; text-style: italic; }
        & > .line--keyword { color: $text-primary; }
        & > .line--string { color: $text-success; }
        & > .line--number { color: $text-accent; }
        & > .line--name { text-style: bold; }
        & > .line--tool { text-style: bold; }
        & > .line--chip { color: $text-primary; background: $primary-muted; }
    }
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "line--mark",
        "line--turn",
        "line--said",
        "line--em",
        "line--strike",
        "line--link",
        "line--code",
        "line--inline-code",
        "line--h1",
        "line--h2",
        "line--h3",
        "line--bullet",
        "line--quote",
        "line--keyword",
        "line--string",
        "line--number",
        "line--name",
        "line--tool",
        "line--chip",
    }

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("o", "open_event", "Open the event", show=False, id="chat.open_event"),
        Binding("e", "show_event", "Show in the events", show=False, id="chat.show_event"),
        Binding("space", "fold", "Fold", show=False, id="chat.fold"),
        Binding("z", "toggle_thoughts", "All thoughts", show=False, id="chat.thoughts"),
        Binding("y", "copy", "Copy", show=False, id="chat.copy"),
    ]

    ALLOW_SELECT = True
    MARKS_CURSOR = True

    class OpenEvent(Message):
        """Show everything about this event."""

        def __init__(self, event_id: str) -> None:
            super().__init__()
            self.event_id = event_id

    class ShowEvent(OpenEvent):
        """Go to the event in the event stream."""

    class OpenTicket(Message):
        """Show the ticket of this call."""

        def __init__(self, call_id: str) -> None:
            super().__init__()
            self.call_id = call_id

    class Copied(Message):
        """An item went to the clipboard."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._welcome: MarkdownText | None = None
        self._rows = ChatRows()
        self._layouts = Layouts()
        self._laid_out_for: int = 0
        self._later: asyncio.TimerHandle | None = None
        self._quiet_at = 0.0
        self._streak = 0
        """Changes that came one soon after the other."""
        self._shown: Transcript | None = None

    # What it shows

    def show(self, transcript: Transcript, first_changed: int = 0) -> None:
        """Show this transcript, of which the items before ``first_changed`` are as they were."""
        items, rows = transcript.items, self._rows
        first = rows.same(items, first_changed if transcript is self._shown else 0)
        self._shown = transcript
        if first == len(items) == len(rows):
            return
        self._streak = self._streak + 1 if perf_counter() < self._quiet_at else 0
        with self.changing(paint_after=_TURN if self._streak > _STREAK else 0.0):
            rows.take(items, first, self.text_width)
            self._measure_near()
        self._quiet_at = perf_counter() + _QUIET
        self._measure_later()

    def clear(self) -> None:
        """Show nothing; unfolded items are forgotten."""
        self._shown = None
        with self.changing():
            self._rows.clear()
            self._layouts.clear()
        self.action_follow()

    # Layout

    def _layout(self, row: int, width: int) -> Layout:
        return self._layouts.of(self._rows.items[row], self._rows.frame(row), width)

    def _measure(self, row: int) -> None:
        rows = self._rows
        if not rows.measured[row]:
            layout = self._layout(row, self.text_width)
            rows.heights.set(row, len(layout.lines))
            rows.measured[row] = layout.item is rows.items[row]

    def _measure_near(self) -> None:
        """Lay out what is on the screen, so that nothing there moves afterwards."""
        heights, count = self._rows.heights, len(self._rows)
        if not count or not self.size.height:
            return
        height = self.size.height
        if self.follow:
            row, lines = count - 1, 0
            while row >= 0 and lines < height:
                self._measure(row)
                lines += heights[row]
                row -= 1
            return
        row, offset = heights.locate(self.top_line)
        lines = -offset
        while row < count and lines < height:
            self._measure(row)
            lines += heights[row]
            row += 1

    def _measure_later(self) -> None:
        if self._later is None and self.size.height and 0 in self._rows.measured:
            rest = 0.0 if self._layouts.behind else self._quiet_at - perf_counter()
            self._later = later(self, max(rest, _PAUSE), self._measure_some)

    def _measure_some(self) -> None:
        self._later = None
        end = perf_counter() + _SLICE
        if self._layouts.behind:
            self._layouts.behind = False
            with self.changing(keep_new=True):
                self._measure_near()
        elif end - _SLICE >= self._quiet_at:
            with self.changing(keep_new=True):
                # The end first: it is where the reader most likely is.
                measured = self._rows.measured
                while (row := measured.rfind(0)) >= 0 and perf_counter() < end:
                    self._measure(row)
                    if not measured[row]:
                        break
        self._measure_later()

    def width_changed(self) -> None:
        """All heights are guesses again, if it is the width that changed."""
        if self.text_width != self._laid_out_for:
            self._laid_out_for = self.text_width
            self._rows.forget_measures()
        self._measure_near()
        self._measure_later()

    # Rows

    def row_count(self) -> int:
        """One row for each item."""
        return len(self._rows)

    def row_key(self, row: int) -> Hashable:
        """The item's key."""
        return self._rows.items[row].key

    def find_row(self, key: Hashable) -> int | None:
        """The row of an item; of one that has gone, the last row."""
        return self._rows.find(str(key))

    def row_token(self, row: int) -> Hashable:
        """The layout."""
        return (self._rows.items[row].key, self._layout(row, self.text_width).stamp)

    def welcome(self, text: str) -> None:
        """What to show, as Markdown, while there is no item."""
        self._welcome = MarkdownText()
        self._welcome.update(text)
        if not self._rows.items:
            self.refresh()

    def _draw(self, first: int, count: int) -> Iterator[Strip]:
        if self._rows.items or self._welcome is None:
            yield from super()._draw(first, count)
            return
        lines = self._welcome.lines(max(self.text_width - MARGIN - RIGHT, 1))
        for at in range(first - 1, first - 1 + count):
            line = [(" " * MARGIN, ""), *lines[at]] if 0 <= at < len(lines) else []
            yield self.strip_of(line, self.size.width, self.rich_style)

    def line_token(self, row: int, offset: int) -> Hashable:
        """The layout; of the finished part of a growing text, the first layout it was in."""
        layout = self._layout(row, self.text_width)
        fixed = offset < layout.fixed
        return (self._rows.items[row].key, fixed, layout.base if fixed else layout.stamp)

    def row_lines(self, row: int, width: int) -> Sequence[Line]:
        """The lines of an item."""
        return self._layout(row, width).lines

    def row_top(self, row: int) -> int:
        """The line at which an item begins."""
        return self._rows.heights.top(row)

    def row_height(self, row: int) -> int:
        """How many lines an item has."""
        self._measure(row)
        return self._rows.heights[row]

    def total_height(self) -> int:
        """How many lines the whole chat has, as far as is known."""
        return self._rows.heights.total

    def locate(self, line: int) -> tuple[int, int]:
        """The item at a line."""
        return self._rows.heights.locate(line)

    def mark_cursor(self, strip: Strip, row: int, offset: int) -> Strip:
        """A bar in the gutter: a background over a long answer would shout."""
        if offset < self._rows.frame(row).gap:
            return strip
        bar = Strip([Segment("▎", self.looks("line--mark"))])
        return Strip.join([bar, strip.crop(1, strip.cell_length)])

    def item_at_cursor(self) -> ChatItem | None:
        """The item under the cursor."""
        return None if self.cursor is None else self._rows.items[self.cursor]

    # What a person does

    def row_selected(self, row: int) -> None:
        """Unfold what folds; else open the item's event."""
        item = self._rows.items[row]
        if can_fold(item):
            self.toggle(row)
        elif isinstance(item, TicketMark):
            self.post_message(self.OpenTicket(item.ticket_call_id))
        elif item.event_id:
            self.post_message(self.OpenEvent(item.event_id))

    def row_clicked(self, row: int) -> None:
        """A click on text only marks it: it may be the beginning of a selection."""
        item = self._rows.items[row]
        if can_fold(item) or isinstance(item, (ToolCard, TicketMark)):
            self.row_selected(row)

    def toggle(self, row: int) -> None:
        """Fold or unfold an item."""
        with self.changing(keep_new=True):
            self._rows.toggle(row)
            self._measure(row)

    def action_fold(self) -> None:
        """Fold or unfold the item under the cursor."""
        row = self.cursor
        if row is not None and can_fold(self._rows.items[row]):
            self.toggle(row)

    def action_toggle_thoughts(self) -> None:
        """Unfold or fold everything that folds."""
        with self.changing(keep_new=True):
            self._rows.toggle_all()
            self._measure_near()
        self._measure_later()

    def action_open_event(self) -> None:
        """Open the event of the item under the cursor."""
        item = self.item_at_cursor()
        if item is not None and item.event_id:
            self.post_message(self.OpenEvent(item.event_id))

    def action_show_event(self) -> None:
        """Go to the event of the item under the cursor in the event stream."""
        item = self.item_at_cursor()
        if item is not None and item.event_id:
            self.post_message(self.ShowEvent(item.event_id))

    def action_copy(self) -> None:
        """Copy the item under the cursor."""
        if (row := self.cursor) is not None:
            item = self._rows.items[row]
            text = getattr(item, "text", "")
            self.copy(mask_text(text) if isinstance(text, str) and text else self.row_text(row))
            self.post_message(self.Copied())

    def go_to_event(self, event_id: str) -> bool:
        """Put the cursor on the item of an event; False if there is none."""
        for row in range(len(self._rows) - 1, -1, -1):
            item = self._rows.items[row]
            if item.event_id == event_id or getattr(item, "response_event_id", None) == event_id:
                self.move_cursor(row, center=True)
                return True
        return False
