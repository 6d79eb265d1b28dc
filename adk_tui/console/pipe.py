"""``adk-tui pipe``: the workbench for programs, as JSON lines both ways.

In, one command a line (``pipe_input.COMMANDS``). They run one after the other
in the order they came; ``stop`` acts at once. Out: ``ready`` first, then
``event``, ``ticket``, ``session``, ``warning``, ``error``, and one ``idle``
after each command. An optional ``id`` of a command is echoed in the lines about
it. Nothing else is ever written to the output. The README tells it to those
who write the programs.

It is a layer over the engine's own protocol, because a program needs tickets,
names and one answer to each command, and an engine speaks in raw events.
"""

import queue
import threading
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, BinaryIO, Final, NoReturn

from adk_tui.client.engine import Engine
from adk_tui.console.pipe_input import BadLine, Line, Request, command_of, parse_request, read_lines
from adk_tui.console.pipe_output import Closed, PipeOutput, Writer
from adk_tui.console.plain import NOT_LOADED, exit_code, failure_text, masked_text
from adk_tui.core.commands import Cancel
from adk_tui.core.records import EventRecord
from adk_tui.core.reports import Done, Failure, Notice, Output, Record, SessionOpened, Status
from adk_tui.core.sanitize import clean
from adk_tui.core.session import SessionView

AHEAD: Final = 256
"""Input lines, or batches of records, that may wait for the output to be read."""

LOOK: Final = 0.5
"""Seconds after which it is looked whether somebody has interrupted."""

INTERRUPTED: Final = 130

OF_THE_PROCESS: Final = frozenset({"reload", "restart"})
"""Commands that make sense while no agent runs."""


class _End:
    """The input is at its end."""


