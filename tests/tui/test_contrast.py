"""Every word can be read, in the dark and in the light, on every screen."""

from typing import Any

import pytest
from textual.app import App
from textual.pilot import Pilot

from adk_tui.tui.app import WorkbenchApp
from tests.fakes.driving import until
from tests.tui.test_snapshots import workbench

LEAST = 3.5
"""What faint words on a marked row have; all others have at least 4.5."""


def luminance(color: tuple[int, ...]) -> float:
    """Relative luminance as WCAG 2 defines it."""
    parts = [c / 255 for c in color]
    red, green, blue = (c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: tuple[int, ...], other: tuple[int, ...]) -> float:
    dark, bright = sorted((luminance(one), luminance(other)))
    return (bright + 0.05) / (dark + 0.05)


def unreadable(app: App[Any]) -> list[str]:
    """The words on the top screen with too little contrast. What a modal dims does not count."""
    top = app.screen.children[0].region if app.screen.is_modal else app.screen.region
    found: list[str] = []
    for y, strip in enumerate(app.screen._compositor.render_strips(app.size)):
        if not top.y <= y < top.bottom:
            continue
        for segment in strip.crop(top.x, top.right):
            style = segment.style
            if style is None or style.color is None or style.bgcolor is None:
                continue
            if any(c.isalnum() for c in segment.text):
                colors = tuple(style.color.get_truecolor()), tuple(style.bgcolor.get_truecolor())
                if (ratio := contrast(*colors)) < LEAST:
                    found.append(f"{segment.text.strip()!r} {ratio:.2f}")
    return found


async def closed(pilot: Pilot[int], app: WorkbenchApp) -> None:
    while app.screen is not app.main:
        await pilot.press("escape")
        await pilot.pause()


@pytest.mark.parametrize("theme", ["adk-dark", "adk-light"])
async def test_every_word_can_be_read(theme: str) -> None:
    app, before = workbench(theme)
    looked: list[str] = []

    async with app.run_test(notifications=True, size=(120, 40)) as pilot:

        async def look(where: str) -> None:
            await pilot.pause()
            looked.append(where)
            assert unreadable(app) == [], where

        await before(pilot)  # type: ignore[misc]
        await look("main")
        for key in ("f2", "f3", "f4", "e"):
            await pilot.press(key)
            await look(key)
        await pilot.press("escape", "escape")
        for name in (
            *("help", "agents", "transfer", "sessions", "state", "rewind"),
            *("settings", "artifacts", "theme", "palette"),
        ):
            app.performer.do(name)
            await until(pilot, lambda: app.screen is not app.main, name)
            await look(name)
            await pilot.press("down", "down")
            await look(name)
            await closed(pilot, app)
        for event in app.view.log.history():
            app.performer.inspect(event.id)
            await until(pilot, lambda: app.screen is not app.main)
            for tab in "123456":
                await pilot.press(tab)
                await look(f"inspector {tab}")
            await closed(pilot, app)
    assert len(looked) > 60
