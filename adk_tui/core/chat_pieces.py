"""The parts of an event as a person reads them: neighbours of one kind belong together."""

from collections.abc import Sequence
from typing import TypeAlias

from adk_tui.core.chat_items import Mark
from adk_tui.core.records import Blob, EventRecord, Part, Text

Blobs: TypeAlias = tuple[Blob, ...]


def pieces_of(parts: Sequence[Part]) -> "list[Part | Blobs]":
    """The parts with neighbours of one kind joined: texts, thoughts, attachments."""
    pieces: list[Part | Blobs] = []
    for part in parts:
        last = pieces[-1] if pieces else None
        if isinstance(part, Text) and isinstance(last, Text) and last.thought == part.thought:
            pieces[-1] = Text(last.text + part.text, part.thought)
        elif isinstance(part, Blob):
            if isinstance(last, tuple):
                pieces[-1] = (*last, part)
            else:
                pieces.append((part,))
        else:
            pieces.append(part)
    return pieces


def is_speech(piece: object) -> bool:
    """Whether it is text that says something and is no thought."""
    return isinstance(piece, Text) and not piece.thought and bool(piece.text.strip())


def mark_of(event: EventRecord) -> Mark:
    """The mark of the event's last text: cut at the token limit, or interrupted (live)."""
    if "MAX_TOKENS" in (event.finish_reason, event.error_code):
        return "cut"
    return "interrupted" if event.interrupted else ""
