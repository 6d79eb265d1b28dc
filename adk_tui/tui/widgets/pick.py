"""One of a few, in a line: ``○ small  ● large``."""

from collections.abc import Sequence
from typing import ClassVar

from textual import events
from textual.app import RenderResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from adk_tui.core.sanitize import line


class Pick(Widget, can_focus=True):
    """Nothing is chosen until the user does (``index`` -1)."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,down,space", "step(1)", "Next choice"),
        Binding("left,up", "step(-1)", "Choice before"),
        Binding("enter", "go_on", "Next field"),
    ]
    DEFAULT_CSS: ClassVar[str] = """
    Pick { height: auto; padding: 0 1; }
    Pick:focus { background: $block-cursor-blurred-background; }
    """
    index: reactive[int] = reactive(-1)

    class Done(Message):
        """Enter: the next field is meant."""

    def __init__(self, options: Sequence[str], index: int = -1) -> None:
        super().__init__()
        self._names = [line(o, 80) for o in options]
        self._places: list[tuple[int, int]] = []
        self.set_reactive(Pick.index, index)

    def render(self) -> RenderResult:
        """All options, one below the other where they need it."""
        across = "   ".join(f"○ {n}" for n in self._names)
        gap = "   " if len(across) <= max(self.size.width - 2, 20) else "\n"
        pairs: list[tuple[str, str]] = []
        self._places = []
        row = column = 0
        for number, name in enumerate(self._names):
            chosen = number == self.index
            text = ("● " if chosen else "○ ") + name
            self._places.append((row, column))
            pairs.append((text, "bold $primary" if chosen else ""))
            if number < len(self._names) - 1:
                pairs.append((gap, ""))
            if gap == "\n":
                row += 1
            else:
                column += Content(text + gap).cell_length
        return Content.assemble(*pairs)

    def action_step(self, by: int) -> None:
        """Choose the next or the one before."""
        if self._names:
            start = self.index if self.index >= 0 else (-1 if by > 0 else 0)
            self.index = (start + by) % len(self._names)

    def action_go_on(self) -> None:
        """Go to the next field."""
        self.post_message(self.Done())

    def on_click(self, event: events.Click) -> None:
        """Choose what was clicked."""
        hits = [n for n, (y, x) in enumerate(self._places) if y == event.y and x <= event.x - 1]
        if hits:
            self.index = hits[-1]
