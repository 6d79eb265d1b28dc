"""One command at a time with an engine, for front ends that read from top to bottom."""

from collections.abc import Callable
from types import TracebackType
from typing import Self, TypeAlias

from adk_tui.client.engine import Engine
from adk_tui.core.commands import Command, Stop
from adk_tui.core.reports import Done, Failure, Record, Status
from adk_tui.core.session import SessionView

Listener: TypeAlias = Callable[[Record, frozenset[str]], None]
"""Gets each record after it was folded into the view, with the names of what it changed."""

TICK = 0.2
"""Seconds between two looks at whether the user wants to stop."""


class NotLoaded(Exception):
    """The engine did not become ready; ``failure`` says why."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


class Conversation:
    """A started engine and the view of what it says.

    A context manager: leaving it closes the engine.
    """

    def __init__(self, engine: Engine, listen: Listener) -> None:
        self.view = SessionView()
        self.engine = engine
        self._listen = listen
        self._opened = False
        self.interrupted = False
        """Whether ``interrupt`` was called during the last command."""
        self._interrupts = 0

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

    def interrupt(self) -> None:
        """Ask for a stop, from a signal handler or another thread.

        What runs is stopped; a second call while it is stopping ends the
        engine process. No record is lost, as it would be by an exception that
        falls in between taking and folding one.
        """
        self._interrupts += 1

    def wait_until_ready(self) -> None:
        """Return when the agent is loaded and its session is open and complete.

        Raises:
            NotLoaded: the agent did not load, or its process died.
            KeyboardInterrupt: ``interrupt`` was called meanwhile.
        """
        while not (self._opened and self._complete()):
            if self._interrupts:
                raise KeyboardInterrupt
            for record in self._step():
                if isinstance(record, Failure) and not record.code.startswith("reload."):
                    raise NotLoaded(record)
                if isinstance(record, Status) and record.phase in ("failed", "dead"):
                    raise NotLoaded(self._last_failure(record))

    def run(self, command: Command) -> Done:
        """Send a command and return when it is done, or stopped after ``interrupt``."""
        answered = 0
        number = self.engine.submit(command)
        while True:
            if self._interrupts > answered:
                self.engine.submit(Stop(force=answered > 0))
                answered = self._interrupts
            for record in self._step():
                if isinstance(record, Done) and record.command == number:
                    self.interrupted = self._interrupts > 0
                    self._interrupts = 0
                    return record

    def _step(self) -> list[Record]:
        records = list(self.engine.records(TICK))
        for record in records:
            changed = self.view.apply((record,))
            self._opened = self._opened or "session" in changed
            self._listen(record, changed)
        return records

    def _complete(self) -> bool:
        session = self.view.session
        return session is not None and len(self.view.log) >= session.count

    def _last_failure(self, status: Status) -> Failure:
        if self.view.failures:
            return self.view.failures[-1]
        return Failure("process.died", status.detail or "The agent's process ended.")
