"""All keys and commands, those of the pane one came from first."""

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from adk_tui.tui.actions import ACTIONS, Action, key_label, usage


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
        with VerticalScroll() as box:
            box.border_title = "Help"
            box.border_subtitle = "Esc closes"
            yield Static(self.text(), markup=False)

    def on_mount(self) -> None:
        """The arrow keys scroll at once."""
        self.query_one(VerticalScroll).focus()

    def action_page(self, by: int) -> None:
        """Scroll."""
        self.query_one(VerticalScroll).scroll_relative(y=by, animate=False)

    def text(self) -> Content:
        """The help as one text."""
        rows: list[tuple[str, str]] = []
        if wanted := self._matching():
            _title(rows, f"{self._wanted}")
            for action in wanted:
                _row(rows, action)
            rows.append(("\n", ""))
        if self._here:
            _title(rows, f"In this pane ({self._pane})")
            for key, what in self._here:
                _line(rows, key, what)
            rows.append(("\n", ""))
        _title(rows, "Everywhere")
        for action in ACTIONS:
            if action.where == "everywhere":
                _row(rows, action)
        for place, title in (("prompt", "In the prompt"), ("approvals", "In the approvals")):
            rows.append(("\n", ""))
            _title(rows, title)
            for action in ACTIONS:
                if action.where == place:
                    _row(rows, action)
        rows.append(("\n", ""))
        _title(rows, "Writing to the agent")
        _line(rows, "@file", "attach a file; Tab completes the path")
        _line(rows, "/command", "a command from this list; // sends a slash as text")
        _line(rows, "a paste", "a long one becomes a chip and is sent in full")
        return Content.assemble(*rows)

    def _matching(self) -> list[Action]:
        if not self._wanted:
            return []
        return [a for a in ACTIONS if self._wanted in (a.slash, a.name)]


def _title(rows: list[tuple[str, str]], text: str) -> None:
    rows.append((text + "\n", "bold $primary"))


def _line(rows: list[tuple[str, str]], key: str, what: str) -> None:
    rows += [(f"  {key:<20} ", "bold $accent"), (what + "\n", "$foreground")]


def _row(rows: list[tuple[str, str]], action: Action) -> None:
    keys = " ".join(key_label(k) for k in action.keys)
    slash = usage(action) if action.slash else ""
    _line(rows, keys or slash, action.help + (f"   {slash}" if keys and slash else ""))
