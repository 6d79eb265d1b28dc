"""One engine process: its pipes, its threads, its end.

``Child`` knows the wire and the operating system, and nothing of sessions or
commands; ``supervisor`` decides. Between it and the engine stands a keeper
(``keeper.py``), so that whatever the agent started dies with the engine, and
the engine with the app.
"""

import contextlib
import os
import queue
import signal
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from adk_tui.client.orphans import MARK, kill_marked
from adk_tui.client.outbox import Outbox
from adk_tui.client.output import OutputLog, OutputPump, ToolTimes
from adk_tui.core.reports import Failure, Notice, Output
from adk_tui.core.wire import Up, WireError, decode_record

FRAME_LIMIT = 256 << 20
"""Bytes after which a line without an end is given up."""
STRAY_SHOWN = 2000
KEEPER = Path(__file__).with_name("keeper.py")
LINE_CLOSED_SECONDS = 3.0
"""How long a process may live on after it has closed its line to us."""
KILL_SECONDS = 7.0
"""How long the keeper may take to kill everything before it is killed itself."""


@dataclass(frozen=True, slots=True)
class Death:
    """How a process ended. ``error`` says why it never ran; ``tail`` is what it printed last.

    ``code`` is its exit code, -1 when it has none; ``signal`` the number of the
    signal that ended it. ``killed`` says that we did it on demand, ``mute`` that
    we did it because the process had closed its line to us. ``memory`` says
    that the kernel ran out of memory meanwhile.
    """

    code: int = -1
    signal: int = 0
    error: Failure | None = None
    tail: str = ""
    killed: bool = False
    memory: bool = False
    mute: bool = False


@dataclass(frozen=True, slots=True)
class Command:
    """What to run: argument list, environment, and what to tell the user about the choice."""

    arguments: Sequence[str]
    environment: Mapping[str, str]
    notices: tuple[Notice, ...] = ()


