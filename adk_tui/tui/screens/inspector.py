"""Everything about one event."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static

from adk_tui.core.sanitize import line
from adk_tui.core.session import SessionView
from adk_tui.core.summary import kind_of
from adk_tui.tui.messages import Tell
from adk_tui.tui.widgets.event_stream import masked_json
from adk_tui.tui.widgets.json_view import JsonView


class Inspector(Screen[None]):
    """The event as a JSON tree, secrets masked."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "dismiss", "Close"),
        Binding("left_square_bracket", "go(-1)", "Earlier event"),
        Binding("right_square_bracket", "go(1)", "Later event"),
        Binding("c", "copy", "Copy the event as JSON"),
        Binding("m", "reveal", "Mask or reveal secrets"),
    ]
    DEFAULT_CSS: ClassVar[str] = """
    Inspector .title { height: 1; background: $panel; padding: 0 1; }
    Inspector JsonView { height: 1fr; }
    Inspector .hint { height: 1; background: $panel; padding: 0 1; color: $foreground 62%; }
    """

    def __init__(self, view: SessionView, index: int) -> None:
        super().__init__()
        self._source = view
        self._index = index

    def compose(self) -> ComposeResult:
        """Its parts, from top to bottom."""
        yield Static("", classes="title", markup=False)
        yield JsonView(id="json")
        yield Static(
            "[ ] earlier, later   ← → close, open   y copies the value, c the event"
            "   m reveals   Esc closes",
            classes="hint",
            markup=False,
        )

    def on_mount(self) -> None:
        """Show the event."""
        self.query_one(JsonView).focus()
        self._draw()

    def _draw(self) -> None:
        log = self._source.log
        record = log[self._index]
        self.query_one(".title", Static).update(
            Content.assemble(
                (f"Event {self._index + 1} of {len(log)}", "bold $primary"),
                (f"   {line(record.author, 40)}  {kind_of(record)}", ""),
                (f"   {line(record.id, 40)}", "$foreground 62%"),
            )
        )
        view = self.query_one(JsonView)
        view.show(record.raw, revealed=view.revealed)

    def action_go(self, by: int) -> None:
        """Go to a neighbour."""
        self._index = min(max(self._index + by, 0), len(self._source.log) - 1)
        self._draw()

    def action_copy(self) -> None:
        """Copy the event as JSON, secrets masked."""
        self.app.copy_to_clipboard(masked_json(self._source.log[self._index]))  # pyright: ignore[reportUnknownMemberType]
        self.post_message(Tell("Copied as JSON, secrets masked."))

    def action_reveal(self) -> None:
        """Show what is masked, or mask it again."""
        view = self.query_one(JsonView)
        view.set_revealed(not view.revealed)

    def on_json_view_copied(self, event: JsonView.Copied) -> None:
        """A value or a path was copied."""
        self.post_message(Tell(f"Copied the {event.kind}."))
