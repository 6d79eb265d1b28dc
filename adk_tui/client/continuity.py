"""A session goes on where one process follows another, for the front end as if none had.

Every record a process says goes through here: what the next process must know
of it is remembered, and what only we know is put right in it.
"""

from dataclasses import replace
from typing import Literal

from adk_tui.client.memory import SessionMemory
from adk_tui.client.request_store import RequestKeeper
from adk_tui.client.under_way import UnderWay
from adk_tui.core.commands import Command, DeleteSession, RestoreSession
from adk_tui.core.records import EventRecord
from adk_tui.core.reports import (
    ModelCall,
    Notice,
    Ready,
    Record,
    SessionDeleted,
    SessionList,
    SessionOpened,
    SessionRenamed,
    Settings,
    ToolRun,
)


class Continuity:
    """Takes what all processes of an engine say; ``memory`` knows how the next one begins.

    With ``recall`` the model calls kept of a session are told when it opens.
    """

    def __init__(self, memory: SessionMemory, keeper: RequestKeeper, *, recall: bool) -> None:
        self._memory = memory
        self._keeper = keeper
        self._recall = recall
        self._under_way = UnderWay()
        self._reason: Literal["", "restart", "reload"] = ""

    def heard(self, record: Record) -> list[Record]:
        """A process said this; returns what to tell the front end."""
        self._remember(record)
        if isinstance(record, SessionOpened) and self._reason:
            record, self._reason = replace(record, reason=self._reason), ""
        kept = self._keeper.heard(record)
        told = [record, *(kept if self._recall else ())]
        problem = self._keeper.problem()
        return told if problem is None else [*told, problem]

    def done(self, command: Command) -> None:
        """A command ended well."""
        match command:
            case DeleteSession():
                self._keeper.deleted(command.session_id, command.user)
            case RestoreSession():
                self._memory.restored(command)
            case _:
                pass

    def another(self, reason: Literal["restart", "reload"]) -> list[Record]:
        """Another process takes the session over; returns what cannot follow it."""
        if self._memory.session is None:
            return []
        self._reason = reason
        gone = self._memory.gone()
        return [Notice(gone, "warning")] if gone else []

    def cut(self, why: str) -> list[Record]:
        """A process is gone: the ends of the tools and model calls that it left open."""
        return [told for ended in self._under_way.cut(why) for told in self.heard(ended)]

    def turn_cut(self) -> list[Record]:
        """The turn at work has ended with its process; returns what that has changed."""
        once = self._memory.turn_cut()
        if not once:
            return []
        words = f"{once} is no longer forced to answer: the turn it was for was cut short."
        return [Notice(words, "warning")]

    def close(self) -> None:
        """Let the file of model calls go."""
        self._keeper.close()

    def _remember(self, record: Record) -> None:
        match record:
            case Ready():
                self._memory.loaded(record)
            case SessionOpened():
                if self._memory.session and record.id != self._memory.session.id:
                    # The user's doing, not another process's.
                    self._reason = ""
                self._memory.opened(record)
            case SessionRenamed():
                self._memory.renamed(record)
            case SessionDeleted():
                self._memory.deleted(record)
            case SessionList():
                self._memory.listed(record)
            case Settings():
                self._memory.configured(record)
            case EventRecord():
                self._memory.event(record)
            case ToolRun() | ModelCall():
                self._under_way.note(record)
            case _:
                pass
