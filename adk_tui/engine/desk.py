"""Where commands arrive: a thread that listens whatever the agent does, and one queue.

A synchronous tool blocks the agent's event loop for as long as it likes. The
desk therefore runs beside the loop: it answers pings with how long the loop
has been stuck, takes stop and cancel at once, shows what waits, and hands
everything else to the loop one command at a time, so that a session never has
two writers.
"""

import asyncio
import contextlib
import json
import os
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import BinaryIO, cast

from adk_tui.core.commands import (
    READS,
    Answer,
    Cancel,
    Command,
    DeleteSession,
    EditState,
    Fork,
    OpenSession,
    Quit,
    Reload,
    RenameSession,
    Resend,
    Restart,
    RestoreSession,
    Rewind,
    SaveArtifact,
    Say,
    Start,
    Stop,
    Transfer,
)
from adk_tui.core.jsontools import as_int, as_object
from adk_tui.core.reports import Done, Failure, Phase, Queued, Running, Status
from adk_tui.core.wire import Ping, Pong, command_name, decode_command
from adk_tui.engine.channel import Channel

BEAT = 0.2
"""Seconds between two signs of life of the event loop."""

STUCK = 0.5
"""A loop that has been silent for longer than this many seconds is called blocked."""

PARTING = 5.0
"""Seconds the engine may take to end in good order once its client is gone."""


def summary(command: Command) -> str:
    """A command in one short line, for the list of what waits."""
    match command:
        case Say(text) | Resend(_, text):
            line = " ".join(text.split())
            return line if len(line) <= 60 else line[:59] + "…"
        case Answer(_, answers):
            return "answer " + ", ".join(a.name for a in answers)
        case Transfer(agent, once):
            return f"force {agent} once" if once else f"transfer to {agent}"
        case EditState(delta):
            return "edit state: " + ", ".join(delta)
        case Rewind(invocation_id):
            return f"rewind to before {invocation_id}"
        case OpenSession(session_id):
            return f"open session {session_id}"
        case DeleteSession(session_id):
            return f"delete session {session_id}"
        case RestoreSession(session_id):
            return f"restore session {session_id}"
        case RenameSession(session_id):
            return f"rename session {session_id}"
        case Fork():
            return "fork the session"
        case SaveArtifact(name):
            return f"save {name}"
        case _:
            return command_name(command).replace("_", " ")


@dataclass(slots=True)
class _Work:
    id: int
    command: Command
    stop: Callable[[], None] | None = None
    stopping: bool = False


