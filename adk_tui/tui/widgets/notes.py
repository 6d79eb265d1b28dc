"""What holds until it is done or taken back, in lines of its own above the prompt.

A toast is gone after seconds. That a message is being edited, that a stop is
on its way and what it waits for, or that the next message goes elsewhere must
be seen for as long as it is so.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from textual.app import RenderResult
from textual.content import Content
from textual.widget import Widget


@dataclass(frozen=True, slots=True)
class Note:
    """``text`` says what holds, ``keys`` what one can do about it."""

    text: str
    keys: str = ""
    tone: Literal["info", "warning"] = "info"


class Notes(Widget):
    """Hidden while there is nothing to say."""

    DEFAULT_CSS: ClassVar[str] = """
    Notes { display: none; height: auto; max-height: 6; padding: 0 1; background: $surface; }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.notes: tuple[Note, ...] = ()

    def show(self, notes: Sequence[Note]) -> None:
        """Show these from now on."""
        if tuple(notes) != self.notes:
            self.notes = tuple(notes)
            self.display = bool(notes)
            self.refresh(layout=True)

    def render(self) -> RenderResult:
        """One note a line, its keys at the end."""
        pairs: list[tuple[str, str]] = []
        for note in self.notes:
            style = "$text-warning" if note.tone == "warning" else "$text-primary"
            pairs.append((("\n" if pairs else "") + note.text, style))
            if note.keys:
                pairs.append(("   " + note.keys, "$foreground 62%"))
        return Content.assemble(*pairs)
