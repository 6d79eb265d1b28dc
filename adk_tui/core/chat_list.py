"""The growing list of chat items: places that survive a removal, and what changed first."""

from dataclasses import dataclass

from adk_tui.core.chat_items import ChatItem
from adk_tui.core.records import EventRecord


@dataclass(slots=True, eq=False)
class Slot:
    """The place of one item. Hold on to it instead of an index: removals shift indexes."""

    index: int


class ChatList:
    """Chat items in order. ``first`` is the lowest index changed since it was last reset."""

    def __init__(self) -> None:
        self.items: list[ChatItem] = []
        self.first = 0
        self._slots: list[Slot] = []
        self._given: dict[str, int] = {}

    def key(self, event: EventRecord) -> str:
        """A new key for an item of this event.

        It is built from the event's id, so that an item keeps its key when
        its partials are closed and when the session is told again.
        """
        number = self._given.get(event.id, 0)
        self._given[event.id] = number + 1
        return f"{event.id}.{number}"

    def add(self, item: ChatItem) -> Slot:
        """Append an item."""
        slot = Slot(len(self.items))
        self.first = min(self.first, slot.index)
        self.items.append(item)
        self._slots.append(slot)
        return slot

    def get(self, slot: Slot) -> ChatItem:
        """The item in that place."""
        return self.items[slot.index]

    def put(self, slot: Slot, item: ChatItem) -> None:
        """Replace the item in that place."""
        if self.items[slot.index] != item:
            self.items[slot.index] = item
            self.first = min(self.first, slot.index)

    def remove(self, slot: Slot) -> None:
        """Take the item out; the slot is void afterwards."""
        index = slot.index
        del self.items[index]
        del self._slots[index]
        for later in self._slots[index:]:
            later.index -= 1
        self.first = min(self.first, index)
