"""The whole app on the ship of ``tests/fakes/wheel_agents``, for tests of taking the wheel.

Every test runs twice: on sessions in memory, and on ADK's SQLite file.
"""

import os
import shutil
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from adk_tui.client.process import Launch, ProcessEngine
from adk_tui.core.commands import Start
from adk_tui.core.state import initial_state, state_at
from adk_tui.tui.app import TuiOptions, WorkbenchApp
from tests.conftest import REPOSITORY
from tests.e2e.case_app import SLOW, Case
from tests.fakes.driving import tells, until, write

SHIP = REPOSITORY / "tests" / "fakes" / "wheel_agents" / "ship"
STORES = pytest.mark.parametrize("storage", ["memory", "file"])


class Wheel(Case):
    """The ship on the screen."""

    @property
    def route(self) -> str:
        """Who answers next."""
        route = self.view.route()
        return route.agent if route else ""

    @property
    def state(self) -> dict[str, Any]:
        """The session's state now."""
        events = self.view.log.history()
        assert self.view.session is not None
        return state_at(events, len(events) - 1, initial_state(self.view.session.state, events))

    async def command(self, text: str) -> None:
        """Type a slash command and send it as it stands."""
        if self.app.screen is self.app.main and self.app.main.region_name != "prompt":
            await self.pilot.press("f2")
            await self.until(lambda: self.app.main.region_name == "prompt", "the prompt")
        await write(self.pilot, text)
        # The first Esc takes the completions away, so that Enter sends what was typed.
        await self.pilot.press("escape", "enter")

    async def over(self, name: str) -> None:
        """Wait until the screen of that class is in front."""
        await self.until(lambda: type(self.app.screen).__name__ == name, f"{name} in front")

    async def back(self) -> None:
        """Wait until the main screen is in front again."""
        await self.until(lambda: self.app.screen is self.app.main, "the main screen")

    async def told(self, text: str) -> None:
        """Wait until a notification says it."""
        await tells(self.pilot, text)

    async def mark_row(self, text: str) -> None:
        """Move the mark of a list over the screen to the row that holds the text."""
        rows = self.app.screen.query_one("#list")
        await self.until(lambda: text in self._row(rows, "any"), f"a row with {text!r}")
        await self.pilot.press("home")
        for _ in range(50):
            if text in self._row(rows, "marked"):
                return
            await self.pilot.press("down")
        raise AssertionError(f"no row {text!r}\n{self.screen}")

    async def mark_agent(self, name: str) -> None:
        """Open the list of who may take over, with the mark on an agent."""
        await self.pilot.press("f6")
        await self.over("TransferScreen")
        await self.mark_row(name)

    @staticmethod
    def _row(rows: Any, which: str) -> str:
        if which == "any":
            return "\n".join(str(o.prompt) for o in rows.options)
        at = rows.highlighted
        return "" if at is None else str(rows.get_option_at_index(at).prompt)

    async def mark_in_chat(self, text: str) -> None:
        """Go to the chat and put the cursor on what was said."""
        await self.pilot.press("f2")
        await self.until(lambda: self.app.main.region_name in ("chat", "prompt"))
        if self.app.main.region_name == "prompt":
            await self.pilot.press("f2")
            await self.until(lambda: self.app.main.region_name == "chat", "the chat")
        chat = self.app.main._chat
        await self.pilot.press("home")
        for _ in range(100):
            item = chat.item_at_cursor()
            if item is not None and getattr(item, "text", "") == text:
                return
            await self.pilot.press("down")
        raise AssertionError(f"no item {text!r}\n{self.screen}")


def ship(folder: Path, storage: str) -> Path:
    """The agent, in a folder of its own where sessions are kept beside it."""
    if storage == "memory":
        return SHIP
    target = folder / "ship"
    if not target.exists():
        shutil.copytree(SHIP, target, ignore=shutil.ignore_patterns("__pycache__", ".adk"))
    return target


@asynccontextmanager
async def sailing(
    target: Path,
    storage: str,
    *,
    size: tuple[int, int] = (150, 50),
    reload: bool = False,
    **more: Any,
) -> AsyncIterator[Wheel]:
    """The app on the ship, loaded; its engine ends with the block."""
    start = replace(Start(str(target), storage="file" if storage == "file" else "memory"), **more)
    # A copied agent still imports the fakes from here.
    env = {"PYTHONPATH": os.pathsep.join([str(REPOSITORY), os.environ.get("PYTHONPATH", "")])}
    engine = ProcessEngine(Launch(start, python=sys.executable, env=env, reload=reload))
    app = WorkbenchApp(engine, TuiOptions(title="ship"))
    try:
        async with app.run_test(notifications=True, size=size) as pilot:
            wheel = Wheel(app, pilot)
            await until(pilot, lambda: app.view.status.phase == "ready", "the ship", seconds=SLOW)
            yield wheel
    finally:
        engine.close()
