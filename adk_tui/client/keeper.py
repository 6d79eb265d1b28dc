"""Keeps an engine process and everything it started: when one end is gone, all of it goes.

Run as a script of its own (``python -I -S keeper.py LIFE STATUS COMMAND…``)
between the app and the engine, because nobody else can do this: the app may be
killed with SIGKILL, and the agent may leave daemons behind that left its
process group. Orphans of the engine become children of the keeper (Linux: child
subreaper), so it finds them; elsewhere it kills the engine's process group.

``LIFE`` is a pipe that is never written to: its end of file says that the app
is gone or wants the engine killed. On ``STATUS`` the keeper tells one fact a
line: ``pid N``, ``error TEXT`` when the command could not be run, then
``exit N`` or ``signal N``.

Standard library only, imports nothing of ours: it starts in a few milliseconds.
"""

import contextlib
import os
import select
import signal
import sys
import time

SUBREAPER, DEATH_SIGNAL = 36, 1
SWEEP_SECONDS = 5.0
LIKELY_VICTIM = b"300"
"""Added to the engine's out-of-memory score, so that the kernel takes it before the app."""


def _prctl(option: int, value: int) -> None:
    if sys.platform != "linux":
        return
    with contextlib.suppress(ImportError, OSError, AttributeError):
        import ctypes

        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def _run(command: list[str], keeper: int, status: int) -> None:
    try:
        os.setsid()
        _prctl(DEATH_SIGNAL, signal.SIGKILL)
        if os.getppid() != keeper:
            os._exit(127)
        for number in (signal.SIGPIPE, signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        if sys.platform == "linux":
            with contextlib.suppress(OSError):
                score = os.open("/proc/self/oom_score_adj", os.O_WRONLY)
                os.write(score, LIKELY_VICTIM)
                os.close(score)
        os.execvp(command[0], command)
    except OSError as error:
        os.write(status, f"error {error.strerror}: {command[0]}\n".encode("utf-8", "replace"))
    finally:
        os._exit(127)


def _parents() -> dict[int, int]:
    """Parent of every process; empty where there is no /proc."""
    found: dict[int, int] = {}
    with contextlib.suppress(OSError):
        for entry in os.scandir("/proc"):
            if entry.name.isdigit():
                with contextlib.suppress(OSError, ValueError, IndexError):
                    stat = os.open(f"/proc/{entry.name}/stat", os.O_RDONLY)
                    try:
                        fields = os.read(stat, 4096).rpartition(b")")[2].split()
                    finally:
                        os.close(stat)
                    found[int(entry.name)] = int(fields[1])
    return found


def _descendants() -> list[int]:
    parents = _parents()
    mine = {os.getpid()}
    grown = True
    while grown:
        more = {pid for pid, parent in parents.items() if parent in mine} - mine
        grown = bool(more)
        mine |= more
    return sorted(mine - {os.getpid()})


def _sweep(leader: int) -> int | None:
    """Kill all that is left. Returns the wait status of the leader if it was reaped here."""
    status: int | None = None
    deadline = time.monotonic() + SWEEP_SECONDS
    while time.monotonic() < deadline:
        with contextlib.suppress(OSError):
            os.killpg(leader, signal.SIGKILL)
        for pid in _descendants():
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        try:
            while True:
                pid, ended = os.waitpid(-1, os.WNOHANG)
                if pid == 0:
                    break
                if pid == leader:
                    status = ended
        except ChildProcessError:
            return status
        time.sleep(0.005)
    return status


def _wait(leader: int, life: int, wake: int) -> int | None:
    """Wait for the leader's end or the end of ``life``. Returns the leader's wait status."""
    while True:
        ready, _, _ = select.select([life, wake], [], [])
        if wake in ready:
            with contextlib.suppress(BlockingIOError):
                os.read(wake, 4096)
        with contextlib.suppress(ChildProcessError):
            while True:
                pid, status = os.waitpid(-1, os.WNOHANG)
                if pid == leader:
                    return status
                if pid == 0:
                    break
        if life in ready:
            return None


def _ignore(_number: int, _frame: object) -> None:
    """Only interrupt the wait: the wakeup descriptor tells of the signal."""


def main(arguments: list[str]) -> None:
    """Run the command in ``arguments[2:]`` until it or the app ends."""
    life, status = int(arguments[0]), int(arguments[1])
    os.set_inheritable(life, False)
    os.set_inheritable(status, False)
    _prctl(SUBREAPER, 1)
    wake, waker = os.pipe()
    os.set_blocking(wake, False)
    os.set_blocking(waker, False)
    signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
    for number in (signal.SIGCHLD, signal.SIGINT, signal.SIGHUP, signal.SIGTERM, signal.SIGPIPE):
        signal.signal(number, _ignore)
    keeper = os.getpid()
    leader = os.fork()
    if leader == 0:
        _run(arguments[2:], keeper, status)
    null = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(null, number)
    kept = sorted({life, status, wake, waker, null})
    for low, high in zip([2, *kept], [*kept, 4096], strict=True):
        os.closerange(low + 1, high)

    def tell(line: str) -> None:
        with contextlib.suppress(OSError):
            os.write(status, line.encode("ascii") + b"\n")

    tell(f"pid {leader}")
    ended = _wait(leader, life, wake)
    swept = _sweep(leader)
    ended = swept if ended is None else ended
    if ended is None:
        tell("lost")
    elif os.WIFSIGNALED(ended):
        tell(f"signal {os.WTERMSIG(ended)}")
    else:
        tell(f"exit {os.WEXITSTATUS(ended)}")


if __name__ == "__main__":
    main(sys.argv[1:])