class CannotRun(Exception):
    """There is nothing to run; carries the failure to show."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


def _out_of_memory_kills() -> int:
    """How often this machine (Linux) has killed for lack of memory; 0 where unknown."""
    with contextlib.suppress(OSError, ValueError):
        for line in Path("/proc/vmstat").read_text().splitlines():
            if line.startswith("oom_kill "):
                return int(line.split()[1])
    return 0


class Child:
    """One engine process. All methods may be called from any thread and none blocks but ``wait``.

    ``on_frames`` and ``on_death`` are called on threads of this object: the
    first with what came up, in order, the second once, after the last frame.
    """

    def __init__(
        self,
        resolve: Callable[[], Command],
        outbox: Outbox,
        log: OutputLog | None,
        on_frames: Callable[["Child", list[Up]], None],
        on_death: Callable[["Child", Death], None],
    ) -> None:
        self.tools = ToolTimes()
        self.held = False
        """Whether our own reader waits because the front end does not keep up."""
        self._resolve = resolve
        self._outbox = outbox
        self._log = log
        self._on_frames = on_frames
        self._on_death = on_death
        self._down: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._life: _Fd | None = None
        self._killed = False
        self._mute = False
        self._over = threading.Event()
        self._gone = threading.Event()
        self._thread = threading.Thread(target=self._run, name="engine-process", daemon=True)

    def start(self) -> None:
        """Run the process, from a thread: returns at once."""
        self._thread.start()

    def send(self, frame: bytes) -> None:
        """Write to the engine, after all that was sent before."""
        self._down.put(frame)

    def end(self, grace: float) -> None:
        """Let the process end by closing its command line; kill it after ``grace`` seconds."""
        self._down.put(None)

        def enforce() -> None:
            if not self._gone.wait(grace):
                self.kill()

        threading.Thread(target=enforce, name="engine-grace", daemon=True).start()

    def kill(self) -> None:
        """Kill the process and everything it started."""
        self._killed = True
        self._release()
        self._over.set()

    def _release(self) -> None:
        """Close the keeper's lifeline: it kills everything and ends."""
        with self._lock:
            if self._life:
                self._life.owned = False
                self._life.close()
                self._life = None

    def wait(self, timeout: float) -> bool:
        """Whether the process is gone, at the latest after ``timeout`` seconds."""
        return self._gone.wait(timeout)

    def _run(self) -> None:
        death = Death(error=Failure("process.start", "The agent's process could not be started."))
        try:
            death = self._live()
        except CannotRun as stop:
            death = Death(error=stop.failure)
        except OSError as error:
            death = Death(
                error=Failure(
                    "process.start",
                    f"The agent's process could not be started: {error.strerror or error}.",
                    "Free some resources (open files, processes, memory) and restart it.",
                )
            )
        finally:
            self._gone.set()
            self._over.set()
            self._on_death(self, death)

    def _live(self) -> Death:
        command = self._resolve()
        if command.notices:
            self._outbox.put(command.notices)
        kills = _out_of_memory_kills()
        mark = uuid.uuid4().hex
        with contextlib.ExitStack() as opened:

            def pipe() -> tuple[_Fd, _Fd]:
                ends = [_Fd(number) for number in os.pipe()]
                for end in ends:
                    opened.callback(end.close)
                return ends[0], ends[1]

            commands_out, commands_in = pipe()
            frames_out, frames_in = pipe()
            stdout_out, stdout_in = pipe()
            stderr_out, stderr_in = pipe()
            life_out, life_in = pipe()
            status_out, status_in = pipe()
            _widen(stdout_in.number, stderr_in.number)
            with self._lock:
                if self._killed:
                    return Death(killed=True)
                keeper = subprocess.Popen(
                    [
                        *(sys.executable, "-I", "-S", str(KEEPER)),
                        *(str(life_out.number), str(status_in.number)),
                        *(*command.arguments, "--stdout-fd", str(stdout_in.number)),
                    ],
                    stdin=commands_out.number,
                    stdout=frames_in.number,
                    stderr=stderr_in.number,
                    pass_fds=(stdout_in.number, life_out.number, status_in.number),
                    env={**command.environment, MARK: mark},
                    start_new_session=True,
                )
                self._life = life_in
                life_in.owned = True
            for end in (commands_out, frames_in, stdout_in, stderr_in, life_out, status_in):
                end.close()
            pump = OutputPump(
                {stdout_out.give(): "stdout", stderr_out.give(): "stderr"},
                self._outbox.put_output,
                self.tools,
                self._log,
            )
            pump.start()
            self._thread_of(self._write, commands_in.give())
            reader = self._thread_of(self._read, frames_out.give())
            code, number, error = self._watch(status_out, keeper, mark)
            self._down.put(None)
            reader.join(30.0 if self.held else KILL_SECONDS)
            pump.stop(2.0)
            failure = None
            if error:
                failure = Failure(
                    "process.start",
                    f"The agent's process could not be started: {error}.",
                    "Check the Python given by --python or the project's virtual environment.",
                )
            return Death(
                code,
                number,
                failure,
                pump.tail,
                self._killed,
                memory=number == signal.SIGKILL and _out_of_memory_kills() > kills,
                mute=self._mute,
            )

    def _thread_of(self, work: Callable[[int], None], fd: int) -> threading.Thread:
        thread = threading.Thread(target=work, args=(fd,), name="engine-line", daemon=True)
        thread.start()
        return thread

    def _watch(
        self, status: "_Fd", keeper: subprocess.Popen[bytes], mark: str
    ) -> tuple[int, int, str]:
        """Follow what the keeper tells until all is over: exit code, signal, error."""
        code, number, error, leader = -1, 0, "", 0
        guard = threading.Thread(
            target=self._enforce, args=(keeper,), name="engine-guard", daemon=True
        )
        guard.start()
        with os.fdopen(status.give(), "r", encoding="utf-8", errors="replace") as lines:
            for line in lines:
                word, _, rest = line.strip().partition(" ")
                match word:
                    case "pid":
                        leader = int(rest)
                    case "exit":
                        code = int(rest)
                    case "signal":
                        number = int(rest)
                    case "error":
                        error = rest
                    case _:
                        pass
        told = code >= 0 or number > 0
        with contextlib.suppress(subprocess.TimeoutExpired):
            keeper.wait(KILL_SECONDS)
        self._release()
        if not told and leader:
            # The keeper itself was killed, so the engine and what it started are ours to end.
            with contextlib.suppress(OSError):
                os.killpg(leader, signal.SIGKILL)
            kill_marked(mark)
            number = signal.SIGKILL
        return code, number, error

    def _enforce(self, keeper: subprocess.Popen[bytes]) -> None:
        """See to it that a process that must end does end."""
        self._over.wait()
        if not self._killed and not self._gone.wait(LINE_CLOSED_SECONDS):
            self._mute = True
            self._release()
        if not self._gone.wait(KILL_SECONDS):
            keeper.kill()

    def _write(self, fd: int) -> None:
        with contextlib.suppress(OSError):
            while (frame := self._down.get()) is not None:
                view = memoryview(frame)
                while view:
                    view = view[os.write(fd, view) :]
        _close(fd)

    def _read(self, fd: int) -> None:
        rest: list[bytes] = []
        size = 0
        with contextlib.suppress(OSError):
            while data := os.read(fd, 1 << 18):
                head, newline, tail = data.rpartition(b"\n")
                if newline:
                    self._frames(b"".join([*rest, head]))
                    rest, size = [tail], len(tail)
                else:
                    rest.append(data)
                    size += len(data)
                    if size > FRAME_LIMIT:
                        self._stray(f"[a line of more than {FRAME_LIMIT >> 20} MB was dropped]")
                        rest, size = [], 0
        self._frames(b"".join(rest))
        _close(fd)
        self._over.set()

    def _frames(self, block: bytes) -> None:
        now = time.time()
        found: list[Up] = []
        for line in block.split(b"\n"):
            if not line.strip():
                continue
            try:
                found.append(decode_record(line, received=now))
            except WireError:
                self._stray(line[: STRAY_SHOWN + 1].decode("utf-8", "backslashreplace"))
        if found:
            self._on_frames(self, found)
        if self._outbox.crowded:
            self.held = True
            self._outbox.wait_for_room()
            self.held = False

    def _stray(self, text: str) -> None:
        if len(text) > STRAY_SHOWN:
            text = text[:STRAY_SHOWN] + "…"
        moment = time.time()
        output = Output("protocol", text + "\n", moment, self.tools.at(moment))
        if self._log:
            self._log.write(output)
        self._outbox.put_output(output)


class _Fd:
    """A file descriptor that is closed once, by its owner."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.owned = False

    def close(self) -> None:
        """Close it, unless it was closed, given away or is owned by another."""
        if self.number >= 0 and not self.owned:
            os.close(self.number)
            self.number = -1

    def give(self) -> int:
        """Hand the descriptor over to somebody who closes it."""
        number, self.number = self.number, -1
        return number


def _close(fd: int) -> None:
    with contextlib.suppress(OSError):
        os.close(fd)


def _widen(*pipes: int) -> None:
    """Give pipes a larger buffer where the system can, so that a printer waits less."""
    if sys.platform == "linux":
        import fcntl

        for pipe in pipes:
            with contextlib.suppress(OSError):
                fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, 1 << 20)
