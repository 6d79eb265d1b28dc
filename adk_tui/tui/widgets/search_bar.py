"""One line to type a search into, above what it searches."""

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.message import Message
from textual.widgets import Input, Static


class SearchBar(Horizontal):
    """Hidden until ``ask``. Enter searches and goes back; Esc closes and forgets."""

    DEFAULT_CSS: ClassVar[str] = """
    SearchBar { display: none; height: 1; background: $panel; padding: 0 1; }
    SearchBar Static { width: auto; color: $text-accent; text-style: bold; }
    SearchBar Input, SearchBar Input:focus { width: 1fr; height: 1; border: none; padding: 0;
        background: $panel; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "close", "Close the search"),
    ]

    class Asked(Message):
        """Look for ``text``; empty forgets the search. ``done``: the bar has closed."""

        def __init__(self, text: str, *, done: bool) -> None:
            super().__init__()
            self.text = text
            self.done = done

    def compose(self) -> ComposeResult:
        """Its parts."""
        yield Static("/ ", markup=False)
        yield Input(placeholder="search    Enter goes to the next match, Esc closes", compact=True)

    def ask(self, text: str = "") -> None:
        """Show it and take the keys."""
        self.display = True
        field = self.query_one(Input)
        field.value = text
        # At once: the next key may be on its way already.
        self.screen.set_focus(field)

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self._end(event.value)

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        event.stop()

    def action_close(self) -> None:
        """Close, and forget what was searched."""
        self._end("")

    def _end(self, text: str) -> None:
        self.display = False
        self.post_message(self.Asked(text, done=True))
