"""Helpers for tests that drive an engine: wait for a record, collect what came."""

import time
from collections.abc import Callable

from adk_tui.client.engine import Engine
from adk_tui.core.reports import Done, Record, Status

PATIENCE = 60.0


class Listener:
    """Collects an engine's records and waits for some of them."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.seen: list[Record] = []
        self._read = 0

    def until(self, wanted: Callable[[Record], bool], patience: float = PATIENCE) -> Record:
        """The next record that is wanted, after the last one that was returned."""
        deadline = time.monotonic() + patience
        while True:
            while self._read < len(self.seen):
                record = self.seen[self._read]
                self._read += 1
                if wanted(record):
                    return record
            left = deadline - time.monotonic()
            if left <= 0:
                told = "\n".join(repr(r)[:200] for r in self.seen[-20:])
                raise AssertionError(f"it never came; the last records were:\n{told}")
            self.seen += self.engine.records(min(left, 0.5))

    def phase(self, phase: str) -> Status:
        """The next status of that phase."""
        found = self.until(lambda r: isinstance(r, Status) and r.phase == phase)
        assert isinstance(found, Status)
        return found

    def done(self, command: int) -> Done:
        """The end of a command, wherever it stands in what came."""

        def is_it(record: Record) -> bool:
            return isinstance(record, Done) and record.command == command

        for record in self.seen[: self._read]:
            if is_it(record):
                assert isinstance(record, Done)
                return record
        found = self.until(is_it)
        assert isinstance(found, Done)
        return found

    def of(self, kind: type) -> list:
        """All records of a kind so far."""
        return [r for r in self.seen if isinstance(r, kind)]
