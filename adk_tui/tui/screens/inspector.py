"""Everything about one event."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Log, Static

from adk_tui.core.sanitize import clean, line
from adk_tui.core.session import SessionView
from adk_tui.core.summary import kind_of
from adk_tui.tui.widgets.event_stream import masked_json


class Inspector(Screen[None]):
    """The event as JSON, secrets masked. ``←`` and ``→`` go to its neighbours."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "dismiss", "Close"),
        Binding("left,p", "go(-1)", "Earlier event"),
        Binding("right,n", "go(1)", "Later event"),
        Binding("y", "copy", "Copy as JSON"),
    ]
    DEFAULT_CSS: ClassVar[str] = """
    Inspector .title { height: 1; background: $panel; padding: 0 1; }
    Inspector Log { height: 1fr; padding: 0 1; background: $background; border: none;
        scrollbar-size-vertical: 1; scrollbar-size-horizontal: 1; }
    Inspector .hint { height: 1; background: $panel; padding: 0 1; color: $text-muted; }
    """

    def __init__(self, view: SessionView, index: int) -> None:
        super().__init__()
        self._source = view
        self._index = index

    def compose(self) -> ComposeResult:
        yield Static("", classes="title", markup=False)
        yield Log(highlight=False, auto_scroll=False)
        yield Static("← → neighbours   y copies   Esc closes", classes="hint", markup=False)

    def on_mount(self) -> None:
        """Show the event."""
        self.query_one(Log).focus()
        self._draw()

    def _draw(self) -> None:
        log = self._source.log
        record = log[self._index]
        self.query_one(".title", Static).update(
            Content.assemble(
                (f"Event {self._index + 1} of {len(log)}", "bold $primary"),
                (f"   {line(record.author, 40)}  {kind_of(record)}", ""),
                (f"   {line(record.id, 40)}", "$text-muted"),
            )
        )
        text = self.query_one(Log)
        text.clear()
        text.write(clean(masked_json(record)))
        text.scroll_home(animate=False)

    def action_go(self, by: int) -> None:
        """Go to a neighbour."""
        self._index = min(max(self._index + by, 0), len(self._source.log) - 1)
        self._draw()

    def action_copy(self) -> None:
        """Copy the event as JSON, secrets masked."""
        self.app.copy_to_clipboard(masked_json(self._source.log[self._index]))
        self.notify("Copied as JSON.", markup=False)
