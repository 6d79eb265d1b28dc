"""A document of lines that stands still: begun at its top, never followed, searched in place."""

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message

from adk_tui.tui.widgets.line_view import LineView
from adk_tui.tui.widgets.text_lines import Line, mark_match


class DocumentView(LineView):
    """What trees and pages have in common. ``n`` and ``N`` go on with a search."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "select", "Open or close", show=False, id="document.toggle"),
        Binding("n", "search_next", "Next match", show=False, id="document.search_next"),
        Binding(
            "N", "search_previous", "Previous match", show=False, id="document.search_previous"
        ),
    ]

    SEARCH_FROM = 1
    """How many rows from the cursor a new search begins."""

    class Searched(Message):
        """A search has ended."""

        def __init__(self, what: str, found: bool) -> None:
            super().__init__()
            self.what = what
            self.found = found

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.set_reactive(LineView.follow, False)
        self._cursor = 0
        self._needle = ""

    def marked(self, line: Line) -> Line:
        """The line with what is looked for marked in it."""
        return mark_match(line, self._needle) if self._needle else line

    def action_follow(self) -> None:
        """The last row; a document does not grow, so nothing is followed."""
        self.move_cursor(self.row_count() - 1)

    def search(self, text: str) -> None:
        """Go to the next row that contains this text, opening what it is in."""
        self._needle = text
        self.refresh()
        if text:
            self._look(1, self.SEARCH_FROM)

    def action_search_next(self) -> None:
        """The next match."""
        if self._needle:
            self._look(1, 1)

    def action_search_previous(self) -> None:
        """The match before."""
        if self._needle:
            self._look(-1, -1)

    def _look(self, step: int, away: int) -> None:
        row = self.find_text(self._needle, (self.cursor or 0) + away, step)
        if row is not None:
            self.move_cursor(row, center=True)
        self.post_message(self.Searched(self._needle, row is not None))

    def find_text(self, text: str, row: int, step: int) -> int | None:
        """The next row with this text from ``row`` on, opened where it was folded away.

        ``step`` is the direction, 1 or -1. None where no row has the text.
        """
        raise NotImplementedError
