"""A scroll bar that costs next to nothing where rows arrive many times a second.

Textual's draws each of its cells with the whole box model, 2 ms for a bar of
thirty lines, and does so even where it looks as before.
"""

from typing import Self, cast

from rich.segment import Segment
from rich.style import Style
from textual.filter import LineFilter
from textual.geometry import Region
from textual.scrollbar import ScrollBar, ScrollBarRender
from textual.strip import Strip


class ScrollThumb(ScrollBar):
    """A vertical scroll bar."""

    def __init__(self, *, name: str, thickness: int = 1) -> None:
        super().__init__(vertical=True, name=name, thickness=thickness)
        self._shown: list[Segment] = []
        self._asked = False
        self._strips: dict[tuple[Segment, tuple[LineFilter, ...]], Strip] = {}

    def _cells(self) -> list[Segment]:
        """What each line shows; Textual's own picture, mouse actions and all."""
        bar = cast("ScrollBarRender", self.render())
        style = cast("Style", bar.style)
        assert style.bgcolor is not None
        assert style.color is not None
        picture = bar.render_bar(
            size=self.size.height,
            virtual_size=bar.virtual_size,
            window_size=bar.window_size,
            position=bar.position,
            thickness=bar.thickness,
            back_color=style.bgcolor,
            bar_color=style.color,
        )
        return list(picture.segments)

    def notify_style_update(self) -> None:
        """Theme or style sheet changed: nothing drawn before is right any more."""
        super().notify_style_update()
        self._shown = []
        self._strips.clear()

    def refresh(
        self,
        *regions: Region,
        repaint: bool = True,
        layout: bool = False,
        recompose: bool = False,
    ) -> Self:
        """Paint it again, unless it looks as before when all that belongs to a change is known."""
        if not self._shown or not repaint or regions or layout or recompose:
            return super().refresh(*regions, repaint=repaint, layout=layout, recompose=recompose)
        if not self._asked:
            self._asked = True
            self.call_later(self._look)
        return self

    def _look(self) -> None:
        self._asked = False
        if self.parent is not None and self._cells() != self._shown:
            super().refresh()

    def render_lines(self, crop: Region) -> list[Strip]:
        """The lines of a region."""
        self._shown = self._cells()
        filters = tuple(self.get_line_filters())
        strips = [self._strip(cell, filters) for cell in self._shown[crop.y : crop.bottom]]
        if crop.column_span != (0, self.size.width):
            strips = [strip.crop(*crop.column_span) for strip in strips]
        return strips

    def _strip(self, cell: Segment, filters: tuple[LineFilter, ...]) -> Strip:
        strip = self._strips.get((cell, filters))
        if strip is None:
            strip = Strip([cell], self.thickness).apply_style(self.visual_style.rich_style)
            for line_filter in filters:
                strip = strip.apply_filter(line_filter, self.background_colors[1])
            self._strips[cell, filters] = strip
        return strip
