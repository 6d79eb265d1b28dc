"""From records to what a person reads in the chat.

``Transcript`` follows a growing log and touches only what changed, since it is
asked thirty times a second while text streams in. How the log was cut into
updates makes no difference to the items.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

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
from adk_tui.core.letting_go import LettingGo
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
COMPARED = 4
"""Items that are compared in the time that one event takes to tell."""
FORGOTTEN = 16
"""Elements of the former telling that go in that time."""


@dataclass(slots=True)
class _Again:
    """A telling that begins anew, until it has caught up: then it takes the other's place.

    ``told`` counts the events it knows, ``same`` the items that were compared
    and are as they were.
    """

    telling: Telling = field(default_factory=Telling)
    told: int = 0
    same: int = 0


class Transcript:
    """The chat items of a growing log.

    ``step``: after a rewind, which changes what is long told, only that many
    events are told again in one update, so that in a long session no key waits
    for all of them. Until all is told the items are as before the rewind, and what is
    new is added to them; ``unfinished`` says whether there is more to do. 0: all at once.
    """

    def __init__(self) -> None:
        self.step = 0
        self._generation = -1
        self._seen = 0
        self._told = Telling()
        self._again: _Again | None = None
        self._former: LettingGo | None = None
        """The telling before the last rewind, on its way out."""

    @property
    def items(self) -> Sequence[ChatItem]:
        """The items, for reading only: they change with each update."""
        return self._told.chat.items

    @property
    def unfinished(self) -> bool:
        """Whether the next update goes on with a rewind, or with forgetting what was before it."""
        return self._again is not None or self._former is not None

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
        if self._former is not None and not self._former.go_on(self.step * FORGOTTEN):
            self._former = None
        if log.generation != self._generation:
            self._generation = log.generation
            self._told, self._again, self._seen = Telling(), None, 0
            first = 0
        else:
            first = len(self.items)
        self._told.chat.first = first
        new = log[self._seen : len(log)]
        self._seen = len(log)
        for event in new:
            self._told.take(event, withdrawn=False)
        if any(e.actions.rewind_before_invocation_id for e in new):
            self._again = _Again()
        self._told.finish(runs, failures, idle=idle)
        first = min(first, self._told.chat.first)
        again = self._again
        if again is None or not self._tell_again(again, log):
            return first
        again.telling.finish(runs, failures, idle=idle)
        if not self._compare(again):
            return first
        self._former = LettingGo(self._told) if self.step else None
        self._told, self._again = again.telling, None
        return min(first, again.same)

    def _tell_again(self, again: _Again, log: EventLog) -> bool:
        """Tell some more of the log; True when that was all."""
        again.telling.chat.first = len(again.telling.chat.items)
        stop = min(again.told + self.step, len(log)) if self.step else len(log)
        for index in range(again.told, stop):
            again.telling.take(log[index], withdrawn=log.is_withdrawn(index))
        again.told = stop
        return stop == len(log)

    def _compare(self, again: _Again) -> bool:
        """Look for the first item that is another one; False if there is more to look at."""
        old, new = self._told.chat, again.telling.chat
        # What was compared before may have changed on one side since.
        same = min(again.same, old.first, new.first)
        both = min(len(old.items), len(new.items))
        stop = min(same + self.step * COMPARED, both) if self.step else both
        while same < stop and old.items[same] == new.items[same]:
            # One of the two is enough, and whoever shows it knows it again.
            new.items[same] = old.items[same]
            same += 1
        again.same = same
        return same < stop or same == both
