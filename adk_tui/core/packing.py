"""The raw JSON of old events, compressed: kept whole, so that nothing of them is lost to a look."""

import zlib
from array import array
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache


class Block:
    """The raw JSON of some neighbouring events, compressed together: alone they are too small."""

    __slots__ = ("_data", "ends")

    def __init__(self, pieces: Iterable[bytes]) -> None:
        pieces = tuple(pieces)
        self.ends = array("Q")
        for piece in pieces:
            self.ends.append(len(piece) + (self.ends[-1] if self.ends else 0))
        self._data = zlib.compress(b"".join(pieces), 1)

    def unpacked(self) -> bytes:
        """All of it, one after the other."""
        return zlib.decompress(self._data)


@lru_cache(maxsize=4)
def _unpacked(block: Block) -> bytes:
    # Who reads one event of a block reads its neighbours too: a filter, an export.
    return block.unpacked()


@dataclass(frozen=True, slots=True)
class Packed:
    """The place of one event's raw JSON in a block."""

    block: Block
    index: int

    @property
    def size(self) -> int:
        """Bytes."""
        return self.block.ends[self.index] - self._start

    @property
    def _start(self) -> int:
        return self.block.ends[self.index - 1] if self.index else 0

    def read(self) -> bytes:
        """The raw JSON."""
        return _unpacked(self.block)[self._start : self.block.ends[self.index]]
