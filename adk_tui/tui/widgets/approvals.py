"""The approvals panel: everything that waits for a human, and what the human answers.

No answer may be lost, doubled or given by accident. So the panel never takes
the focus; a ticket accepts a key only while the panel has the focus, and only
half a second after it appeared or came under the mark by itself; a sent answer
cannot be sent again while it is on its way; and a draft stays until it has
arrived.
"""

import time
from collections.abc import Callable
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import OptionList

from adk_tui.client.answers import Checked
from adk_tui.client.credentials import login_url
from adk_tui.core.commands import Command, ListSessions, OpenSession, Rewind, ToolAnswer
from adk_tui.core.consequences import consequences
from adk_tui.core.reports import Done, SessionInfo
from adk_tui.core.sanitize import line
from adk_tui.core.session import SessionView
from adk_tui.core.tickets import Ticket
from adk_tui.tui.actions import BY_NAME, bindings, key_label
from adk_tui.tui.messages import Act, Submit, Tell
from adk_tui.tui.widgets.ticket_form import TicketForm
from adk_tui.tui.widgets.ticket_keys import FORMS, keys_of
from adk_tui.tui.widgets.ticket_list import Row, TicketList, elsewhere
from adk_tui.tui.widgets.ticket_pane import TicketPane
from adk_tui.tui.widgets.ticket_sending import Permission, Sending
from adk_tui.tui.widgets.ticket_text import STATES
from adk_tui.tui.widgets.ticket_work import Work, Workshop

ARM = 0.5
"""Seconds a ticket must have been there before it accepts a key."""
SHORT = 34
"""Rows below which the screen is short of room for the panel."""
LISTED = 20.0
"""Seconds after which the tickets of other sessions are asked for again on focus."""
OPENING = frozenset({"open_ticket", "edit_json", "hold", "log_in", "policies"})
"""Keys that send nothing, and so work at once."""


