"""The tickets as a person sees them: which there are, and which one is marked.

The mark decides what a key acts on, so it never moves unseen: a ticket that
came under it by itself is not armed for half a second, and what is being
written stays with the ticket it was written for.
"""

import time
from collections.abc import Callable
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import OptionList

from adk_tui.core.commands import Command, ListSessions
from adk_tui.core.consequences import consequences
from adk_tui.core.reports import SessionInfo
from adk_tui.core.sanitize import line
from adk_tui.core.session import SessionView
from adk_tui.core.tickets import Ticket
from adk_tui.tui.messages import Submit
from adk_tui.tui.widgets.ticket_form import TicketForm
from adk_tui.tui.widgets.ticket_list import Row, TicketList, elsewhere
from adk_tui.tui.widgets.ticket_pane import TicketPane
from adk_tui.tui.widgets.ticket_sending import Sending
from adk_tui.tui.widgets.ticket_text import STATES
from adk_tui.tui.widgets.ticket_work import Work, Workshop

ARM = 0.5
"""Seconds a ticket must have been there before it accepts a key."""
SHORT = 34
"""Rows below which the screen is short of room for the panel."""
LISTED = 20.0
"""Seconds after which the tickets of other sessions are asked for again on focus."""


class TicketBoard(Vertical):
    """Draws the tickets of a view, and keeps the mark."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("shift+down", "scroll_ticket(1)", "Scroll the ticket's text down"),
        Binding("shift+up", "scroll_ticket(-1)", "Scroll the ticket's text up"),
    ]
    DEFAULT_CSS: ClassVar[str] = """
    TicketBoard { height: auto; max-height: 100%; }
    TicketBoard TicketList { max-height: 7; }
    TicketBoard.-form TicketList { max-height: 5; }
    TicketBoard.-short TicketList { max-height: 4; }
    TicketBoard.-short.-form TicketList { max-height: 3; }
    TicketBoard.-editing TicketList, TicketBoard.-short.-editing TicketList { max-height: 2; }
    """

    def __init__(
        self,
        *,
        clock: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
        id: str | None = None,
    ) -> None:
        super().__init__(id=id)
        self._clock = clock
        self._wall = wall
        self._view = SessionView()
        self._workshop = Workshop()
        self._sending = Sending(self._workshop, lambda: self._clock(), self._submit)
        self._marked = ""
        self._armed_at = 0.0
        self._history = False
        self._holding = False
        self._said = ""
        self._asked: tuple[tuple[str, str], float] | None = None
        self._told: tuple[object, tuple[str, ...]] = (None, ())
        self._drawn: object = None

    def compose(self) -> ComposeResult:
        """Its parts, from top to bottom."""
        yield TicketList(id="tickets")
        yield TicketPane()

    def on_mount(self) -> None:
        """Begin empty; keep the ages right."""
        self._draw()
        self.set_interval(5, self._draw)

    def on_resize(self) -> None:
        """What fits depends on the size."""
        self.set_class(self.screen.size.height < SHORT, "-short")
        self._draw_ticket()

    def action_scroll_ticket(self, by: int) -> None:
        """Read on in a ticket with more text than there is room."""
        self._pane.scroll_text(by)

    def on_descendant_focus(self) -> None:
        """The focus came, or moved between list and form."""
        self._list_elsewhere(again=True)
        self._editing()

    def on_descendant_blur(self) -> None:
        """The focus went: a half written answer is kept."""
        self._form.save()
        self.call_after_refresh(self._editing)

    def _editing(self) -> None:
        self.set_class(self._pane.editing(), "-editing")
        self.call_after_refresh(self._pane.fit)

    def show(self, view: SessionView) -> None:
        """Draw this view's tickets, once all of its session has arrived."""
        self._view = view
        opened = view.session
        if self._being_told:
            return
        self._sending.show(view)
        self._list_elsewhere()
        status = view.status
        drawn = (view.tickets.tickets, opened, view.ready, view.sessions, status.phase,
                 status.queued, len(view.log.history()))  # fmt: skip
        if drawn != self._drawn:
            self._drawn = drawn
            self._draw()

    @property
    def marked(self) -> Ticket | None:
        """The ticket that keys act on."""
        return self._view.tickets.get(self._marked)

    def work(self, ticket: Ticket) -> Work:
        """What has been done on a ticket."""
        return self._sending.work(ticket)

    def _rows(self) -> list[Row]:
        tickets = self._view.tickets.tickets
        rows: list[Row] = [t for t in tickets if t.is_open or t.state == "stuck"]
        if not rows:
            rows.append("Nothing waits for you.")
        if found := elsewhere(self._view):
            rows += ["In other sessions (Enter opens)", *found]
        if self._history:
            closed = [t for t in reversed(tickets) if not t.is_open and t.state != "stuck"]
            rows += ["Answered and closed" if closed else "Nothing was answered yet.", *closed]
        return rows

    @property
    def _being_told(self) -> bool:
        """Whether part of the session has yet to arrive: what is shown stays as it was."""
        opened = self._view.session
        return opened is not None and len(self._view.log.history()) < opened.count

    def _draw(self) -> None:
        if self._being_told:
            return
        rows = self._rows()
        listing = self.query_one(TicketList)
        if self._marked not in listing.keys(rows):
            self._mark(next((r.key for r in rows if isinstance(r, Ticket)), ""), automatic=True)
        listing.show(
            rows, self._workshop, self._sending.queued(), now=self._wall(), marked=self._marked
        )
        self._draw_ticket()

    def _mark(self, key: str, *, automatic: bool) -> None:
        if key == self._marked:
            return
        form = self._form
        form.save()
        if form.has_focus_within:
            # What is typed on must not land in the form of another ticket.
            self.screen.set_focus(self.query_one(TicketList))
            gone = self.marked
            if automatic and gone is not None:
                word = STATES[gone.state][2] or "no longer open"
                self._said = f"{line(gone.name, 60)}: {word}. What you had written is kept."
        self._marked = key
        self._holding = False
        now = self._clock()
        work = self._workshop.find(key)
        appeared = work.appeared if work is not None else now
        self._armed_at = (now if automatic else appeared) + ARM

    def _draw_ticket(self) -> None:
        if self._being_told:
            return
        ticket, pane, now = self.marked, self._pane, self._wall()
        problem = ""
        if ticket is None:
            pane.show_session(self._session_marked(), now)
        else:
            work = self.work(ticket)
            problem = work.problem
            told = self._consequences(ticket) if ticket.is_open or work.another else ()
            pane.show(ticket, work, told, holding=self._holding, now=now)
        pane.say("\n".join(t for t in (problem, self._said) if t))
        self.set_class(pane.form.has_fields, "-form")
        self.call_after_refresh(pane.fit)

    @property
    def _pane(self) -> TicketPane:
        return self.query_one(TicketPane)

    @property
    def _form(self) -> TicketForm:
        return self._pane.form

    def _session_marked(self) -> SessionInfo | None:
        row = self.query_one(TicketList).find(self._marked)
        return row if isinstance(row, SessionInfo) else None

    def _consequences(self, ticket: Ticket) -> tuple[str, ...]:
        view = self._view
        if view.ready is None:
            return ()
        history = view.log.history()
        key = (ticket, len(history), view.log.generation, id(view.ready))
        if self._told[0] != key:
            told = consequences(ticket, view.ready.root, history, view.resumable)
            self._told = (key, told)
        return self._told[1]

    @on(OptionList.OptionHighlighted, "#tickets")
    def _moved(self) -> None:
        """The mark follows the list, which may be ahead: keys come faster than its messages."""
        listing = self.query_one(TicketList)
        key = listing.key_at(listing.highlighted) if listing.highlighted is not None else ""
        if key and key != self._marked:
            self._said = ""
            self._mark(key, automatic=False)
            self._draw_ticket()

    def open_call(self, call_id: str) -> None:
        """Mark the newest ticket of this call."""
        found = [t for t in self._view.tickets.tickets if t.call_id == call_id]
        if found:
            self._history = self._history or not found[-1].is_open
            self._mark(found[-1].key, automatic=True)
            self._draw()

    def _list_elsewhere(self, *, again: bool = False) -> None:
        """Ask for the sessions of the app: they say what waits in them."""
        view, now = self._view, self._clock()
        if view.ready is None or view.session is None or view.status.phase != "ready":
            return
        if "list_sessions" not in view.ready.capabilities:
            return
        here = (view.session.id, view.session.user)
        asked = self._asked
        if asked is None or asked[0] != here or (again and now > asked[1] + LISTED):
            self._asked = (here, now)
            self.post_message(Submit(ListSessions()))

    def _submit(self, command: Command, told: Callable[[int], None]) -> None:
        self.post_message(Submit(command, told))
