"""From records to what a person reads in the chat.

``Transcript`` follows a growing log and touches only what changed, since it is
asked thirty times a second while text streams in.
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
from adk_tui.core.reports import ToolRun

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


class Transcript:
    """The chat items of a growing log."""

    def __init__(self) -> None:
        self.items: Sequence[ChatItem] = []

    def update(self, log: EventLog, runs: Mapping[str, ToolRun]) -> int:
        """Take in what is new; the index of the first item that changed."""
        return len(self.items)