class Approvals(Vertical):
    """Draws the tickets of a view; answers go up as ``Submit``."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings("approvals"),
        Binding("shift+down", "scroll_ticket(1)", "Scroll the ticket's text down"),
        Binding("shift+up", "scroll_ticket(-1)", "Scroll the ticket's text up"),
    ]
    DEFAULT_CSS: ClassVar[str] = """
    Approvals { height: auto; max-height: 100%; }
    Approvals TicketList { max-height: 7; }
    Approvals.-form TicketList { max-height: 5; }
    Approvals.-short TicketList { max-height: 4; }
    Approvals.-short.-form TicketList { max-height: 3; }
    Approvals.-editing TicketList, Approvals.-short.-editing TicketList { max-height: 2; }
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

    # What it shows

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
            self.query_one(TicketList).focus()
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

    # What the keys do

    @on(OptionList.OptionSelected, "#tickets")
    def _opened(self) -> None:
        self._moved()
        session = self._session_marked()
        if session is None:
            self.action_act("open_ticket")
        elif self._clock() >= self._armed_at:
            self.post_message(Submit(OpenSession(session.id, session.user)))

    @on(TicketForm.Send)
    def _send_form(self, event: TicketForm.Send) -> None:
        ticket = self._ready_for("send")
        if ticket is not None:
            self._answer(ticket, "progress" if event.progress else "send")

    def action_act(self, name: str) -> None:
        """Do one of the registry's approval actions."""
        self._moved()
        if name == "leave":
            self._leave()
        elif name == "answered":
            self._history = not self._history
            self._draw()
        elif name == "policies":
            self.post_message(Act("policies"))
        elif (ticket := self._ready_for(name)) is not None:
            self._said = ""
            match name:
                case "open_ticket":
                    self._enter(ticket)
                case "edit_json":
                    self._edit_json(ticket)
                case "hold":
                    self._hold(ticket)
                case "send_held":
                    self._send_held(ticket)
                case "log_in":
                    self._log_in(ticket)
                case "another":
                    self._another(ticket)
                case "rewind_ticket":
                    self._rewind(ticket)
                case _ if (
                    name == "approve" and ticket.kind in FORMS and not self.work(ticket).as_json
                ):
                    self._enter(ticket)
                case _:
                    self._answer(ticket, name)

    def _leave(self) -> None:
        form = self._form
        form.save()
        if form.has_focus_within:
            self.query_one(TicketList).focus()
            self._draw()
        elif self._holding:
            self._holding = False
            self._draw_ticket()
        else:
            self.post_message(Act("prompt"))

    def _ready_for(self, name: str) -> Ticket | None:
        ticket = self.marked
        if not self.has_focus_within and name != "open_ticket":
            self.post_message(
                Tell("Press F4 first: keys act on a ticket only with the focus there.")
            )
            return None
        if ticket is None:
            self.post_message(Tell("Nothing waits for you."))
            return None
        work = self.work(ticket)
        if ticket.dead:
            self.post_message(Tell(ticket.dead, warning=True))
        elif work.sending:
            queued = work.command in self._sending.queued()
            words = "waits in the queue; Alt+Up takes it back" if queued else "is on its way"
            self.post_message(Tell(f"The answer {words}."))
        elif name not in OPENING and (self._clock() < self._armed_at or not self._form.drawn):
            self.post_message(Tell("This ticket has only just come up. Look, then press again."))
        elif (ticket.state == "stuck") is not (name == "rewind_ticket"):
            words = STATES[ticket.state][2] or "only a stuck ticket needs that; /rewind lists turns"
            self.post_message(Tell(words.capitalize() + ".", warning=True))
        elif ticket.state in ("superseded", "withdrawn"):
            self.post_message(Tell(STATES[ticket.state][2].capitalize() + ".", warning=True))
        elif not ticket.is_open and not work.another and name not in ("another", "rewind_ticket"):
            self.post_message(Tell("This ticket is answered. n gives another answer."))
        else:
            return ticket
        return None

    def _enter(self, ticket: Ticket) -> None:
        if not self._form.enter():
            keys = keys_of(ticket, self.work(ticket), fields=False)
            names = ", ".join(f"{key_of(k.action)} {BY_NAME[k.action].title.lower()}" for k in keys)
            self.post_message(Tell(f"{names}."))

    def _edit_json(self, ticket: Ticket) -> None:
        if ticket.kind == "credential":
            # An editor would show what is typed.
            self.post_message(Tell("A credential is entered in its form, where nothing is shown."))
            return
        form = self._form
        form.save()
        work = self.work(ticket)
        work.as_json = not work.as_json
        self._draw_ticket()
        form.enter()

    def _another(self, ticket: Ticket) -> None:
        if ticket.is_open:
            self.post_message(Tell("This ticket is open: answer it."))
            return
        self.work(ticket).another = True
        self._said = "Write another answer. ADK takes the last one."
        self._armed_at = self._clock() + ARM
        self._draw_ticket()

    def _rewind(self, ticket: Ticket) -> None:
        if self.work(ticket).insists("rewind", self._clock(), ARM):
            self.post_message(Submit(Rewind(ticket.invocation_id)))
        else:
            key = key_of("rewind_ticket")
            self._said = f"This undoes the turn and everything after it. Press {key} again."
        self._draw_ticket()

    def _log_in(self, ticket: Ticket) -> None:
        address = login_url(ticket.auth)
        if not address.startswith(("https://", "http://")):
            self.post_message(Tell("This ticket has no login page."))
            return
        self.app.copy_to_clipboard(address)  # pyright: ignore[reportUnknownMemberType]
        self.app.open_url(address)  # pyright: ignore[reportUnknownMemberType]
        self.post_message(Tell("The address of the login is copied, and opened where possible."))

    # Answers

    def _answer(self, ticket: Ticket, name: str) -> None:
        """Check what is entered, and send it, or hold it where that was asked for."""
        form = self._form
        form.save()
        work = self.work(ticket)
        checked = form.check(name)
        work.problem = form.unplaced(checked.problems)
        if checked.answer is not None:
            if self._holding:
                self._keep(work, checked.answer)
            elif self._sure(ticket, name, checked):
                self._sending.send([(ticket, checked.answer)])
        self._draw()

    def _sure(self, ticket: Ticket, name: str, checked: Checked) -> bool:
        work = self.work(ticket)
        doubt = self._sending.doubt(ticket, [ticket])
        if not doubt and ticket.kind == "input" and checked.answer is not None:
            empty = checked.answer.response == {"result": ""}
            doubt = "Nothing is written: the answer would be empty." if empty else ""
        if not doubt or work.insists(name, self._clock(), ARM):
            return True
        key = "Ctrl+S" if name == "send" or self._form.has_focus_within else key_of(name)
        work.problem = f"{doubt} {key} once more sends it all the same."
        return False

    def _hold(self, ticket: Ticket) -> None:
        work = self.work(ticket)
        if work.held is not None:
            work.held = None
            self._said = "No longer held."
        elif work.as_json or ticket.kind in FORMS:
            checked = self._form.check("send")
            work.problem = self._form.unplaced(checked.problems)
            if checked.answer is not None:
                self._keep(work, checked.answer)
        else:
            self._holding = not self._holding
        self._draw()

    def _keep(self, work: Work, answer: ToolAnswer) -> None:
        work.held = answer
        self._holding = False
        self._said = "Held. s sends all held answers of this turn in one message."

    def _send_held(self, ticket: Ticket) -> None:
        held = self._sending.held_with(ticket)
        if not held:
            self.post_message(Tell(self._sending.why_none_held()))
            return
        work = self.work(ticket)
        doubt = self._sending.doubt(held[0][0], [t for t, _ in held])
        if doubt and not work.insists("send_held", self._clock(), ARM):
            work.problem = f"{doubt} s once more sends them all the same."
        else:
            self._sending.send(held)
        self._draw()

    def _submit(self, command: Command, told: Callable[[int], None]) -> None:
        self.post_message(Submit(command, told))

    # What may be approved without asking, and what came of answers

    def permissions(self) -> list[Permission]:
        """What can be permitted for the marked ticket, and what is permitted already."""
        return self._sending.permissions(self.marked)

    def permit(self, choice: str) -> None:
        """Give or revoke what was chosen of ``permissions``; giving it approves the ticket too."""
        ticket = self.marked
        if choice.startswith("revoke "):
            self._said = self._sending.revoke(int(choice.removeprefix("revoke ")))
        elif ticket is not None and ticket.is_open and not self.work(ticket).sending:
            self._said = self._sending.permit(ticket, same_args=choice == "args")
            self._answer(ticket, "approve")
        self._draw()

    def ended(self, done: Done) -> None:
        """A command has ended: say what came of the answers it carried."""
        self._said = self._sending.ended(done) or self._said
        self._draw()


def key_of(action: str) -> str:
    """The key of an approval action, as people write it."""
    return key_label(BY_NAME[action].keys[0])
