"""Chat items written straight from an event: the plain ones, which nothing changes later."""

import json
from typing import Any

from adk_tui.core.chat_items import (
    AgentText,
    Attachments,
    CodeCard,
    ErrorCard,
    Line,
    Mark,
    OutputCard,
    Thought,
    Tone,
    TransferLine,
)
from adk_tui.core.chat_list import ChatList, Slot
from adk_tui.core.chat_pieces import Blobs
from adk_tui.core.records import Code, EventRecord, Text


class ChatWriter(ChatList):
    """A chat list that can write the items of an event."""

    def speech(self, event: EventRecord, part: Text, mark: Mark, withdrawn: bool) -> Slot:
        """A piece of an answer, or of thoughts."""
        key = self.key(event)
        if part.thought:
            return self.add(
                Thought(
                    key=key,
                    event_id=event.id,
                    withdrawn=withdrawn,
                    author=event.author,
                    branch=event.branch,
                    text=part.text,
                )
            )
        return self.add(
            AgentText(
                key=key,
                event_id=event.id,
                withdrawn=withdrawn,
                author=event.author,
                branch=event.branch,
                text=part.text,
                mark=mark,
            )
        )

    def code(self, event: EventRecord, code: Code, withdrawn: bool) -> Slot:
        """Code, or what came of it."""
        return self.add(
            CodeCard(
                key=self.key(event),
                event_id=event.id,
                withdrawn=withdrawn,
                author=event.author,
                code=code,
            )
        )

    def blobs(self, event: EventRecord, blobs: Blobs, withdrawn: bool) -> Slot:
        """Images and files."""
        return self.add(
            Attachments(
                key=self.key(event),
                event_id=event.id,
                withdrawn=withdrawn,
                author=event.author,
                blobs=blobs,
            )
        )

    def output(self, event: EventRecord, withdrawn: bool) -> Slot:
        """What a workflow node gave out, under the node's name."""
        value: Any = event.json().get("output")
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)
        node = event.node_path.rsplit("/", 1)[-1].split("@", 1)[0]
        return self.add(
            OutputCard(
                key=self.key(event),
                event_id=event.id,
                withdrawn=withdrawn,
                author=node or event.author,
                text=text,
            )
        )

    def transfer_line(self, event: EventRecord, withdrawn: bool) -> TransferLine:
        """The line of a transfer, not yet in the list."""
        return TransferLine(
            key=self.key(event),
            event_id=event.id,
            withdrawn=withdrawn,
            source=event.author,
            target=event.actions.transfer_to_agent,
            reason=event.actions.transfer_reason,
        )

    def error(
        self, event: EventRecord, code: str, message: str, hint: str, withdrawn: bool
    ) -> Slot | None:
        """An error card; None where the same error was told just before."""
        last = self.items[-1] if self.items else None
        if isinstance(last, ErrorCard) and (last.code, last.message) == (code, message):
            # A failing node and the workflow around it tell of one failure.
            return None
        return self.add(
            ErrorCard(
                key=self.key(event),
                event_id=event.id,
                withdrawn=withdrawn,
                author=event.author,
                code=code,
                message=message,
                hint=hint,
            )
        )

    def line(self, event: EventRecord, text: str, withdrawn: bool, tone: Tone = "muted") -> Slot:
        """One line about the session."""
        return self.add(
            Line(
                key=self.key(event),
                event_id=event.id,
                withdrawn=withdrawn,
                text=text,
                tone=tone,
            )
        )
