"""The queue of records between an engine's threads and the one thread of a front end."""

import threading
import time
from collections import deque
from collections.abc import Iterable, Sequence

from adk_tui.core.records import EventRecord
from adk_tui.core.reports import ModelCall, Output, Record

ROOM = 64 << 20
"""Bytes of records that may wait before an engine's line is no longer read."""

OUTPUT_ROOM = 4 << 20
"""Characters of agent output that may wait; what does not fit is dropped and counted."""


def _weight(record: Record) -> int:
    match record:
        case EventRecord():
            return record.size
        case ModelCall():
            return len(record.request) + len(record.response)
        case _:
            return 64


class Outbox:
    """Records on their way up, in order. Any thread puts, one thread takes.

    A front end that stands still must not let the memory grow without end: an
    engine's reader waits in ``wait_for_room`` (the engine's pipe then fills up
    and the agent waits), and output that does not fit is refused.
    """

    def __init__(self) -> None:
        self._records: deque[Record] = deque()
        self._change = threading.Condition()
        self._weight = 0
        self._output = 0
        self._closed = False

    def put(self, records: Iterable[Record]) -> None:
        """Add records; never blocks."""
        with self._change:
            for record in records:
                self._records.append(record)
                self._weight += _weight(record)
            self._change.notify_all()

    def put_output(self, output: Output) -> bool:
        """Add a piece of output; False where too much of it waits already."""
        with self._change:
            if self._output + len(output.text) > OUTPUT_ROOM:
                return False
            self._output += len(output.text)
            self._records.append(output)
            self._change.notify_all()
            return True

    def take(self, timeout: float) -> Sequence[Record]:
        """Everything that waits; waits up to ``timeout`` seconds for the first."""
        deadline = time.monotonic() + timeout
        with self._change:
            while not self._records and not self._closed:
                left = deadline - time.monotonic()
                if left <= 0:
                    break
                self._change.wait(left)
            taken = list(self._records)
            self._records.clear()
            self._weight = self._output = 0
            self._change.notify_all()
            return taken

    @property
    def crowded(self) -> bool:
        """Whether more waits than there should."""
        return self._weight > ROOM

    def wait_for_room(self) -> None:
        """Block while ``crowded``; returns at once after ``close``."""
        with self._change:
            while self._weight > ROOM and not self._closed:
                self._change.wait()

    def close(self) -> None:
        """Let nobody wait any more. What was put can still be taken."""
        with self._change:
            self._closed = True
            self._change.notify_all()
