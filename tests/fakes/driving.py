"""Driving the app in tests: wait for conditions, read the screen as text."""

import asyncio
import time
from collections.abc import Callable
from typing import Any

from textual.app import App
from textual.pilot import Pilot


def rendered(app: App[Any]) -> str:
    """The screen as the terminal would show it, without colours."""
    compositor = app.screen._compositor
    return "\n".join(strip.text.rstrip() for strip in compositor.render_strips(app.size))


async def until(
    pilot: Pilot[Any], condition: Callable[[], object], what: str = "", *, seconds: float = 40
) -> None:
    """Wait until the condition holds; fails with the screen after ``seconds``."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"never: {what or condition}\n{rendered(pilot.app)}")
        await pilot.pause()
        await asyncio.sleep(0.01)


async def shows(pilot: Pilot[Any], text: str, *, seconds: float = 40) -> None:
    """Wait until the screen holds the text."""
    await until(pilot, lambda: text in rendered(pilot.app), f"{text!r} on screen", seconds=seconds)


async def shows_no(pilot: Pilot[Any], text: str, *, seconds: float = 40) -> None:
    """Wait until the screen no longer holds the text."""
    await until(pilot, lambda: text not in rendered(pilot.app), f"{text!r} gone", seconds=seconds)


async def tells(pilot: Pilot[Any], text: str) -> None:
    """Wait until a notification says the text."""
    app = pilot.app
    await until(pilot, lambda: any(text in n.message for n in app._notifications), f"told {text!r}")


async def write(pilot: Pilot[Any], text: str) -> None:
    """Type a text, key by key."""
    await pilot.press(*(_KEYS.get(c, c) for c in text))


_KEYS = {" ": "space", "/": "slash", "@": "at", ".": "full_stop", "_": "underscore", "-": "minus"}
