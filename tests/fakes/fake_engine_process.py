"""A small engine that speaks the real protocol and does what a test asks of it.

Run as ``python fake_engine_process.py [MODE…] --stdout-fd N``. What a message
says is what happens (``say exit 7`` ends the process with code 7). Sessions
live in ``store.jsonl`` under the start's target, or in memory.

Modes: ``mute`` (no first frame), ``slow`` (loads until a file named ``go`` is
in the target), ``bad`` (does not load while a file ``bad`` is there),
``cut=N`` (closes its line after N bytes and ends), ``hang=N`` (goes silent
after N bytes), ``once=FILE`` (cut or silent only until the file is there, which
it makes), ``old`` (another protocol). After ``say doze`` it is idle, and
hears no more.
"""

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from adk_tui.core.commands import (
    Answer,
    ListSessions,
    NewSession,
    OpenSession,
    Quit,
    Say,
    Start,
    Stop,
)
from adk_tui.core.reports import (
    AgentNode,
    Done,
    Failure,
    Ready,
    SessionInfo,
    SessionList,
    SessionOpened,
    Status,
    ToolRun,
)
from adk_tui.core.wire import COMMAND_NAMES, Hello, Ping, Pong, decode_command, encode_record

MODES = [a for a in sys.argv[1:] if not a.startswith("--")]
ONCE = next((Path(m.partition("=")[2]) for m in MODES if m.startswith("once=")), None)
STDOUT_FD = int(sys.argv[sys.argv.index("--stdout-fd") + 1])


def option(name: str) -> int:
    return next((int(m.partition("=")[2]) for m in MODES if m.startswith(name + "=")), -1)


