"""Rows of one or more lines, of which only the visible ones are drawn, each once.

A drawn line (a strip) is kept under the row's token, the width and the
background, and dropped with the theme. Textual's own cache of whole widget lines
is passed by: it would have to be told about every row that moved. While events
pour in, all lines of a pane are new with each frame, and what is spent on one
delays the echo of a key; so each is made once, as it goes to the terminal, and
what was painted is handed out again until something changes.
"""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import ClassVar, Self, cast

from rich.segment import Segment
from rich.style import Style
from textual.app import App
from textual.filter import LineFilter
from textual.geometry import Region
from textual.scroll_view import ScrollView
from textual.scrollbar import ScrollBar
from textual.selection import Selection
from textual.strip import Strip

from adk_tui.core.sanitize import clean
from adk_tui.tui.guard import Guard
from adk_tui.tui.widgets.looks import Looks
from adk_tui.tui.widgets.recent import Recent
from adk_tui.tui.widgets.scroll_thumb import ScrollThumb
from adk_tui.tui.widgets.text_lines import Line, plain, width_of

STRIPS = 512
"""Most strips kept: some ten screens. (Textual's strips are 6 KB and seven objects each.)"""


class DrawnLine(Strip):
    """A strip that never refers to itself.

    Textual's keeps itself among its own pieces when it is not cut at all. Only
    a search for garbage finds it then, which holds up the keys of a long session.
    """

    def divide(self, cuts: Iterable[int]) -> Sequence[Strip]:
        """The pieces between the cuts."""
        inner = [cut for cut in cuts if cut <= self.cell_length]
        return [self] if inner == [self.cell_length] else super().divide(inner)


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
        self._strips: Recent[Hashable, tuple[Line, dict[Style, Strip]]] = Recent(STRIPS)
        """Lines by token, and how they look on the backgrounds they were drawn on."""
        self._inks: dict[Style, dict[str, Style]] = {}
        """The styles of looks on each background."""
        self._filters: Sequence[LineFilter] = ()
        self._painted: tuple[Region, list[Strip]] | None = None
        """What was drawn last, and where; None when it is to be drawn anew."""

    @property
    def vertical_scrollbar(self) -> ScrollBar:
        """The scroll bar, made when it is first asked for."""
        if self._vertical_scrollbar is None:
            bar = ScrollThumb(name="vertical", thickness=self.scrollbar_size_vertical)
            bar.display = False
            self._vertical_scrollbar = bar
            cast("App[object]", self.app)._start_widget(self, bar)  # pyright: ignore[reportPrivateUsage, reportUnknownMemberType]
        return self._vertical_scrollbar

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
        app = cast("App[object]", self.app)  # pyright: ignore[reportUnknownMemberType]
        app.copy_to_clipboard(clean(text))

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
        self._forget_drawn()

    def _forget_drawn(self) -> None:
        self.looks.forget()
        self._inks.clear()
        self._strips.clear()
        self._painted = None

    def refresh(
        self,
        *regions: Region,
        repaint: bool = True,
        layout: bool = False,
        recompose: bool = False,
    ) -> Self:
        """Something changed: draw it anew with the next frame."""
        self._painted = None
        return super().refresh(*regions, repaint=repaint, layout=layout, recompose=recompose)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Paint what has moved."""
        if self.show_vertical_scrollbar:
            self.vertical_scrollbar.position = new_value
        if round(old_value) != round(new_value):
            self._repaint()

    def _repaint(self) -> None:
        """Paint the lines that look otherwise than when they were painted last."""
        whole = self.size.region
        self._look_at_filters()
        if self._painted is None or self._painted[0] != whole or not self.is_on_screen:
            self.refresh()
            return
        before, now = self._painted[1], list(self._draw(0, whole.height))
        changed = [
            y for y, strip in enumerate(now) if strip is not before[y] and strip != before[y]
        ]
        if changed:
            self.refresh(*(Region(0, y, whole.width, 1) for y in changed))
        self._painted = (whole, now)

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

    def strip_of(self, line: Line, width: int, back: Style) -> Strip:
        """One line as it goes to the terminal, filled up to ``width`` cells."""
        size = width_of(line)
        inks = self._inks.setdefault(back, {})
        segments: list[Segment] = []
        texts: list[str] = []
        last: Style | None = None
        for text, look in line if size >= width else (*line, (" " * (width - size), "")):
            ink = inks.get(look)
            if ink is None:
                ink = inks[look] = self._ink(back + self.looks(look))
            # Words are spans of their own; what looks alike goes to the terminal as one.
            if ink is not last:
                if texts:
                    segments.append(Segment("".join(texts), last))
                texts, last = [], ink
            texts.append(text)
        segments.append(Segment("".join(texts), last))
        strip = DrawnLine(segments, max(size, width))
        return strip if size <= width else strip.crop(0, width)

    def _ink(self, style: Style) -> Style:
        """A style as Textual's filters (no colour, say) make it."""
        (segment,) = self._filtered(Strip([Segment(" ", style)]))
        return segment.style or style

    def _filtered(self, strip: Strip) -> Strip:
        for line_filter in self._filters:
            strip = strip.apply_filter(line_filter, self.background_colors[1])
        return strip

    def _row_strip(self, row: int, offset: int, widths: tuple[int, int], back: Style) -> Strip:
        key = (self.line_token(row, offset), offset, widths)
        drawn = self._strips.get(key)
        if drawn is None:
            lines = self.row_lines(row, widths[0])
            drawn = self._strips[key] = (lines[offset] if offset < len(lines) else (), {})
        line, strips = drawn
        strip = strips.get(back)
        if strip is None:
            strip = strips[back] = self.strip_of(line, widths[1], back)
        return strip

    def mark_cursor(self, strip: Strip, row: int, offset: int) -> Strip:  # noqa: ARG002
        """Show on a line that the cursor is on its row; only asked if ``MARKS_CURSOR``."""
        return strip

    def _draw(self, first: int, count: int) -> Iterator[Strip]:
        """``count`` strips from screen line ``first`` on."""
        width = self.text_width
        # Where the scroll bar stands nothing has to be drawn.
        full = self.size.width - (
            self.scrollbar_size_vertical if self.show_vertical_scrollbar else 0
        )
        base, rows, top = self.rich_style, self.row_count(), self.top_line
        badge = self._badge()
        badge_line = self.size.height - 1 if badge else -1
        marked = self._cursor_shown if self.MARKS_CURSOR else None
        selection = self.text_selection if self.ALLOW_SELECT else None
        row, offset = self.locate(top + first)
        y, end = first, first + count
        while y < end and row < rows:
            height = self.row_height(row)
            back = self._back(row, base)
            while offset < height and y < end:
                strip = self._row_strip(row, offset, (width, full), back)
                if row == marked:
                    strip = self._filtered(self.mark_cursor(strip, row, offset).apply_style(back))
                if selection is not None:
                    strip = self._filtered(self._selected(strip, top + y, selection))
                if y == badge_line:
                    mark = Strip([Segment(badge, self.looks("line--badge"))])
                    strip = Strip.join([strip.crop(0, width - mark.cell_length), mark])
                    strip = self._filtered(strip.adjust_cell_length(full, base))
                yield strip
                y += 1
                offset += 1
            row, offset = row + 1, 0
        if y < end:
            blank = self.strip_of((), full, base)
            for _ in range(y, end):
                yield blank

    def _selected(self, strip: Strip, line: int, selection: Selection) -> Strip:
        span = selection.get_span(line)
        if span is None:
            return strip
        start, end = span
        end = strip.cell_length if end == -1 else end
        marked = strip.crop(start, end).apply_style(self.looks("line--selection"))
        return Strip.join([strip.crop(0, start), marked, strip.crop(end, strip.cell_length)])

    def render_line(self, y: int) -> Strip:
        """One line of the screen; it tells which place of the text each cell is, if that counts."""
        self._look_at_filters()
        strip = next(self._draw(y, 1))
        return strip.apply_offsets(0, self.top_line + y) if self.ALLOW_SELECT else strip

    def render_lines(self, crop: Region) -> list[Strip]:
        """The lines of a region: Textual's cache of whole lines would only be in the way."""
        self._look_at_filters()
        if self._painted is not None and self._painted[0] == crop:
            return self._painted[1]
        strips = list(self._draw(crop.y, crop.height))
        if crop.column_span != (0, self.size.width):
            strips = [strip.crop(*crop.column_span) for strip in strips]
        self._painted = (crop, strips)
        return strips

    def _look_at_filters(self) -> None:
        # What is drawn here was made safe when it became lines.
        filters = [f for f in self.get_line_filters() if not isinstance(f, Guard)]
        if filters != self._filters:
            self._forget_drawn()
            self._filters = filters

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
