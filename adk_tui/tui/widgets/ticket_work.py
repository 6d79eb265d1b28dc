"""What the user has done on tickets so far, for all sessions of one run of the program.

Nothing here knows a widget. A draft outlives everything but its own sending: a
ticket that vanishes while its session is told again, another session in
between, the death of the engine.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from adk_tui.client.policies import Policies
from adk_tui.core.commands import ToolAnswer
from adk_tui.core.session import SessionView
from adk_tui.core.tickets import Ticket

Session = tuple[str, str]


@dataclass(slots=True)
class Work:
    """The user's work on one ticket.

    ``draft`` is what the form holds, by field; ``as_json`` says that the form is
    the JSON editor. ``held`` waits to be sent with others. ``sending`` until
    ``command`` has ended. ``another``: one more answer to an answered ticket was
    asked for. ``appeared`` is when it was first seen, by the panel's clock.
    ``again`` names what a second press would do, from ``again_at`` on.
    """

    draft: dict[str, str] = field(default_factory=lambda: dict[str, str]())
    as_json: bool = False
    held: ToolAnswer | None = None
    sending: bool = False
    command: int = 0
    seen: int = 0
    problem: str = ""
    another: bool = False
    automatic: bool = False
    appeared: float = 0.0
    again: str = ""
    again_at: float = 0.0

    def sent(self) -> None:
        """It has arrived: begin afresh."""
        self.draft.clear()
        self.as_json = self.another = False
        self.held = None
        self.problem = ""

    def insists(self, on: str, now: float, wait: float) -> bool:
        """Whether this is the second press for the same thing, ``wait`` seconds after the first.

        The first one asks for the second.
        """
        if self.again == on and now >= self.again_at:
            self.again = ""
            return True
        self.again, self.again_at = on, now + wait
        return False


@dataclass(slots=True)
class SessionWork:
    """Work on the tickets of one session, and what is permitted in it without asking."""

    works: dict[str, Work] = field(default_factory=lambda: dict[str, Work]())
    policies: Policies = field(default_factory=Policies)


class Workshop:
    """Finds the work on a ticket of the session that is open."""

    def __init__(self) -> None:
        self._sessions: dict[Session, SessionWork] = {}
        self._here = SessionWork()

    def enter(self, view: SessionView) -> None:
        """This session is open now."""
        opened = view.session
        key = (opened.id, opened.user) if opened else ("", "")
        self._here = self._sessions.setdefault(key, SessionWork())

    @property
    def policies(self) -> Policies:
        """What may be approved without asking in the open session."""
        return self._here.policies

    def find(self, key: str) -> Work | None:
        """The work on a ticket, None where there was none."""
        return self._here.works.get(key)

    def of(self, ticket: Ticket, now: float = 0.0) -> Work:
        """The work on a ticket, begun ``now`` if there was none."""
        return self._here.works.setdefault(ticket.key, Work(appeared=now))

    def held(self, tickets: Iterable[Ticket]) -> list[tuple[Ticket, ToolAnswer]]:
        """The held answers of those tickets that can still be answered."""
        return [
            (t, w.held)
            for t in tickets
            if (w := self.find(t.key)) and w.held and t.is_open and not t.dead and not w.sending
        ]

    def ended(self, command: int) -> list[tuple[str, Work]]:
        """What was on its way with this command, wherever the user is by now; it is no more."""
        found: list[tuple[str, Work]] = []
        for session in self._sessions.values():
            for key, work in session.works.items():
                if work.sending and work.command == command:
                    work.sending, work.command = False, 0
                    found.append((key, work))
        return found
