"""A call after a delay comes, whatever goes by before the delay has begun."""

import asyncio
import time

import pytest
from textual.app import App

from adk_tui.tui.later import later


def hold_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a second go by between the next two looks of a Textual timer at the clock."""
    looks = 0

    def clock() -> float:
        nonlocal looks
        looks += 1
        return time.monotonic() + min(looks, 2)

    monkeypatch.setattr("textual._time.get_time", clock)


async def test_the_call_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    app: App[int] = App()
    async with app.run_test():
        came = asyncio.Event()
        hold_up(monkeypatch)
        later(app, 0.005, came.set)
        await asyncio.wait_for(came.wait(), 30)


async def test_a_timer_of_textual_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where this fails, Textual has mended its timers and ``later`` has nothing to do any more."""
    app: App[int] = App()
    async with app.run_test():
        came = asyncio.Event()
        hold_up(monkeypatch)
        timer = app.set_timer(0.005, came.set)
        assert timer._task
        await asyncio.wait_for(timer._task, 30)
        assert not came.is_set()


async def test_it_can_be_taken_back() -> None:
    app: App[int] = App()
    async with app.run_test():
        order: list[str] = []
        later(app, 0.0, lambda: order.append("taken back")).cancel()
        done = asyncio.Event()
        later(app, 0.001, done.set)
        await asyncio.wait_for(done.wait(), 30)
    assert order == []
