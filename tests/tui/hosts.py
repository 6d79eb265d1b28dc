"""Small apps that hold one widget, and a way to wait for what it shows."""

from collections.abc import Callable
from typing import TypeVar

from textual.app import App, ComposeResult
from textual.geometry import Region
from textual.message import Message
from textual.pilot import Pilot
from textual.widget import Widget

from adk_tui.tui.themes import THEMES
from adk_tui.tui.widgets.line_view import LineView

M = TypeVar("M", bound=Message)


class Host(App[None]):
    """Mounts one widget and focuses it. Run it with ``message_hook=host.heard.append``."""

    CSS = "Screen > * { height: 1fr; }"

    def __init__(self, widget: Widget) -> None:
        super().__init__()
        self.widget = widget
        self.heard: list[Message] = []

    def compose(self) -> ComposeResult:
        yield self.widget

    def on_mount(self) -> None:
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = THEMES[0].name
        self.widget.focus()

    def all_of(self, kind: type[M]) -> list[M]:
        found = [m for m in self.heard if type(m) is kind]
        return list({id(m): m for m in found}.values())

    def last(self, kind: type[M]) -> M:
        return self.all_of(kind)[-1]


async def until(pilot: Pilot[None], condition: Callable[[], bool], tries: int = 1000) -> None:
    """Wait for a condition, as long as it may take a slow machine."""
    for _ in range(tries):
        if condition():
            return
        await pilot.pause(0.01)
    raise AssertionError("what was waited for never came")


def screen_of(view: LineView) -> list[str]:
    """The lines of a list as they are on the screen, without trailing blanks."""
    crop = Region(0, 0, view.size.width, view.size.height)
    return [strip.text.rstrip() for strip in view.render_lines(crop)]
