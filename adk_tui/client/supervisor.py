"""Decides what becomes of an engine process: what is sent when, what its death means, who follows.

One thread calls everything here, so there are no locks and every rule can be
read as a plain sequence of calls. The rules:

- One command that writes to the session is with the engine at a time; the
  others wait here, visibly. So no command is ever sent twice, and those that
  were not sent survive the process.
- Each command ends in exactly one ``Done``.
- A new process goes on with the same session. A reload's new process serves
  only once it is ready and the old one is idle.
"""

import time
from collections.abc import Callable
from dataclasses import replace

from adk_tui.client.child import Death
from adk_tui.client.continuity import Continuity
from adk_tui.client.deaths import REPLACED, failure_of, outcome_of
from adk_tui.client.memory import SessionMemory
from adk_tui.client.orders import Orders
from adk_tui.client.reload import Reloading
from adk_tui.client.request_store import RequestKeeper
from adk_tui.client.watch import Process, Watch
from adk_tui.core.commands import (
    READS,
    Cancel,
    Command,
    Quit,
    Reload,
    Resend,
    Restart,
    Say,
    Start,
    Stop,
)
from adk_tui.core.records import EventRecord
from adk_tui.core.reports import Done, Failure, Notice, Ready, Record, Status, ToolRun
from adk_tui.core.wire import PROTOCOL, Hello, Pong, Up, encode_command

OURS = frozenset({"stop", "cancel", "reload", "restart", "quit"})
"""Commands this client carries out, or passes on, for every engine process."""


