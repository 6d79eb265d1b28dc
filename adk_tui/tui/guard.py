"""The last door before the terminal: no widget's line gets through it with a character that acts.

What our own widgets draw was made safe before. But a text field shows what is
in it as it is, and so may anything that is built later; a terminal obeys what
it gets.
"""

from rich.cells import cell_len
from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

from adk_tui.core.sanitize import replaced


class Guard(LineFilter):
    """Takes the place of what is no text with as many blanks as it counted for."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002
        """The same segments, safe."""
        if all(_plain(segment.text) for segment in segments):
            return segments
        return [Segment(_safe(text), style, control) for text, style, control in segments]


def _plain(text: str) -> bool:
    return text.isascii() and text.isprintable()


def _safe(text: str) -> str:
    return text if _plain(text) else replaced(text, lambda char: " " * cell_len(char))
