"""Decides what becomes of an engine process: what is sent when, what its death means, who follows.

One thread calls everything here, so there are no locks and every rule can be
read, and tested, as a plain sequence of calls. The rules:

- One command that writes to the session is with the engine at a time; the
  others wait here, visibly. So no command is ever sent twice, and those that
  were not sent survive the process.
- Each command ends in exactly one ``Done``.
- A new process goes on with the same session. A reload's new process serves
  only once it is ready and the old one is idle.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Protocol, TypeVar

from adk_tui.client.child import Death
from adk_tui.client.deaths import failure_of, outcome_of
from adk_tui.client.memory import SessionMemory
from adk_tui.client.output import ToolTimes
from adk_tui.core.commands import (
    Answer,
    Cancel,
    Command,
    ListSessions,
    OpenSession,
    Quit,
    Reload,
    Restart,
    Say,
    Start,
    Stop,
)
from adk_tui.core.records import EventRecord
from adk_tui.core.reports import (
    Done,
    Failure,
    ModelCall,
    Notice,
    Queued,
    Ready,
    Record,
    SessionOpened,
    Status,
    ToolRun,
)
from adk_tui.core.wire import (
    PROTOCOL,
    Down,
    Hello,
    Ping,
    Pong,
    Up,
    command_name,
    encode_command,
)

OURS = frozenset({"stop", "cancel", "reload", "restart", "quit"})
"""Commands this client carries out or passes on for every engine process."""

SLOW_HELLO = 20.0
"""Seconds without a first frame after which the user is told."""
SLOW_PONG = 10.0
PING_EVERY = 2.0
BLOCKED = 1.0
"""Seconds the agent's event loop must be stuck before the status says so."""


class Process(Protocol):
    """What a supervisor needs of an engine process (``child.Child``)."""

    tools: ToolTimes
    held: bool

    def send(self, frame: bytes) -> None:
        """Write a frame to it."""

    def end(self, grace: float) -> None:
        """Let it end, kill it after ``grace`` seconds."""

    def kill(self) -> None:
        """Kill it."""


@dataclass(slots=True)
class _Reload:
    """A process that is to take over. ``mark`` is the session's version it knows."""

    process: Process
    command: int
    mark: int
    hold: bool = False
    ready: bool = False
    synced: bool = False
    records: list[Record] = field(default_factory=list[Record])
    failure: Failure | None = None


def describe(command: Command) -> str:
    """A waiting command in a few words."""
    match command:
        case Say():
            first = command.text.strip().partition("\n")[0]
            return first[:80] or "attachments"
        case Answer():
            return "answer " + ", ".join(a.name for a in command.answers)
        case _:
            return command_name(command).replace("_", " ")


