"""All that a front end knows of an engine.

A process on this machine, a server elsewhere, a live connection or a recorded
session are each one more Engine; nothing above this file may tell them apart
but by ``capabilities``.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from adk_tui.core.commands import Command
    from adk_tui.core.reports import Record


class Engine(Protocol):
    """One agent, somewhere, that takes commands and tells what happens."""

    @property
    def capabilities(self) -> frozenset[str]:
        """Names of the commands this engine takes (``core.wire.command_name``).

        Empty until it is ready. A front end offers nothing else, and says so.
        """
        ...

    def start(self) -> None:
        """Begin. Returns at once; what comes of it arrives as records."""
        ...

    def submit(self, command: "Command") -> int:
        """Ask for something; returns the command's id, which ``Done`` and ``Status`` refer to.

        Never blocks and never raises: a command that cannot be taken ends in a
        ``Done`` with a failure. Commands submitted before the agent is loaded
        wait; ``Stop``, ``Reload`` and ``Restart`` act at once.
        """
        ...

    def records(self, timeout: float = 0.0) -> "Sequence[Record]":
        """Everything that arrived since the last call, in order.

        Waits up to ``timeout`` seconds for the first one. To be called from
        one thread.
        """
        ...

    def close(self) -> None:
        """End the engine and everything it started; waits a bounded time. Idempotent."""
        ...
