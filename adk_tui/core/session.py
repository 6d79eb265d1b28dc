"""Everything a front end knows, folded from the records of one engine.

The full screen and the line modes must never disagree about what happened, so
both read this one fold and neither keeps facts of its own.
"""

from collections import deque
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, assert_never

from adk_tui.core.event_log import EventLog
from adk_tui.core.masking import mask_text
from adk_tui.core.records import EventRecord, Usage
from adk_tui.core.reports import (
    ArtifactContent,
    ArtifactList,
    Done,
    Failure,
    ModelCall,
    Notice,
    Output,
    Ready,
    Record,
    SessionDeleted,
    SessionList,
    SessionOpened,
    SessionRenamed,
    Settings,
    Status,
    ToolRun,
)
from adk_tui.core.routing import Route, next_agent
from adk_tui.core.tickets import TicketBook
from adk_tui.core.transcript import Transcript

CALL_ROOM = 48 << 20
"""Bytes of requests and responses kept: each request repeats the session so far. Older calls
keep their times and tokens only."""
DELETED_ROOM = 4 << 20
"""Bytes of deleted sessions kept to be brought back, oldest go first; the newest always stays."""
OUTPUT_CHUNKS = 5_000
"""How many pieces of the agent's output are kept for the screen; the file keeps more."""

IDLE = frozenset({"ready", "failed", "dead"})
"""Phases in which nothing more will come of what has begun."""

SAME_SESSION = frozenset({"reload", "restart", "resync"})


