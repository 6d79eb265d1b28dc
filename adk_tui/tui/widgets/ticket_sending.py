"""How answers leave: what speaks against one, what goes together, what came of it.

Knows the tickets and the user's work on them, and no widget.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from adk_tui.client.policies import Automatic, refusal
from adk_tui.core.brief import brief
from adk_tui.core.commands import Answer, Command, ToolAnswer
from adk_tui.core.consequences import awaited_with, siblings, still_waiting
from adk_tui.core.reports import Done
from adk_tui.core.sanitize import line
from adk_tui.core.session import SessionView
from adk_tui.core.tickets import Ticket
from adk_tui.tui.widgets.ticket_text import title
from adk_tui.tui.widgets.ticket_work import Work, Workshop

Told = Callable[[int], None]
Submit = Callable[[Command, Told], None]


@dataclass(frozen=True, slots=True)
class Permission:
    """A choice about what is approved without asking; ``refusal`` says why it is none now."""

    id: str
    text: str
    refusal: str = ""
    used: int = 0


class Sending:
    """The answers of the tickets of one view. ``submit`` sends a command to the engine."""

    def __init__(self, workshop: Workshop, clock: Callable[[], float], submit: Submit) -> None:
        self.view = SessionView()
        self.workshop = workshop
        self._clock = clock
        self._submit = submit

    def show(self, view: SessionView) -> None:
        """The tickets may have changed: note which are new, and answer what needs no asking."""
        self.view = view
        self.workshop.enter(view)
        now = self._clock()
        for ticket in view.tickets.open:
            self.workshop.of(ticket, now)
        self._by_policy()

    def work(self, ticket: Ticket) -> Work:
        """What has been done on a ticket."""
        return self.workshop.of(ticket, self._clock())

    def queued(self) -> frozenset[int]:
        """The commands that wait for their turn."""
        return frozenset(q.id for q in self.view.status.queued)

    def doubt(self, ticket: Ticket, answered: Sequence[Ticket]) -> str:
        """What speaks against sending the answers to ``answered`` now; empty: nothing."""
        if self.view.resumable or ticket.kind not in ("long_running", "choice"):
            return ""
        keys = {t.key for t in answered}
        others = awaited_with(ticket, self.view.tickets.open, self.view.log.history())
        silent = [t for t in others if t.key not in keys]
        if not silent:
            return ""
        return (
            f"Not sent yet: {names(silent)} returned nothing, so the model would see unpaired"
            " calls. h holds this answer, s then sends all together."
        )

    def held_with(self, ticket: Ticket) -> list[tuple[Ticket, ToolAnswer]]:
        """The held answers that may go into one message with this ticket's."""
        waiting = self.view.tickets.open
        return self.workshop.held(t for t in waiting if t.invocation_id == ticket.invocation_id)

    def why_none_held(self) -> str:
        """What to say where ``held_with`` has nothing."""
        other = self.workshop.held(self.view.tickets.open)
        if not other:
            return "No answer is held. h holds one."
        return f"{names([t for t, _ in other])} is held, of another turn: mark it first."

    def send(self, answers: Sequence[tuple[Ticket, ToolAnswer]], *, policy: str = "") -> None:
        """Send answers to tickets of one invocation in one message."""
        works = [self.work(t) for t, _ in answers]
        seen = len(self.view.log.history())
        for work in works:
            work.sending, work.command, work.seen = True, 0, seen
            work.problem = work.again = ""

        def told(command_id: int) -> None:
            for work in works:
                work.command = command_id

        opened = self.view.session
        self._submit(
            Answer(
                answers[0][0].invocation_id,
                tuple(a for _, a in answers),
                policy,
                opened.id if opened else "",
            ),
            told,
        )

    # What may be approved without asking

    def _by_policy(self) -> None:
        """Answer what may be answered without asking, a turn's tickets together."""
        view, policies = self.view, self.workshop.policies
        if view.status.phase != "ready" or not policies.given:
            return
        free = [t for t in view.tickets.open if not self._touched(t)]
        groups: dict[tuple[str, str], list[Automatic]] = {}
        for found in policies.answers(free):
            place = (found.ticket.invocation_id, found.policy.words)
            groups.setdefault(place, []).append(found)
        for (_, words), group in groups.items():
            tickets = [a.ticket for a in group]
            for ticket in tickets:
                self.work(ticket).automatic = True
            if doubt := self.doubt(tickets[0], tickets):
                for automatic in group:
                    work = self.work(automatic.ticket)
                    work.held = automatic.answer
                    work.problem = f"Held by your policy ({words}). {doubt}"
            else:
                policies.count(group)
                self.send([(a.ticket, a.answer) for a in group], policy=words)

    def _touched(self, ticket: Ticket) -> bool:
        work = self.workshop.find(ticket.key)
        return work is not None and bool(
            work.automatic or work.sending or work.held or work.draft or work.as_json
        )

    def permissions(self, ticket: Ticket | None) -> list[Permission]:
        """What can be permitted for a ticket, and what is permitted already."""
        found: list[Permission] = []
        if ticket is not None:
            name, why = title(ticket), refusal(ticket)
            if not why and not ticket.is_open:
                why = "this ticket is closed; mark an open one"
            found.append(Permission("tool", f"Approve {name} for this session", why))
            args = brief(ticket.args, 200)
            found.append(Permission("args", f"Approve {name} with these arguments: {args}", why))
        for at, (policy, used) in enumerate(self.workshop.policies.given):
            found.append(Permission(f"revoke {at}", f"Revoke: {policy.words}", "", used))
        return found

    def revoke(self, at: int) -> str:
        """Take a permission back; says so."""
        policies = self.workshop.policies
        words = policies.given[at][0].words
        policies.revoke(at)
        return f"Revoked: {words}."

    def permit(self, ticket: Ticket, *, same_args: bool) -> str:
        """Permit tickets like this one from now on; says so. Only for one that can be."""
        policies = self.workshop.policies
        known = [t.key for t in self.view.tickets.tickets]
        reason = policies.allow(ticket, known, same_args=same_args)
        return reason or f"From now on, for this session: {policies.given[-1][0].words}."

    # What came of them

    def ended(self, done: Done) -> str:
        """A command has ended: what to say of the answers it carried, empty for nothing."""
        said = ""
        for key, work in self.workshop.ended(done.command):
            ticket = self.view.tickets.get(key)
            name = line(ticket.name, 60) if ticket is not None else "The answer"
            if done.ok:
                work.sent()
                said = self._came_of(ticket, work, done)
            elif ticket is not None and self._stored(ticket, work):
                work.sent()
                said = f"{name}: the answer was stored; the run after it failed."
            else:
                failure = done.failure
                why = f"{failure.message} {failure.hint}" if failure else done.note
                work.problem = f"Not sent, the draft is kept. {line(why, 400)}".strip()
        return said

    def _stored(self, ticket: Ticket, work: Work) -> bool:
        """Whether the answer is in the session although the run after it failed."""
        new = {e.id for e in self.view.log.history()[work.seen :]}
        return any(r.author == "user" and r.event_id in new for r in ticket.replies)

    def _came_of(self, ticket: Ticket | None, work: Work, done: Done) -> str:
        """What to say where the run brought nothing that is seen; empty where it did."""
        if ticket is None or done.stopped:
            return ""
        new = self.view.log.history()[work.seen :]
        if any(e.author != "user" and (e.parts or e.has_output or e.error_code) for e in new):
            return ""
        others = siblings(ticket, self.view.tickets.open)
        if not others:
            return f"{line(ticket.name, 60)}: recorded; the run ended without a word."
        return (
            f"{line(ticket.name, 60)}: recorded, {len(others)} still waiting. ADK goes on once"
            f" {still_waiting(len(others))}: {names(others)}."
        )


def names(tickets: Sequence[Ticket]) -> str:
    """The tools of these tickets, each once."""
    return ", ".join(dict.fromkeys(line(t.name, 40) for t in tickets))
