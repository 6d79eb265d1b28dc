"""The reload under way: a second process loads the code while the first one serves.

It may be told what went on meanwhile and must start over where it cannot, so
that nothing that was said or set during a reload is lost by it.
"""

from collections.abc import Callable
from dataclasses import replace

from adk_tui.client.candidate import Candidate
from adk_tui.client.memory import SessionMemory
from adk_tui.client.watch import Process
from adk_tui.core.commands import Start
from adk_tui.core.reports import Done, Failure, Record
from adk_tui.core.wire import Up


class Reloading:
    """At most one reload; ``candidate`` is its process, None where there is none."""

    def __init__(self, spawn: Callable[[Start], Process], memory: SessionMemory) -> None:
        self.candidate: Candidate | None = None
        self._spawn = spawn
        self._memory = memory

    @property
    def hold(self) -> bool:
        """Whether new commands must wait for the reload to end."""
        return self.candidate is not None and self.candidate.hold

    def begin(self, command: int, *, hold: bool = False) -> None:
        """Start a process; ``command`` is the reload's id."""
        process = self._spawn(self._memory.start())
        self.candidate = Candidate(process, command, self._memory, hold=hold)

    def of(self, process: Process) -> bool:
        """Whether the process is the reload's."""
        return self.candidate is not None and self.candidate.process is process

    def heard(self, frames: list[Up]) -> None:
        """Its process said something."""
        if self.candidate is None:
            return
        self.candidate.heard(frames)
        failure = self.candidate.failure
        if failure and self._memory.missed(failure):
            self._start_over(self.candidate)
        elif failure:
            # It ends by itself when the agent did not load, but not after a bad session.
            self.candidate.process.kill()

    def over(self) -> Candidate | None:
        """The process that is to take over now, which ends the reload; None: not yet.

        To be asked while nothing writes to a session.
        """
        candidate = self.candidate
        if candidate is None or candidate.failure or not candidate.ready:
            return None
        if not candidate.outdated:
            self.candidate = None
            return candidate
        if candidate.hopeless:
            self._start_over(candidate)
        else:
            candidate.read_again()
        return None

    def _start_over(self, candidate: Candidate) -> None:
        """Another process takes its place; what is asked for meanwhile waits."""
        self.begin(candidate.command, hold=True)
        candidate.process.kill()

    def end(self, failure: Failure, *, stopped: bool) -> list[Record]:
        """Give it up; returns what is to be told of that."""
        candidate, self.candidate = self.candidate, None
        if candidate is None:
            return []
        candidate.process.kill()
        if not failure.code.startswith("reload."):
            failure = replace(failure, code="reload." + failure.code.removeprefix("load."))
        done = Done(candidate.command, ok=False, failure=failure, stopped=stopped)
        return [done] if stopped else [failure, done]
