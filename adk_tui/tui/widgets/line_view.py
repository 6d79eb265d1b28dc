"""The one virtual list that every long list of the app is made of.

Only the lines on the screen are drawn, each once per content, width and theme:
a list of a hundred thousand rows costs what one of a hundred does. Here are the
keys, the mouse and the looks; ``KeptPlace`` holds the reader's place.
"""

from collections.abc import Hashable
from typing import ClassVar

from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region
from textual.message import Message
from textual.scrollbar import ScrollDown, ScrollTo, ScrollUp

from adk_tui.tui.widgets.kept_place import KeptPlace

WHEEL = 3
"""Lines a notch of the wheel scrolls."""


class LineView(KeptPlace, can_focus=True):
    """Rows with a cursor, a place the reader keeps, and an end that can be followed.

    A subclass supplies the rows and changes them inside
    ``with self.changing():``.
    """

    DEFAULT_CSS = """
    LineView {
        overflow-x: hidden;
        overflow-y: auto;
        scrollbar-gutter: stable;
        scrollbar-size-vertical: 1;
        background: $background;
        color: $foreground;

        & > .line--cursor { background: $block-cursor-background 70%; }
        & > .line--cursor-blurred { background: $block-cursor-blurred-background; }
        & > .line--hover { background: $boost; }
        & > .line--selection { background: $input-selection-background; }
        & > .line--badge { background: $primary; color: $background; text-style: bold; }
        & > .line--user { color: $text-primary; text-style: bold; }
        & > .line--strong { text-style: bold; }
        & > .line--muted { color: $foreground 76%; }
        & > .line--faint { color: $foreground 62%; }
        & > .line--rule { color: $foreground 22%; }
        & > .line--accent { color: $text-accent; }
        & > .line--primary { color: $text-primary; }
        & > .line--success { color: $text-success; }
        & > .line--warning { color: $text-warning; }
        & > .line--error { color: $text-error; }
        & > .line--match { background: $warning 45%; text-style: bold; }
        & > .line--withdrawn { color: $foreground 55%; text-style: strike; }
    }
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "line--cursor",
        "line--cursor-blurred",
        "line--hover",
        "line--selection",
        "line--badge",
        "line--user",
        "line--strong",
        "line--muted",
        "line--faint",
        "line--rule",
        "line--accent",
        "line--primary",
        "line--success",
        "line--warning",
        "line--error",
        "line--match",
        "line--withdrawn",
    }

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "cursor_up", "Up", show=False, id="list.up"),
        Binding("down,j", "cursor_down", "Down", show=False, id="list.down"),
        Binding("pageup", "page_up", "Page up", show=False, id="list.page_up"),
        Binding("pagedown", "page_down", "Page down", show=False, id="list.page_down"),
        Binding("home,g", "first", "First", show=False, id="list.first"),
        Binding("end,G", "follow", "Last, and follow", show=False, id="list.follow"),
        Binding("enter", "select", "Open", show=False, id="list.select"),
    ]

    class RowHighlighted(Message):
        """The cursor is on another row."""

        def __init__(self, view: "LineView", row: int, key: Hashable) -> None:
            super().__init__()
            self.view = view
            self.row = row
            self.key = key

        @property
        def control(self) -> "LineView":
            """The list it comes from."""
            return self.view

    class RowSelected(RowHighlighted):
        """Enter was pressed on a row, or it was clicked."""

    def row_highlighted(self, row: int) -> None:
        """Say that the cursor is on another row."""
        self.post_message(self.RowHighlighted(self, row, self.row_key(row)))

    def row_selected(self, row: int) -> None:
        """Say that a row was chosen."""
        self.post_message(self.RowSelected(self, row, self.row_key(row)))

    def row_clicked(self, row: int) -> None:
        """A row was clicked; the cursor is on it."""
        self.row_selected(row)

    # The cursor

    def move_cursor(self, row: int, *, center: bool = False) -> None:
        """Put the cursor on a row, stop following, and bring the row into sight."""
        count = self.row_count()
        if not count:
            return
        row = max(0, min(row, count - 1))
        before = self.cursor
        was_following = self.follow
        self.follow = False
        self._cursor = row
        self.reveal(row, center=center)
        if row != before or was_following:
            self._refresh_row(before)
            self._refresh_row(row)
            self.row_highlighted(row)

    def reveal(self, row: int, *, center: bool = False) -> None:
        """Scroll as little as possible until the row is on screen."""
        top, height, page = self.row_top(row), self.row_height(row), self.size.height
        if center and not self.top_line <= top < self.top_line + page:
            self._scroll_line(top - (page - min(height, page)) // 2)
        elif top < self.top_line:
            self._scroll_line(top)
        elif top + height > self.top_line + page:
            self._scroll_line(min(top, top + height - page))

    def _refresh_row(self, row: int | None) -> None:
        if row is not None and row < self.row_count():
            top = self.row_top(row) - self.top_line
            if top < self.size.height and top + self.row_height(row) > 0:
                self.refresh(Region(0, max(top, 0), self.size.width, self.row_height(row)))

    def _step(self, step: int) -> None:
        row = self.cursor
        if row is None:
            self.move_cursor(self.locate(self.top_line)[0])
            return
        top, height, page = self.row_top(row), self.row_height(row), self.size.height
        # A row taller than the screen is read line by line before the cursor leaves it.
        if step > 0 and top < self.top_line + page and top + height > self.top_line + page:
            self.follow = False
            self._cursor = row
            self._scroll_line(self.top_line + 1)
        elif step < 0 and top < self.top_line < top + height:
            self.follow = False
            self._cursor = row
            self._scroll_line(self.top_line - 1)
        elif step > 0 and row == self.row_count() - 1:
            self.action_follow()
        else:
            self.move_cursor(row + step)

    def action_cursor_up(self) -> None:
        """One row up."""
        self._step(-1)

    def action_cursor_down(self) -> None:
        """One row down; from the last one, follow."""
        self._step(1)

    def action_page_up(self) -> None:
        """One screen up, the cursor with it."""
        self._page(-1)

    def action_page_down(self) -> None:
        """One screen down, the cursor with it."""
        self._page(1)

    def _page(self, direction: int) -> None:
        if not self.row_count():
            return
        page = max(self.size.height - 1, 1)
        if direction > 0 and self.top_line >= self.max_scroll_y:
            self.action_follow()
            return
        target = max(0, min(self.top_line + direction * page, int(self.max_scroll_y)))
        edge = target if direction < 0 else target + self.size.height - 1
        row = min(self.locate(min(edge, self.total_height() - 1))[0], self.row_count() - 1)
        self.move_cursor(row)
        self._scroll_line(target)

    def action_first(self) -> None:
        """The first row."""
        self.move_cursor(0)
        self._scroll_line(0)

    def action_follow(self) -> None:
        """The last row, and stay at the end as rows arrive."""
        before = self.cursor
        self._cursor = None
        self.follow = True
        self.unseen = 0
        self._scroll_line(self.max_scroll_y)
        self.refresh()
        if (row := self.cursor) is not None and row != before:
            self.row_highlighted(row)

    def action_select(self) -> None:
        """Choose the row under the cursor."""
        if (row := self.cursor) is not None:
            self.row_selected(row)

    # The mouse

    def _wheel(self, lines: int) -> None:
        self._scroll_line(self.scroll_y + lines)
        self._scrolled_by_hand()

    def _scrolled_by_hand(self) -> None:
        at_end = self.scroll_y >= self.max_scroll_y
        if at_end and not self.follow:
            self.unseen = 0
            self.follow = self._cursor is None or self._cursor >= self.row_count() - 1
            self.refresh()
        elif not at_end:
            self.follow = False

    def _on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        self._wheel(WHEEL)
        event.stop()

    def _on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        self._wheel(-WHEEL)
        event.stop()

    def _on_scroll_to(self, message: ScrollTo) -> None:
        message.stop()
        if message.y is not None:
            self._scroll_line(round(message.y))
            self._scrolled_by_hand()

    def _on_scroll_up(self, event: ScrollUp) -> None:
        event.stop()
        self._wheel(-max(self.size.height - 1, 1))

    def _on_scroll_down(self, event: ScrollDown) -> None:
        event.stop()
        self._wheel(max(self.size.height - 1, 1))

    def _row_under(self, event: events.MouseEvent) -> tuple[int, int] | None:
        row, line = self.locate(self.top_line + event.y)
        return (row, line) if 0 <= row < self.row_count() else None

    def on_click(self, event: events.Click) -> None:
        """Put the cursor on the row, or, on the badge, go to the end."""
        badge = self._badge()
        if badge and event.y == self.size.height - 1 and event.x >= self.text_width - len(badge):
            self.action_follow()
            return
        if (place := self._row_under(event)) is not None:
            self.move_cursor(place[0])
            self.row_clicked(place[0])

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Mark the row under the mouse."""
        place = self._row_under(event)
        self._set_hover(None if place is None else place[0])

    def on_leave(self) -> None:
        """The mouse has gone."""
        self._set_hover(None)

    def _set_hover(self, row: int | None) -> None:
        if row != self._hover:
            self._refresh_row(self._hover)
            self._hover = row
            self._refresh_row(row)

    def _badge(self) -> str:
        if self.follow or not self.unseen:
            return ""
        return f" ↓ {self.unseen} new "

    def _back(self, row: int, base: Style) -> Style:
        if row == self._cursor_shown:
            name = "line--cursor" if self.has_focus else "line--cursor-blurred"
            return base + self.looks(name)
        if row == self._hover:
            return base + self.looks("line--hover")
        return base

    @property
    def _cursor_shown(self) -> int | None:
        # Following without the focus, the end needs no mark.
        return None if self.follow and not self.has_focus else self.cursor
