"""The tabs of the inspector, in one line; a number or a click goes to one."""

from typing import ClassVar

from rich.cells import cell_len
from textual import events
from textual.app import RenderResult
from textual.content import Content
from textual.message import Message
from textual.widget import Widget

TITLES = {
    "summary": "Summary",
    "json": "JSON",
    "request": "Request",
    "response": "Response",
    "state": "State",
    "timing": "Timing",
}


class InspectorTabs(Widget):
    """``show`` says which tab is in front."""

    DEFAULT_CSS: ClassVar[str] = """
    InspectorTabs { height: 1; background: $surface; padding: 0 1; }
    """

    class Chosen(Message):
        """A tab was clicked."""

        def __init__(self, tab: str) -> None:
            super().__init__()
            self.tab = tab

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._front = ""
        self._spans: list[tuple[int, int, str]] = []

    def show(self, front: str) -> None:
        """Draw this from now on."""
        if front != self._front:
            self._front = front
            self.refresh()

    def render(self) -> RenderResult:
        """The tabs; the one in front stands out."""
        pairs: list[tuple[str, str]] = []
        self._spans = []
        place = 0
        for number, (name, title) in enumerate(TITLES.items(), 1):
            front = name == self._front
            text = f" {number} {title} "
            style = "bold $foreground on $block-cursor-background" if front else "$foreground 62%"
            self._spans.append((place, place + cell_len(text), name))
            place += cell_len(text) + 1
            pairs += [(text, style), (" ", "")]
        return Content.assemble(*pairs)

    def on_click(self, event: events.Click) -> None:
        """Go to the clicked tab."""
        for start, end, name in self._spans:
            if start <= event.x - 1 < end:
                self.post_message(self.Chosen(name))
