"""The whole app on an agent of ``tests/cases``, with a real engine process and real keys."""

import json
import re
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from textual.pilot import Pilot
from textual.widgets import TextArea

from adk_tui.client.process import Launch, ProcessEngine
from adk_tui.core.commands import RunSettings, Start
from adk_tui.core.tickets import Ticket
from adk_tui.tui.app import TuiOptions, WorkbenchApp
from adk_tui.tui.widgets.approvals import Approvals
from tests.fakes.driving import rendered, until, write

CASES = Path(__file__).parents[1] / "cases"
SLOW = 120.0
"""Seconds to wait for what imports google-adk on a busy machine."""


class Case:
    """One case on the screen. Everything waits on conditions."""

    def __init__(self, app: WorkbenchApp, pilot: Pilot[int]) -> None:
        self.app = app
        self.pilot = pilot
        self.view = app.view

    @property
    def screen(self) -> str:
        """What the terminal shows, as text."""
        return rendered(self.app)

    @property
    def flat(self) -> str:
        """The chat's column as one text, so that a wrapped sentence can be found."""
        chat = self.app.main.query_one("#chat-pane").region
        rows = self.screen.split("\n")[chat.y : chat.bottom]
        return " ".join(" ".join(row[chat.x : chat.right] for row in rows).split())

    @property
    def panel(self) -> Approvals:
        return self.app.main.query_one(Approvals)

    @property
    def open(self) -> tuple[Ticket, ...]:
        return self.view.tickets.open

    async def until(self, condition: "object", what: str = "", seconds: float = 90.0) -> None:
        assert callable(condition)
        await until(self.pilot, condition, what, seconds=seconds)

    async def shows(self, *texts: str) -> None:
        """Wait until all texts are on the screen."""
        for text in texts:
            await self.until(lambda text=text: text in self.screen, f"{text!r} on the screen")

    async def shows_row(self, pattern: str) -> None:
        """Wait until a row of the screen holds what fits the pattern."""
        await self.until(lambda: re.search(pattern, self.screen), f"{pattern!r} on the screen")

    async def tells(self, *texts: str) -> None:
        """Wait until the chat holds all texts, wherever their lines are broken."""
        for text in texts:
            await self.until(lambda text=text: text in self.flat, f"{text!r} in the chat")

    async def begin(self, text: str) -> None:
        """Type a message and send it."""
        if self.app.main.region_name != "prompt":
            await self.pilot.press("f2")
            await self.until(lambda: self.app.main.region_name == "prompt", "the prompt")
        await write(self.pilot, text)
        await self.pilot.press("enter")

    async def say(self, text: str) -> None:
        """Send a message and wait until all that came of it is here."""
        ended = len(self.view.done)
        await self.begin(text)
        await self.idle(ended)

    async def idle(self, ended: int) -> None:
        """Wait until one more command than ``ended`` has ended and nothing runs."""
        await self.until(
            lambda: len(self.view.done) > ended and self.view.status.phase == "ready",
            "the end of the run",
        )
        await self.shows("● idle")

    async def mark(self, at: int = 0) -> Ticket:
        """Go to the panel, mark its ``at``-th ticket, and wait until it takes keys."""
        await self.until(lambda: len(self.open) > at, "the ticket")
        key = self.open[at].key
        await self.pilot.press("f4")
        await self.until(lambda: self.panel.has_focus_within, "the focus on the panel")
        await self.pilot.press("escape" if self.app.focused is not self._list else "home")
        await self.until(lambda: self.app.focused is self._list, "the list of tickets")
        await self.pilot.press("home", *["down"] * at)
        await self.until(lambda: self.panel.marked is not None and self.panel.marked.key == key)
        await self.until(lambda: time.monotonic() >= self.panel._armed_at, "an armed ticket")
        ticket = self.panel.marked
        assert ticket is not None
        return ticket

    @property
    def _list(self) -> object:
        return self.panel.query_one("#tickets")

    async def press(self, key: str, at: int = 0) -> None:
        """Answer the ``at``-th ticket by one key, and wait for the end of the run."""
        await self.mark(at)
        ended = len(self.view.done)
        await self.pilot.press(key)
        await self.idle(ended)

    async def write_json(self, value: object, at: int = 0) -> None:
        """Write the answer to the ``at``-th ticket as JSON, without sending it."""
        await self.mark(at)
        await self.pilot.press("e")
        await self.until(lambda: isinstance(self.app.focused, TextArea), "the JSON editor")
        editor = self.app.focused
        assert isinstance(editor, TextArea)
        editor.load_text(json.dumps(value))

    async def answer_json(self, value: object, at: int = 0, key: str = "ctrl+s") -> None:
        """Answer the ``at``-th ticket with JSON, and wait for the end of the run."""
        await self.write_json(value, at)
        ended = len(self.view.done)
        await self.pilot.press(key)
        await self.idle(ended)


@asynccontextmanager
async def opened(
    target: Path,
    *,
    storage: str = "memory",
    settings: RunSettings | None = None,
    size: tuple[int, int] = (150, 50),
    loaded: bool = True,
) -> AsyncIterator[Case]:
    """The app on an agent, loaded unless told otherwise; its engine ends with the block."""
    start = Start(str(target), storage="file" if storage == "file" else "memory", settings=settings)
    engine = ProcessEngine(Launch(start, python=sys.executable))
    app = WorkbenchApp(engine, TuiOptions(title=target.name))
    try:
        async with app.run_test(notifications=True, size=size) as pilot:
            case = Case(app, pilot)
            if loaded:
                await case.until(lambda: app.view.status.phase == "ready", "the agent", SLOW)
            yield case
    finally:
        engine.close()
