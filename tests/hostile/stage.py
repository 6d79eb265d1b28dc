"""Runs the acting agent in a real engine process and looks at what is left of it."""

import os
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from adk_tui.client.process import Launch, ProcessEngine
from adk_tui.core.commands import Command, Restart, Say, Start
from adk_tui.core.reports import Done, Record
from adk_tui.core.session import SessionView

ACTING = Path(__file__).parent / "acting"
TOKEN = "ADK_TUI_TEST_TOKEN"


class Stage:
    """A real engine, and everything it told."""

    def __init__(self, engine: ProcessEngine, token: str) -> None:
        self.engine = engine
        self.token = token
        self.view = SessionView()
        self.ended: dict[int, list[Done]] = {}

    def take(self, timeout: float) -> None:
        """Take in what came."""
        records: list[Record] = list(self.engine.records(timeout))
        for record in records:
            if isinstance(record, Done):
                self.ended.setdefault(record.command, []).append(record)
        self.view.apply(records)

    def until(self, condition: Callable[[], object], what: str, seconds: float = 90.0) -> None:
        """Take in what comes until the condition holds."""
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                raise AssertionError(
                    f"never: {what}; status {self.view.status}; output …{self.output()[-600:]!r}"
                )
            self.take(0.1)

    def do(self, command: Command) -> Done:
        """Send a command and wait for its end."""
        number = self.engine.submit(command)
        self.until(lambda: number in self.ended, f"the end of {command}")
        return self.ended[number][0]

    def ready(self) -> None:
        """Wait until the agent is loaded and free."""
        self.until(lambda: self.view.status.phase == "ready", "an agent that is ready", 60.0)

    @property
    def dead(self) -> bool:
        return self.view.status.phase in ("dead", "failed")

    def revive(self) -> None:
        """Start the process again after it has died."""
        assert self.do(Restart()).ok
        self.ready()

    def answers(self, word: str) -> None:
        """Assert that the agent answers a message."""
        assert self.do(Say(word)).ok
        assert any(e.text == f"alive: {word}" for e in self.view.log.history()), word

    def output(self, stream: str = "") -> str:
        """What was printed, as it came."""
        return "".join(o.text for o in self.view.outputs if stream in ("", o.stream))

    def processes(self) -> list[int]:
        """Everything that was started for this stage and still runs."""
        found: list[int] = []
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit() or int(entry.name) == os.getpid():
                continue
            try:
                if self.token.encode() in (entry / "environ").read_bytes():
                    found.append(int(entry.name))
            except OSError:
                continue
        return found


@contextmanager
def stage(agent: Path = ACTING, *, output_log: Path | None = None) -> Iterator[Stage]:
    """A loaded agent; afterwards no process of it may be left."""
    token = uuid.uuid4().hex
    start = Start(str(agent), storage="memory")
    launch = Launch(start, python=sys.executable, env={TOKEN: token}, output_log=output_log)
    engine = ProcessEngine(launch)
    engine.start()
    it = Stage(engine, token)
    try:
        it.ready()
        yield it
    finally:
        engine.close()
    end = time.monotonic() + 60
    while left := it.processes():
        if time.monotonic() > end:
            names = [Path(f"/proc/{p}/cmdline").read_bytes() for p in left]
            raise AssertionError(f"left behind: {names}")