class Supervisor:
    """One engine over all of its processes. ``tell`` takes the records for the front end.

    With ``recall`` the model calls kept of a session are told when it opens.
    """

    def __init__(
        self,
        start: Start,
        spawn: Callable[[Start], Process],
        tell: Callable[[list[Record]], None],
        *,
        grace: float,
        recall: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.capabilities: frozenset[str] = frozenset()
        self._spawn = spawn
        self._tell = tell
        self._grace = grace
        self._clock = clock
        self._memory = SessionMemory(start)
        keeper = RequestKeeper(start.fallback_folder)
        self._continuity = Continuity(self._memory, keeper, recall=recall)
        self._orders = Orders()
        self._process: Process | None = None
        self._watch = Watch(clock)
        self._late = self._turn_seen = 0
        """The turn that the process has not taken up by the second tick, and that of the last."""
        self._status = Status("starting")
        self._status_told: Status | None = None
        self._ready = False
        self._quitting = False
        self._load_failure: Failure | None = None
        self._reloading = Reloading(spawn, self._memory)
        self._when_ready: list[int] = []
        self._replacing = False
        self._seal = False

    @property
    def last_turn(self) -> tuple[float, float]:
        """When the last turn began and ended (0: it goes on), in wall-clock seconds."""
        return self._orders.began, self._orders.over

    # What the front end asks for

    def start(self) -> None:
        """Start the first process."""
        self._launch()

    def submit(self, command_id: int, command: Command) -> None:
        """Take a command."""
        match command:
            case Stop(force=True):
                self._replace(command_id, seal=self._orders.touched)
            case Stop():
                self._stop(command_id)
            case Cancel():
                self._cancel(command_id, command.command_id)
            case Restart():
                self._replace(command_id, seal=False)
            case Reload():
                self._reload(command_id)
            case Quit():
                self._quit(command_id)
            case _ if isinstance(command, READS) and self._ready:
                self._send(command_id, command)
            case _:
                self._orders.waiting[command_id] = command
                if not self._next():
                    self._say_status()

    def _stop(self, command_id: int) -> None:
        if self._reloading.candidate and not self._orders.turn:
            self._end_reload(Failure("reload.stopped", "The reload was stopped."), stopped=True)
            self._done(command_id)
        elif self._ready and self._orders.turn:
            self._send(command_id, Stop())
        elif self._ready:
            self._done(command_id, "Nothing is running.")
        else:
            hint = "Stop once more with force to start its process again."
            self._refuse(command_id, "Nothing is running: the agent is not loaded.", hint)

    def _cancel(self, command_id: int, target: int) -> None:
        if taken := self._orders.take_back(target):
            self._tell([taken, Done(command_id)])
            self._say_status()
        elif target in self._orders.sent:
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
            self._launch()
        elif not self._replacing:
            self._replacing, self._seal = True, self._seal or seal
            self._process.kill()

    # What comes up

    def frames(self, process: Process, frames: list[Up]) -> None:
        """Take what a process said."""
        if self._reloading.of(process):
            self._reloading.heard(frames)
            self._reload_goes_on()
        elif process is self._process:
            for frame in frames:
                # A frame may be why another process serves from now on.
                if process is self._process:
                    self._frame(frame)

    def _frame(self, frame: Up) -> None:
        match frame:
            case Hello():
                self._watch.greeted()
                if frame.protocol != PROTOCOL:
                    self._wrong_protocol(frame)
            case Pong():
                if self._watch.answered(frame):
                    self._say_status()
            case Ready():
                self.capabilities = frame.capabilities | OURS
                self._pass_on(replace(frame, capabilities=self.capabilities))
            case Status():
                self._engine_status(frame)
            case Failure() if not self._ready and self._memory.missed(frame):
                self._store_again()
            case Done():
                command = self._orders.sent.get(frame.command)
                if frame.ok and command:
                    self._continuity.done(command)
                if self._orders.ended(frame.command):
                    self._tell([frame])
                    self._next()
            case _:
                self._note(frame)
                self._pass_on(frame)

    def _pass_on(self, record: Record) -> None:
        self._tell(self._continuity.heard(record))

    def _note(self, record: Record) -> None:
        match record:
            case EventRecord():
                self._orders.changed()
            case ToolRun() if self._process:
                self._process.tools.note(record)
            case Failure() if record.code.startswith("load."):
                self._load_failure = record
            case _:
                pass

    def _engine_status(self, status: Status) -> None:
        self._status = status
        if status.phase == "ready":
            self._watch.idle()
            if not self._ready:
                self._ready, self._seal = True, False
                self._finish_waiting(None)
        if not self._next():
            self._say_status()

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
            self._refuse(command_id, f"This cannot be sent to the agent: {error}.")
            return False
        self._orders.sent[command_id] = command
        assert self._process is not None
        self._process.send(frame)
        return True

    def _next(self) -> bool:
        """Send the next waiting command if the engine is free for it; says so if it did."""
        sent = False
        while self._orders.waiting and self._free():
            command_id, command = self._orders.next()
            sent = True
            if self._send(command_id, command):
                self._orders.begin(command_id, command)
        if sent:
            self._say_status()
        self._take_over()
        return sent

    def _free(self) -> bool:
        held = self._reloading.hold or self._replacing or self._quitting
        return self._ready and not (self._orders.turn or held)

    def _done(self, command_id: int, note: str = "") -> None:
        self._tell([Done(command_id, note=note)])

    def _refuse(self, command_id: int, message: str, hint: str = "") -> None:
        failure = Failure("bad.command", message, hint)
        self._tell([Done(command_id, ok=False, failure=failure)])

    def _finish_waiting(self, failure: Failure | None) -> None:
        """End the commands that waited for a process to be ready, or to fail."""
        ended, self._when_ready = self._when_ready, []
        self._tell([Done(i, ok=failure is None, failure=failure) for i in ended])

    def _say_status(self) -> None:
        status = self._unheard() or self._status
        detail = self._watch.words or status.detail
        if self._reloading.candidate and status.phase == "ready":
            status = replace(status, phase="reloading")
            detail = self._reloading.candidate.detail
        queued = status.queued + self._orders.queued()
        status = replace(status, detail=detail, queued=queued)
        if status != self._status_told:
            self._status_told = status
            self._tell([status])

    def _unheard(self) -> Status | None:
        """What is at work where the process has not taken up what it was sent; None where it has.

        It may hang, and then only we know; who could not see it could not stop it.
        """
        turn, status = self._orders.turn, self._status
        if not turn or status.phase not in ("ready", "running"):
            return None
        if any(isinstance(c, Stop) for c in self._orders.sent.values()):
            return replace(status, phase="stopping", command=turn)
        if status.phase == "ready" and self._late == turn:
            return replace(status, phase="running", command=turn)
        return None

    # Processes begin and end

    def _launch(self) -> None:
        start = self._memory.start(seal=self._seal)
        self._tell(self._continuity.another("restart"))
        self._status = Status("starting")
        self._ready = False
        self._load_failure = None
        self._watch = Watch(self._clock)
        self._process = self._spawn(start)
        self._say_status()

    def _store_again(self) -> None:
        """The store has lost the session: the next process puts it there again."""
        lost = self._process
        self._launch()
        if lost:
            lost.kill()

    def died(self, process: Process, death: Death) -> None:
        """A process is gone; nothing more comes from it."""
        if (candidate := self._reloading.candidate) and candidate.process is process:
            self._end_reload(candidate.failure or failure_of(death, hello=True))
            return
        if process is not self._process:
            return
        failure = self._load_failure or failure_of(death, hello=self._watch.hello)
        self._process = None
        self._ready = False
        self.capabilities = OURS
        self._watch = Watch(self._clock)
        self._tell(self._continuity.cut(failure.message))
        if self._orders.touched and isinstance(self._orders.at_work, Say | Resend):
            # A forced turn that has not begun is forced anew.
            self._tell(self._continuity.turn_cut())
        ended = REPLACED if self._replacing else failure
        self._tell(self._orders.end_sent(ended, stopped=self._replacing))
        if self._quitting:
            self._status = Status("dead", "ended")
            self._say_status()
        elif self._replacing:
            self._replacing = False
            words = "The agent's process was replaced; its session goes on."
            self._tell([Notice(words, "warning")])
            self._launch()
        else:
            self._lost(failure)

    def _lost(self, failure: Failure) -> None:
        loaded = self._load_failure is None
        told = self._status.phase == "failed"
        if not told:
            self._tell([failure])
            self._status = Status("dead" if loaded else "failed", outcome_of(failure))
            self._say_status()
        self._finish_waiting(failure)
        self._take_over()

    # Reload

    def _reload(self, command_id: int) -> None:
        if self._quitting:
            self._refuse(command_id, "The engine is ending.")
            return
        if not self._ready or self._watch.silent:
            # Nothing would ever take over from a process that hears nothing.
            self._replace(command_id, seal=self._orders.touched)
            return
        self._drop_reload()
        self._reloading.begin(command_id)
        self._say_status()

    def _reload_goes_on(self) -> None:
        candidate = self._reloading.candidate
        if candidate and candidate.ready:
            self._take_over()
        elif self._status.phase == "ready":
            self._say_status()

    def _take_over(self) -> None:
        if self._orders.turn or self._replacing:
            return
        candidate = self._reloading.over()
        if candidate is None:
            return
        old, self._process = self._process, candidate.process
        over = Failure("reload.over", "The agent was loaded again meanwhile.")
        self._tell(self._continuity.cut(over.message))
        self._tell(self._orders.end_sent(over, stopped=True))
        if old:
            old.end(self._grace)
        self._ready = False
        self._load_failure = None
        self._watch = Watch(self._clock)
        self._watch.greeted()
        self._when_ready.append(candidate.command)
        self._tell(self._continuity.another("reload"))
        for record in candidate.records():
            self._frame(record)

    def _end_reload(self, failure: Failure, *, stopped: bool = False) -> None:
        if told := self._reloading.end(failure, stopped=stopped):
            self._tell(told)
            self._say_status()
            self._next()

    def _drop_reload(self) -> None:
        failure = Failure("reload.replaced", "Another reload or restart took its place.")
        self._end_reload(failure, stopped=True)

    # Time

    def tick(self) -> None:
        """Look whether the process is there, and say so if not. Once a second or so."""
        if self._process is None:
            return
        told, _ = self._watch.look(self._process)
        self._tell(told)
        turn = self._orders.turn if self._status.phase == "ready" else 0
        self._late, self._turn_seen = turn if turn == self._turn_seen else 0, turn
        self._say_status()

    def close(self) -> None:
        """End all processes; what waits ends with a failure."""
        self._quitting = True
        self._drop_reload()
        if self._process:
            self._process.end(self._grace)
        failure = Failure("engine.closed", "The engine was closed.")
        self._tell(self._orders.end_sent(failure, stopped=True))
        self._tell(self._orders.end_waiting(failure))
        self._finish_waiting(failure)
        self._continuity.close()
