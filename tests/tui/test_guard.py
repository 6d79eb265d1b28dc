"""What acts on a terminal gets through no line of a widget; what a person writes stays whole."""

import pytest
from textual.app import App, ComposeResult
from textual.widgets import Input, Label, OptionList, TextArea

from adk_tui.core.sanitize import clean
from adk_tui.tui.guard import Guard
from tests.fakes.driving import rendered
from tests.hostile.speaking.corpus import CORPUS


class Bare(App[None]):
    """Textual's own widgets, which show what they are given."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self._filters.append(Guard())
        self.text = text

    def compose(self) -> ComposeResult:
        yield TextArea(self.text)
        yield Input(self.text)
        yield Label(self.text, markup=False)
        yield OptionList(self.text, markup=False)


@pytest.mark.parametrize("name", [n for n in CORPUS if n != "long"])
async def test_no_line_of_a_widget_holds_what_acts_on_a_terminal(name: str) -> None:
    app = Bare(CORPUS[name])
    async with app.run_test(size=(80, 30)) as pilot:
        await pilot.pause()
        for row in rendered(app).split("\n"):
            assert clean(row) == row
        assert app.query_one(TextArea).text.splitlines() == CORPUS[name].splitlines()


async def test_letters_and_emoji_are_drawn_as_they_are() -> None:
    text = CORPUS["emoji"] + CORPUS["wide"] + CORPUS["rtl"]
    app = Bare(text)
    async with app.run_test(size=(160, 30)) as pilot:
        await pilot.pause()
        assert text in rendered(app)
