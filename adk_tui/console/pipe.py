"""``adk-tui pipe``: the workbench for programs, as JSON lines both ways.

In, one command a line: ``say``, ``answer``, ``transfer``, ``state``,
``rewind``, ``new``, ``open``, ``stop``, ``reload``, ``restart``, ``quit``.
Commands run one after the other in the order they came; ``stop`` acts at once.
Out: ``ready`` first, then ``event``, ``ticket``, ``session``, ``warning``,
``error``, and one ``idle`` after each command. An optional ``id`` of a command
is echoed in the lines about it. Nothing else is ever written to the output.

It is a layer over the engine's own protocol, because a program needs tickets,
names and one answer to each command, and an engine speaks in raw events.
"""

import queue
import threading
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final, Protocol

from adk_tui.client.engine import Engine
from adk_tui.console.plain import dump_line, event_json, masked, parse_object, ticket_json
from adk_tui.console.tickets import AnswerError, find_ticket, prepare
from adk_tui.core import commands as c
from adk_tui.core.jsontools import as_flag, as_object, as_text
from adk_tui.core.records import EventRecord
from adk_tui.core.reports import Done, Failure, Notice, Output, Record, SessionOpened, Status
from adk_tui.core.sanitize import clean
from adk_tui.core.session import SessionView
from adk_tui.core.tickets import Ticket

PROTOCOL: Final = 1
"""Version of the pipe protocol; grows when a line changes its meaning."""

COMMANDS: Final = (
    "say", "answer", "transfer", "state", "rewind", "new", "open",
    "stop", "reload", "restart", "quit",
)  # fmt: skip
"""Everything that may stand under ``cmd``."""

LINE_LIMIT: Final = 32 << 20
"""Bytes of an input line; a longer one is refused."""


class Closed(Exception):
    """Nobody reads the output any more."""


class Writer(Protocol):
    """Where lines go: a binary file, or what behaves like one."""

    def write(self, data: bytes, /) -> object:
        """Take all of ``data``."""
        ...

    def flush(self) -> object:
        """Pass on what was taken."""
        ...


@dataclass(frozen=True, slots=True)
class _Line:
    number: int
    text: bytes


@dataclass(frozen=True, slots=True)
class _Asked:
    id: Any
    name: str
    source: dict[str, Any]


class _End:
    """The input is at its end."""


