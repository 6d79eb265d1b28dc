"""One command at a time with an engine, for front ends that read from top to bottom."""

from collections.abc import Callable, Iterable
from types import TracebackType
from typing import Self, TypeAlias

from adk_tui.client.engine import Engine
from adk_tui.core.commands import Cancel, Command, Reload, Restart, Stop
from adk_tui.core.reports import Done, Failure, Record, Status
from adk_tui.core.session import SessionView

Listener: TypeAlias = Callable[[Record, frozenset[str]], None]
"""Gets each record after it was folded into the view, with the names of what it changed."""

TICK = 0.2
"""Seconds between two looks at whether the user wants to stop."""


def nobody(_record: Record, _changed: frozenset[str]) -> None:
    """A listener for those who only want the outcome."""


DOWN = frozenset({"failed", "dead"})
"""The phases in which no process will ever take up what waits."""


class NotLoaded(Exception):
    """The engine did not become ready; ``failure`` says why."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


class Conversation:
    """A started engine and the view of what it says.

    A context manager: leaving it closes the engine, and listens to what the
    agent printed at last.
    """

    def __init__(self, engine: Engine, listen: Listener = nobody) -> None:
        self.view = SessionView()
        self.engine = engine
        self._listen = listen
        self._opened = False
        self._busy = False
        self._interrupts = 0
        self.interrupted = False
        """Whether ``interrupt`` was called during the last command."""

    def __enter__(self) -> Self:
        """Start the engine; ``wait_until_ready`` says when it takes commands."""
        self.engine.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.engine.close()
        if kind is None:
            self.fold(self.engine.records())

    def interrupt(self) -> bool:
        """Ask for a stop, from a signal handler or another thread. False: nothing runs.

        What runs is stopped; a second call while it is stopping ends the
        engine process. No record is lost, as it would be by an exception that
        falls in between taking and folding one.
        """
        if self._busy:
            self._interrupts += 1
        return self._busy

    def wait_until_ready(self) -> None:
        """Return when the agent is loaded and its session is open and complete.

        Raises:
            NotLoaded: the agent did not load, or its process died.
            KeyboardInterrupt: ``interrupt`` was called meanwhile.
        """
        self._busy = True
        try:
            while not self.ready:
                if self._interrupts:
                    raise KeyboardInterrupt
                self.step()
                status = self.view.status
                if status.phase in DOWN:
                    raise NotLoaded(self._why(status))
        finally:
            self._busy = False
            self._interrupts = 0

    @property
    def ready(self) -> bool:
        """Whether a session is open and all of its stored events are here."""
        session = self.view.session
        return self._opened and session is not None and len(self.view.log) >= session.count

    def run(self, command: Command) -> Done:
        """Send a command and return when it is done, or stopped after ``interrupt``.

        A command that no process will ever begin, because there is none, ends
        with the failure that says so.
        """
        answered = 0
        taken_back = 0
        self._busy = True
        number = self.engine.submit(command)
        try:
            while True:
                if self._interrupts > answered:
                    self.engine.submit(Stop(force=answered > 0))
                    answered = self._interrupts
                for record in self.step():
                    if isinstance(record, Done) and record.command == number:
                        self.interrupted = self._interrupts > 0
                        if taken_back and record.stopped:
                            return Done(number, ok=False, failure=self._why(self.view.status))
                        return record
                starts = isinstance(command, Reload | Restart)
                if self.view.status.phase in DOWN and not starts and not taken_back:
                    taken_back = self.engine.submit(Cancel(number))
        finally:
            self._busy = False
            self._interrupts = 0

    def step(self, timeout: float = TICK) -> list[Record]:
        """Take what has come, waiting up to ``timeout`` seconds for the first record."""
        return self.fold(self.engine.records(timeout))

    def fold(self, records: Iterable[Record]) -> list[Record]:
        """Take records that the caller got from the engine itself."""
        folded = list(records)
        for record in folded:
            changed = self.view.apply((record,))
            self._opened = self._opened or "session" in changed
            self._listen(record, changed)
        return folded

    def _why(self, status: Status) -> Failure:
        if self.view.failures:
            return self.view.failures[-1]
        return Failure("process.died", status.detail or "The agent's process ended.")
