"""A real engine process, spoken to over its wire."""

import contextlib
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from adk_tui.core.commands import Command, Quit, Start
from adk_tui.core.records import EventRecord
from adk_tui.core.reports import Done, Failure, ModelCall, Ready, SessionOpened, Status, ToolRun
from adk_tui.core.wire import Hello, Ping, Pong, Up, decode_record, encode_command

ROOT = Path(__file__).parents[2]
PATIENCE = 120.0
"""Seconds after which a test gives up waiting; the machine may be busy."""

HEAD = """
import asyncio, os, sys, time
from google.adk.agents import LlmAgent, LoopAgent, ParallelAgent, SequentialAgent
from google.adk.apps.app import App
from google.adk.tools import AgentTool, FunctionTool, LongRunningFunctionTool, ToolContext
from tests.fakes.scripted import Scripted, after, call, calls, fail, say, stream, think, transfer
"""

T = TypeVar("T")


def write_agent(folder: Path, source: str) -> Path:
    """An agent's folder with an ``agent.py`` that has the usual imports before ``source``."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "agent.py").write_text(HEAD + source)
    return folder


class EngineProcess:
    """Starts ``python -m adk_tui.engine`` and keeps every record in ``records``."""

    def __init__(
        self,
        target: Path | str,
        *,
        env: dict[str, str] | None = None,
        within: Sequence[str] = (),
        **start: Any,
    ):
        start.setdefault("storage", "memory")
        read, write = os.pipe()
        self.process = subprocess.Popen(
            [*within, sys.executable, "-m", "adk_tui.engine", "--stdout-fd", str(write)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            pass_fds=[write],
            cwd=ROOT,
            env={**os.environ, "ADK_DISABLE_LOAD_DOTENV": "1", **(env or {})},
            start_new_session=True,
        )
        os.close(write)
        self.records: list[Up] = []
        self._arrived: queue.Queue[Up | None] = queue.Queue()
        self._out: dict[str, list[bytes]] = {"stdout": [], "stderr": []}
        self._id = 0
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        self._threads = [
            threading.Thread(target=self._read, daemon=True),
            threading.Thread(target=self._collect, args=("stdout", os.fdopen(read, "rb", 0))),
            threading.Thread(target=self._collect, args=("stderr", self.process.stderr)),
        ]
        for thread in self._threads:
            thread.daemon = True
            thread.start()
        self.send(Start(str(target), **start))

    def __enter__(self) -> "EngineProcess":
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(OSError):
            self.process.kill()
        self.process.wait(PATIENCE)

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if line.strip():
                self._arrived.put(decode_record(line))
        self._arrived.put(None)

    def _collect(self, name: str, stream: Any) -> None:
        while chunk := stream.read1(65536) if hasattr(stream, "read1") else stream.read(65536):
            self._out[name].append(chunk)

    def output(self, name: str) -> str:
        """What the agent's process has printed so far."""
        return b"".join(self._out[name]).decode()

    def wait_for_output(self, name: str, text: str) -> None:
        """Wait until ``text`` was printed."""
        until = time.monotonic() + PATIENCE
        while text not in self.output(name):
            assert time.monotonic() < until, f"{text!r} not in {self.output(name)!r}"
            self._threads[0].join(0.02)

    def send_raw(self, line: bytes) -> None:
        """Write bytes to the engine."""
        assert self.process.stdin is not None
        self.process.stdin.write(line)
        self.process.stdin.flush()

    def send(self, command: Command | Start | Ping) -> int:
        """Send a command; returns its id."""
        if not isinstance(command, (Start, Ping)):
            self._id += 1
        self.send_raw(encode_command(command, self._id))
        return self._id

    def until(self, found: Callable[[Up], bool]) -> list[Up]:
        """Wait for a record; returns what arrived up to and with it."""
        batch: list[Up] = []
        end = time.monotonic() + PATIENCE
        while True:
            try:
                record = self._arrived.get(timeout=max(0.0, end - time.monotonic()))
            except queue.Empty:
                raise AssertionError(f"not found in {batch}; {self.output('stderr')}") from None
            if record is None:
                raise AssertionError(f"the engine ended: {batch}; {self.output('stderr')}")
            batch.append(record)
            self.records.append(record)
            if found(record):
                return batch

    def ready(self) -> list[Up]:
        """Wait until the session is open and the engine idle."""
        return self.until(lambda r: isinstance(r, Status) and r.phase == "ready")

    def done(self, command_id: int) -> list[Up]:
        """Wait for the end of a command."""
        return self.until(lambda r: isinstance(r, Done) and r.command == command_id)

    def do(self, command: Command) -> list[Up]:
        """Send a command and wait for its end."""
        return self.done(self.send(command))

    def end(self) -> list[Up]:
        """Everything until the process ended by itself."""
        batch: list[Up] = []
        while (record := self._arrived.get(timeout=PATIENCE)) is not None:
            batch.append(record)
        self.records.extend(batch)
        self.process.wait(PATIENCE)
        for thread in self._threads:
            thread.join(PATIENCE)
        return batch

    def quit(self) -> int:
        """End in good order; returns the exit code."""
        self.send(Quit())
        self.end()
        return self.process.returncode


def of(kind: type[T], records: Sequence[object]) -> list[T]:
    """The records of one kind."""
    return [r for r in records if isinstance(r, kind)]


def events(records: Sequence[object]) -> list[EventRecord]:
    """The session's own final events."""
    return [e for e in of(EventRecord, records) if not e.partial and not e.inner_of]


def last_done(records: Sequence[object]) -> Done:
    """The newest ``Done``."""
    return of(Done, records)[-1]


__all__ = [
    "Done",
    "EngineProcess",
    "Failure",
    "Hello",
    "ModelCall",
    "Pong",
    "Ready",
    "SessionOpened",
    "ToolRun",
    "events",
    "last_done",
    "of",
    "write_agent",
]
