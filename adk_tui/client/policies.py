"""Standing permissions: what the user has said may be approved without asking.

A permission is a promise about what will not be asked, so it is as narrow as it
can be: one tool of one agent, in one session, for tickets that arrive after it
was given, and only where yes or no is all that is asked for. It lives in memory
and ends with the program. Credentials and questions always reach a human.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from adk_tui.client.answers import Decision, check
from adk_tui.core.brief import brief
from adk_tui.core.commands import ToolAnswer
from adk_tui.core.jsontools import JsonObject
from adk_tui.core.sanitize import line
from adk_tui.core.tickets import Ticket, TicketKind

APPROVABLE: frozenset[TicketKind] = frozenset({"long_running", "confirmation", "node_confirmation"})


@dataclass(frozen=True, slots=True)
class Policy:
    """Approve calls of ``tool`` by ``agent``; only those with ``args`` where it is not None.

    ``known`` are the keys of the tickets that were there when it was given:
    they are answered by hand.
    """

    tool: str
    agent: str
    kind: TicketKind
    args: JsonObject | None = None
    known: frozenset[str] = frozenset()

    @property
    def words(self) -> str:
        """What it permits, on one line, secrets masked."""
        what = f"approve {line(self.tool, 60)} of {line(self.agent, 60)}"
        return what if self.args is None else f"{what} with {brief(self.args, 120)}"

    def includes(self, other: "Policy") -> bool:
        """Whether it permits all that the other one does."""
        same = (self.tool, self.agent, self.kind) == (other.tool, other.agent, other.kind)
        return same and (self.args is None or self.args == other.args)

    def covers(self, ticket: Ticket) -> bool:
        """Whether it answers this ticket."""
        return (
            (ticket.name, ticket.agent, ticket.kind) == (self.tool, self.agent, self.kind)
            and (self.args is None or dict(self.args) == dict(ticket.args))
            and ticket.key not in self.known
            and not refusal(ticket)
            and ticket.state == "open"
            and not ticket.duplicate_id
        )


def refusal(ticket: Ticket) -> str:
    """Why tickets like this one are never approved without asking; empty where they can be."""
    if ticket.kind == "credential":
        return "Credentials are never given without asking."
    if ticket.kind not in APPROVABLE:
        return "A question always needs its answer from you."
    if ticket.payload:
        return f"{line(ticket.name, 60)} asks for more than yes or no."
    return ticket.dead


@dataclass(frozen=True, slots=True)
class Automatic:
    """An answer that a policy gives."""

    ticket: Ticket
    policy: Policy
    answer: ToolAnswer


class Policies:
    """The permissions of one session, and how often each was used."""

    def __init__(self) -> None:
        self._given: list[Policy] = []
        self._used: list[int] = []

    @property
    def given(self) -> tuple[tuple[Policy, int], ...]:
        """Those in force, oldest first, each with the number of tickets it has answered."""
        return tuple(zip(self._given, self._used, strict=True))

    def allow(self, ticket: Ticket, known: Iterable[str], *, same_args: bool) -> str:
        """Permit tickets like this one, which are not among ``known``; why not, if they cannot be.

        A permission for all arguments takes the place of those for some.
        """
        if reason := refusal(ticket):
            return reason
        args = ticket.args if same_args else None
        policy = Policy(ticket.name, ticket.agent, ticket.kind, args, frozenset(known))
        for at in reversed(range(len(self._given))):
            if policy.includes(self._given[at]):
                self.revoke(at)
        self._given.append(policy)
        self._used.append(0)
        return ""

    def revoke(self, at: int) -> None:
        """Take the permission at that place of ``given`` back."""
        del self._given[at]
        del self._used[at]

    def answers(self, tickets: Iterable[Ticket]) -> tuple[Automatic, ...]:
        """What the permissions answer to these tickets, in their order."""
        found: list[Automatic] = []
        for ticket in tickets:
            for policy in self._given:
                if policy.covers(ticket):
                    answer = check(ticket, Decision(True)).answer
                    if answer is not None:
                        found.append(Automatic(ticket, policy, answer))
                    break
        return tuple(found)

    def count(self, given: Iterable[Automatic]) -> None:
        """These answers have been sent."""
        for automatic in given:
            for at, policy in enumerate(self._given):
                if policy is automatic.policy:
                    self._used[at] += 1