class Supervisor:
    """The state of one engine over all of its processes."""

    def __init__(
        self,
        start: Start,
        spawn: Callable[[Start], Process],
        tell: Callable[[list[Record]], None],
        *,
        grace: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.capabilities: frozenset[str] = frozenset()
        self._spawn = spawn
        self._tell = tell
        self._grace = grace
        self._clock = clock
        self._memory = SessionMemory(start)
        self._process: Process | None = None
        self._reload: _Reload | None = None
        self._status = Status("starting")
        self._ready = False
        self._quitting = False
        self._reason = ""
        self._load_failure: Failure | None = None
        self._waiting: dict[int, Command] = {}
        self._sent: dict[int, Command] = {}
        self._turn = 0
        self._turn_told = False
        self._when_ready: list[int] = []
        self._replace_seal: bool | None = None
        self._runs: dict[str, ToolRun] = {}
        self._calls: dict[str, ModelCall] = {}
        self._internal = 0
        self._begun = 0.0
        self._hello = False
        self._pinged = 0.0
        self._ponged = 0.0
        self._silent = False
        self._blocked = ""

    # What the front end asks for

    def start(self) -> None:
        """Start the first process."""
        self._launch(self._memory.start())

    def submit(self, command_id: int, command: Command) -> None:
        """Take a command."""
        match command:
            case Stop(force=True):
                self._replace(command_id, seal=self._turn_told)
            case Stop():
                self._stop(command_id)
            case Cancel():
                self._cancel(command_id, command.command_id)
            case Restart():
                self._replace(command_id, seal=False)
            case Reload():
                self._begin_reload(command_id)
            case Quit():
                self._quit(command_id)
            case ListSessions() if self._ready:
                self._send(command_id, command)
            case _:
                self._waiting[command_id] = command
                if not self._next():
                    self._say_status()

    def _stop(self, command_id: int) -> None:
        if self._reload and not self._turn:
            self._end_reload(Failure("reload.stopped", "The reload was stopped."), stopped=True)
            self._done(command_id)
        elif self._ready and self._turn:
            self._send(command_id, Stop())
        elif self._ready:
            self._done(command_id, note="Nothing is running.")
        else:
            self._refuse(
                command_id,
                "Nothing is running yet: the agent is not loaded.",
                "Stop once more with force to start its process again.",
            )

    def _cancel(self, command_id: int, target: int) -> None:
        if target in self._waiting:
            del self._waiting[target]
            self._tell([Done(target, ok=False, note="Taken back before it began.", stopped=True)])
            self._done(command_id)
            self._say_status()
        elif target in self._sent:
            self._refuse(command_id, f"Command {target} has begun already.", "Stop it instead.")
        else:
            self._refuse(command_id, f"No command {target} waits.")

    def _quit(self, command_id: int) -> None:
        self._quitting = True
        self._drop_reload()
        if self._process:
            self._process.end(self._grace)
        self._done(command_id)

    def _replace(self, command_id: int, *, seal: bool) -> None:
        """Kill the process if there is one, and start another on the same session."""
        self._drop_reload()
        self._when_ready.append(command_id)
        if self._process is None:
            self._launch(self._memory.start(seal=seal))
        elif self._replace_seal is None:
            self._replace_seal = seal
            self._process.kill()

    def _begin_reload(self, command_id: int) -> None:
        if self._process is None or not self._ready:
            self._replace(command_id, seal=False)
            return
        self._drop_reload()
        self._start_reload(command_id, hold=False)
        self._say_status()

    def _start_reload(self, command_id: int, *, hold: bool) -> None:
        process = self._spawn(self._memory.start())
        self._reload = _Reload(process, command_id, self._memory.version, hold)

    # What comes up

    def frames(self, process: Process, frames: list[Up]) -> None:
        """Take what a process said."""
        if self._reload and process is self._reload.process:
            self._reload_frames(self._reload, frames)
            return
        if process is not self._process:
            return
        for frame in frames:
            self._frame(frame)

    def _frame(self, frame: Up) -> None:
        match frame:
            case Hello():
                self._hello = True
                self._ponged = self._clock()
                if frame.protocol != PROTOCOL:
                    self._wrong_protocol(frame)
            case Pong():
                self._pong(frame)
            case Ready():
                self.capabilities = frame.capabilities | OURS
                self._tell([replace(frame, capabilities=self.capabilities)])
            case Status():
                self._engine_status(frame)
            case Done():
                self._engine_done(frame)
            case _:
                self._note(frame)
                self._tell([self._renamed(frame)])

    def _renamed(self, record: Record) -> Record:
        """Say why a session was opened where only we know: its process follows another."""
        if isinstance(record, SessionOpened) and self._reason:
            reason, self._reason = self._reason, ""
            match reason:
                case "restart":
                    return replace(record, reason="restart")
                case _:
                    return replace(record, reason="reload")
        return record

    def _note(self, record: Record) -> None:
        match record:
            case SessionOpened():
                if self._memory.session and record.id != self._memory.session.id:
                    self._reason = ""
                self._memory.opened(record)
            case EventRecord():
                self._memory.event(record)
                self._turn_told = self._turn_told or bool(self._turn)
            case ToolRun():
                _keep(self._runs, record.call_id, record)
                if self._process:
                    self._process.tools.note(record)
            case ModelCall():
                _keep(self._calls, record.id, record)
            case Failure() if record.code.startswith("load."):
                self._load_failure = record
            case _:
                pass

    def _engine_status(self, status: Status) -> None:
        self._status = status
        if status.phase == "ready":
            self._blocked = ""
        if status.phase == "ready" and not self._ready:
            self._ready = True
            self._finish_waiting(None)
        if not self._next():
            self._say_status()

    def _engine_done(self, done: Done) -> None:
        if done.command == self._internal and self._reload:
            return
        command = self._sent.pop(done.command, None)
        if command is None:
            return
        if done.command == self._turn:
            self._turn = 0
            self._turn_told = False
        self._tell([done])
        self._next()

    def _wrong_protocol(self, hello: Hello) -> None:
        self._load_failure = Failure(
            "process.protocol",
            f"The engine speaks protocol {hello.protocol}, this client {PROTOCOL}.",
            "Install the same adk-tui on both sides.",
        )
        if self._process:
            self._process.kill()

    # Sending

    def _send(self, command_id: int, command: Command) -> bool:
        try:
            frame = encode_command(command, command_id)
        except (TypeError, ValueError, RecursionError) as error:
            self._refuse(
                command_id, f"This cannot be sent to the agent: {error}.", code="bad.command"
            )
            return False
        self._sent[command_id] = command
        assert self._process is not None
        self._process.send(frame)
        return True

    def _next(self) -> bool:
        """Send the next waiting command if the engine is free for it; says so if it did."""
        sent = False
        while self._waiting and self._free():
            command_id = next(iter(self._waiting))
            command = self._waiting.pop(command_id)
            sent = True
            if self._send(command_id, command) and not isinstance(command, ListSessions):
                self._turn = command_id
        if sent:
            self._say_status()
        if self._reload:
            self._take_over()
        return sent

    def _free(self) -> bool:
        held = self._reload is not None and self._reload.hold
        replaced = self._replace_seal is not None
        return self._ready and not self._turn and not held and not replaced and not self._quitting

    def _done(self, command_id: int, note: str = "") -> None:
        self._tell([Done(command_id, note=note)])

    def _refuse(
        self, command_id: int, message: str, hint: str = "", *, code: str = "bad.command"
    ) -> None:
        self._tell([Done(command_id, ok=False, failure=Failure(code, message, hint))])

    def _finish_waiting(self, failure: Failure | None) -> None:
        """End the commands that waited for a process to be ready, or to fail."""
        ended, self._when_ready = self._when_ready, []
        self._tell([Done(i, ok=failure is None, failure=failure) for i in ended])

    def _say_status(self) -> None:
        status = self._status
        if self._reload and status.phase == "ready":
            status = replace(status, phase="reloading")
        waiting = tuple(Queued(i, describe(c)) for i, c in self._waiting.items())
        detail = self._blocked or status.detail
        self._tell([replace(status, detail=detail, queued=status.queued + waiting)])

    # Processes begin and end

    def _launch(self, start: Start) -> None:
        if self._memory.session:
            self._reason = "restart"
        self._status = Status("starting")
        self._ready = self._hello = self._silent = False
        self._blocked = ""
        self._load_failure = None
        self._begun = self._clock()
        self._process = self._spawn(start)
        self._say_status()

    def died(self, process: Process, death: Death) -> None:
        """A process is gone; nothing more comes from it."""
        if self._reload and process is self._reload.process:
            failure = self._reload.failure or failure_of(death, hello=False)
            self._end_reload(replace(failure, code="reload." + failure.code.removeprefix("load.")))
            return
        if process is not self._process:
            return
        self._process = None
        self._ready = False
        self.capabilities = OURS
        self._blocked = ""
        failure = self._load_failure or failure_of(death, hello=self._hello)
        self._close_open(failure)
        seal, self._replace_seal = self._replace_seal, None
        self._end_sent(failure if seal is None else _replaced(), stopped=seal is not None)
        if self._quitting:
            self._status = Status("dead", "ended")
            self._say_status()
        elif seal is not None:
            self._tell(
                [Notice("The agent's process was replaced; the session goes on.", "warning")]
            )
            self._launch(self._memory.start(seal=seal))
        else:
            self._lost(failure)

    def _lost(self, failure: Failure) -> None:
        loading = self._load_failure is not None
        if not loading or failure.code.startswith("process."):
            self._tell([failure])
        self._status = Status("failed" if loading else "dead", outcome_of(failure))
        self._finish_waiting(failure)
        self._say_status()
        if self._reload:
            self._take_over()

    def _end_sent(self, failure: Failure, *, stopped: bool) -> None:
        ended, self._sent = self._sent, {}
        self._turn = 0
        self._turn_told = False
        for command_id, command in ended.items():
            if isinstance(command, Stop):
                self._done(command_id, note="The process has ended.")
            else:
                self._tell([Done(command_id, ok=False, failure=failure, stopped=stopped)])

    def _close_open(self, failure: Failure) -> None:
        """Tools and model calls that ran in a process end with it."""
        now = time.time()
        self._tell([replace(r, ended=now, error=failure.message) for r in self._runs.values()])
        self._tell([replace(c, ended=now, error=failure.message) for c in self._calls.values()])
        self._runs.clear()
        self._calls.clear()

    # Reload

    def _reload_frames(self, reload: _Reload, frames: list[Up]) -> None:
        for frame in frames:
            match frame:
                case Hello() | Pong():
                    pass
                case Failure():
                    reload.failure = frame
                case Status():
                    if frame.phase == "ready":
                        reload.ready = True
                    if frame.phase == "loading" and self._status.phase == "ready":
                        waiting = tuple(Queued(i, describe(c)) for i, c in self._waiting.items())
                        self._tell([Status("reloading", frame.detail, queued=waiting)])
                case Done():
                    if frame.command == self._internal:
                        self._synced(reload, frame)
                case _:
                    reload.records.append(frame)
        if self._reload is reload:
            self._take_over()

    def _synced(self, reload: _Reload, done: Done) -> None:
        if done.ok:
            reload.ready = reload.synced = True
            return
        failure = done.failure or Failure("session", "The session could not be opened again.")
        self._end_reload(replace(failure, code="reload." + failure.code))

    def _take_over(self) -> None:
        reload = self._reload
        if reload is None or not reload.ready or self._turn or self._replace_seal is not None:
            return
        if self._memory.version != reload.mark and not reload.synced:
            self._sync(reload)
            return
        old, self._reload = self._process, None
        self._close_open(Failure("reload.over", "The agent was loaded again."))
        self._end_sent(
            Failure("reload.over", "The agent was loaded again meanwhile."), stopped=True
        )
        if old:
            old.end(self._grace)
        self._process = reload.process
        self._ready = False
        self._hello = True
        self._silent = False
        self._blocked = ""
        self._load_failure = None
        self._ponged = self._clock()
        self._reason = "reload"
        self._when_ready.append(reload.command)
        for record in (*reload.records, Status("ready")):
            self._frame(record)

    def _sync(self, reload: _Reload) -> None:
        """The session went on since the new process read it: let it read again."""
        session = self._memory.session
        if session is None or reload.hold:
            return
        if self._memory.rebuilt:
            command = reload.command
            self._reload = None
            reload.process.kill()
            self._start_reload(command, hold=True)
            return
        reload.hold = True
        reload.mark = self._memory.version
        reload.ready = False
        reload.records = [
            r for r in reload.records if not isinstance(r, EventRecord | SessionOpened)
        ]
        self._internal -= 1
        again = OpenSession(session.id, session.user)
        reload.process.send(encode_command(again, self._internal))

    def _end_reload(self, failure: Failure, *, stopped: bool = False) -> None:
        reload, self._reload = self._reload, None
        if reload is None:
            return
        reload.process.kill()
        if not stopped:
            self._tell([failure])
        self._tell([Done(reload.command, ok=False, failure=failure, stopped=stopped)])
        self._say_status()
        self._next()

    def _drop_reload(self) -> None:
        if self._reload:
            failure = Failure("reload.replaced", "Another reload or restart took its place.")
            self._end_reload(failure, stopped=True)

    # Watching

    def tick(self) -> None:
        """Ask whether the engine is there, and say so if not. Once a second or so."""
        process, now = self._process, self._clock()
        if process is None:
            return
        if not self._hello:
            if now - self._begun > SLOW_HELLO and not self._silent:
                self._silent = True
                self._warn(f"The agent's process has said nothing for {SLOW_HELLO:.0f} s.")
            return
        if now - self._pinged >= PING_EVERY:
            self._pinged = now
            process.send(encode_command(_ping()))
        if process.held:
            self._ponged = now
        silence = now - self._ponged
        if silence > SLOW_PONG:
            if not self._silent:
                self._warn(f"The agent's process has not answered for {silence:.0f} s.")
            self._silent = True
            self._set_blocked(f"no answer for {silence:.0f} s")

    def _warn(self, what: str) -> None:
        self._tell([Notice(f"{what} Stopping it with force replaces it.", "warning")])

    def _pong(self, pong: Pong) -> None:
        self._ponged = self._clock()
        self._silent = False
        blocked = f"event loop blocked for {pong.lag:.0f} s" if pong.lag >= BLOCKED else ""
        self._set_blocked(blocked)

    def _set_blocked(self, blocked: str) -> None:
        if blocked != self._blocked:
            self._blocked = blocked
            self._say_status()

    def close(self) -> None:
        """End all processes; what waits ends with a failure."""
        self._quitting = True
        self._drop_reload()
        if self._process:
            self._process.end(self._grace)
        failure = Failure("engine.closed", "The engine was closed.")
        self._end_sent(failure, stopped=True)
        waiting, self._waiting = self._waiting, {}
        self._tell([Done(i, ok=False, failure=failure, stopped=True) for i in waiting])
        self._finish_waiting(failure)


def _ping() -> Down:
    return Ping()


def _replaced() -> Failure:
    return Failure(
        "stopped.force",
        "Stopped by replacing the agent's process.",
        "Calls that were left without a response are closed as aborted.",
    )


_T = TypeVar("_T", ToolRun, ModelCall)


def _keep(running: dict[str, _T], key: str, record: _T) -> None:
    if record.ended:
        running.pop(key, None)
    else:
        running[key] = record
