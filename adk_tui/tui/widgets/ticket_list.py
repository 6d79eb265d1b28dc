"""The list of tickets: what waits here, what waits in other sessions, what was answered."""

from collections.abc import Sequence
from typing import ClassVar, TypeAlias

from textual.content import Content
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from adk_tui.core.reports import SessionInfo
from adk_tui.core.session import SessionView
from adk_tui.core.tickets import Ticket
from adk_tui.tui.widgets.ticket_text import row, session_row
from adk_tui.tui.widgets.ticket_work import Workshop

Row: TypeAlias = Ticket | SessionInfo | str
"""A text is a heading, which cannot be marked."""


def elsewhere(view: SessionView) -> list[SessionInfo]:
    """The other sessions of the app in which something waits, of all users, newest first."""
    if view.sessions is None:
        return []
    here = (view.session.id, view.session.user) if view.session else ("", "")
    return [s for s in view.sessions.sessions if s.tickets > 0 and (s.id, s.user) != here]


def key_of(row: Row) -> str:
    """What a row is known by; empty for a heading."""
    match row:
        case Ticket():
            return row.key
        case SessionInfo():
            return f"session {row.user} {row.id}"
        case str():
            return ""


class TicketList(OptionList):
    """Keeps its mark on the same row while rows come and go."""

    DEFAULT_CSS: ClassVar[str] = """
    TicketList, TicketList:focus { height: auto; border: none; padding: 0 1;
        background: $background; scrollbar-size-vertical: 1;
        text-wrap: nowrap; text-overflow: ellipsis; }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id, markup=False)
        self._rows: list[Row] = []

    @staticmethod
    def keys(rows: Sequence[Row]) -> list[str]:
        """What the rows are known by, headings left out."""
        return [k for k in map(key_of, rows) if k]

    def key_at(self, index: int) -> str:
        """What the row in that place is known by; empty for a heading."""
        return key_of(self._rows[index]) if index < len(self._rows) else ""

    def find(self, key: str) -> Row | None:
        """The row known by that key."""
        return next((r for r in self._rows if key and key_of(r) == key), None)

    def show(
        self,
        rows: Sequence[Row],
        works: Workshop,
        queued: frozenset[int],
        *,
        now: float,
        marked: str,
    ) -> None:
        """Draw these rows, with the mark on the one known by ``marked``."""
        same = self.keys(rows) == self.keys(self._rows) and len(rows) == self.option_count
        self._rows = list(rows)
        drawn = [self._option(r, works, queued, now) for r in rows]
        with self.prevent(OptionList.OptionHighlighted):
            if same:
                for at, option in enumerate(drawn):
                    self.replace_option_prompt_at_index(at, option.prompt)
            else:
                self.clear_options()
                self.add_options(drawn)
            at = next((n for n, r in enumerate(rows) if marked and key_of(r) == marked), None)
            self.highlighted = at
        self.call_after_refresh(self.scroll_to_highlight)

    def on_resize(self) -> None:
        """The mark stays in view when there is less room."""
        self.call_after_refresh(self.scroll_to_highlight)

    @staticmethod
    def _option(it: Row, works: Workshop, queued: frozenset[int], now: float) -> Option:
        match it:
            case str():
                return Option(Content.assemble((it, "$foreground 62%")), disabled=True)
            case SessionInfo():
                return Option(session_row(it, now))
            case Ticket():
                work = works.find(it.key)
                word = ""
                if work is not None and work.sending:
                    word = "queued" if work.command in queued else "sending"
                elif work is not None and it.is_open:
                    word = "held" if work.held else "draft" if any(work.draft.values()) else ""
                return Option(row(it, now, word=word))
