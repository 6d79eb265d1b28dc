"""The three panes as tabs with counts, where the terminal is too narrow for all at once."""

from typing import ClassVar

from rich.cells import cell_len
from textual import events
from textual.app import RenderResult
from textual.content import Content
from textual.widget import Widget

from adk_tui.tui.messages import Act

TABS = (
    ("chat", "F2 Chat", "prompt"),
    ("events", "F3 Events", "events"),
    ("approvals", "F4 Approvals", "approvals"),
)


class TabBar(Widget):
    """One line; ``show`` says which tab is in front and what the others hold."""

    DEFAULT_CSS: ClassVar[str] = """
    TabBar { height: 1; background: $surface; padding: 0 1; }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._front = "chat"
        self._counts: dict[str, int] = {}
        self._spans: list[tuple[int, int, str]] = []

    def show(self, front: str, counts: dict[str, int]) -> None:
        """Draw this from now on."""
        if (front, counts) != (self._front, self._counts):
            self._front, self._counts = front, dict(counts)
            self.refresh()

    def render(self) -> RenderResult:
        """The tabs; the one in front stands out, open approvals are loud."""
        pairs: list[tuple[str, str]] = []
        self._spans = []
        place = 0
        for name, title, action in TABS:
            number = self._counts.get(name, 0)
            text = f" {title} {number} " if number else f" {title} "
            style = "$foreground 62%"
            if name == "approvals" and number:
                style = "bold $text-warning"
            if name == self._front:
                style = "bold $foreground on $block-cursor-background"
            self._spans.append((place, place + cell_len(text), action))
            place += cell_len(text) + 1
            pairs += [(text, style), (" ", "")]
        return Content.assemble(*pairs)

    def on_click(self, event: events.Click) -> None:
        """Go to the clicked tab."""
        for start, end, action in self._spans:
            if start <= event.x - 1 < end:
                self.post_message(Act(action))
