"""One line to fill in, over the screen."""

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Static


class Ask(ModalScreen[str | None]):
    """Returns what was entered, without spaces around it, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", "Close")]
    DEFAULT_CSS: ClassVar[str] = """
    Ask { align: center middle; background: $background 60%; }
    Ask > Vertical { width: 80; max-width: 96%; height: auto; background: $panel;
        border: round $border; padding: 0 1; }
    Ask Input { border: none; height: 1; padding: 0 1; background: $surface; margin: 1 0; }
    Ask #hint { height: auto; color: $foreground 62%; padding: 0 1; }
    """

    def __init__(self, title: str, text: str = "", *, hint: str = "", empty: str = "") -> None:
        super().__init__()
        self._title = title
        self._text = text
        self._hint = hint
        self._empty = empty

    def compose(self) -> ComposeResult:
        """Its parts, from top to bottom."""
        with Vertical() as box:
            box.border_title = Content(self._title)
            yield Input(self._text, placeholder=self._empty, compact=True)
            yield Static(self._hint or "Enter takes it   Esc closes", id="hint", markup=False)

    @on(Input.Submitted)
    def _entered(self, event: Input.Submitted) -> None:
        event.stop()
        self.dismiss(event.value.strip())
