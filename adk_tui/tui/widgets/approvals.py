"""The approvals panel: everything that waits for a human, and what the human answers.

No answer may be lost, doubled or given by accident. So the panel never takes
the focus; a ticket accepts a key only while the panel has the focus, and only
half a second after it came under the mark; a sent answer cannot be sent again
while it is on its way; and drafts stay until the ticket is closed.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from adk_tui.client.credentials import login_url
from adk_tui.core.commands import Answer, ToolAnswer
from adk_tui.core.consequences import consequences, siblings
from adk_tui.core.reports import Done
from adk_tui.core.sanitize import clean, line
from adk_tui.core.session import SessionView
from adk_tui.core.tickets import Ticket
from adk_tui.tui.actions import BY_NAME, bindings, key_label
from adk_tui.tui.messages import Act, Submit, Tell
from adk_tui.tui.widgets.ticket_form import TicketForm
from adk_tui.tui.widgets.ticket_text import STATES, details, row

ARM = 0.5
"""Seconds a ticket must have been under the mark before it accepts a key."""


@dataclass(slots=True)
class Work:
    """What the user has done on a ticket so far."""

    draft: dict[str, str] = field(default_factory=lambda: dict[str, str]())
    as_json: bool = False
    held: ToolAnswer | None = None
    sending: bool = False
    command: int = 0
    problem: str = ""
    again: str = ""
    again_at: float = 0.0
    said: str = ""


class Approvals(Vertical):
    """Draws the tickets of a view; answers go up as ``Submit``."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("approvals")]
    DEFAULT_CSS: ClassVar[str] = """
    Approvals { height: auto; max-height: 100%; }
    Approvals #tickets { height: auto; max-height: 7; border: none; padding: 0 1;
        background: $background; scrollbar-size-vertical: 1;
        text-wrap: nowrap; text-overflow: ellipsis; }
    Approvals #ticket { height: auto; max-height: 1fr; padding: 0 1; scrollbar-size-vertical: 1; }
    Approvals.-form #ticket { max-height: 9; }
    Approvals #details { height: auto; }
    Approvals #said { height: auto; padding: 0 1; color: $text-warning; }
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
        self._shown: tuple[Ticket, ...] = ()
        self._work: dict[str, Work] = {}
        self._marked = ""
        self._armed_at = 0.0
        self._history = False
        self._told: dict[str, tuple[str, ...]] = {}

    def compose(self) -> ComposeResult:
        """Its parts, from top to bottom."""
        yield OptionList(id="tickets", markup=False)
        with VerticalScroll(id="ticket", can_focus=False):
            yield Static("", id="details", markup=False)
        yield TicketForm(id="form")
        yield Static("", id="said", markup=False)

    def on_mount(self) -> None:
        """Begin empty; keep the ages right."""
        self._draw()
        self.set_interval(5, self._draw)

    def on_resize(self) -> None:
        """What fits into a line depends on the width."""
        self._draw_ticket()

    # What it shows

    def show(self, view: SessionView) -> None:
        """Draw this view's tickets; work on tickets that are gone is forgotten."""
        self._view = view
        known = {t.key for t in view.tickets.tickets}
        self._work = {k: w for k, w in self._work.items() if k in known}
        self._draw()

    @property
    def marked(self) -> Ticket | None:
        """The ticket that keys act on."""
        return self._view.tickets.get(self._marked)

    def work(self, ticket: Ticket) -> Work:
        """What has been done on a ticket."""
        return self._work.setdefault(ticket.key, Work())

    def _draw(self) -> None:
        book = self._view.tickets
        tickets = book.open
        if self._history:
            tickets = (*tickets, *(t for t in reversed(book.tickets) if not t.is_open))
        listing = self.query_one("#tickets", OptionList)
        now = self._wall()
        rows = [self._row(t, now) for t in tickets] or [
            Option(Content.assemble(("Nothing waits for you.", "$foreground 62%")))
        ]
        keys = [t.key for t in tickets]
        self._shown = tickets
        if self._marked not in keys:
            self._mark(keys[0] if keys else "", automatic=True)
        with self.prevent(OptionList.OptionHighlighted):
            if listing.option_count == len(rows):
                for at, option in enumerate(rows):
                    listing.replace_option_prompt_at_index(at, option.prompt)
            else:
                listing.clear_options()
                listing.add_options(rows)
            listing.highlighted = keys.index(self._marked) if self._marked else None
        self._draw_ticket()

    def _row(self, ticket: Ticket, now: float) -> Option:
        work = self._work.get(ticket.key)
        sending = work is not None and work.sending
        held = work is not None and work.held is not None
        return Option(row(ticket, now, sending=sending, held=held))

    def _mark(self, key: str, *, automatic: bool) -> None:
        if key == self._marked:
            return
        self._marked = key
        if automatic or not self.has_focus_within:
            self._armed_at = self._clock() + ARM
        self.query_one(TicketForm).save()

    def _draw_ticket(self) -> None:
        ticket = self.marked
        box, said = self.query_one("#ticket"), self.query_one("#said", Static)
        box.display = ticket is not None
        form = self.query_one(TicketForm)
        if ticket is None:
            form.hide()
            said.display = False
            return
        width = max(self.size.width - 4, 20)
        self.query_one("#details", Static).update(
            details(ticket, self._consequences(ticket), now=self._wall(), width=width)
        )
        work = self.work(ticket)
        form.show(ticket, work.draft, as_json=work.as_json)
        self.set_class(form.display, "-form")
        text = work.problem or work.said
        said.display = bool(text)
        said.update(Content(clean(text)))

    def _consequences(self, ticket: Ticket) -> tuple[str, ...]:
        view = self._view
        if view.ready is None or not ticket.is_open:
            return ()
        return consequences(ticket, view.ready.root, view.log.history(), view.resumable)

    @on(OptionList.OptionHighlighted, "#tickets")
    def _moved(self, event: OptionList.OptionHighlighted) -> None:
        if event.option_index < len(self._shown):
            self._mark(self._shown[event.option_index].key, automatic=False)
            self._draw_ticket()

    def open_call(self, call_id: str) -> None:
        """Mark the newest ticket of this call."""
        found = [t for t in self._view.tickets.tickets if t.call_id == call_id]
        if found:
            self._history = self._history or not found[-1].is_open
            self._mark(found[-1].key, automatic=True)
            self._draw()

    # What the keys do

    @on(OptionList.OptionSelected, "#tickets")
    def _opened(self) -> None:
        self.action_act("open_ticket")

    def action_act(self, name: str) -> None:
        """Do one of the registry's approval actions."""
        if name == "leave":
            self._leave()
        elif name == "answered":
            self._history = not self._history
            self._draw()
        elif (ticket := self._ready_for(name)) is not None:
            if name == "open_ticket":
                if not self.query_one(TicketForm).enter():
                    self.post_message(Tell("a approves, r rejects, u reports progress, e edits."))
            elif name == "edit_json":
                self.query_one(TicketForm).save()
                self.work(ticket).as_json = not self.work(ticket).as_json
                self._draw_ticket()
                self.query_one(TicketForm).enter()
            elif name == "send_held":
                self._send_held(ticket)
            elif name == "log_in":
                self._log_in(ticket)
            else:
                self._answer(ticket, name)

    def _leave(self) -> None:
        self.query_one(TicketForm).save()
        listing = self.query_one("#tickets", OptionList)
        if self.query_one(TicketForm).has_focus_within:
            listing.focus()
        else:
            self.post_message(Act("prompt"))

    def _ready_for(self, name: str) -> Ticket | None:
        ticket = self.marked
        if not self.has_focus_within and name != "open_ticket":
            self.post_message(
                Tell("Press F4 first: keys act on a ticket only with the focus there.")
            )
        elif ticket is None:
            self.post_message(Tell("Nothing waits for you."))
        elif ticket.dead:
            self.post_message(Tell(ticket.dead, warning=True))
        elif self.work(ticket).sending:
            self.post_message(Tell("The answer is on its way."))
        elif self._clock() < self._armed_at and name not in ("open_ticket", "edit_json"):
            self.post_message(Tell("This ticket has only just come up. Look, then press again."))
        elif ticket.state in ("stuck", "superseded", "withdrawn"):
            self.post_message(Tell(STATES[ticket.state][2].capitalize() + ".", warning=True))
        else:
            return ticket
        return None

    def _log_in(self, ticket: Ticket) -> None:
        address = login_url(ticket.auth)
        if not address.startswith(("https://", "http://")):
            self.post_message(Tell("This ticket has no login page."))
            return
        self.app.copy_to_clipboard(address)  # pyright: ignore[reportUnknownMemberType]
        self.app.open_url(address)  # pyright: ignore[reportUnknownMemberType]
        self.post_message(Tell("The address of the login is copied, and opened where possible."))

    def _answer(self, ticket: Ticket, name: str) -> None:
        form = self.query_one(TicketForm)
        form.save()
        work = self.work(ticket)
        checked = form.check("approve" if name == "hold" else name)
        work.problem = form.unplaced(checked.problems)
        work.said = ""
        if checked.answer is not None:
            warning = "" if name == "hold" else self._doubt(ticket)
            if warning and not self._said_again(work, name):
                work.problem = f"{warning} Press {_key(name)} again to send it all the same."
            elif name == "hold":
                work.held = checked.answer
                work.said = "Held. s sends all held answers of this invocation together."
            else:
                self._send(ticket, [(ticket, checked.answer)])
        self._draw()

    def _doubt(self, ticket: Ticket) -> str:
        """What speaks against sending this answer now; empty: nothing."""
        if not ticket.is_open:
            return "This ticket is answered already; another answer replaces the first."
        if self._view.resumable or ticket.kind != "long_running":
            return ""
        silent = [t for t in siblings(ticket, self._view.tickets.open) if not t.replies]
        if not silent:
            return ""
        names = ", ".join(line(t.name, 40) for t in silent)
        return (
            f"{names} of the same turn returned nothing yet: the model would be called with"
            " unpaired calls. h holds this answer until the others have one, s sends all."
        )

    def _said_again(self, work: Work, name: str) -> bool:
        now = self._clock()
        if work.again == name and now >= work.again_at:
            work.again = ""
            return True
        work.again, work.again_at = name, now + ARM
        return False

    def _send_held(self, ticket: Ticket) -> None:
        group = [ticket, *siblings(ticket, self._view.tickets.open)]
        held = [(t, w.held) for t in group if (w := self._work.get(t.key)) and w.held]
        if not held:
            self.post_message(Tell("No answer is held. h holds the one of the marked ticket."))
            return
        self._send(ticket, held)
        self._draw()

    def _send(self, ticket: Ticket, answers: list[tuple[Ticket, ToolAnswer]]) -> None:
        works = [self.work(t) for t, _ in answers]
        for work in works:
            work.sending = True
            work.problem = work.said = ""

        def told(command_id: int) -> None:
            for work in works:
                work.command = command_id

        command = Answer(ticket.invocation_id, tuple(a for _, a in answers))
        self.post_message(Submit(command, told))

    def ended(self, done: Done) -> None:
        """A command has ended: say at its tickets what came of it."""
        for key, work in self._work.items():
            if not work.sending or work.command != done.command:
                continue
            work.sending = False
            work.command = 0
            ticket = self._view.tickets.get(key)
            if not done.ok:
                failure = done.failure
                work.problem = "Not delivered; the draft is kept."
                if failure is not None:
                    work.problem = f"{line(failure.message, 300)} {line(failure.hint, 200)}".strip()
                continue
            work.held = None
            work.draft.clear()
            work.as_json = False
            if not done.events:
                work.said = done.note or self._waits_for(ticket)
        self._draw()

    def _waits_for(self, ticket: Ticket | None) -> str:
        if ticket is None:
            return ""
        others = siblings(ticket, self._view.tickets.open)
        if not others:
            return "Recorded; the agent said nothing to it."
        names = ", ".join(line(t.name, 40) for t in others)
        return f"Recorded; ADK goes on when these are answered too: {names}."


def _key(name: str) -> str:
    return key_label(BY_NAME[name].keys[0])
