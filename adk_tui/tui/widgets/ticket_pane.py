"""The marked ticket in full: what is asked, what each key does, the form, what was said last."""

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from adk_tui.core.reports import SessionInfo
from adk_tui.core.sanitize import clean
from adk_tui.core.tickets import Ticket
from adk_tui.tui.widgets.ticket_form import TicketForm
from adk_tui.tui.widgets.ticket_keys import keys_of
from adk_tui.tui.widgets.ticket_text import about_session, details, key_lines
from adk_tui.tui.widgets.ticket_work import Work

LOCKED = frozenset({"stuck", "superseded", "withdrawn"})
"""States in which no answer helps."""


class TicketPane(Vertical):
    """Keys and last words are always seen; text and form share the rest and scroll in it."""

    DEFAULT_CSS: ClassVar[str] = """
    TicketPane { height: auto; }
    TicketPane #ticket { height: auto; padding: 0 1; scrollbar-size-vertical: 1; }
    TicketPane #details { height: auto; }
    TicketPane #does { height: auto; padding: 0 1; text-wrap: nowrap; text-overflow: ellipsis; }
    TicketPane #said { height: auto; max-height: 4; padding: 0 1; color: $text-warning; }
    TicketPane.-editing #does { height: 0; }
    """

    def compose(self) -> ComposeResult:
        """Its parts, from top to bottom."""
        with VerticalScroll(id="ticket", can_focus=False):
            yield Static("", id="details", markup=False)
        yield Static("", id="does", markup=False)
        yield TicketForm(id="form")
        yield Static("", id="said", markup=False)

    @property
    def form(self) -> TicketForm:
        """What the answer is written into."""
        return self.query_one(TicketForm)

    def show(
        self, ticket: Ticket, work: Work, told: tuple[str, ...], *, holding: bool, now: float
    ) -> None:
        """Draw a ticket. ``told`` is what an answer will do."""
        self.query_one("#ticket").display = True
        width = max(self.size.width - 4, 20)
        self._put("#details", details(ticket, told, now=now, width=width))
        closed = not ticket.is_open and not work.another
        locked = closed or bool(ticket.dead) or ticket.state in LOCKED
        self.form.show(ticket, work.draft, as_json=work.as_json, locked=locked)
        keys = keys_of(ticket, work, fields=self.form.has_fields)
        self.query_one("#does").display = bool(keys)
        self._put("#does", key_lines(keys, holding=holding))

    def show_session(self, session: SessionInfo | None, now: float) -> None:
        """Draw another session in which something waits; None draws nothing."""
        self.form.hide()
        self.query_one("#does").display = False
        self.query_one("#ticket").display = session is not None
        if session is not None:
            self._put("#details", about_session(session, now=now))

    def say(self, text: str) -> None:
        """What is to be said last; empty for nothing."""
        self.query_one("#said").display = bool(text)
        self._put("#said", Content(clean(text)))

    def _put(self, where: str, content: Content) -> None:
        """Show something, if it is not shown already: each update lays out the whole screen."""
        part = self.query_one(where, Static)
        shown = part.content
        if not (
            isinstance(shown, Content)
            and (shown.plain, shown.spans) == (content.plain, content.spans)
        ):
            part.update(content)

    def scroll_text(self, by: int) -> None:
        """Read on in a ticket with more text than there is room."""
        self.query_one("#ticket").scroll_relative(y=by * 3, animate=False)

    def editing(self) -> bool:
        """Whether the focus is in the form; the keys of the list make room then."""
        inside = self.form.has_focus_within
        self.set_class(inside, "-editing")
        return inside

    @on(TicketForm.Drawn)
    def _drawn(self) -> None:
        self.call_after_refresh(self.fit)

    def fit(self) -> None:
        """Share the room between text and form.

        The place that this stands in, two up, is as high as its own place
        (narrow), or grows up to a share of it (wide).
        """
        panel = self.parent
        place = panel.parent if isinstance(panel, Widget) else None
        if not isinstance(panel, Widget) or not isinstance(place, Widget):
            return
        height = place.size.height
        share = place.styles.max_height
        if share is not None and isinstance(place.parent, Widget):
            height = int(place.parent.size.height * share.value / 100) - 1
        above = [w for w in panel.children if w is not self and w.display]
        fixed = [*above, *(w for w in self.query("#does, #said") if w.display)]
        room = height - sum(w.outer_size.height for w in fixed)
        text = self.query_one("#details").outer_size.height
        form = self.form.virtual_size.height if self.form.display else 0
        for_text = text if text + form <= room else max(min(text, room // 3), room - form, 2)
        self.query_one("#ticket").styles.max_height = max(for_text, 2)
        self.form.styles.max_height = max(room - for_text, 3)
