"""Partial events merged into the text a person reads while it is being written.

Partials share the id of the final event that closes them. Text arrives as
deltas from most models and cumulatively from some; the final event repeats all
of it and has the last word. Function calls in partials carry throw-away ids
and are left alone.
"""

from dataclasses import dataclass, field, replace

from adk_tui.core.chat_items import AgentText, Mark, Thought
from adk_tui.core.chat_list import ChatList, Slot
from adk_tui.core.records import EventRecord, Text


@dataclass(slots=True)
class Piece:
    """A run of text or of thoughts within one streamed event."""

    thought: bool
    chunks: list[str] = field(default_factory=list[str])
    size: int = 0
    slot: Slot | None = None

    def add(self, chunk: str) -> None:
        """Take in what came: the next piece, or everything so far with the next piece."""
        if len(chunk) > self.size > 0 and chunk.startswith(self.text()):
            self.chunks = [chunk]
            self.size = len(chunk)
        else:
            self.chunks.append(chunk)
            self.size += len(chunk)

    def text(self) -> str:
        """All of it so far."""
        if len(self.chunks) > 1:
            self.chunks = ["".join(self.chunks)]
        return self.chunks[0] if self.chunks else ""


@dataclass(slots=True, eq=False)
class Stream:
    """One event that is being streamed."""

    event: EventRecord
    withdrawn: bool
    pieces: list[Piece] = field(default_factory=list[Piece])
    open: bool = True
    mark: Mark = ""

    @property
    def lane(self) -> tuple[str, str, str]:
        """Where it streams: a lane streams one event at a time, parallel agents have several."""
        return self.event.invocation_id, self.event.author, self.event.branch


class Streams:
    """The streamed events that no final event has closed yet."""

    def __init__(self, chat: ChatList) -> None:
        self._chat = chat
        self._streams: dict[str, Stream] = {}
        self._open: dict[str, Stream] = {}
        self._stale: dict[str, Stream] = {}
        self._closed: set[str] = set()

    def add(self, event: EventRecord, *, withdrawn: bool) -> None:
        """Take in a partial event; one that comes after its final event is late and void."""
        if event.id in self._closed:
            return
        texts = [p for p in event.parts if isinstance(p, Text) and p.text]
        if not texts:
            return
        key = event.id or "/".join((event.invocation_id, event.author, event.branch))
        stream = self._streams.get(key)
        if stream is None:
            stream = self._streams[key] = Stream(event, withdrawn)
        if self._open.get(key) is not stream:
            self._interrupt_lane(stream.lane)
            self._open[key] = stream
        stream.open = True
        stream.mark = ""
        for part in texts:
            self._extend(stream, part)
        self._stale[key] = stream

    def _extend(self, stream: Stream, part: Text) -> None:
        if not stream.pieces or stream.pieces[-1].thought != part.thought:
            stream.pieces.append(Piece(part.thought))
        piece = stream.pieces[-1]
        piece.add(part.text)
        if piece.slot is None and not part.text.isspace():
            piece.slot = self._chat.add(self._item(stream, piece))

    def _item(self, stream: Stream, piece: Piece) -> AgentText | Thought:
        event = stream.event
        key = self._chat.key(event) if piece.slot is None else self._chat.get(piece.slot).key
        last = piece is stream.pieces[-1]
        if piece.thought:
            return Thought(
                key=key,
                event_id=event.id,
                withdrawn=stream.withdrawn,
                author=event.author,
                branch=event.branch,
                text=piece.text(),
                streaming=stream.open and last,
            )
        return AgentText(
            key=key,
            event_id=event.id,
            withdrawn=stream.withdrawn,
            author=event.author,
            branch=event.branch,
            text=piece.text(),
            streaming=stream.open and last,
            mark=stream.mark if last else "",
        )

    def close(self, event: EventRecord, *, withdrawn: bool) -> list[tuple[bool, Slot]]:
        """The final event is here: the places of its streamed pieces, as ``(thought, place)``."""
        if not event.id:
            return []
        self._closed.add(event.id)
        self._open.pop(event.id, None)
        stream = self._streams.pop(event.id, None)
        if stream is None:
            return []
        self._stale.pop(event.id, None)
        stream.open = False
        stream.withdrawn = withdrawn
        if not event.parts and event.error_code:
            stream.mark = "stopped" if event.aborted else "interrupted"
        self._write(stream)
        if not event.parts:
            return []
        return [(p.thought, p.slot) for p in stream.pieces if p.slot is not None]

    def end(self, mark: Mark, *, invocation: str = "", but: str = "") -> None:
        """No more will come: for one invocation, for all but one, or for all."""
        for key, stream in list(self._open.items()):
            its = stream.event.invocation_id
            if (invocation and its != invocation) or (but and its == but):
                continue
            self._end(key, stream, mark)

    def end_lane(self, event: EventRecord) -> None:
        """The lane went on with this event: what it streamed before is over."""
        if self._open:
            self._interrupt_lane((event.invocation_id, event.author, event.branch))

    def _interrupt_lane(self, lane: tuple[str, str, str]) -> None:
        for key, stream in list(self._open.items()):
            if stream.lane == lane:
                self._end(key, stream, "interrupted")

    def _end(self, key: str, stream: Stream, mark: Mark) -> None:
        stream.open = False
        stream.mark = mark
        self._stale[key] = stream
        del self._open[key]

    def flush(self) -> None:
        """Write what has come since the last time into the chat.

        Once an update, not once a partial: joining a long answer for each of
        its tokens would cost its length squared.
        """
        for stream in self._stale.values():
            self._write(stream)
        self._stale.clear()

    def _write(self, stream: Stream) -> None:
        for piece in stream.pieces:
            if piece.slot is not None:
                self._chat.put(piece.slot, self._item(stream, piece))


def as_closed(
    item: AgentText | Thought, text: str, mark: Mark, *, withdrawn: bool
) -> AgentText | Thought:
    """The streamed item with the text of its final event."""
    if isinstance(item, Thought):
        return replace(item, text=text, streaming=False, withdrawn=withdrawn)
    return replace(item, text=text, streaming=False, withdrawn=withdrawn, mark=mark)
