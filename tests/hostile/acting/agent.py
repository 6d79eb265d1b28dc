"""An agent whose tool does what programs do to a terminal and a process that are not theirs.

A message ``do ACT ACT …`` runs these acts in one call of the tool ``act``; any
other message is answered. Acts that print say ``<name:mark>``, so that a test
finds their output again.
"""

import asyncio
import contextlib
import ctypes
import faulthandler
import getpass
import io
import locale
import logging
import os
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from pathlib import Path

from google.adk.agents import LlmAgent
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_response import LlmResponse
from google.genai import types

ESCAPES = "\x1b[2J\x1b[H\x1b[?1049l\x1b[?25l\x1b]0;owned\x07\x1b]52;c;cm0=\x07\x1b[31m\x9b5m"
LIBC = ctypes.CDLL(None)


def to(fd, text):
    data = text.encode("utf-8", "replace")
    while data:
        data = data[os.write(fd, data) :]


def child(code):
    subprocess.run([sys.executable, "-S", "-c", code], check=False, timeout=60)


def forked(work):
    pid = os.fork()
    if pid:
        os.waitpid(pid, 0)
        return
    try:
        work()
    finally:
        os._exit(0)


def daemon():
    if os.fork():
        return
    os.setsid()
    if os.fork():
        os._exit(0)
    while True:
        time.sleep(60)


def redrawn(mark):
    for step in range(30):
        sys.stderr.write(f"\r\x1b[2K\x1b[1A {step * 10}% |{'#' * step}| <redrawn:{mark}>")
        sys.stderr.flush()
    sys.stderr.write("\n")


def garbage(low, newline):
    for fd in range(low, 256):
        with contextlib.suppress(OSError):
            os.write(fd, b'\x00\xff{"garbage": \x1b[2J' + (b"\n" if newline else b""))


def replaced_streams(mark):
    print(f"<replaced_streams:{mark}>", flush=True)
    sys.stdout = io.StringIO()
    sys.stderr = None


def eater(_):
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + (512 << 20), resource.RLIM_INFINITY))
    try:
        eaten = []
        with contextlib.suppress(MemoryError):
            while True:
                eaten.append(bytearray(64 << 20))
        eaten.clear()
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY,) * 2)


def deep(_):
    def down():
        down()

    down()


def elsewhere(_):
    os.chdir(tempfile.gettempdir())


def locales(_):
    for name in ("C", "de_DE.UTF-8", "tr_TR.UTF-8"):
        with contextlib.suppress(locale.Error):
            locale.setlocale(locale.LC_ALL, name)
    os.environ.update(LC_ALL="C", LANG="tr_TR", PYTHONIOENCODING="ascii", TERM="dumb")


def handlers(_):
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD, signal.SIGUSR1):
        signal.signal(number, lambda *_: None)
    os.kill(os.getpid(), signal.SIGINT)
    os.kill(os.getpid(), signal.SIGTERM)


def logs(mark):
    logging.basicConfig(level=logging.DEBUG, force=True)
    logging.getLogger("x").warning("<logs:%s>", mark)
    warnings.warn(f"<logs:{mark}>", stacklevel=1)


def big(mark):
    sys.stdout.write("x" * 600_000 + "\n" + "y\n" * 20_000 + f"<big:{mark}>\n")
    sys.stdout.flush()


def left_thread(_):
    threading.Thread(target=time.sleep, args=(3600,)).start()


def puts(mark):
    LIBC.puts(f"<puts:{mark}>".encode())
    LIBC.fflush(None)


def dumped(_):
    faulthandler.enable(file=2, all_threads=True)
    faulthandler.dump_traceback(file=2)
    faulthandler.dump_traceback_later(0.01, exit=False, file=2)
    # It reads the frames of threads without their lock: one that runs meanwhile may crash Python.
    time.sleep(0.05)
    faulthandler.cancel_dump_traceback_later()


def terminal(mark):
    os.system("clear; tput reset; stty sane; reset -Q")
    with contextlib.suppress(OSError):
        Path("/dev/tty").write_bytes(f"<tty:{mark}>".encode())


QUIET = {
    "chdir": elsewhere,
    "setlocale": locales,
    "handlers": handlers,
    "terminal": terminal,
    "daemon": lambda _: daemon(),
    "thread": left_thread,
    "fork": lambda _: forked(lambda: None),
    "spawn": lambda _: subprocess.Popen(["sleep", "3600"], start_new_session=True),
    "eater": eater,
    "faulthandler": dumped,
    "read0": lambda _: os.read(0, 100),
    "readline": lambda _: sys.stdin.readline(),
    "garbage": lambda _: garbage(0, newline=True),
    "torn_garbage": lambda _: garbage(0, newline=False),
    "blocked": lambda _: time.sleep(0.2),
    "busy_loop": lambda _: asyncio.get_running_loop().set_debug(True),
}
"""Acts that say nothing of their own and are survived."""

