"""What went wrong with the engine, where, and the one key that goes on."""

from typing import ClassVar

from textual.app import RenderResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from adk_tui.core.reports import Failure
from adk_tui.core.sanitize import clean, line, mask_text
from adk_tui.tui.messages import Act

TAIL = 4
"""Lines of the agent's last output shown on the card."""


class FailureCard(Widget, can_focus=True):
    """Hidden until ``show``; stays until ``clear``. It never takes the focus by itself."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,r", "go_on", "Load or start again"),
        Binding("d,space", "details", "Show or hide the traceback"),
        Binding("x", "clear", "Put the card away"),
    ]
    DEFAULT_CSS: ClassVar[str] = """
    FailureCard { display: none; height: auto; max-height: 50%; padding: 0 1; overflow-y: auto;
        background: $error 12%; border-left: wide $error; }
    FailureCard:focus { background: $error 20%; }
    """
    unfolded: reactive[bool] = reactive(False, layout=True)

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.failure: Failure | None = None
        self._tail: tuple[str, ...] = ()
        self._restart = False

    def show(self, failure: Failure, tail: tuple[str, ...], *, restart: bool) -> None:
        """Show ``failure``, with the last lines of output; ``restart``: a key goes on."""
        self.failure, self._tail, self._restart = failure, tail, restart
        self.unfolded = False
        self.display = True
        self.refresh(layout=True)

    def clear(self) -> None:
        """Nothing is wrong any more."""
        self.failure = None
        self.display = False

    def action_clear(self) -> None:
        """Put the card away."""
        self.clear()

    def action_go_on(self) -> None:
        """Load or start again."""
        if self._restart:
            self.post_message(Act("reload"))
        else:
            self.clear()

    def action_details(self) -> None:
        """Show or hide the traceback."""
        self.unfolded = not self.unfolded

    def on_click(self) -> None:
        """A click is for the details: a restart needs the key."""
        self.focus()

    def render(self) -> RenderResult:
        """The sentence first, then where, what to do, the last output, the traceback."""
        failure = self.failure
        if failure is None:
            return ""
        pairs: list[tuple[str, str]] = [("✗ ", "bold $text-error")]
        pairs.append((_told(failure.message), "bold"))
        if failure.file:
            place = line(failure.file, 200) + (f":{failure.line}" if failure.line else "")
            pairs.append((f"\n  at {place}", "$foreground 62%"))
        if failure.hint:
            pairs.append(("\n  " + _told(failure.hint), ""))
        if self._tail:
            pairs.append(("\n  last output:", "$foreground 62%"))
            pairs += [("\n    " + line(mask_text(t), 200), "$foreground 62%") for t in self._tail]
        if self._restart:
            keys = "F9 starts it again on the same session"
        elif failure.code.startswith("reload."):
            keys = "The old agent goes on serving   F9 loads the code again"
        else:
            keys = "Goes with your next message"
        if failure.details:
            keys += "   Tab here, then d: traceback"
        pairs.append(("\n  " + keys, "$accent"))
        if self.unfolded and failure.details:
            pairs.append(("\n" + _told(failure.details), "$foreground 62%"))
        return Content.assemble(*pairs)


def _told(text: str) -> str:
    return clean(mask_text(text))
