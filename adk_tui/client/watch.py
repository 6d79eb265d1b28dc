"""Whether a process still answers, and what to say while it does not."""

from collections.abc import Callable
from typing import Protocol

from adk_tui.client.output import ToolTimes
from adk_tui.core.reports import Notice, Record
from adk_tui.core.wire import Ping, Pong, encode_command

SLOW_HELLO = 20.0
"""Seconds without a first frame after which the user is told."""
SLOW_PONG = 10.0
PING_EVERY = 2.0
BLOCKED = 1.0
"""Seconds the agent's event loop must be stuck before the status says so."""


class Line(Protocol):
    """The line to a process: ``held`` while our own end does not read."""

    held: bool

    def send(self, frame: bytes) -> None:
        """Write a frame."""


class Process(Line, Protocol):
    """An engine process (``child.Child``)."""

    tools: ToolTimes

    def end(self, grace: float) -> None:
        """Let it end, kill it after ``grace`` seconds."""

    def kill(self) -> None:
        """Kill it."""


class Watch:
    """Pings a process and knows how long it has been silent. Tells, never kills.

    ``words`` says in a few words what is wrong, for the status; empty: nothing.
    ``silent``: it answers no more.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self.words = ""
        self.hello = False
        self.silent = False
        self._clock = clock
        self._begun = clock()
        self._pinged = 0.0
        self._heard = 0.0
        self._told = False

    def greeted(self) -> None:
        """The process has said its first word."""
        self.hello = True
        self._heard = self._clock()

    def answered(self, pong: Pong) -> bool:
        """It has answered a ping. Whether ``words`` changed."""
        self._heard = self._clock()
        self._told = self.silent = False
        return self._say(f"event loop blocked for {pong.lag:.0f} s" if pong.lag >= BLOCKED else "")

    def idle(self) -> None:
        """It has nothing to do, so nothing blocks it."""
        self.words = ""

    def look(self, line: Line) -> tuple[list[Record], bool]:
        """Ask whether it is there: what to tell the user, and whether ``words`` changed."""
        now = self._clock()
        if not self.hello:
            late = now - self._begun > SLOW_HELLO
            return self._warn(f"has said nothing for {SLOW_HELLO:.0f} s") if late else [], False
        if now - self._pinged >= PING_EVERY:
            self._pinged = now
            line.send(encode_command(Ping()))
        if line.held:
            self._heard = now
        silence = now - self._heard
        if silence <= SLOW_PONG:
            return [], False
        self.silent = True
        told = self._warn(f"has not answered for {silence:.0f} s")
        return told, self._say(f"no answer for {silence:.0f} s")

    def _warn(self, what: str) -> list[Record]:
        if self._told:
            return []
        self._told = True
        text = (
            f"The agent's process {what}. Loading it again, or stopping it with force, replaces "
            "it; its session goes on."
        )
        return [Notice(text, "warning")]

    def _say(self, words: str) -> bool:
        changed, self.words = words != self.words, words
        return changed