class Desk:
    """Takes commands from a file, hands them out one at a time, and tells the status.

    ``running`` is asked for the tool runs in progress whenever the status is told.
    ``aside`` is called, on the event loop, with a command that only reads and so
    need not wait for its turn.
    """

    def __init__(self, channel: Channel) -> None:
        self.running: Callable[[], tuple[Running, ...]] = tuple
        self.aside: Callable[[int, Command], None] | None = None
        self._channel = channel
        self._lock = threading.RLock()
        self._queue: deque[tuple[int, Command]] = deque()
        self._work: _Work | None = None
        self._phase: Phase = "starting"
        self._started = threading.Event()
        self._start: Start | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._wake = asyncio.Event()
        self._beat = time.monotonic()
        self._closed = False

    def listen(self, commands: BinaryIO) -> None:
        """Read commands on a thread of their own until the client is gone."""
        threading.Thread(target=self._listen, args=(commands,), daemon=True).start()

    def wait_for_start(self) -> Start | None:
        """Block until the client says what to load; None where it went away instead."""
        self._started.wait()
        return self._start

    def phase(self, phase: Phase, detail: str = "") -> None:
        """Tell that the engine is now in ``phase``."""
        with self._lock:
            self._phase = phase
            self._tell(detail)

    async def attend(self) -> None:
        """Bind the desk to the running event loop, and show signs of life from it for ever."""
        loop = asyncio.get_running_loop()
        with self._lock:
            self._loop = loop
            self._wake.set()
        while True:
            self._beat = time.monotonic()
            await asyncio.sleep(BEAT)

    async def next(self) -> tuple[int, Command]:
        """The next command, once it is its turn; it is at work until ``done``."""
        while True:
            with self._lock:
                if self._queue:
                    command_id, command = self._queue.popleft()
                    self._work = _Work(command_id, command)
                    self._phase = "running"
                    self._tell()
                    return command_id, command
                if self._closed:
                    return 0, Quit()
                self._wake.clear()
            await self._wake.wait()

    def stoppable(self, stop: Callable[[], None]) -> None:
        """Let a stop reach the command at work: ``stop`` is called on the event loop.

        A stop that came before this call is delivered at once.
        """
        with self._lock:
            if self._work is not None:
                self._work.stop = stop
                if self._work.stopping:
                    stop()

    @property
    def stopping(self) -> bool:
        """Whether the command at work was asked to stop."""
        work = self._work
        return work is not None and work.stopping

    def tools_changed(self) -> None:
        """A tool began or ended; while stopping, the user is told what is still waited for."""
        if self.stopping:
            with self._lock:
                if self.stopping:
                    self._tell(self._waits_for())

    def done(self, done: Done, *, last: bool = False) -> None:
        """The command at work has ended; after the ``last`` one nothing is ready any more."""
        with self._lock:
            self._work = None
            self._channel.send(done)
            if not self._queue and not last:
                self._phase = "ready"
                self._tell()

    def lag(self) -> float:
        """Seconds the event loop has been stuck; 0 while it is alive."""
        late = time.monotonic() - self._beat - BEAT
        return late if late > BEAT else 0.0

    def _tell(self, detail: str = "") -> None:
        work = self._work
        self._channel.send(
            Status(
                self._phase,
                detail,
                command=work.id if work else 0,
                running=self.running() if work else (),
                queued=tuple(Queued(i, summary(c)) for i, c in self._queue),
            )
        )

    def _waits_for(self) -> str:
        tools, lag = self.running(), self.lag()
        names = ", ".join(f"{t.name} ({t.seconds:.0f} s)" for t in tools)
        blocked = f"which blocks the agent's event loop for {lag:.0f} s"
        if names and lag > STUCK:
            return f"waits for {names}, {blocked}"
        if names:
            return f"waits for {names}"
        return f"waits for code {blocked}" if lag > STUCK else ""

    def _listen(self, commands: BinaryIO) -> None:
        with contextlib.suppress(OSError, ValueError):
            for line in commands:
                if line.strip():
                    self._take(line)
        with self._lock:
            self._closed = True
            self._queue.clear()
            if self._work is not None:
                self._stop_work()
            self._rouse()
        self._started.set()
        # Only the event loop can end in good order; if it is stuck, nobody will.
        time.sleep(PARTING)
        os._exit(1)

    def _take(self, line: bytes) -> None:
        try:
            command_id, command = decode_command(line)
        except Exception as error:
            # Whatever the line was, this thread must go on listening.
            failure = Failure(
                "bad.command",
                f"The engine got a command it cannot read: {error}",
                "The client and the engine may be of different versions.",
            )
            self._refuse(line, failure)
            return
        match command:
            case Ping(token):
                self._channel.send(Pong(token, self.lag()))
            case Start():
                if self._started.is_set():
                    self._fail(command_id, "The engine has been started already.")
                else:
                    self._start = command
                    self._started.set()
            case Stop():
                self._stop(command_id)
            case Cancel(target):
                self._cancel(command_id, target)
            case Quit():
                self._quit(command_id, command)
            case _ if isinstance(command, READS) and self._loop and self.aside:
                with contextlib.suppress(RuntimeError):
                    self._loop.call_soon_threadsafe(self.aside, command_id, command)
            case Reload() | Restart():
                self._fail(command_id, "An engine process cannot replace itself; the client can.")
            case _:
                with self._lock:
                    self._queue.append((command_id, command))
                    self._rouse()
                    if self._work is not None or self._loop is None:
                        self._tell(self._waits_for() if self.stopping else "")

    def _refuse(self, line: bytes, failure: Failure) -> None:
        try:
            command_id = as_int(as_object(json.loads(line)).get("id"))
        except (ValueError, RecursionError):
            command_id = 0
        if command_id:
            self._channel.send(Done(command_id, ok=False, failure=failure))
        else:
            self._channel.send(failure)

    def _fail(self, command_id: int, message: str) -> None:
        failure = Failure("bad.command", message)
        self._channel.send(Done(command_id, ok=False, failure=failure))

    def _rouse(self) -> None:
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._wake.set)

    def _stop(self, command_id: int) -> None:
        with self._lock:
            if self._work is None:
                self._channel.send(Done(command_id, note="Nothing is running."))
                return
            self._stop_work()
            detail = self._waits_for()
            self._tell(detail)
            self._channel.send(Done(command_id, note=detail))

    def _quit(self, command_id: int, command: Quit) -> None:
        failure = Failure("engine.closed", "The engine was told to quit before this began.")
        with self._lock:
            for waiting, _ in self._queue:
                self._channel.send(Done(waiting, ok=False, failure=failure))
            self._queue.clear()
            self._queue.append((command_id, command))
            if self._work is not None:
                self._stop_work()
            self._rouse()

    def _stop_work(self) -> None:
        work = cast(_Work, self._work)
        first, work.stopping, self._phase = not work.stopping, True, "stopping"
        if first and work.stop is not None and self._loop is not None:
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(work.stop)

    def _cancel(self, command_id: int, target: int) -> None:
        with self._lock:
            found = next((c for c in self._queue if c[0] == target), None)
            if found is None:
                running = self._work is not None and self._work.id == target
                why = "it is at work: stop it instead" if running else "it is not waiting"
                self._fail(command_id, f"Command {target} cannot be taken back; {why}.")
                return
            self._queue.remove(found)
            self._channel.send(Done(target, ok=False, note="Taken back before it began."))
            self._channel.send(Done(command_id))
            self._tell()