LOUD = {
    "print": lambda mark: print(f"<print:{mark}>{ESCAPES}"),
    "print_err": lambda mark: print(f"<print_err:{mark}>{ESCAPES}", file=sys.stderr),
    "fd1": lambda mark: to(1, f"<fd1:{mark}>{ESCAPES}\n"),
    "fd2": lambda mark: to(2, f"<fd2:{mark}>{ESCAPES}\n"),
    "no_newline": lambda mark: to(1, f"<no_newline:{mark}>"),
    "child": lambda mark: child(f"import os; os.write(1, b'<child:{mark}>'); os.write(2, b'!')"),
    "shell": lambda mark: os.system(f"printf '<shell:{mark}>\\033[2J'; echo e >&2; clear"),
    "fork_print": lambda mark: forked(lambda: to(1, f"<fork_print:{mark}>\n")),
    "puts": puts,
    "logs": logs,
    "redrawn": redrawn,
    "big": big,
    "bytes": lambda mark: to(1, f"<bytes:{mark}>") or os.write(1, bytes(range(256)) * 8),
    "replaced_streams": replaced_streams,
}
"""Acts that say their mark and are survived."""

RAISING = {
    "input": lambda _: input("? "),
    "getpass": lambda _: getpass.getpass("PIN: "),
    "raise": lambda _: 1 / 0,
    "deep": deep,
    "raise_system_exit": lambda _: sys.exit("bye"),
    "raise_interrupt": lambda _: (_ for _ in ()).throw(KeyboardInterrupt()),
    "raise_cancelled": lambda _: (_ for _ in ()).throw(asyncio.CancelledError()),
    "raise_exit_of_generator": lambda _: (_ for _ in ()).throw(GeneratorExit()),
}
"""Acts after which nothing more of a program runs; the process may end with them."""

SILENCING = {
    "close0": lambda _: os.close(0),
    "close1": lambda _: os.close(1),
    "close2": lambda _: os.close(2),
    "close_stdout": lambda _: sys.stdout.close(),
    "null1": lambda _: os.dup2(os.open(os.devnull, os.O_WRONLY), 1),
    "null2": lambda _: os.dup2(os.open(os.devnull, os.O_WRONLY), 2),
}
"""Acts that are survived, but after which output may go nowhere."""

DEADLY = {
    "os_exit": lambda _: os._exit(7),
    "exit_zero": lambda _: os._exit(0),
    "segfault": lambda _: ctypes.string_at(0),
    "abort": lambda _: os.abort(),
    "kill": lambda _: os.kill(os.getpid(), signal.SIGKILL),
    "kill_group": lambda _: os.killpg(0, signal.SIGKILL),
    "close_all": lambda _: os.closerange(3, 65536),
    "exec": lambda _: os.execvp("sh", ["sh", "-c", "echo replaced; exit 5"]),
    "exec_and_stay": lambda _: os.execvp("sleep", ["sleep", "3600"]),
    "kill_parent": lambda _: os.kill(os.getppid(), signal.SIGKILL) or time.sleep(60),
}
"""Acts that end the process, or cut its line."""

ACTS = QUIET | LOUD | RAISING | SILENCING | DEADLY


def act(names: str, mark: str) -> dict:
    """Does the acts, in order. What an earlier act broke for a later one stops nothing."""
    for name in names.split():
        if name in RAISING or name in DEADLY:
            ACTS[name](mark)
        else:
            with contextlib.suppress(Exception):
                ACTS[name](mark)
    return {"done": names}


class Obedient(BaseLlm):
    model: str = "obedient"

    async def generate_content_async(self, llm_request, stream=False):
        part = llm_request.contents[-1].parts[-1]
        words = (part.text or "").split()
        if words[:1] == ["do"]:
            args = {"names": " ".join(words[2:]), "mark": words[1]}
            answer = types.Part(function_call=types.FunctionCall(name="act", args=args))
        elif part.function_response:
            answer = types.Part(text="acted")
        else:
            answer = types.Part(text=f"alive: {part.text}")
        yield LlmResponse(content=types.Content(role="model", parts=[answer]))


root_agent = LlmAgent(name="acting", model=Obedient(), tools=[act])
