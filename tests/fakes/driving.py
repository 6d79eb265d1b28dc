"""Driving the app in tests: wait for conditions, read the screen as text."""

import asyncio
import time
from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

from textual.app import App
from textual.notifications import Notification, Notifications
from textual.pilot import Pilot

TOLD: WeakKeyDictionary[Notifications, list[str]] = WeakKeyDictionary()
"""All that each app has told: on a busy machine it may be gone before a test looks at it."""


def _remember(add: Callable[[Notifications, Notification], Notifications]) -> Any:
    def remembered(self: Notifications, notification: Notification) -> Notifications:
        TOLD.setdefault(self, []).append(notification.message)
        return add(self, notification)

    return remembered


Notifications.add = _remember(Notifications.add)


def rendered(app: App[Any]) -> str:
    """The screen as the terminal would show it, without colours."""
    compositor = app.screen._compositor
    return "\n".join(strip.text.rstrip() for strip in compositor.render_strips(app.size))


async def until(
    pilot: Pilot[Any], condition: Callable[[], object], what: str = "", *, seconds: float = 90
) -> None:
    """Wait until the condition holds; fails with the screen after ``seconds``."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"never: {what or condition}\n{rendered(pilot.app)}")
        await pilot.pause()
        await asyncio.sleep(0.01)


async def shows(pilot: Pilot[Any], text: str, *, seconds: float = 90) -> None:
    """Wait until the screen holds the text."""
    await until(pilot, lambda: text in rendered(pilot.app), f"{text!r} on screen", seconds=seconds)


async def shows_no(pilot: Pilot[Any], text: str, *, seconds: float = 90) -> None:
    """Wait until the screen no longer holds the text."""
    await until(pilot, lambda: text not in rendered(pilot.app), f"{text!r} gone", seconds=seconds)


async def tells(pilot: Pilot[Any], text: str) -> None:
    """Wait until a notification has said the text, be it gone again or not."""
    told = TOLD.setdefault(pilot.app._notifications, [])
    await until(pilot, lambda: any(text in words for words in told), f"told {text!r}")


async def write(pilot: Pilot[Any], text: str) -> None:
    """Type a text, key by key."""
    await pilot.press(*(_KEYS.get(c, c) for c in text))


_KEYS = {" ": "space", "/": "slash", "@": "at", ".": "full_stop", "_": "underscore", "-": "minus"}
