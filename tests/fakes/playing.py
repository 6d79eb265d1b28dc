"""The whole app on an engine that plays what a test gives it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from textual.pilot import Pilot

from adk_tui.tui.app import WorkbenchApp
from tests.fakes.fake_engine import FakeEngine, Script


@asynccontextmanager
async def playing(
    script: Script | None = None, *, size: tuple[int, int] = (80, 24)
) -> AsyncIterator[tuple[WorkbenchApp, FakeEngine, Pilot[int]]]:
    """The app, its engine, and the hand on its keys."""
    engine = FakeEngine(script)
    app = WorkbenchApp(engine)
    async with app.run_test(notifications=True, size=size) as pilot:
        yield app, engine, pilot
