"""Line modes as real processes on agents that a test writes; a program that talks to ``pipe``."""

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any

from tests.conftest import REPOSITORY

AGENTS = REPOSITORY / "agents"
SECONDS = 60.0
"""How long a condition may take on a busy machine."""

HEADER = """
import os, sys, time
from google.adk.agents import LlmAgent
from google.adk.tools import FunctionTool, LongRunningFunctionTool, ToolContext
from tests.fakes.scripted import Scripted, after, call, calls, fail, say, stream, transfer
"""


def write_agent(folder: Path, source: str, name: str = "helper") -> Path:
    """An agent's folder: ``source`` follows the imports of a scripted agent."""
    agent = folder / name
    agent.mkdir()
    (agent / "agent.py").write_text(HEADER + source, encoding="utf-8")
    return agent


def adk_tui(*arguments: str) -> list[str]:
    """The command line of adk-tui."""
    return [sys.executable, "-m", "adk_tui", *arguments]


def environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment in which agents find the scripted model."""
    return {**os.environ, "PYTHONPATH": str(REPOSITORY), **(extra or {})}


def run(
    *arguments: str, stdin: str = "", env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run adk-tui to its end, with ``stdin`` piped in."""
    return subprocess.run(
        adk_tui(*arguments),
        cwd=REPOSITORY,
        env=environment(env),
        input=stdin,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )


@contextmanager
def started(*arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """adk-tui with pipes on all sides, killed at the end if it is still there."""
    process = subprocess.Popen(
        adk_tui(*arguments),
        cwd=REPOSITORY,
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            with suppress(OSError):
                assert stream is not None
                stream.close()


Line = dict[str, Any]


class PipeProgram:
    """A program at the other end of ``adk-tui pipe``. Use as a context manager."""

    def __init__(
        self,
        agent: Path,
        *options: str,
        in_memory: bool = True,
        env: Mapping[str, str] | None = None,
        within: Sequence[str] = (),
    ) -> None:
        where = ["--in-memory"] if in_memory else []
        self.process = subprocess.Popen(
            [*within, *adk_tui("pipe", str(agent), *where, *options)],
            cwd=REPOSITORY,
            env=environment(env),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.lines: list[Line] = []
        """Every line that came, in order."""
        self._came: queue.Queue[bytes] = queue.Queue()
        self._errors: list[bytes] = []
        self._threads = [
            threading.Thread(target=self._read, daemon=True),
            threading.Thread(target=self._read_errors, daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    def __enter__(self) -> "PipeProgram":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(SECONDS)
        for thread in self._threads:
            thread.join(SECONDS)
        assert self.process.stdin is not None
        self.process.stdin.close()

    def _read(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as out:
            for line in out:
                self._came.put(line)
        self._came.put(b"")

    def _read_errors(self) -> None:
        assert self.process.stderr is not None
        with self.process.stderr as err:
            self._errors.extend(err)

    def send(self, *commands: Line | bytes) -> None:
        """Write commands, or raw bytes, each as a line."""
        assert self.process.stdin is not None
        for command in commands:
            raw = command if isinstance(command, bytes) else json.dumps(command).encode()
            self.process.stdin.write(raw + b"\n")
        self.process.stdin.flush()

    def end_input(self) -> None:
        """Close the input."""
        assert self.process.stdin is not None
        self.process.stdin.close()

    def next(self) -> Line | None:
        """The next line, None at the end. Raises queue.Empty when it does not come."""
        raw = self._came.get(timeout=SECONDS)
        if not raw:
            return None
        line = json.loads(raw)
        assert isinstance(line, dict), raw
        self.lines.append(line)
        return line

    def wait(self, wanted: Callable[[Line], bool]) -> Line:
        """Read on until a line is as wanted."""
        while (line := self.next()) is not None:
            if wanted(line):
                return line
        raise AssertionError(f"the output ended; {self.stderr}\n{self.lines[-5:]}")

    def of_type(self, kind: str) -> Line:
        """Read on until a line of this type."""
        return self.wait(lambda line: line["type"] == kind)

    def idle(self, asked_id: Any) -> Line:
        """Read on until the command with this id is done."""
        return self.wait(lambda line: line["type"] == "idle" and line["id"] == asked_id)

    def all(self, kind: str) -> list[Line]:
        """The lines of this type that were read so far."""
        return [line for line in self.lines if line["type"] == kind]

    def texts(self) -> list[str]:
        """The text of every final event read so far, of those that have one."""
        found: list[str] = []
        for line in self.all("event"):
            parts = (line["event"].get("content") or {}).get("parts") or []
            text = "".join(p.get("text") or "" for p in parts)
            if text and not line["event"].get("partial"):
                found.append(text)
        return found

    def exit_code(self) -> int:
        """Read to the end of the output; the exit code."""
        while self.next() is not None:
            pass
        code = self.process.wait(SECONDS)
        for thread in self._threads:
            thread.join(SECONDS)
        return code

    @property
    def stderr(self) -> str:
        """What it wrote to standard error so far."""
        return b"".join(self._errors).decode("utf-8", "replace")
