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
from textual.binding import BindingType
from textual.widgets import OptionList

from adk_tui.client.answers import Checked
from adk_tui.client.credentials import login_url
from adk_tui.core.commands import OpenSession, Rewind, ToolAnswer
from adk_tui.core.reports import Done
from adk_tui.core.tickets import Ticket
from adk_tui.tui.actions import BY_NAME, bindings, key_label
from adk_tui.tui.messages import Act, Submit, Tell
from adk_tui.tui.widgets.footer import Hint
from adk_tui.tui.widgets.ticket_board import ARM, TicketBoard
from adk_tui.tui.widgets.ticket_form import TicketForm
from adk_tui.tui.widgets.ticket_keys import FORMS, Key, keys_of
from adk_tui.tui.widgets.ticket_list import TicketList
from adk_tui.tui.widgets.ticket_sending import Permission
from adk_tui.tui.widgets.ticket_text import STATES
from adk_tui.tui.widgets.ticket_work import Work

OPENING = frozenset({"open_ticket", "edit_json", "hold", "log_in", "policies"})
"""Keys that send nothing, and so work at once."""


class Approvals(TicketBoard):
    """Does what the keys say to the marked ticket; answers go up as ``Submit``."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("approvals")]

    def __init__(
        self,
        *,
        clock: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
        id: str | None = None,
    ) -> None:
        super().__init__(clock=clock, wall=wall, id=id)
        self._hinted: list[Hint] = []
        self._offered = ""

    def _draw_ticket(self) -> None:
        super()._draw_ticket()
        self._tell_hints()

    @on(OptionList.OptionSelected, "#tickets")
    def _opened(self) -> None:
        self._moved()
        session = self._session_marked()
        if session is None:
            self.action_act("open_ticket")
        elif self._clock() >= self._armed_at:
            self.post_message(Submit(OpenSession(session.id, session.user)))
        else:
            self.post_message(Tell("This session has only just come up. Look, then press again."))

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
        elif self._form.has_focus_within:
            # A letter typed on a field that takes none is no answer.
            self.post_message(Tell("In the form only Ctrl+S sends; Esc leaves it."))
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
            self.screen.set_focus(self.query_one(TicketList))
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
            names = ", ".join(f"{k.label} {k.word}" for k in keys)
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

    def hints(self) -> list[Hint]:
        """The keys that work in the panel now, for the footer."""
        if self._form.has_focus_within:
            return self._form.hints()
        ticket = self.marked
        keys: list[Key] = []
        if ticket is not None:
            keys = keys_of(ticket, self.work(ticket), fields=self._form.has_fields)
            if self._sending.held_with(ticket):
                keys.append(Key("send_held", ""))
        elif self._session_marked() is not None:
            keys.append(Key("open_ticket", ""))
        there = {k.action for k in keys}
        also = ["answered"]
        if self._sending.workshop.policies.given and "policies" not in there:
            also.append("policies")
        keys += [Key(name, "") for name in (*also, "leave")]
        return [Hint(k.label, k.word, k.action) for k in keys]

    def _tell_hints(self) -> None:
        if (hints := self.hints()) != self._hinted:
            self._hinted = hints
            self.post_message(Act("refresh_keys"))

    # What may be approved without asking, and what came of answers

    def permissions(self) -> list[Permission]:
        """What can be permitted for the marked ticket, and what is permitted already."""
        self._moved()
        self._offered = self._marked
        return self._sending.permissions(self.marked)

    def permit(self, choice: str) -> None:
        """Give or revoke what was chosen of ``permissions``; giving it approves the ticket too.

        Meanwhile the mark may have gone on to another ticket, which nobody was asked about.
        """
        ticket = self._view.tickets.get(self._offered)
        if choice.startswith("revoke "):
            self._said = self._sending.revoke(int(choice.removeprefix("revoke ")))
        elif ticket is None or ticket.key != self._marked or not ticket.is_open:
            self._said = "Nothing was permitted: the ticket it was about is no longer marked."
        elif not self.work(ticket).sending and self._clock() >= self._armed_at:
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
