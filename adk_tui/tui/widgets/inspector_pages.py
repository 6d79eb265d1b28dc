"""The pages of the inspector as widgets: text, trees, and a model's answer with both."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from adk_tui.tui.widgets.inspector_request import no_call, response_facts
from adk_tui.tui.widgets.inspector_summary import Subject
from adk_tui.tui.widgets.json_view import JsonView
from adk_tui.tui.widgets.page_view import PageView

_NEIGHBOURS: list[BindingType] = [
    Binding("j", "screen.act('next_event')", "Next event", show=False),
    Binding("k", "screen.act('last_event')", "Previous event", show=False),
]
"""In a list these letters go to the next row; here they go to the next event."""
_STYLES = {
    "line--muted": "$foreground 68%",
    "line--error": "$text-error",
    "line--warning": "$text-warning",
    "line--strong": "bold",
}


class InspectorPage(PageView):
    """A page of the inspector."""

    BINDINGS: ClassVar[list[BindingType]] = _NEIGHBOURS


class InspectorTree(JsonView):
    """A tree of the inspector."""

    BINDINGS: ClassVar[list[BindingType]] = _NEIGHBOURS


class InspectorResponse(Vertical):
    """What the model answered: the facts about it above its JSON."""

    DEFAULT_CSS: ClassVar[str] = """
    InspectorResponse { height: 1fr; }
    InspectorResponse Static { height: auto; max-height: 50%; margin: 1 1 0 1; }
    """

    def compose(self) -> ComposeResult:
        """Its parts, from top to bottom."""
        yield Static("", markup=False)
        yield InspectorTree()

    def show(self, subject: Subject) -> None:
        """Show the answer that has to do with the event, or why there is none."""
        found = subject.found()
        facts, tree = self.query_one(Static), self.query_one(JsonView)
        tree.display = found is not None and bool(found.call.response)
        if found is None:
            facts.update(Content(no_call(subject)))
            return
        width = max(self.screen.size.width - 3, 20)
        rows = [
            [(text, _STYLES.get(look, "")) for text, look in row]
            for row in response_facts(found, subject.reveal, width)
        ]
        pieces = [piece for row in rows for piece in (*row, ("\n", ""))][:-1]
        facts.update(Content.assemble(*pieces))
        tree.show(found.call.response or b"{}", revealed=subject.reveal)
