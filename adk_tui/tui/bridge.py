"""Brings what the engine says onto the screen, at a rate the screen can bear.

A burst of 20,000 events drained 30 times a second costs the user nothing; one
message for each stalls the keyboard for seconds. So records are taken in
batches, folded once, and announced once a tick. A tick that took long makes
the next one wait longer, so that keys always get their turn. What is too much
for one tick, such as a long stored session, waits for the next ones.

A key goes before records: a tick waits until the last key has shown, for a short
while. While records pour in, the chat and the events take turns, so that a key
never waits for both to be painted.
"""

import asyncio
import gc
import sys
import time
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

from textual import events
from textual.app import App
from textual.message import Message

from adk_tui.client.engine import Engine
from adk_tui.tui.later import later

if TYPE_CHECKING:
    from adk_tui.core.reports import Record
    from adk_tui.core.session import SessionView

BUSY = 1 / 30
"""Seconds between two ticks while something happens."""
IDLE = 1 / 12
"""Seconds between two ticks after ``PATIENCE`` without anything new."""
PATIENCE = 5.0
SHARE = 2.0
"""A tick is followed by at least this many times its own length for everything else."""
SHOWS = 0.008
"""Seconds in which a key shows, if nothing comes in between."""
YIELDS = 0.014
"""Most that keys put a tick off: whoever never stops typing sees ten pictures a second."""
POURS = 5
"""Records in a tick from which on the panes take turns: some 150 a second."""
SWITCH = 0.001
"""Seconds until a thread that waits gets Python's lock: the one that reads the keys, the one that
writes the screen."""

PIECE = 100
"""Records folded in at a time."""
RETOLD = 400
"""Events of the chat told again at a time after a rewind."""
BUDGET = 0.015
"""Seconds a tick folds in records, until it leaves the others to the next."""
SETTLED = 1_000
"""Records after which what came since the last time is searched for garbage, and all that lives is
put aside from later searches: it stays, and a search through a long log would hold up a key."""
SWEPT = 250_000
"""Records after which everything is searched all the same: some strips of Textual's own widgets
refer to themselves, so those that were on the screen when all was put aside become garbage."""

PANES = frozenset({"transcript", "events"})
"""What alone changes while a run goes on, each of which is a pane of its own."""


class Bridge:
    """Drains ``engine`` into ``view`` and calls ``announce`` with what changed."""

    def __init__(
        self,
        app: App[int],
        engine: Engine,
        view: "SessionView",
        announce: Callable[[frozenset[str]], None],
    ) -> None:
        self._app = app
        self._engine = engine
        self._view = view
        view.transcript.step = RETOLD
        self._announce = announce
        self._timer: asyncio.TimerHandle | None = None
        self._last_news = 0.0
        self._last_key = 0.0
        self._due = 0.0
        self._waiting: deque[Record] = deque()
        self._untold: frozenset[str] = frozenset()
        """What changed and is announced when its turn has come."""
        self._unsettled = self._unswept = 0
        self._closed = False

    def start(self) -> None:
        """Begin to drain; the first tick comes at once."""
        self._last_news = time.monotonic()
        sys.setswitchinterval(SWITCH)
        self._app.message_signal.subscribe(self._app, self._heard, immediate=True)
        self._schedule(BUSY / 4)

    def hurry(self) -> None:
        """The user asked for something: look often for what comes of it."""
        self._last_news = time.monotonic()
        if self._timer is not None:
            self._schedule(BUSY)

    def close(self) -> None:
        """Drain no more."""
        self._closed = True
        if self._timer is not None:
            self._timer.cancel()

    def _heard(self, message: Message) -> None:
        if isinstance(message, events.Key):
            self._last_key = time.monotonic()

    def _schedule(self, delay: float) -> None:
        self._due = time.monotonic() + delay
        self._set_timer(delay)

    def _set_timer(self, delay: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if not self._closed:
            self._timer = later(self._app, delay, self.tick)

    def tick(self) -> None:
        """Fold in what arrived and announce it; then schedule the next tick."""
        if self._closed:
            return
        begun = time.monotonic()
        shown = min(self._last_key + SHOWS, self._due + YIELDS)
        if begun < shown:
            self._set_timer(shown - begun)
            return
        try:
            if self._untold:
                told, self._untold = self._untold, frozenset()
                self._announce(told)
            else:
                self._drain(begun)
        finally:
            spent = time.monotonic() - begun
            rest = BUSY if begun - self._last_news < PATIENCE else IDLE
            rest = max(rest - spent, spent * SHARE)
            self._schedule(max(spent / SHARE if self._behind else rest, 0.005))

    @property
    def _behind(self) -> bool:
        return bool(self._waiting) or self._view.transcript.unfinished

    def _drain(self, begun: float) -> None:
        self._waiting.extend(self._engine.records())
        if not self._behind:
            return
        self._last_news = begun
        pours = len(self._waiting) >= POURS
        changed = self._fold(begun + BUDGET)
        if pours and changed == PANES and not self._behind:
            self._untold = frozenset({"events"})
            changed -= self._untold
        if changed:
            self._announce(changed)

    def _fold(self, until: float) -> frozenset[str]:
        """Fold in what waits, until that moment. Names of what changed."""
        view, waiting = self._view, self._waiting
        changed: set[str] = set()
        firsts: list[int] = []
        while self._behind:
            piece = [waiting.popleft() for _ in range(min(PIECE, len(waiting)))]
            new = view.apply(piece)
            changed |= new
            if "transcript" in new:
                firsts.append(view.first_changed)
            self._unsettled += len(piece) + RETOLD * view.transcript.unfinished
            self._unswept += len(piece)
            if time.monotonic() >= until:
                break
        if firsts:
            view.first_changed = min(firsts)
        if self._unsettled >= SETTLED:
            self._unsettled = 0
            if self._unswept >= SWEPT:
                self._unswept = 0
                gc.unfreeze()
            gc.collect()
            gc.freeze()
        return frozenset(changed)
