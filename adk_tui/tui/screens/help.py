"""All keys and commands, those of the pane one came from first."""

from collections.abc import Sequence
from textwrap import wrap
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from adk_tui.tui.actions import ACTIONS, Action, Where, key_label, usage

KEY = 18
"""Cells of the column of keys."""


class HelpScreen(ModalScreen[None]):
    """``here`` are the focused widget's own keys as ``(key, what it does)``."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,f1,q,question_mark", "dismiss", "Close"),
        Binding("down,j", "page(1)", show=False),
        Binding("up,k", "page(-1)", show=False),
    ]
    DEFAULT_CSS: ClassVar[str] = """
    HelpScreen { align: center middle; background: $background 60%; }
    HelpScreen VerticalScroll { width: 100; max-width: 96%; height: 90%; background: $panel;
        border: round $border; padding: 1 2; scrollbar-size-vertical: 1; }
    HelpScreen Static { height: auto; }
    """

    def __init__(self, pane: str, here: Sequence[tuple[str, str]], wanted: str = "") -> None:
        super().__init__()
        self._pane = pane
        self._here = here
        self._wanted = wanted.lstrip("/").lower()

    def compose(self) -> ComposeResult:
        """Its parts, from top to bottom."""
        with VerticalScroll() as box:
            box.border_title = "Help"
            box.border_subtitle = "Esc closes"
            yield Static(markup=False)

    def on_mount(self) -> None:
        """The arrow keys scroll at once."""
        self.query_one(VerticalScroll).focus()

    def on_resize(self, event: events.Resize) -> None:
        """Long explanations wrap beside their key."""
        width = min(100, int(event.size.width * 0.96)) - 8
        self.query_one(Static).update(self.text(width))

    def action_page(self, by: int) -> None:
        """Scroll."""
        self.query_one(VerticalScroll).scroll_relative(y=by, animate=False)

    def text(self, width: int) -> Content:
        """The help as one text, ``width`` cells wide."""
        page = _Page(width)
        if wanted := self._matching():
            page.title(f"/{self._wanted}")
            for action in wanted:
                page.action(action)
        if self._here:
            page.title(f"In this pane ({self._pane})")
            for key, what in self._here:
                page.row(key, what)
        places: list[tuple[Where, str]] = [
            ("everywhere", "Everywhere"),
            ("prompt", "In the prompt"),
            ("lists", "In the chat and the events"),
            ("events", "In the event stream"),
            ("approvals", "In the approvals"),
            ("inspector", "In the inspector of an event"),
        ]
        order = {self._pane: 0, "lists": 1 if self._pane in ("chat", "events") else 2}
        places.sort(key=lambda p: order.get(p[0], 2))
        for place, title in places:
            page.title(title)
            for action in ACTIONS:
                if action.where == place:
                    page.action(action)
        page.title("Writing to the agent")
        page.row("@file", "attach a file; Tab completes the path")
        page.row("/command", "a command from this list; // sends a slash as text")
        page.row("a long paste", "becomes a chip and is sent in full")
        return Content.assemble(*page.pairs)

    def _matching(self) -> list[Action]:
        if not self._wanted:
            return []
        return [a for a in ACTIONS if self._wanted in (a.slash, a.name)]


class _Page:
    """Collects rows of a key and what it does, the latter wrapped."""

    def __init__(self, width: int) -> None:
        self.pairs: list[tuple[str, str]] = []
        self._width = max(width - KEY - 3, 24)

    def title(self, text: str) -> None:
        """A heading."""
        gap = "\n" if self.pairs else ""
        self.pairs.append((f"{gap}{text}\n", "bold $primary"))

    def row(self, key: str, what: str) -> None:
        """A key and what it does."""
        lines = wrap(what, self._width) or [""]
        text = ("\n" + " " * (KEY + 3)).join(lines)
        self.pairs += [(f"  {key:<{KEY}} ", "bold $accent"), (text + "\n", "$foreground")]

    def action(self, action: Action) -> None:
        """An action of the registry."""
        keys = " ".join(key_label(k) for k in action.keys)
        slash = usage(action) if action.slash else ""
        self.row(keys or slash, action.help + (f"  {slash}" if keys and slash else ""))
