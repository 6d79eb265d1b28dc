"""What a program reads from ``adk-tui pipe``: what each line looks like, and which comes first.

A program that reads ``ready`` first need not keep anything for later. A session
is told again after a reload, say: what was sent of it is not sent once more.
"""

from collections.abc import Callable
from typing import Any, Final, Protocol

from adk_tui.console.pipe_input import Request
from adk_tui.console.plain import dump_line, event_json, masked_text, ticket_json
from adk_tui.core.records import EventRecord
from adk_tui.core.reports import Done, Ready, SessionOpened
from adk_tui.core.session import SessionView
from adk_tui.core.tickets import Ticket

PROTOCOL: Final = 1
"""Version of the pipe protocol; grows when a line changes its meaning."""


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


class PipeOutput:
    """Writes lines to ``out``, and before ``ready`` none. All methods raise Closed.

    ``reveal`` shows secrets.
    """

    def __init__(self, out: Writer, *, reveal: bool) -> None:
        self._out = out
        self._reveal = reveal
        self._open = False
        self._early: list[dict[str, Any]] = []
        self._stored: list[EventRecord] = []
        self._events_told: set[str] = set()
        self._tickets_told: dict[str, Ticket] = {}

    def open(self) -> None:
        """Send what waited for the first line, which was sent or never will be."""
        self._open = True
        early, self._early = self._early, []
        for line in early:
            self._send(line)

    def ready(self, ready: Ready, session: SessionOpened, next_agent: str) -> None:
        """The first line, and behind it what came before."""
        first = {
            "type": "ready",
            "protocol": PROTOCOL,
            "app": ready.app,
            "agent": ready.root.name,
            "session": session.id,
            "user": session.user,
            "model": ready.root.model,
            "offline": bool(ready.offline),
            "resumable": ready.resumable,
            "next_agent": next_agent,
            "events": session.count,
        }
        self._early.insert(0, first)
        self.open()
        stored, self._stored = self._stored, []
        for event in stored:
            self.event(event)

    def session(self, session: SessionOpened) -> None:
        """A session was opened, or the same one told again; its events follow."""
        if session.reason in ("new", "open"):
            self._events_told.clear()
            self._tickets_told.clear()
        self._stored.clear()
        if self._open:
            self._send(
                {
                    "type": "session",
                    "session": session.id,
                    "user": session.user,
                    "reason": session.reason,
                    "events": session.count,
                }
            )

    def event(self, event: EventRecord) -> None:
        """An event; a final one of the session itself only once."""
        if not self._open:
            self._stored.append(event)
            return
        if event.id and not event.partial and not event.inner_of:
            if event.id in self._events_told:
                return
            self._events_told.add(event.id)
        line: dict[str, Any] = {"type": "event", "event": event_json(event, self._reveal)}
        if event.inner_of:
            line["inner_of"] = event.inner_of
        self._send(line)

    def ticket(self, ticket: Ticket) -> None:
        """A ticket, if anything about it is new."""
        if self._tickets_told.get(ticket.key) != ticket:
            self._tickets_told[ticket.key] = ticket
            self._send({"type": "ticket", "ticket": ticket_json(ticket, self._reveal)})

    def idle(self, request: Request, view: SessionView, done: Done | None = None) -> None:
        """A request is carried out, or was refused (``done`` None)."""
        route = view.route()
        line: dict[str, Any] = {
            "type": "idle",
            "id": request.id,
            "next_agent": route.agent if route else "",
            "open_tickets": [t.key for t in view.tickets.open],
        }
        if done is not None and done.note:
            line["note"] = masked_text(done.note, self._reveal)
        if done is not None and done.stopped:
            line["stopped"] = True
        self._send(line)

    def warning(self, message: str) -> None:
        """Something that the program's user should know."""
        self._send({"type": "warning", "message": masked_text(message, self._reveal)})

    def error(self, code: str, message: str, asked_id: Any) -> None:
        """What went wrong, with the id of the request that it is about (None: of no request)."""
        line = {"type": "error", "code": code, "message": masked_text(message, self._reveal)}
        self._send(line if asked_id is None else {**line, "id": asked_id})

    def flush(self) -> None:
        """Let the program have what was written."""
        self._write(self._out.flush)

    def _send(self, line: dict[str, Any]) -> None:
        if self._open:
            self._write(lambda: self._out.write(dump_line(line)))
        else:
            self._early.append(line)

    def _write(self, write: Callable[[], object]) -> None:
        try:
            write()
        except (OSError, ValueError) as error:
            raise Closed from error
