"""An engine that is made when it is first needed.

What runs an agent is a lot to import, and the first frame of a full screen
must not wait for it. A front end is given this in its place.
"""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from adk_tui.client.engine import Engine

if TYPE_CHECKING:
    from adk_tui.core.commands import Command
    from adk_tui.core.reports import Record


class LateEngine:
    """Calls ``make`` once, at the first use; implements ``client.engine.Engine``."""

    def __init__(self, make: Callable[[], Engine]) -> None:
        self._make = make

    @cached_property
    def _engine(self) -> Engine:
        return self._make()

    @property
    def capabilities(self) -> frozenset[str]:
        """As the engine says."""
        return self._engine.capabilities

    def start(self) -> None:
        """Begin. Returns at once."""
        self._engine.start()

    def submit(self, command: "Command") -> int:
        """Ask for something; returns the command's id."""
        return self._engine.submit(command)

    def records(self, timeout: float = 0.0) -> "Sequence[Record]":
        """Everything that arrived since the last call, in order."""
        return self._engine.records(timeout)

    def close(self) -> None:
        """End the engine. Idempotent."""
        self._engine.close()
