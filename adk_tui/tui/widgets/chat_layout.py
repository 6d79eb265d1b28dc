"""How the items of the chat are laid out: each once for a width, a text that grows piece by piece.

No widget: it turns an item and its place among its neighbours into lines, and
remembers what it made of it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter

from adk_tui.core.chat_items import AgentText, ChatItem
from adk_tui.tui.widgets.chat_blocks import (
    MARGIN,
    RIGHT,
    SHOWN,
    Frame,
    folded,
    head_line,
    item_lines,
    mark_lines,
)
from adk_tui.tui.widgets.markdown_text import MarkdownText
from adk_tui.tui.widgets.recent import Recent
from adk_tui.tui.widgets.text_lines import Line, add_look, cut

_LAID_OUT = 400
_CHEAP = 0.004
_NARROW = 30


@dataclass(slots=True)
class Layout:
    """An item's lines, and what they were made from. ``stamp`` differs for each layout."""

    item: ChatItem
    about: Frame
    width: int
    lines: Sequence[Line]
    stamp: int
    text: MarkdownText | None = None
    fixed: int = 0
    """Lines from the top that further text cannot change; drawn under ``base``."""
    base: int = 0


class _Shifted(Sequence[Line]):
    """Lines before, a long body behind a margin, and lines after, without copying the body."""

    def __init__(self, head: list[Line], body: Sequence[Line], tail: list[Line], cursor: bool):
        self.head, self.body, self.tail, self.streams = head, body, tail, cursor

    def __len__(self) -> int:
        return len(self.head) + len(self.body) + len(self.tail)

    def __getitem__(self, at: int) -> Line:  # type: ignore[override]
        if at < len(self.head):
            return self.head[at]
        at -= len(self.head)
        if at < len(self.body):
            line = [(" " * MARGIN, ""), *self.body[at]]
            if self.streams and at == len(self.body) - 1:
                line.append(("▍", "line--primary"))
            return line
        return self.tail[at - len(self.body)]


@dataclass(slots=True)
class Throttle:
    """Keeps the laying out of a text that streams in below a quarter of the time."""

    not_before: float = 0.0

    def spent(self, start: float, end: float) -> None:
        """Work took from ``start`` to ``end``."""
        self.not_before = end + 3 * (end - start) if end - start > _CHEAP else 0.0


class Layouts:
    """The layouts of the items that were asked for last."""

    def __init__(self) -> None:
        self.throttle = Throttle()
        self.behind = False
        """Whether a text that was asked for has grown since it was laid out."""
        self._known: Recent[str, Layout] = Recent(_LAID_OUT)
        self._stamp = 0

    def clear(self) -> None:
        """Forget them all."""
        self._known.clear()

    def of(self, item: ChatItem, about: Frame, width: int) -> Layout:
        """The layout of an item; of a text that streams in, at times the one before."""
        known = self._known.get(item.key)
        if (
            known is not None
            and known.item is item
            and known.about == about
            and known.width == width
        ):
            return known
        if (
            known is not None
            and isinstance(item, AgentText)
            and item.streaming
            and (known.about, known.width) == (about, width)
            and perf_counter() < self.throttle.not_before
        ):
            self.behind = True
            return known
        text = known.text if known is not None else None
        restarts = text.restarts if text is not None else -1
        head: list[Line] = []
        if about.gap:
            head.append(())
        if about.head:
            head.append(head_line(item, width))
        if isinstance(item, AgentText):
            start = perf_counter()
            text = text or MarkdownText()
            text.update(item.text[:SHOWN])
            body = text.lines(max(width - MARGIN - RIGHT, 1))
            if item.streaming:
                self.throttle.spent(start, perf_counter())
            lines: Sequence[Line] = _Shifted(head, body, mark_lines(item, width), item.streaming)
        else:
            lines = [*head, *item_lines(item, about, width)]
        if width < _NARROW:
            lines = [cut(line, width) for line in lines]
        if item.withdrawn:
            if not about.open:
                lines = [*[()] * about.gap, *folded(lines, width)]
            lines = [add_look(line, "line--withdrawn") for line in lines]
        self._stamp += 1
        layout = Layout(item, about, width, lines, self._stamp, text)
        if text is not None and not item.withdrawn and width >= _NARROW:
            # The line that ends in the cursor is drawn for this moment only.
            ends = (
                len(lines) - 1
                if lines and isinstance(item, AgentText) and item.streaming
                else len(lines)
            )
            layout.fixed = min(len(head) + text.fixed_lines, ends)
            layout.base = self._stamp
            if known is not None and (known.about, known.width) == (about, width):
                layout.base = known.base if restarts == text.restarts else self._stamp
        self._known[item.key] = layout
        return layout