class SessionView:
    """The state of the conversation as the records tell it.

    ``apply`` returns which of these changed, so that a front end redraws no
    more than that: ``status ready session events transcript tickets output
    notices failures done sessions calls settings artifacts deleted``.
    """

    def __init__(self) -> None:
        self.ready: Ready | None = None
        self.status = Status("starting")
        self.session: SessionOpened | None = None
        self.sessions: SessionList | None = None
        self.log = EventLog()
        self.tickets = TicketBook()
        self.transcript = Transcript()
        self.calls: dict[str, ModelCall] = {}
        self.runs: dict[str, ToolRun] = {}
        self.outputs: deque[Output] = deque(maxlen=OUTPUT_CHUNKS)
        self.notices: list[Notice] = []
        self.failures: list[Failure] = []
        self.done: list[Done] = []
        self.explained: dict[str, Failure] = {}
        """Why a command failed, by the id of the event that shows it."""
        self.settings: Settings | None = None
        self.artifacts: ArtifactList | None = None
        self.content: ArtifactContent | None = None
        """The version of an artifact that was read last."""
        self.deleted: deque[SessionDeleted] = deque()
        """What can be brought back, newest last."""
        self.deletions = 0
        """How many were told, those that are no longer kept among them."""
        self._deleted_bytes = 0
        self.renamed: list[SessionRenamed] = []
        self.usage = Usage()
        self.first_changed = 0
        """Index of the first chat item that the last ``apply`` changed."""
        self._call_bytes = 0
        self._calls_whole: deque[str] = deque()
        self._route: tuple[tuple[int, int], Route] | None = None

    @property
    def resumable(self) -> bool:
        """Whether the app was made with ADK's resumability."""
        return self.ready is not None and self.ready.resumable

    def route(self) -> Route | None:
        """Who answers the next text message; None until the agent is loaded."""
        if self.ready is None:
            return None
        history = self.log.history()
        key = (self.log.generation, len(history))
        if self._route is None or self._route[0] != key:
            route = next_agent(self.ready.root, history, resumable=self.resumable)
            self._route = (key, route)
        return self._route[1]

    def apply(self, records: Iterable[Record]) -> frozenset[str]:
        """Fold records in, in order. Returns the names of what changed.

        While ``transcript.unfinished``, a call without records goes on with that.
        """
        changed: set[str] = set()
        events: list[EventRecord] = []
        for record in records:
            if isinstance(record, EventRecord):
                events.append(record)
                continue
            if isinstance(record, SessionOpened):
                self._extend(events, changed)
                self._open(record)
                changed |= {"session", "events", "transcript", "tickets"}
            elif isinstance(record, SessionRenamed):
                changed |= self._renamed(record)
            else:
                changed.add(self._report(record))
        self._extend(events, changed)
        if changed & {"events", "calls", "status", "done"} or self.transcript.unfinished:
            idle = self.status.phase in IDLE
            self.first_changed = self.transcript.update(
                self.log, self.runs, failures=self.explained, idle=idle
            )
            if self.first_changed < len(self.transcript.items):
                changed.add("transcript")
            if self.tickets.update(self.log):
                changed.add("tickets")
        return frozenset(changed)

    def _extend(self, events: list[EventRecord], changed: set[str]) -> None:
        if not events:
            return
        for event in events:
            if event.usage and not event.partial:
                self.usage = _add(self.usage, event.usage)
        self.log.extend(events)
        events.clear()
        changed.add("events")

    def _open(self, session: SessionOpened) -> None:
        same = session.reason in SAME_SESSION and self.session is not None
        self.session = replace(session, title=mask_text(session.title))
        self._route = None
        self.usage = Usage()
        self.log.reset()
        if not same:
            self.explained.clear()
            self.calls.clear()
            self._calls_whole.clear()
            self._call_bytes = 0
            self.runs.clear()
            self.artifacts = self.content = None

    def _renamed(self, new: SessionRenamed) -> set[str]:
        self.renamed.append(new)
        changed = {"sessions"}
        key, title = (new.id, new.user), mask_text(new.title)
        if self.session and (self.session.id, self.session.user) == key:
            self.session = replace(self.session, title=title)
            changed.add("session")
        if self.sessions:
            rows = (
                replace(s, title=title, named=new.named) if (s.id, s.user) == key else s
                for s in self.sessions.sessions
            )
            self.sessions = SessionList(tuple(rows))
        return changed

    def _keep_call(self, call: ModelCall) -> None:
        known = self.calls.get(call.id)
        if known is None:
            self._calls_whole.append(call.id)
        self._call_bytes += _bytes_of(call) - (_bytes_of(known) if known else 0)
        self.calls[call.id] = call
        while self._call_bytes > CALL_ROOM and len(self._calls_whole) > 1:
            old = self.calls[self._calls_whole.popleft()]
            self._call_bytes -= _bytes_of(old)
            self.calls[old.id] = replace(old, request=b"", response=b"")

    def _keep_deleted(self, deleted: SessionDeleted) -> None:
        self.deletions += 1
        self.deleted.append(deleted)
        self._deleted_bytes += _length(deleted)
        while self._deleted_bytes > DELETED_ROOM and len(self.deleted) > 1:
            self._deleted_bytes -= _length(self.deleted.popleft())

    def _report(self, record: Any) -> str:
        report: Record = record
        match report:
            case Ready():
                self.ready = report
                self._route = None
                return "ready"
            case Status():
                self.status = report
                return "status"
            case SessionList():
                rows = (replace(row, title=mask_text(row.title)) for row in report.sessions)
                self.sessions = SessionList(tuple(rows))
                return "sessions"
            case Failure():
                self.failures.append(report)
                return "failures"
            case Notice():
                self.notices.append(report)
                return "notices"
            case Done():
                self.done.append(report)
                if report.failure is not None and report.event_id:
                    self.explained[report.event_id] = report.failure
                return "done"
            case ModelCall():
                self._keep_call(report)
                return "calls"
            case ToolRun():
                self.runs[report.call_id] = report
                return "calls"
            case Output():
                self.outputs.append(report)
                return "output"
            case Settings():
                self.settings = report
                return "settings"
            case ArtifactList():
                self.artifacts = report
                return "artifacts"
            case ArtifactContent():
                self.content = report
                return "artifacts"
            case SessionDeleted():
                self._keep_deleted(report)
                return "deleted"
            case EventRecord() | SessionOpened() | SessionRenamed():
                return "events"
            case _:
                assert_never(report)


def _bytes_of(call: ModelCall) -> int:
    return len(call.request) + len(call.response)


def _length(deleted: SessionDeleted) -> int:
    return sum(map(len, deleted.events))


def _add(a: Usage, b: Usage) -> Usage:
    return Usage(
        a.prompt + b.prompt,
        a.output + b.output,
        a.thoughts + b.thoughts,
        a.cached + b.cached,
        a.total + b.total,
    )
