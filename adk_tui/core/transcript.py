"""From records to what a person reads in the chat.

``Transcript`` follows a growing log and touches only what changed, since it is
asked thirty times a second while text streams in. How the log was cut into
updates makes no difference to the items.
"""

from collections.abc import Mapping, Sequence

from adk_tui.core.chat_items import (
    AgentText,
    Attachments,
    CardState,
    ChatItem,
    CodeCard,
    ErrorCard,
    HumanAnswer,
    Item,
    Line,
    Mark,
    OutputCard,
    Thought,
    TicketMark,
    Tone,
    ToolCard,
    TransferLine,
    UserTurn,
)
from adk_tui.core.event_log import EventLog
from adk_tui.core.reports import Failure, ToolRun
from adk_tui.core.telling import Telling

__all__ = [
    "AgentText",
    "Attachments",
    "CardState",
    "ChatItem",
    "CodeCard",
    "ErrorCard",
    "HumanAnswer",
    "Item",
    "Line",
    "Mark",
    "OutputCard",
    "Thought",
    "TicketMark",
    "Tone",
    "ToolCard",
    "Transcript",
    "TransferLine",
    "UserTurn",
]


NONE: Mapping[str, Failure] = {}


class Transcript:
    """The chat items of a growing log."""

    def __init__(self) -> None:
        self._generation = -1
        self._seen = 0
        self._told = Telling()

    @property
    def items(self) -> Sequence[ChatItem]:
        """The items, for reading only: they change with each update."""
        return self._told.chat.items

    def update(
        self,
        log: EventLog,
        runs: Mapping[str, ToolRun],
        *,
        failures: Mapping[str, Failure] = NONE,
        idle: bool = False,
    ) -> int:
        """Take in what is new; the index of the first item that changed, ``len(items)`` if none.

        ``runs`` are the tool runs by call id. ``failures`` explain error events,
        by the event's id: they know more than the event does. ``idle`` says that nothing runs:
        then what still seems to stream was interrupted, and a call without a
        response will get none.
        """
        before: Sequence[ChatItem] | None = None
        new = log[self._seen : len(log)]
        if log.generation != self._generation or any(
            e.actions.rewind_before_invocation_id for e in new
        ):
            # A rewind changes what is long told, so all is told again.
            before = self.items
            self._generation = log.generation
            self._told = Telling()
            for index, event in enumerate(log):
                self._told.take(event, withdrawn=log.is_withdrawn(index))
        else:
            self._told.chat.first = len(self.items)
            for event in new:
                self._told.take(event, withdrawn=False)
        self._seen = len(log)
        self._told.finish(runs, failures, idle=idle)
        if before is None:
            return self._told.chat.first
        return next(
            (i for i, (a, b) in enumerate(zip(before, self.items, strict=False)) if a != b),
            min(len(before), len(self.items)),
        )
