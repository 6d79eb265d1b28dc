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
RETOLD = 100
"""Events of the chat told again at a time after a rewind."""
BUDGET = 0.01
"""Seconds a tick folds in records, until it leaves the others to the next."""
SHOWN = 0.1
"""Seconds between two pictures while there is more to fold in than a tick can: a picture costs as
much as a tick."""
SETTLED = 1_000
"""Records after which what came since the last time is searched for garbage, and all that lives is
put aside from later searches: it stays, and a search through a long log would hold up a key."""
SWEPT = 250_000
"""Records after which everything is searched all the same: some strips of Textual's own widgets
refer to themselves, so those that were on the screen when all was put aside become garbage."""

EVENTS = frozenset({"events"})
PANES = EVENTS | {"transcript"}
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
        self._firsts: list[int] = []
        """The first chat items that changed and are not announced."""
        self._told = 0.0
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
            if self._untold and (not self._behind or begun - self._told >= SHOWN):
                self._tell(self._untold)
            elif self._unsettled >= SETTLED:
                self._settle()
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
        changed = self._untold | self._fold(begun + BUDGET)
        if self._behind:
            self._untold = changed
        elif pours and changed == PANES:
            self._tell(changed - EVENTS, EVENTS)
        elif changed:
            self._tell(changed)

    def _tell(self, changed: frozenset[str], untold: frozenset[str] = frozenset()) -> None:
        """Announce what changed, and leave the rest to the next tick."""
        self._untold = untold
        self._told = time.monotonic()
        if self._firsts:
            self._view.first_changed = min(self._firsts)
            self._firsts.clear()
        self._announce(changed)

    def _fold(self, until: float) -> frozenset[str]:
        """Fold in what waits, until that moment. Names of what changed."""
        view, waiting = self._view, self._waiting
        changed: set[str] = set()
        while self._behind:
            piece = [waiting.popleft() for _ in range(min(PIECE, len(waiting)))]
            new = view.apply(piece)
            changed |= new
            if "transcript" in new:
                self._firsts.append(view.first_changed)
            self._unsettled += len(piece) + RETOLD * view.transcript.unfinished
            self._unswept += len(piece)
            if time.monotonic() >= until:
                break
        return frozenset(changed)

    def _settle(self) -> None:
        """Search what is new for garbage, and put aside what stays."""
        self._unsettled = 0
        if self._unswept >= SWEPT:
            self._unswept = 0
            gc.unfreeze()
        gc.collect()
        gc.freeze()
