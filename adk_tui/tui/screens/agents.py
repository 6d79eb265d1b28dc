"""The agent tree: who there is, with which model and tools, and who answers next."""

from pathlib import PurePath
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static

from adk_tui.core.agent_tree import Tree
from adk_tui.core.routing import transfer_targets
from adk_tui.core.sanitize import line
from adk_tui.core.session import SessionView
from adk_tui.tui.messages import Act
from adk_tui.tui.widgets.agent_tree import AgentTree, agent_page
from adk_tui.tui.widgets.footer import Hint, KeyBar
from adk_tui.tui.widgets.line_view import LineView
from adk_tui.tui.widgets.page_view import PageView

LOOK = 0.5
"""Seconds between two looks whether another agent answers next."""


class AgentsScreen(Screen[None]):
    """Left the tree, right the marked agent. Enter shows its events, ``t`` hands over to it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,f5,q", "dismiss", "Close"),
        Binding("t", "transfer", "Transfer"),
        Binding("tab,shift+tab", "other_pane", "To its text, and back"),
    ]
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012  (Textual's type)
    DEFAULT_CSS: ClassVar[str] = """
    AgentsScreen { background: $background; }
    AgentsScreen #title { height: 1; background: $panel; padding: 0 1; text-wrap: nowrap;
        text-overflow: ellipsis; }
    AgentsScreen #panes { height: 1fr; }
    AgentsScreen AgentTree { height: 1fr; margin: 1 0 0 1; }
    AgentsScreen PageView { height: 1fr; margin: 1 1 0 2; }
    AgentsScreen.-wide AgentTree { width: 42%; }
    AgentsScreen.-wide PageView { width: 1fr; }
    AgentsScreen.-narrow #panes { layout: vertical; }
    AgentsScreen.-narrow AgentTree { height: auto; max-height: 40%; width: 100%; }
    AgentsScreen.-narrow PageView { width: 100%; }
    """

    def __init__(self, view: SessionView) -> None:
        super().__init__()
        self._source = view
        self._drawn: object = None

    def compose(self) -> ComposeResult:
        """Its parts, from top to bottom."""
        yield Static("", id="title", markup=False)
        with Horizontal(id="panes"):
            yield AgentTree(id="tree")
            yield PageView(id="agent")
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        """Begin at the agent that answers next."""
        self._draw()
        tree = self.query_one(AgentTree)
        tree.focus()
        route = self._source.route()
        if route is not None:
            tree.mark(route.agent)
        self.set_interval(LOOK, self._draw)

    def on_descendant_focus(self) -> None:
        """The keys that work depend on the focus."""
        reads = self.query_one(PageView).has_focus
        self.query_one(KeyBar).show(
            [
                Hint("Enter", "open, fold" if reads else "its events", "key:enter"),
                Hint("t", "transfer", "key:t"),
                Hint("Tab", "the tree" if reads else "its text", "key:tab"),
                Hint("Esc", "close", "key:escape"),
            ]
        )

    def _draw(self) -> None:
        view = self._source
        told = (view.ready, view.log.generation, len(view.log.history()))
        if told == self._drawn or view.ready is None:
            return
        self._drawn = told
        route = view.route()
        tree = self.query_one(AgentTree)
        tree.show(view.ready.root, route.agent if route else "", view.log)
        words = line(f"{route.agent} answers next: {route.why}", 300) if route else ""
        self.query_one("#title", Static).update(
            Content.assemble(
                ("Agents", "bold $primary"),
                (f"   {tree.row_count()} in {_folder(view.ready.folder)}", "$foreground 62%"),
                (f"   {words}", "$foreground 62%"),
            )
        )
        self._draw_agent(fresh=False)

    def _draw_agent(self, *, fresh: bool) -> None:
        view, node = self._source, self.query_one(AgentTree).marked
        if view.ready is None or node is None:
            return
        targets = transfer_targets(view.ready.root, view.log.history())
        target = next((t for t in targets if t.agent == node.name), None)
        blocks = agent_page(node, Tree(view.ready.root), target)
        self.query_one(PageView).show(blocks, fresh=fresh)

    @on(LineView.RowHighlighted)
    def _moved(self, event: LineView.RowHighlighted) -> None:
        if isinstance(event.view, AgentTree):
            self._draw_agent(fresh=True)

    @on(LineView.RowSelected)
    def _chosen(self, event: LineView.RowSelected) -> None:
        tree = self.query_one(AgentTree)
        if event.view is tree and tree.marked is not None:
            self.post_message(Act("events", tree.events_of(tree.marked)))
            self.dismiss()

    def action_transfer(self) -> None:
        """Hand the conversation to the marked agent."""
        node = self.query_one(AgentTree).marked
        if node is not None:
            self.post_message(Act("transfer", node.name))

    def action_other_pane(self) -> None:
        """From the tree to the text beside it, and back."""
        page = self.query_one(PageView)
        self.set_focus(self.query_one(AgentTree) if page.has_focus else page)


def _folder(path: str) -> str:
    """The end of a path, which tells one agent from another; its beginning is the same for all."""
    *_, above, name = ("", *PurePath(path).parts[-2:])
    return line(f"{above}/{name}".lstrip("/"), 60)
