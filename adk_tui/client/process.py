"""An engine that is a process on this machine.

``ProcessEngine`` is what a front end holds: it never blocks and never raises.
One thread of its own takes commands, frames and deaths in order and lets the
``Supervisor`` decide; each process has threads of its own (``child.Child``).
"""

import itertools
import os
import queue
import threading
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from adk_tui.client import child, pythons
from adk_tui.client.child import Child, Death
from adk_tui.client.file_watch import FileWatch
from adk_tui.client.outbox import Outbox
from adk_tui.client.output import OutputLog
from adk_tui.client.supervisor import Supervisor
from adk_tui.client.trouble import Trouble
from adk_tui.client.watch import Process
from adk_tui.core.commands import Command, Reload, Start
from adk_tui.core.reports import Done, Failure, Notice, Record
from adk_tui.core.wire import Up, encode_command

TICK = 1.0


def _no_environment() -> Mapping[str, str]:
    return {}


@dataclass(frozen=True, slots=True)
class Launch:
    """How to run an engine.

    ``python`` is the interpreter the user asked for, empty to find one
    (``pythons.find_python``). ``output_log`` is the file that keeps what the
    agent prints. ``env`` is added to the environment of the agent. ``grace`` is
    how many seconds a process gets to end by itself. With ``debug`` the choice
    of the interpreter is told as a notice. ``command`` replaces the
    whole command line: any program that speaks the protocol can be an engine.
    With ``recall`` the model calls that were kept of a session come up again
    when it opens (``request_store``). With ``reload`` the agent is loaded again
    whenever its files have changed (``file_watch``).
    """

    start: Start
    python: str = ""
    output_log: Path | None = None
    env: Mapping[str, str] = field(default_factory=_no_environment)
    debug: bool = False
    grace: float = 3.0
    command: tuple[str, ...] = ()
    recall: bool = False
    reload: bool = False


class ProcessEngine:
    """An agent in a process of its own; implements ``client.engine.Engine``."""

    def __init__(self, launch: Launch) -> None:
        self._launch = launch
        self._outbox = Outbox()
        self._inbox: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._ids = itertools.count(1)
        self._log = OutputLog(launch.output_log) if launch.output_log else None
        self._log_trouble = Trouble()
        self._children: list[Child] = []
        self._lock = threading.Lock()
        self._closed = False
        self._files: FileWatch | None = None
        self._supervisor = Supervisor(
            launch.start,
            self._spawn,
            self._outbox.put,
            grace=launch.grace,
            recall=launch.recall,
        )
        self._thread = threading.Thread(target=self._run, name="engine-supervisor", daemon=True)

    @property
    def capabilities(self) -> frozenset[str]:
        """Names of the commands the engine takes; empty until it is ready."""
        return self._supervisor.capabilities

    def start(self) -> None:
        """Begin. Returns at once; what comes of it arrives as records."""
        self._inbox.put(self._supervisor.start)
        self._thread.start()
        if self._launch.reload:
            target = pythons.agent_path(self._launch.start.target)
            folder = target if target.is_dir() else target.parent
            self._files = FileWatch(folder, self._files_changed, lambda: self._supervisor.last_turn)

    def submit(self, command: Command) -> int:
        """Ask for something; returns the command's id. Never blocks, never raises."""
        command_id = next(self._ids)
        with self._lock:
            if not self._closed:
                self._inbox.put(lambda: self._supervisor.submit(command_id, command))
                return command_id
        failure = Failure("engine.closed", "The engine was closed.")
        self._outbox.put([Done(command_id, ok=False, failure=failure, stopped=True)])
        return command_id

    def records(self, timeout: float = 0.0) -> Sequence[Record]:
        """Everything that arrived since the last call, in order."""
        return self._outbox.take(timeout)

    def close(self) -> None:
        """End the engine and everything it started; waits a bounded time. Idempotent."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
        if self._files:
            self._files.stop()
        if not self._thread.is_alive():
            return
        self._outbox.close()
        self._inbox.put(self._supervisor.close)
        self._inbox.put(None)
        self._thread.join(2.0)
        deadline = time.monotonic() + self._launch.grace + child.KILL_SECONDS
        for process in self._children:
            if not process.wait(max(0.0, deadline - time.monotonic())):
                process.kill()

    def _run(self) -> None:
        last = time.monotonic()
        while True:
            try:
                work = self._inbox.get(timeout=TICK)
            except queue.Empty:
                work = self._nothing
            if work is None:
                return
            try:
                work()
            except Exception as error:
                # Without this thread nobody would ever hear of the engine again.
                self._outbox.put([_bug(error)])
            if time.monotonic() - last >= TICK:
                last = time.monotonic()
                self._supervisor.tick()
                self._tell_log_problem()

    def _files_changed(self, paths: tuple[str, ...]) -> None:
        first, *others = paths
        more = f" and {len(others)} more" if others else ""
        self._outbox.put([Notice(f"{first}{more} changed: the agent is loaded again.")])
        self.submit(Reload())

    def _nothing(self) -> None:
        """Time passed, nothing else happened."""

    def _tell_log_problem(self) -> None:
        problem = self._log_trouble.news(self._log.problem if self._log else "")
        if problem:
            text = f"The agent's output cannot be written to its file: {problem}."
            self._outbox.put([Notice(text, "warning")])

    def _spawn(self, start: Start) -> Process:
        process = Child(self._resolve, self._outbox, self._log, self._on_frames, self._on_death)
        self._children = [c for c in self._children if not c.wait(0.0)]
        self._children.append(process)
        process.send(encode_command(start))
        process.start()
        return process

    def _on_frames(self, process: Child, frames: list[Up]) -> None:
        self._inbox.put(lambda: self._supervisor.frames(process, frames))

    def _on_death(self, process: Child, death: Death) -> None:
        self._inbox.put(lambda: self._supervisor.died(process, death))

    def _resolve(self) -> child.Command:
        environment = {**os.environ, **self._launch.env}
        if self._launch.command:
            return child.Command(self._launch.command, environment)
        try:
            python = pythons.find_python(
                pythons.agent_path(self._launch.start.target), self._launch.python
            )
        except pythons.NoPython as problem:
            raise child.CannotRun(problem.failure) from problem
        told = tuple(Notice(sentence, "warning") for sentence in python.skipped)
        if self._launch.debug:
            told = (*told, Notice(f"The agent runs on {python.path}: {python.why}."))
        return child.Command(pythons.engine_command(python), environment, told)


def _bug(error: Exception) -> Failure:
    return Failure(
        "client.bug",
        f"adk-tui made a mistake of its own: {type(error).__name__}: {error}.",
        "The agent goes on; load it again (/reload) if something hangs, and report this.",
        details="".join(traceback.format_exception(error)),
    )
