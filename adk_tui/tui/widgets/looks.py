"""What a look means under the theme of the moment: names of component classes to Rich styles."""

import colorsys
from collections.abc import Iterable
from functools import lru_cache
from typing import cast
from zlib import crc32

from rich.color import Color
from rich.style import Style
from textual.app import App
from textual.widget import Widget

_HUES = 15
_AUTHOR = "author:"
# The person at the terminal has a colour of the theme, not one of the hues.
_USER = "user"


def author_look(author: str) -> str:
    """The look of an author's name: the same for the same name, in every pane and every run."""
    if author == _USER:
        return "line--user"
    # The golden angle spreads even neighbouring hashes over the circle.
    return f"{_AUTHOR}{crc32(author.encode('utf-8', 'replace')) * 7 % _HUES}"


@lru_cache(64)
def _author_style(number: int, dark: bool) -> Style:
    # Lightness is set against the background, so that all hues are read equally well.
    lightness, saturation = (0.74, 0.55) if dark else (0.33, 0.70)
    red, green, blue = colorsys.hls_to_rgb(number / _HUES, lightness, saturation)
    return Style(color=Color.from_rgb(red * 255, green * 255, blue * 255))


class Looks:
    """Resolves looks for one widget and remembers them until ``forget``."""

    def __init__(self, widget: Widget) -> None:
        self._widget = widget
        self._known: dict[str, Style] = {}

    def forget(self) -> None:
        """The theme or the style sheet has changed."""
        self._known.clear()

    def __call__(self, look: str) -> Style:
        """The style of a look; a name without a component class adds nothing."""
        style = self._known.get(look)
        if style is None:
            style = sum(self._parts(look.split()), Style.null())
            self._known[look] = style
        return style

    def _parts(self, names: Iterable[str]) -> Iterable[Style]:
        for name in names:
            if name.startswith(_AUTHOR):
                yield _author_style(int(name[len(_AUTHOR) :]), self._is_dark)
            else:
                yield self._component(name)

    def _component(self, name: str) -> Style:
        try:
            rules = self._widget.get_component_styles(name)
        except KeyError:
            return Style.null()
        # Rich knows no transparency, so colours are blended with what lies beneath here.
        back = self._widget.background_colors[1]
        color = background = None
        if rules.has_rule("background") and rules.background.a:
            back = back + rules.background
            background = back.rich_color
        if rules.has_rule("color") and rules.color.a:
            color = (back + rules.color).rich_color
        return Style(color=color, bgcolor=background) + rules.text_style

    @property
    def _is_dark(self) -> bool:
        app = cast("App[object]", self._widget.app)  # pyright: ignore[reportUnknownMemberType]
        return app.current_theme.dark