class Pipe:
    """One conversation with a program. ``warn`` gets what the agent prints, a line at a time."""

    def __init__(
        self, engine: Engine, out: Writer, *, reveal: bool, warn: Callable[[str], None]
    ) -> None:
        self._engine = engine
        self._out = out
        self._reveal = reveal
        self._warn = warn
        self._view = SessionView()
        self._inbox: queue.Queue[_Line | _End | list[Record]] = queue.Queue(maxsize=256)
        self._waiting: deque[_Asked] = deque()
        self._running: dict[int, _Asked] = {}
        self._current = 0
        self._told: dict[str, Ticket] = {}
        self._seen: set[str] = set()
        self._stored: list[EventRecord] = []
        self._stored_left = 0
        self._ready = False
        self._early: list[dict[str, Any]] = []
        self._input_ended = False
        self._failed = False
        self._unloadable = False
        self._stopping = threading.Event()

    def run(self, lines: Iterable[bytes]) -> int:
        """Serve until ``quit``, the end of the input with nothing left to do, or a dead reader.

        Returns the exit code: 0, 1 after an error, 2 when tickets are open, 3
        when the agent does not load.
        """
        for work in (self._read_input, self._read_engine):
            threading.Thread(target=work, args=(lines,), daemon=True).start()
        self._engine.start()
        try:
            while not self._finished():
                self._handle(self._inbox.get())
        except Closed:
            return 1
        finally:
            self._stopping.set()
            self._engine.close()
        if self._unloadable:
            return 3
        if self._failed:
            return 1
        return 2 if self._view.tickets.open else 0

    def _read_input(self, lines: Iterable[bytes]) -> None:
        try:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    self._inbox.put(_Line(number, line))
        except (OSError, ValueError):
            pass
        self._inbox.put(_End())

    def _read_engine(self, _: Iterable[bytes]) -> None:
        while not self._stopping.is_set():
            if records := self._engine.records(0.5):
                self._inbox.put(list(records))

    def _finished(self) -> bool:
        idle = not self._waiting and not self._running
        return self._unloadable or (self._input_ended and idle and self._ready)

    def _handle(self, item: "_Line | _End | list[Record]") -> None:
        match item:
            case _Line():
                self._take(item)
            case _End():
                self._input_ended = True
            case _:
                for record in item:
                    self._told_by_engine(record)
        self._next()

    # Input

    def _take(self, line: _Line) -> None:
        try:
            if len(line.text) > LINE_LIMIT:
                raise ValueError(f"longer than {LINE_LIMIT >> 20} MB")
            source = parse_object(line.text.decode("utf-8", "surrogatepass"))
            name = as_text(source.get("cmd"))
            if name not in COMMANDS:
                raise ValueError(f"unknown cmd {name!r}; there are {', '.join(COMMANDS)}")
        except ValueError as error:
            self._error("bad.line", f"Line {line.number} is {error}.", None)
            return
        asked = _Asked(source.get("id"), name, source)
        if name == "stop":
            self._running[self._engine.submit(c.Stop(as_flag(source.get("force"))))] = asked
        else:
            self._waiting.append(asked)

    def _next(self) -> None:
        while self._ready and self._waiting and self._current not in self._running:
            asked = self._waiting.popleft()
            if asked.name == "quit":
                self._waiting.clear()
                self._input_ended = True
                self._idle(asked)
                return
            try:
                command = self._command(asked)
            except (ValueError, AnswerError) as error:
                self._error("bad.command", str(error), asked.id)
                self._idle(asked)
                continue
            self._current = self._engine.submit(command)
            self._running[self._current] = asked

    def _command(self, asked: _Asked) -> c.Command:
        source = asked.source

        def need(key: str) -> str:
            value = source.get(key)
            if not isinstance(value, str) or not value:
                raise ValueError(f"{asked.name!r} needs {key!r} as a string.")
            return value

        match asked.name:
            case "say":
                return c.Say(need("text"))
            case "answer":
                ticket = find_ticket(self._view.tickets, need("ticket"))
                progress = as_flag(source.get("progress"))
                again = as_flag(source.get("again"))
                return prepare(ticket, source.get("response"), progress=progress, again=again)
            case "transfer":
                return c.Transfer(need("agent"))
            case "state":
                delta = as_object(source.get("delta"))
                if not delta:
                    raise ValueError("'state' needs 'delta' as a JSON object with keys to set.")
                return c.EditState(delta)
            case "rewind":
                return c.Rewind(need("invocation"))
            case "new":
                return c.NewSession(state=as_object(source.get("state")))
            case "open":
                return c.OpenSession(need("session"), user=as_text(source.get("user")))
            case "reload":
                return c.Reload()
            case _:
                return c.Restart()

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
                self._unloadable |= record.code.startswith("load.") and not self._ready
                self._failed = True
                self._error(record.code, _sentence(record), None)
            case Notice():
                self._send({"type": "warning", "message": record.message})
            case Status(phase="dead") if not self._ready:
                self._unloadable = True
            case Output():
                for text in clean(record.text).splitlines():
                    self._warn(f"{record.stream}: {text}")
            case _:
                pass
        if "tickets" in changed or isinstance(record, SessionOpened):
            self._tickets()

    def _opened(self, session: SessionOpened) -> None:
        self._stored_left = session.count
        self._stored.clear()
        if self._ready:
            if session.reason in ("new", "open"):
                self._seen.clear()
                self._told.clear()
            self._send(
                {
                    "type": "session",
                    "session": session.id,
                    "user": session.user,
                    "reason": session.reason,
                }
            )
        elif not session.count:
            self._say_ready()

    def _say_ready(self) -> None:
        ready, session, route = self._view.ready, self._view.session, self._view.route()
        assert ready is not None
        assert session is not None
        assert route is not None
        self._ready = True
        self._send(
            {
                "type": "ready",
                "protocol": PROTOCOL,
                "app": ready.app,
                "agent": ready.root.name,
                "session": session.id,
                "user": session.user,
                "model": ready.root.model,
                "offline": bool(ready.offline),
                "resumable": ready.resumable,
                "next_agent": route.agent,
            }
        )
        for event in self._stored:
            self._send_event(event)
        self._stored.clear()
        self._tickets()

    def _event(self, event: EventRecord) -> None:
        if not self._ready:
            self._stored.append(event)
            self._stored_left -= 1
            if self._stored_left <= 0:
                self._say_ready()
            return
        self._send_event(event)

    def _send_event(self, event: EventRecord) -> None:
        if event.id and not event.partial:
            if event.id in self._seen:
                return
            self._seen.add(event.id)
        line: dict[str, Any] = {"type": "event", "event": event_json(event, self._reveal)}
        if event.inner_of:
            line["inner_of"] = event.inner_of
        self._send(line)

    def _tickets(self) -> None:
        if not self._ready:
            return
        for ticket in self._view.tickets.tickets:
            if self._told.get(ticket.key) != ticket:
                self._told[ticket.key] = ticket
                self._send({"type": "ticket", "ticket": ticket_json(ticket, self._reveal)})

    def _done(self, done: Done) -> None:
        asked = self._running.pop(done.command, None)
        if done.failure is not None:
            self._failed = True
            self._error(done.failure.code, _sentence(done.failure), asked.id if asked else None)
        if asked is not None:
            self._idle(asked, done)

    def _idle(self, asked: _Asked, done: Done | None = None) -> None:
        route = self._view.route()
        line: dict[str, Any] = {
            "type": "idle",
            "id": asked.id,
            "next_agent": route.agent if route else "",
            "open_tickets": [t.key for t in self._view.tickets.open],
        }
        if done is not None and done.note:
            line["note"] = done.note
        self._send(line)

    def _error(self, code: str, message: str, asked_id: Any) -> None:
        if asked_id is not None or code.startswith("bad."):
            self._failed = True
        line: dict[str, Any] = {"type": "error", "code": code, "message": message}
        if asked_id is not None:
            line["id"] = asked_id
        self._send(line)

    def _send(self, line: dict[str, Any]) -> None:
        if line["type"] in ("error", "warning", "idle"):
            line = dict(as_object(masked(line, self._reveal)))
        if not self._ready and not self._unloadable:
            self._early.append(line)
            return
        early, self._early = self._early, []
        for one in (line, *early) if line["type"] == "ready" else (*early, line):
            self._put(one)

    def _put(self, line: dict[str, Any]) -> None:
        try:
            self._out.write(dump_line(line))
            self._out.flush()
        except (BrokenPipeError, ValueError, OSError) as error:
            raise Closed from error


def _sentence(failure: Failure) -> str:
    return f"{failure.message} {failure.hint}".strip()
