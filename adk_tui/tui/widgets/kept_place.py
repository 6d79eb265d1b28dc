"""Rows whose place holds: at the end while it is followed, else where the reader is.

Whether the list follows its end is a state of its own, never guessed from the
scroll position; while it does not follow, the reader's place is held by the key
of a row, not by a line number, so that rows may arrive, vanish or change their
height around it.
"""

import asyncio
from collections.abc import Generator, Hashable
from contextlib import contextmanager
from typing import cast

from textual.geometry import Size
from textual.reactive import Reactive, reactive
from textual.widget import Widget

from adk_tui.tui.later import later
from adk_tui.tui.widgets.drawn_rows import DrawnRows


class KeptPlace(DrawnRows):
    """Rows that a subclass changes inside ``with self.changing():``."""

    follow: reactive[bool] = reactive(True, repaint=False)
    """Whether the list stays at its end as rows arrive."""
    unseen: reactive[int] = reactive(0, repaint=False)
    """Rows that arrived since the list stopped following."""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._cursor: int | None = None
        self._hover: int | None = None
        self._known_rows = 0
        self._nested = 0
        self._settling = False
        self._to_paint: asyncio.TimerHandle | None = None

    def watch_follow(self, follow: bool) -> None:
        """Stopping at a place makes the last row the cursor's, until it moves."""
        if not follow and self._cursor is None and self.row_count():
            self._cursor = self.row_count() - 1
        self._known_rows = self.row_count()

    @property
    def cursor(self) -> int | None:
        """The row the cursor is on; while following, the last one."""
        count = self.row_count()
        if not count:
            return None
        if self.follow:
            return count - 1
        return None if self._cursor is None else min(self._cursor, count - 1)

    @property
    def cursor_key(self) -> Hashable | None:
        """The key of the row the cursor is on."""
        row = self.cursor
        return None if row is None else self.row_key(row)

    @contextmanager
    def changing(
        self, *, keep_new: bool = False, paint_after: float = 0.0
    ) -> Generator[None, None, None]:
        """Change rows inside: afterwards the reader's place, the bars and the screen are right.

        Rows more than before count as new, unless ``keep_new`` says that they
        were only hidden (a filter, a fold). ``paint_after`` seconds, where keys
        are to have their turn between the change and its picture.
        """
        if self._nested:
            yield
            return
        self._nested += 1
        try:
            anchor = None if self.follow else self._anchor()
            cursor_key = None if self.follow else self.cursor_key
            yield
        finally:
            self._nested -= 1
        count = self.row_count()
        if not self.follow and not keep_new and count > self._known_rows:
            self.unseen += count - self._known_rows
        self._known_rows = count
        if cursor_key is not None:
            self._cursor = self.find_row(cursor_key)
        self._hover = None if self._hover is not None and self._hover >= count else self._hover
        self._settling = True
        try:
            self._resize_lines()
            self._restore(anchor)
        finally:
            self._settling = False
        if not paint_after:
            self._repaint()
        elif self._to_paint is None:
            self._to_paint = later(self, paint_after, self._paint_now)

    def _anchor(self) -> tuple[Hashable, int] | None:
        """A row and the screen line it begins on: the cursor's if it is on screen, else the top."""
        if not self.row_count() or not self.size.height:
            return None
        top = self.top_line
        cursor = self.cursor
        if cursor is not None and 0 <= self.row_top(cursor) - top < self.size.height:
            return self.row_key(cursor), self.row_top(cursor) - top
        row, _ = self.locate(top)
        if row >= self.row_count():
            return None
        return self.row_key(row), self.row_top(row) - top

    def _restore(self, anchor: tuple[Hashable, int] | None) -> None:
        if self.follow:
            self._scroll_line(self.max_scroll_y)
        elif anchor is not None:
            row = self.find_row(anchor[0])
            if row is not None:
                self._scroll_line(self.row_top(row) - anchor[1])

    def _paint_now(self) -> None:
        self._to_paint = None
        self._repaint()

    def _repaint(self) -> None:
        if not self._settling:
            super()._repaint()

    def _resize_lines(self) -> None:
        size = Size(self.text_width, self.total_height())
        if size != self.virtual_size:
            # The reactive would lay out the whole screen; only the bars depend on it.
            self.set_reactive(cast("Reactive[Size]", Widget.virtual_size), size)
            self._scroll_update(size)

    def _scroll_line(self, line: float) -> None:
        line = max(0, min(line, self.max_scroll_y))
        if line != self.scroll_y:
            self.scroll_target_y = self.scroll_y = line

    def on_resize(self) -> None:
        """Lay out the rows for the new width."""
        with self.changing(keep_new=True):
            self.width_changed()

    def width_changed(self) -> None:
        """The width may have changed; rows of variable height are measured again."""
