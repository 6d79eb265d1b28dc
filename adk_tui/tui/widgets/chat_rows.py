"""The rows of the chat: an item each, how it stands among its neighbours, and how high it is.

No widget. How an item stands is worked out when it is asked for: a rewind may
change a hundred thousand items at once, of which a screen shows a few.
"""

from collections.abc import Sequence

from adk_tui.core.chat_items import AgentText, ChatItem, UserTurn
from adk_tui.tui.widgets.chat_blocks import Frame, can_fold, frame
from adk_tui.tui.widgets.heights import Heights


class ChatRows:
    """Items in order, with their heights in lines: guesses, until they are measured."""

    def __init__(self) -> None:
        self.items: list[ChatItem] = []
        self.heights = Heights()
        self.measured = bytearray()
        """For each row, whether its height is no guess."""
        self._places: dict[str, int] = {}
        """Rows by key, as they were at some time."""
        self._frames: list[Frame | None] = []
        self._toggled: set[str] = set()
        self._thoughts_open = False

    def __len__(self) -> int:
        return len(self.items)

    def find(self, key: str) -> int | None:
        """The row of an item; of one that has gone, the last row; None without rows."""
        items = self.items
        row = self._places.get(key, len(items))
        if row >= len(items) or items[row].key != key:
            self._places = {item.key: row for row, item in enumerate(items)}
        return self._places.get(key, len(items) - 1) if items else None

    def frame(self, row: int) -> Frame:
        """How an item stands."""
        known = self._frames[row]
        if known is None:
            known = self._frames[row] = frame(self.items, row, self.is_open(row))
        return known

    def is_open(self, row: int) -> bool:
        """Whether an item is unfolded."""
        item = self.items[row]
        return (item.key in self._toggled) != (self._thoughts_open and can_fold(item))

    # Changes

    def same(self, items: Sequence[ChatItem], first: int) -> int:
        """From ``first`` on: the first row that does not hold the very item of ``items``."""
        both = min(len(items), len(self.items))
        first = min(first, len(self.items))
        while first < both and items[first] is self.items[first]:
            first += 1
        return first

    def take(self, items: Sequence[ChatItem], first: int, width: int) -> None:
        """Hold these items, of which those before ``first`` are held already.

        ``width`` of a line, for guesses of heights.
        """
        both = last = min(len(items), len(self.items))
        while last > first and items[last - 1] is self.items[last - 1]:
            last -= 1
        self.items[first:last] = items[first:last]
        self.truncate(len(items))
        if last > first:
            # The row after the last that changed stands below another.
            self._touch(first, last + 1)
        for row in range(both, len(items)):
            self._add(items[row], width)

    def truncate(self, count: int) -> None:
        """Keep the first ``count`` rows."""
        for item in self.items[count:]:
            self._places.pop(item.key, None)
        del self.items[count:], self._frames[count:], self.measured[count:]
        self.heights.truncate(count)

    def clear(self) -> None:
        """Hold nothing; what was unfolded is forgotten."""
        self.truncate(0)
        self._toggled.clear()

    def toggle(self, row: int) -> None:
        """Fold or unfold an item."""
        self._toggled ^= {self.items[row].key}
        self._touch(row, row + 1)

    def toggle_all(self) -> None:
        """Unfold or fold everything that folds."""
        self._thoughts_open = not self._thoughts_open
        self._toggled.clear()
        self._touch(0, len(self.items))

    def forget_measures(self) -> None:
        """All heights are guesses again."""
        self.measured = bytearray(len(self.items))

    def _touch(self, first: int, end: int) -> None:
        count = min(end, len(self.items)) - first
        self._frames[first : first + count] = [None] * count
        self.measured[first : first + count] = bytes(count)

    def _add(self, item: ChatItem, width: int) -> None:
        self._places[item.key] = len(self.items)
        self.items.append(item)
        self._frames.append(None)
        self.measured.append(False)
        self.heights.append(_guess(item, width))


def _guess(item: ChatItem, width: int) -> int:
    """About how many lines an item will have, so that the scroll bar is about right."""
    if not isinstance(item, (AgentText, UserTurn)):
        return 1
    return 2 + len(item.text) // width + min(item.text.count("\n"), 200)
