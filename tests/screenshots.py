"""Takes the README's pictures from the real application on the sample agents.

    python -m tests.screenshots [--out FOLDER] [SCENE …]

Writes an SVG of each scene, and a PNG where CairoSVG or rsvg-convert is
installed. Nothing is drawn by hand: each scene starts an engine process, presses
keys and waits for what should be on the screen.
"""

import argparse
import asyncio
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.perf.common import REPOSITORY, clean_home

os.environ.setdefault("TEXTUAL_FPS", "240")

from textual.pilot import Pilot

from adk_tui.client.process import Launch, ProcessEngine
from adk_tui.core.commands import Start
from adk_tui.tui.app import TuiOptions, WorkbenchApp

PATIENCE = 60.0


class Stage:
    """One application with its engine, and how to wait for it."""

    def __init__(self, app: WorkbenchApp, pilot: Pilot[int]) -> None:
        self.app = app
        self.pilot = pilot

    async def until(self, condition: Callable[[], bool], what: str) -> None:
        """Let the application run until the condition holds."""
        deadline = time.monotonic() + PATIENCE
        while not condition():
            if time.monotonic() > deadline:
                raise TimeoutError(f"{what} did not come: {self.app.view.status}")
            await self.pilot.pause(0.05)

    async def idle(self, events: int = 0) -> None:
        """Wait until the agent waits for us and that many events are there."""
        view = self.app.view
        await self.until(
            lambda: view.status.phase == "ready" and len(view.log) >= events, "the end of the turn"
        )

    async def ask(self, text: str) -> None:
        """Send a message and wait for the end of the turn."""
        seen = len(self.app.view.log)
        await self.pilot.press(*("space" if c == " " else c for c in text), "enter")
        await self.until(lambda: len(self.app.view.log) > seen + 1, "an answer")
        await self.idle()


@dataclass(frozen=True)
class Scene:
    """A picture: which agent, how large, which theme, and what happens before it is taken."""

    agent: str
    size: tuple[int, int]
    play: Callable[[Stage], Awaitable[None]]
    theme: str = "adk-dark"


async def _stock(stage: Stage) -> None:
    await stage.ask("stock price of GOOG")
    await stage.ask("ticker of Microsoft")


async def _approvals(stage: Stage) -> None:
    await stage.ask("reimburse 200 for the conference")
    await stage.until(lambda: bool(stage.app.view.tickets.open), "a ticket")
    await stage.pilot.press("f4")


async def _transfer(stage: Stage) -> None:
    await stage.pilot.press("f6")
    await stage.until(lambda: stage.app.screen is not stage.app.main, "the choice of agents")
    await stage.pilot.press("down")


async def _inspector(stage: Stage) -> None:
    await stage.ask("stock price of GOOG")
    await stage.pilot.press("f3", "home", "down", "enter")
    await stage.until(lambda: stage.app.screen is not stage.app.main, "the inspector")
    await stage.pilot.press("3")


async def _help(stage: Stage) -> None:
    await stage.pilot.press("f1")
    await stage.until(lambda: stage.app.screen is not stage.app.main, "the help screen")


SCENES = {
    "stock": Scene("stock", (130, 34), _stock),
    "inspector": Scene("stock", (110, 30), _inspector),
    "approvals": Scene("reimbursement", (130, 34), _approvals),
    "transfer": Scene("coffee_shop", (110, 20), _transfer),
    "narrow": Scene("stock", (80, 24), _stock),
    "help": Scene("stock", (110, 34), _help, theme="adk-light"),
}


async def take(scene: Scene) -> str:
    """The scene as SVG."""
    start = Start(target=str(REPOSITORY / "agents" / scene.agent), storage="memory")
    engine = ProcessEngine(Launch(start=start, python=sys.executable))
    app = WorkbenchApp(engine, TuiOptions(title=scene.agent, theme=scene.theme, notify=False))
    try:
        async with app.run_test(size=scene.size, notifications=True) as pilot:
            stage = Stage(app, pilot)
            await stage.until(lambda: app.view.session is not None, "the agent")
            await stage.idle()
            await scene.play(stage)
            # Whatever the last records caused is drawn before the picture is taken.
            await pilot.pause(0.3)
            return app.export_screenshot(title=f"adk-tui run agents/{scene.agent}")
    finally:
        engine.close()


def write_png(svg: Path) -> Path | None:
    """A PNG beside the SVG, by whatever converter there is; None where there is none."""
    png = svg.with_suffix(".png")
    # Converters load no web fonts, and some then fall back to a proportional one.
    source = re.sub(r"font-family:[^;]*;", "font-family: monospace;", svg.read_text("utf-8"))
    try:
        import cairosvg
    except (ImportError, OSError):
        converter = shutil.which("rsvg-convert")
        if not converter:
            return None
        subprocess.run([converter, "-o", str(png)], input=source.encode(), check=True)
        return png
    cairosvg.svg2png(bytestring=source.encode(), write_to=str(png))
    return png


def main(arguments: Sequence[str] | None = None) -> None:
    """Take the scenes asked for; all of them by default."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=REPOSITORY / "screenshots")
    parser.add_argument("scenes", nargs="*", metavar="SCENE", help=", ".join(SCENES))
    options = parser.parse_args(arguments)
    unknown = sorted(set(options.scenes) - set(SCENES))
    if unknown:
        parser.error(f"no scene {', '.join(unknown)}; scenes: {', '.join(SCENES)}")
    options.out.mkdir(parents=True, exist_ok=True)
    with clean_home() as env:
        os.environ.clear()
        os.environ.update(env)
        for name in options.scenes or SCENES:
            svg = options.out / f"{name}.svg"
            svg.write_text(asyncio.run(take(SCENES[name])), encoding="utf-8")
            png = write_png(svg)
            print(svg if png is None else f"{svg} {png}")


if __name__ == "__main__":
    main()
