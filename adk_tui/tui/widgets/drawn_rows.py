"""Rows of one or more lines, of which only the visible ones are drawn, each once.

A drawn line (a strip) is kept under the row's token and the width, and dropped
with the theme. Textual's own cache of whole widget lines is passed by: it would
have to be told about every row that moved.
"""

from collections.abc import Hashable, Iterator, Sequence
from typing import ClassVar, cast

from rich.segment import Segment
from rich.style import Style
from textual.app import App
from textual.cache import LRUCache
from textual.geometry import Region
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip

from adk_tui.tui.widgets.looks import Looks
from adk_tui.tui.widgets.text_lines import Line, plain

STRIPS = 512
"""Most strips kept: some ten screens. (Textual's strips are 6 KB and seven objects each.)"""


class DrawnRows(ScrollView):
    """Draws the rows that a subclass supplies (the methods that raise NotImplementedError).

    It must have no border and no padding: lines are drawn without Textual's
    box model.
    """

    ALLOW_SELECT = False
    MARKS_CURSOR: ClassVar[bool] = False
    """Whether ``mark_cursor`` changes the lines under the cursor."""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self.looks = Looks(self)
        self._strips: LRUCache[Hashable, Strip] = LRUCache(STRIPS)

    # What a subclass supplies

    def row_count(self) -> int:
        """How many rows there are."""
        raise NotImplementedError

    def row_key(self, row: int) -> Hashable:
        """What identifies a row while rows come and go around it."""
        raise NotImplementedError

    def find_row(self, key: Hashable) -> int | None:
        """The row with that key; where it has gone, the nearest one; None if there is none."""
        raise NotImplementedError

    def row_token(self, row: int) -> Hashable:
        """Changes whenever the row has to be drawn anew."""
        raise NotImplementedError

    def line_token(self, row: int, offset: int) -> Hashable:  # noqa: ARG002
        """Changes whenever this line of a row has to be drawn anew."""
        return self.row_token(row)

    def row_lines(self, row: int, width: int) -> Sequence[Line]:
        """The lines of a row, none wider than ``width``."""
        raise NotImplementedError

    def row_top(self, row: int) -> int:
        """The line at which a row begins."""
        return row

    def row_height(self, row: int) -> int:  # noqa: ARG002
        """How many lines a row has."""
        return 1

    def total_height(self) -> int:
        """How many lines all rows have."""
        return self.row_count()

    def locate(self, line: int) -> tuple[int, int]:
        """The row at a line, and the line's offset in the row."""
        return line, 0

    def row_text(self, row: int) -> str:
        """The row as plain text, for the clipboard."""
        return "\n".join(plain(line) for line in self.row_lines(row, self.text_width))

    def copy(self, text: str) -> None:
        """Put text on the clipboard."""
        # A lone surrogate is no text that a clipboard could hold.
        safe = text.encode("utf-8", "backslashreplace").decode()
        app = cast("App[object]", self.app)  # pyright: ignore[reportUnknownMemberType]
        app.copy_to_clipboard(safe)

    @property
    def text_width(self) -> int:
        """Cells a line may take."""
        return max(self.scrollable_content_region.width, 1)

    @property
    def top_line(self) -> int:
        """The first line on the screen."""
        return round(self.scroll_y)

    # Drawing

    def notify_style_update(self) -> None:
        """Theme or style sheet changed: nothing drawn before is right any more."""
        super().notify_style_update()
        self.looks.forget()
        self._strips.clear()

    def _badge(self) -> str:
        """What stands at the end of the last line."""
        return ""

    def _back(self, row: int, base: Style) -> Style:  # noqa: ARG002
        """The background of a row."""
        return base

    @property
    def _cursor_shown(self) -> int | None:
        """The row that shows the cursor."""
        return None

    def strip_of(self, line: Line) -> Strip:
        """Draw one line, without a background."""
        looks = self.looks
        return Strip([Segment(text, looks(look)) for text, look in line if text])

    def _row_strip(
        self, row: int, offset: int, widths: tuple[int, int], token: Hashable, marked: bool
    ) -> Strip:
        key = (token, offset, widths, marked)
        strip = self._strips.get(key)
        if strip is None:
            lines = self.row_lines(row, widths[0])
            strip = self.strip_of(lines[offset]) if offset < len(lines) else Strip([])
            strip = strip.adjust_cell_length(widths[1])
            if marked:
                strip = self.mark_cursor(strip, row, offset)
            self._strips[key] = strip
        return strip

    def mark_cursor(self, strip: Strip, row: int, offset: int) -> Strip:  # noqa: ARG002
        """Show on a line that the cursor is on its row; only asked if ``MARKS_CURSOR``."""
        return strip

    def _draw(self, first: int, count: int) -> Iterator[Strip]:
        """``count`` strips from screen line ``first`` on."""
        width, full = widths = (self.text_width, self.size.width)
        base, rows, top = self.rich_style, self.row_count(), self.top_line
        badge = self._badge()
        badge_line = self.size.height - 1 if badge else -1
        selectable = self.ALLOW_SELECT
        marked = self._cursor_shown if self.MARKS_CURSOR else None
        selection = self.text_selection if selectable else None
        row, offset = self.locate(top + first)
        y, end = first, first + count
        while y < end and row < rows:
            height = self.row_height(row)
            back = self._back(row, base)
            while offset < height and y < end:
                token = self.line_token(row, offset)
                strip = self._row_strip(row, offset, widths, token, row == marked)
                strip = strip.apply_style(back)
                if selectable:
                    strip = self._selectable(strip, top + y, selection)
                if y == badge_line:
                    mark = Strip([Segment(badge, self.looks("line--badge"))])
                    strip = Strip.join([strip.crop(0, width - mark.cell_length), mark])
                    strip = strip.adjust_cell_length(full, base)
                yield strip
                y += 1
                offset += 1
            row, offset = row + 1, 0
        for _ in range(y, end):
            yield Strip.blank(full, base)

    def _selectable(self, strip: Strip, line: int, selection: Selection | None) -> Strip:
        if selection is not None and (span := selection.get_span(line)) is not None:
            start, end = span
            end = strip.cell_length if end == -1 else end
            marked = strip.crop(start, end).apply_style(self.looks("line--selection"))
            strip = Strip.join([strip.crop(0, start), marked, strip.crop(end, strip.cell_length)])
        return strip.apply_offsets(0, line)

    def render_line(self, y: int) -> Strip:
        """One line of the screen."""
        return next(self._draw(y, 1))

    def render_lines(self, crop: Region) -> list[Strip]:
        """The lines of a region: Textual's cache of whole lines would only be in the way."""
        strips = list(self._draw(crop.y, crop.height))
        filters = self.get_line_filters()
        if filters:
            background = self.background_colors[1]
            for line_filter in filters:
                strips = [strip.apply_filter(line_filter, background) for strip in strips]
        if crop.column_span != (0, self.size.width):
            strips = [strip.crop(*crop.column_span) for strip in strips]
        return strips

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The selected text; columns are characters of the drawn lines."""
        if selection.start is None or selection.end is None:
            lines = range(self.total_height())
        else:
            lines = range(selection.start.y, selection.end.y + 1)
        out: list[str] = []
        width = self.text_width
        for line in lines:
            row, offset = self.locate(line)
            if row >= self.row_count():
                break
            found = self.row_lines(row, width)
            text = plain(found[offset]) if offset < len(found) else ""
            start, end = cast("tuple[int, int]", selection.get_span(line) or (0, -1))
            out.append(text[start : None if end == -1 else end].rstrip())
        return "\n".join(out), "\n"
