"""The keys that work now, in one line; each can be clicked."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.cells import cell_len
from textual import events
from textual.app import RenderResult
from textual.content import Content
from textual.widget import Widget

from adk_tui.tui.messages import Act


@dataclass(frozen=True, slots=True)
class Hint:
    """A key, what it does, and whether it would do it right now."""

    key: str
    label: str
    action: str
    possible: bool = True


class KeyBar(Widget):
    """Shows as many hints as fit, from the left; a click does what the key does."""

    DEFAULT_CSS: ClassVar[str] = """
    KeyBar { height: 1; background: $panel; padding: 0 1; }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._hints: tuple[Hint, ...] = ()
        self._spans: list[tuple[int, int, Hint]] = []

    @property
    def hints(self) -> tuple[Hint, ...]:
        """What is shown now."""
        return self._hints

    def show(self, hints: Sequence[Hint]) -> None:
        """Show these keys from now on."""
        if tuple(hints) != self._hints:
            self._hints = tuple(hints)
            self.refresh()

    def render(self) -> RenderResult:
        """The hints, dimmed where they are not possible."""
        pairs: list[tuple[str, str]] = []
        self._spans = []
        place = 0
        room = self.size.width - 2
        for hint in self._hints:
            width = cell_len(hint.key) + 1 + cell_len(hint.label)
            if place + width > room:
                break
            self._spans.append((place, place + width, hint))
            key, label = ("bold $accent", "$foreground")
            if not hint.possible:
                key = label = "$text-disabled"
            pairs += [(hint.key, key), (" " + hint.label, label), ("  ", "")]
            place += width + 2
        return Content.assemble(*pairs)

    def on_click(self, event: events.Click) -> None:
        """Do what the clicked hint says."""
        column = event.x - 1
        for start, end, hint in self._spans:
            if start <= column < end:
                self.post_message(Act(hint.action))
