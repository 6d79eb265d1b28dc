"""A process that has loaded the agent's code again and is to take over.

What it says is kept back until then: it must look as if one engine went on.
"""

from adk_tui.client.memory import SessionMemory
from adk_tui.client.watch import Process
from adk_tui.core.commands import OpenSession
from adk_tui.core.records import EventRecord
from adk_tui.core.reports import Done, Failure, Record, SessionOpened, Status
from adk_tui.core.wire import Hello, Pong, Up, encode_command

INTERNAL = -1
"""The id of our own command to a candidate; a front end's begin with 1."""


class Candidate:
    """A reload's ``process``, started on what ``memory`` holds; ``command`` is the reload's id.

    ``hold`` keeps new commands waiting, so that the session stands still until
    it takes over. ``ready`` once it could serve, ``failure`` if it never will.
    """

    def __init__(
        self, process: Process, command: int, memory: SessionMemory, *, hold: bool = False
    ) -> None:
        self.process = process
        self.command = command
        self.hold = hold
        self.ready = False
        self.failure: Failure | None = None
        self.detail = ""
        self._memory = memory
        self._mark, self._setup = memory.version, memory.setup
        self._reading = False
        self._records: list[Record] = []

    def heard(self, frames: list[Up]) -> None:
        """Keep what it says."""
        for frame in frames:
            match frame:
                case Hello() | Pong():
                    pass
                case Failure():
                    self.failure = frame
                case Status():
                    self.ready = self.ready or (frame.phase == "ready" and not self._reading)
                    self.detail = frame.detail
                case Done():
                    self._synced(frame)
                case _:
                    self._records.append(frame)

    def _synced(self, done: Done) -> None:
        if done.command != INTERNAL:
            return
        if done.ok:
            self.ready = True
        else:
            self.failure = done.failure or Failure("session", "The session could not be opened.")

    @property
    def outdated(self) -> bool:
        """Whether a session or the settings went on since this process read them."""
        return (self._memory.version, self._memory.setup) != (self._mark, self._setup)

    @property
    def hopeless(self) -> bool:
        """Whether it cannot read what has changed: only a new process gets that told."""
        return self._memory.repeated or self._memory.setup != self._setup

    def read_again(self) -> None:
        """Let it read a stored session once more; ``ready`` comes back after that."""
        memory = self._memory
        assert memory.session is not None
        self.hold = self._reading = True
        self.ready = False
        self._mark = memory.version
        session = (EventRecord, SessionOpened)
        self._records = [r for r in self._records if not isinstance(r, session)]
        again = OpenSession(memory.session.id, memory.session.user)
        self.process.send(encode_command(again, INTERNAL))

    def records(self) -> list[Record]:
        """What it has said, for the moment it takes over."""
        return [*self._records, Status("ready")]
