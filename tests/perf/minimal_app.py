"""The smallest Textual application one can type into: what our first frame is compared with."""

from textual.app import App, ComposeResult
from textual.widgets import Input


class Minimal(App[None]):
    def compose(self) -> ComposeResult:
        yield Input(placeholder="Type here")


if __name__ == "__main__":
    Minimal().run()