class Pipe:
    """One conversation with a program.

    ``warn`` gets what the agent prints, a line at a time, and with ``debug`` the
    tracebacks of errors. ``reveal`` shows secrets.
    """

    def __init__(
        self,
        engine: Engine,
        out: Writer,
        *,
        warn: Callable[[str], None],
        reveal: bool = False,
        debug: bool = False,
    ) -> None:
        self._engine = engine
        self._output = PipeOutput(out, reveal=reveal)
        self._reveal = reveal
        self._warn = warn
        self._debug = debug
        self._view = SessionView()
        self._inbox: queue.Queue[Line | _End | Sequence[Record]] = queue.Queue(AHEAD)
        self._waiting: deque[Request] = deque()
        self._running: dict[int, Request] = {}
        self._current = 0
        self._taken_back = 0
        self._failure_told: Failure | None = None
        self._retold = 0
        self._ready = False
        self._unloadable = False
        self._input_ended = False
        self._quit = False
        self._failed = False
        self._stopping = threading.Event()
        self._interrupted = False

    def interrupt(self) -> NoReturn:
        """End ``run``, from a signal handler.

        The exception ends even a write that nobody reads. Python drops one that
        falls into a finalizer, so it is remembered too.
        """
        self._interrupted = True
        raise KeyboardInterrupt

    def run(self, lines: BinaryIO) -> int:
        """Serve until ``quit``, the end of the input with nothing left to do, or a dead reader.

        Returns the exit code: 0, 1 after an error, 2 when tickets are open, 3
        when the agent does not load, 130 after Ctrl+C.
        """
        for work in (self._read_input, self._read_engine):
            threading.Thread(target=work, args=(lines,), daemon=True).start()
        self._engine.start()
        try:
            while not self._finished():
                with suppress(queue.Empty):
                    self._handle(self._inbox.get(timeout=LOOK))
                if self._interrupted:
                    return INTERRUPTED
        except Closed:
            return 1
        except KeyboardInterrupt:
            return INTERRUPTED
        finally:
            self._stopping.set()
            self._engine.close()
        self._say_last_words()
        if self._unloadable:
            return exit_code(self._failure_told) if self._failure_told else NOT_LOADED
        if self._failed:
            return 1
        return 2 if self._view.tickets.open else 0

    def _read_input(self, lines: BinaryIO) -> None:
        with suppress(OSError, ValueError):
            for line in read_lines(lines):
                self._inbox.put(line)
        self._inbox.put(_End())

    def _read_engine(self, _: BinaryIO) -> None:
        while not self._stopping.is_set():
            if records := self._engine.records(0.5):
                self._inbox.put(records)

    def _say_last_words(self) -> None:
        """What the agent printed at last reaches us after the end of its last command."""
        rest: list[Record] = []
        with suppress(queue.Empty):
            while True:
                item = self._inbox.get_nowait()
                rest += [] if isinstance(item, Line | _End) else item
        for record in (*rest, *self._engine.records()):
            if isinstance(record, Output):
                self._print(record.stream, record.text)

    def _finished(self) -> bool:
        idle = not self._waiting and not self._running
        ending = self._quit or (self._input_ended and self._ready)
        return self._unloadable or (ending and idle)

    def _handle(self, item: "Line | _End | Sequence[Record]") -> None:
        match item:
            case Line():
                self._take(item)
            case _End():
                self._input_ended = True
            case _:
                for record in item:
                    self._told_by_engine(record)
        self._next()
        self._output.flush()

    # Input

    def _take(self, line: Line) -> None:
        try:
            request = parse_request(line)
        except BadLine as error:
            self._error("bad.line", str(error), error.id)
            return
        if request.name == "stop":
            command = command_of(request, self._view.tickets)
            self._running[self._engine.submit(command)] = request
        else:
            self._waiting.append(request)

    def _next(self) -> None:
        while self._waiting and self._current not in self._running:
            request = self._waiting[0]
            if request.name == "quit":
                self._waiting.clear()
                self._quit = True
                self._output.open()
                self._output.idle(request, self._view)
                return
            if not self._ready or self._view.status.phase in ("starting", "loading"):
                # A reload that came between the first session and the first rest would end
                # the agent instead of replacing it.
                return
            self._waiting.popleft()
            if self._down and request.name not in OF_THE_PROCESS:
                self._refuse(request)
                continue
            try:
                command = command_of(request, self._view.tickets)
            except ValueError as error:
                self._error("bad.command", str(error), request.id)
                self._output.idle(request, self._view)
                continue
            self._current = self._engine.submit(command)
            self._running[self._current] = request

    @property
    def _down(self) -> bool:
        return self._view.status.phase in ("failed", "dead")

    def _refuse(self, request: Request) -> None:
        words = "The agent does not run, so nothing was sent. Send restart to start it again."
        self._error("process.dead", words, request.id)
        self._output.idle(request, self._view)

    def _take_back(self) -> None:
        """No process is left that could ever begin the command that was just submitted."""
        request = self._running.get(self._current)
        if request and request.name not in OF_THE_PROCESS and self._taken_back != self._current:
            self._taken_back = self._current
            self._running[self._engine.submit(Cancel(self._current))] = Request("cancel")

    # Output

    def _told_by_engine(self, record: Record) -> None:
        changed = self._view.apply((record,))
        match record:
            case EventRecord():
                self._event(record)
            case SessionOpened():
                self._opened(record)
            case Done():
                self._done(record)
            case Failure():
                self._failure(record, None)
            case Notice():
                self._output.warning(record.message)
            case Status(phase="failed" | "dead"):
                self._unloadable = not self._ready
                self._retold = 0
                self._take_back()
                if self._unloadable:
                    self._output.open()
            case Output():
                self._print(record.stream, record.text)
            case _:
                pass
        if "tickets" in changed:
            self._tickets()

    def _print(self, source: str, text: str) -> None:
        for row in clean(masked_text(text, self._reveal)).splitlines():
            self._warn(f"{source}: {row}")

    def _opened(self, session: SessionOpened) -> None:
        self._output.session(session)
        self._retold = session.count
        self._all_told(session)

    def _all_told(self, session: SessionOpened) -> None:
        """Once the events of an opened session are here: what came of them."""
        if self._retold <= 0:
            self._say_ready(session)
            self._tickets()

    def _say_ready(self, session: SessionOpened) -> None:
        # An engine says who it is before it opens a session.
        ready, route = self._view.ready, self._view.route()
        if self._ready or ready is None or route is None:
            return
        self._ready = True
        self._output.ready(ready, session, route.agent)

    def _event(self, event: EventRecord) -> None:
        self._output.event(event)
        session = self._view.session
        if self._retold and session is not None and not event.inner_of:
            self._retold -= 1
            self._all_told(session)

    def _tickets(self) -> None:
        if self._retold or not self._ready:
            return
        for ticket in self._view.tickets.tickets:
            self._output.ticket(ticket)

    def _done(self, done: Done) -> None:
        request = self._running.pop(done.command, None)
        if request is None or request.name == "cancel":
            return
        if done.command == self._taken_back and done.stopped:
            self._refuse(request)
            return
        if done.failure is not None and not done.stopped:
            self._failure(done.failure, request.id)
        self._output.idle(request, self._view, done)

    def _failure(self, failure: Failure, asked_id: Any) -> None:
        # What ends a command and is worth a report of its own comes as both.
        if failure is not self._failure_told:
            self._failure_told = failure
            self._error(failure.code, failure_text(failure), asked_id)
            if self._debug:
                self._print("error", failure.details)

    def _error(self, code: str, message: str, asked_id: Any) -> None:
        self._failed = True
        self._output.error(code, message, asked_id)
