"""A short list over the screen, to choose one of."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from adk_tui.core.sanitize import line


@dataclass(frozen=True, slots=True)
class Entry:
    """A choice. ``refusal`` says why it cannot be chosen; ``mark`` stands before it."""

    id: str
    text: str
    note: str = ""
    refusal: str = ""
    mark: str = " "
    depth: int = 0


class Choose(ModalScreen[str | None]):
    """Returns the id of the chosen entry, or None. A refused entry says why and stays."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", "Close")]
    DEFAULT_CSS: ClassVar[str] = """
    Choose { align: center middle; background: $background 60%; }
    Choose > Vertical { width: 90; max-width: 96%; height: auto; max-height: 80%;
        background: $panel; border: round $border; padding: 0 1; }
    Choose OptionList, Choose OptionList:focus { text-wrap: nowrap; text-overflow: ellipsis;
        height: auto; max-height: 100%; border: none; background: $panel;
        padding: 0; scrollbar-size-vertical: 1; }
    Choose #why { height: auto; color: $text-warning; padding: 0 1; }
    Choose #hint { height: auto; color: $foreground 62%; padding: 0 1; }
    """

    def __init__(
        self, title: str, entries: Sequence[Entry], *, hint: str = "", at: int = 0
    ) -> None:
        super().__init__()
        self._title = title
        self._entries = list(entries)
        self._hint = hint
        self._at = at

    def compose(self) -> ComposeResult:
        """Its parts, from top to bottom."""
        with Vertical() as box:
            box.border_title = Content(self._title)
            yield OptionList(*(self._option(e) for e in self._entries), markup=False)
            yield Static("", id="why", markup=False)
            yield Static(self._hint or "Enter chooses   Esc closes", id="hint", markup=False)

    @staticmethod
    def _option(entry: Entry) -> Option:
        style = "$foreground 62%" if entry.refusal else "$foreground"
        note = entry.refusal or entry.note
        return Option(
            Content.assemble(
                (f"{entry.mark} " + "  " * entry.depth, "bold $accent"),
                (line(entry.text, 300), style),
                ("   " + line(note, 300) if note else "", "$foreground 62%"),
            )
        )

    def on_mount(self) -> None:
        """Mark the entry to begin with."""
        self.query_one("#why").display = False
        if self._entries:
            self.query_one(OptionList).highlighted = min(self._at, len(self._entries) - 1)

    @on(OptionList.OptionSelected)
    def _chosen(self, event: OptionList.OptionSelected) -> None:
        entry = self._entries[event.option_index]
        why = self.query_one("#why", Static)
        why.display = bool(entry.refusal)
        if entry.refusal:
            why.update(Content(f"{line(entry.text, 80)}: {line(entry.refusal, 300)}"))
            return
        self.dismiss(entry.id)

    @on(OptionList.OptionHighlighted)
    def _moved(self) -> None:
        self.query_one("#why").display = False


class Confirm(Choose):
    """Asks before something that cannot be undone. What changes nothing is marked first."""

    def __init__(self, question: str, yes: str, *, note: str = "") -> None:
        super().__init__(
            question, [Entry("no", "Leave it as it is"), Entry("yes", yes, note)], at=0
        )
