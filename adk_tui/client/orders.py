"""The commands of a front end between asking and ``Done``.

Those that wait were never sent, so they outlive a process; those that were
sent are never sent again. One of them has the turn: it may write to the session.
"""

import time

from adk_tui.core.commands import READS, Answer, Command, Resend, Say, Stop
from adk_tui.core.records import REQUEST_CONFIRMATION, REQUEST_CREDENTIAL, REQUEST_INPUT
from adk_tui.core.reports import Done, Failure, Queued, Record
from adk_tui.core.wire import command_name

SUMMARY = 80
_ASKED = {
    REQUEST_CONFIRMATION: "a confirmation",
    REQUEST_CREDENTIAL: "a credential request",
    REQUEST_INPUT: "a question",
}
"""ADK's own names for what it asks, as people say them."""


def describe(command: Command) -> str:
    """A waiting command in a few words."""
    match command:
        case Say() | Resend():
            first = command.text.strip().partition("\n")[0]
            return first[:SUMMARY] or "attachments"
        case Answer():
            names = dict.fromkeys(_ASKED.get(a.name, a.name) for a in command.answers)
            return "answer " + ", ".join(names)[:SUMMARY]
        case _:
            return command_name(command).replace("_", " ")


class Orders:
    """``waiting`` and ``sent`` commands by id; ``turn`` is the id of the one at work, 0: none.

    ``touched`` says that the session has changed since the turn began. ``began``
    and ``over`` are the wall-clock times, in seconds, of the last turn; the
    second is 0 while it goes on.
    """

    def __init__(self) -> None:
        self.waiting: dict[int, Command] = {}
        self.sent: dict[int, Command] = {}
        self.turn = 0
        self.touched = False
        self.began = 0.0
        self.over = 0.0

    def queued(self) -> tuple[Queued, ...]:
        """The waiting commands, as the status shows them."""
        return tuple(Queued(i, describe(c)) for i, c in self.waiting.items())

    def next(self) -> tuple[int, Command]:
        """Take the oldest waiting command."""
        command_id = next(iter(self.waiting))
        return command_id, self.waiting.pop(command_id)

    def begin(self, command_id: int, command: Command) -> None:
        """Give a command the turn, unless it only reads."""
        if not isinstance(command, READS):
            self.turn = command_id
            self.touched = False
            self.began, self.over = time.time(), 0.0

    def changed(self) -> None:
        """An event came up."""
        self.touched = self.touched or bool(self.turn)

    def ended(self, command_id: int) -> bool:
        """A command is done. False where it was not at work: then nobody is told."""
        if self.sent.pop(command_id, None) is None:
            return False
        if command_id == self.turn:
            self._rest()
        return True

    @property
    def at_work(self) -> Command | None:
        """The command that has the turn."""
        return self.sent.get(self.turn)

    def take_back(self, command_id: int) -> Done | None:
        """End a command that waits; None where it does not."""
        if self.waiting.pop(command_id, None) is None:
            return None
        return Done(command_id, ok=False, note="Taken back before it began.", stopped=True)

    def end_sent(self, failure: Failure, *, stopped: bool) -> list[Record]:
        """The process is gone: the ends of all that it was sent."""
        dropped, self.sent = self.sent, {}
        self._rest()
        return [
            # What was to be stopped has ended.
            Done(i, note="The process has ended.")
            if isinstance(command, Stop)
            else Done(i, ok=False, failure=failure, stopped=stopped)
            for i, command in dropped.items()
        ]

    def end_waiting(self, failure: Failure) -> list[Record]:
        """No process will follow: the ends of all that wait."""
        dropped, self.waiting = self.waiting, {}
        return [Done(i, ok=False, failure=failure, stopped=True) for i in dropped]

    def _rest(self) -> None:
        if self.turn:
            self.over = time.time()
        self.turn = 0
        self.touched = False