class Engine:
    def __init__(self) -> None:
        self.commands = os.fdopen(os.dup(0), "rb")
        self.frames = os.dup(1)
        os.dup2(STDOUT_FD, 1)
        self.lock = threading.Lock()
        self.sent = 0
        self.stop = threading.Event()
        self.deaf = False
        self.running = 0
        self.events: list[dict] = []

    def send(self, record) -> None:
        self.raw(encode_record(record))

    def raw(self, data: bytes) -> None:
        with self.lock:
            for name in ("cut", "hang"):
                limit = option(name)
                if 0 <= limit < self.sent + len(data) and not (ONCE and ONCE.exists()):
                    if ONCE:
                        ONCE.touch()
                    os.write(self.frames, data[: limit - self.sent])
                    if name == "cut":
                        os._exit(9)
                    signal.pause()
            self.sent += len(data)
            while data:
                data = data[os.write(self.frames, data) :]

    def main(self) -> None:
        if "mute" in MODES:
            signal.pause()
        self.send(Hello(99 if "old" in MODES else 1, os.getpid(), "3", "0"))
        _, start = decode_command(self.line())
        assert isinstance(start, Start)
        self.start = start
        self.folder = Path(start.target)
        rebuilt = sum(len(s.events) for s in start.sessions)
        row = json.dumps([start.session_id, rebuilt, start.seal])
        (self.folder / "starts.jsonl").open("a").write(row + "\n")
        self.send(Status("loading"))
        if "slow" in MODES:
            while not (self.folder / "go").exists():
                time.sleep(0.01)
        if (self.folder / "bad").exists():
            self.send(Failure("load.syntax", "agent.py does not parse.", file="agent.py", line=3))
            self.send(Status("failed", "agent.py does not parse."))
            os._exit(3)
        self.send(
            Ready("fake", AgentNode("root"), str(self.folder), "user", "a file",
                  capabilities=COMMAND_NAMES,
                  fleeting=frozenset({"sessions"} if start.storage == "memory" else ()))
        )  # fmt: skip
        if start.sessions:
            opened = next(s for s in start.sessions if s.session_id == start.session_id)
            self.events = [json.loads(e) for e in opened.events]
        elif start.session_id:
            self.load()
        self.opened(start.session_id or "s1", "start")
        self.send(Status("ready"))
        while line := self.line():
            command_id, command = decode_command(line)
            if self.deaf:
                continue
            match command:
                case Ping():
                    self.send(Pong(command.token))
                case Stop():
                    self.stop.set()
                    self.send(Done(command_id))
                case Quit():
                    self.send(Done(command_id))
                    os._exit(0)
                case ListSessions():
                    self.send(SessionList((SessionInfo(self.session, "user"),)))
                    self.send(Done(command_id))
                case OpenSession():
                    self.load()
                    self.opened(command.session_id, "open")
                    self.send(Done(command_id))
                case NewSession():
                    self.events = []
                    self.opened("s2", "new")
                    self.send(Done(command_id))
                case Say() | Answer():
                    self.stop.clear()
                    text = command.text if isinstance(command, Say) else "answer"
                    threading.Thread(target=self.say, args=(command_id, text), daemon=True).start()
                case _:
                    self.send(Done(command_id))
        os._exit(0)

    def line(self) -> bytes:
        while True:
            line = self.commands.readline()
            if not line or line.strip():
                return line

    def load(self) -> None:
        store = self.folder / "store.jsonl"
        self.events = (
            [json.loads(x) for x in store.read_text().splitlines()] if store.exists() else []
        )

    def opened(self, session: str, reason) -> None:
        self.session = session
        self.send(SessionOpened(session, "user", "fake", len(self.events), reason))
        for event in self.events:
            self.tell(event)

    def tell(self, event: dict) -> None:
        self.raw(b'\n{"type":"event","inner_of":"","event":' + json.dumps(event).encode() + b"}\n")

    def event(self, author: str, text: str) -> None:
        number = len(self.events) + 1
        event = {
            "id": f"e{number}",
            "author": author,
            "invocationId": f"i{number}",
            "timestamp": float(number),
            "content": {"parts": [{"text": text}]},
        }
        self.events.append(event)
        if self.start.storage == "file":
            with (self.folder / "store.jsonl").open("a") as store:
                store.write(json.dumps(event) + "\n")
        self.tell(event)

    def say(self, command_id: int, text: str) -> None:
        self.send(Status("running", command=command_id))
        self.event("user", text)
        self.send(ToolRun("c1", "fake_tool", "root", "i1", started=time.time()))
        self.act(text)
        self.send(ToolRun("c1", "fake_tool", "root", "i1", started=time.time(), ended=time.time()))
        self.event("root", f"did {text}")
        self.send(Done(command_id, ok=not self.stop.is_set(), stopped=self.stop.is_set(), events=2))
        self.send(Status("ready"))
        if text == "doze":
            os.kill(os.getpid(), signal.SIGSTOP)

    def act(self, text: str) -> None:
        word, _, rest = text.partition(" ")
        match word:
            case "exit":
                os._exit(int(rest))
            case "kill":
                os.kill(os.getpid(), int(rest))
                time.sleep(60)
            case "wait":
                self.stop.wait()
            case "deaf":
                self.deaf = True
                time.sleep(3600)
            case "freeze":
                os.kill(os.getpid(), signal.SIGSTOP)
                # With several threads, this one may run on for a moment after the signal.
                time.sleep(60)
            case "print":
                os.write(1, rest.encode())
            case "ask":
                os.write(1, rest.encode())
                self.stop.wait()
            case "error":
                os.write(2, rest.encode())
            case "flood":
                block = b"x" * 99 + b"\n"
                for _ in range(int(rest)):
                    os.write(1, block * 1000)
            case "garble":
                self.raw(b"\x00\xff stray \x1b[2J{\n{]\n\n42\n[1]\n" + b'{"type":"nonsense"}\n')
            case "noise":
                chance = random.Random(int(rest))
                for n in range(200):
                    self.raw(chance.randbytes(chance.randrange(300)))
                    self.event("noise", str(n))
            case "patricide":
                os.kill(os.getppid(), signal.SIGKILL)
                time.sleep(3600)
            case "fork":
                for _ in range(20):
                    if os.fork() == 0:
                        os.setsid()
                        for _ in range(3):
                            os.fork()
                        signal.pause()
            case "children":
                self.children(Path(rest))
            case "closeall":
                self.deaf = True
                for fd in set(range(256)) - {self.commands.fileno()}:
                    with contextlib.suppress(OSError):
                        os.close(fd)
                time.sleep(3600)
            case "spray":
                for fd in range(256):
                    with contextlib.suppress(OSError):
                        os.write(fd, b"\xde\xad garbage {\n")
            case "repeat":
                self.send(Done(int(rest)))
                self.send(Done(int(rest)))
                self.send(Done(4711))
            case _:
                pass

    def children(self, note: Path) -> None:
        """A child, a grandchild, one that left the group, one that ignores signals."""
        sleep = "import signal,time; [signal.signal(s, signal.SIG_IGN) for s in (1, 2, 15)]; "
        sleep += "time.sleep(3600)"
        plain = subprocess.Popen([sys.executable, "-S", "-c", sleep])
        away = subprocess.Popen([sys.executable, "-S", "-c", sleep], start_new_session=True)
        middle = subprocess.run(
            [sys.executable, "-S", "-c",
             "import subprocess,sys;"
             f"print(subprocess.Popen([sys.executable,'-S','-c',{sleep!r}],"
             "start_new_session=True,stdout=2).pid)"],
            capture_output=False, stdout=subprocess.PIPE,
        )  # fmt: skip
        orphan = int(middle.stdout)
        part = note.with_suffix(".part")
        part.write_text(json.dumps([os.getpid(), plain.pid, away.pid, orphan]))
        part.rename(note)


if __name__ == "__main__":
    Engine().main()
