"""The agent tree: who there is, with which model and tools, and who answers next."""

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.screen import Screen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from adk_tui.core.reports import AgentNode
from adk_tui.core.routing import Target, transfer_targets
from adk_tui.core.sanitize import clean, line
from adk_tui.core.session import SessionView
from adk_tui.tui.messages import Act


class AgentsScreen(Screen[None]):
    """Left the tree, right the marked agent. ``t`` or Enter hands the conversation to it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,f5,q", "dismiss", "Close"),
        Binding("t", "transfer", "Transfer"),
    ]
    DEFAULT_CSS: ClassVar[str] = """
    AgentsScreen Horizontal { height: 1fr; }
    AgentsScreen .title { height: 1; background: $panel; padding: 0 1; color: $primary;
        text-style: bold; }
    AgentsScreen OptionList, AgentsScreen OptionList:focus {
        text-wrap: nowrap; text-overflow: ellipsis; width: 42%; height: 1fr; border: none;
        background: $background;
        border-right: vkey $border-blurred; scrollbar-size-vertical: 1; }
    AgentsScreen VerticalScroll { width: 1fr; padding: 0 1; scrollbar-size-vertical: 1; }
    AgentsScreen .hint { height: 1; background: $panel; padding: 0 1; color: $foreground 62%; }
    """

    def __init__(self, view: SessionView) -> None:
        super().__init__()
        self._rows: list[tuple[AgentNode, int]] = []
        self._targets: dict[str, Target] = {}
        self._edges = False
        if view.ready is not None:
            self._walk(view.ready.root, 0)
            events = view.log.history()
            found = transfer_targets(view.ready.root, events)
            self._targets = {t.agent: t for t in reversed(found)}

    def _walk(self, node: AgentNode, depth: int) -> None:
        self._rows.append((node, depth))
        for child in node.children:
            self._walk(child, depth + 1)

    def compose(self) -> ComposeResult:
        """Its parts, from top to bottom."""
        yield Static("Agents", classes="title", markup=False)
        with Horizontal():
            yield OptionList(*(self._row(n, d) for n, d in self._rows), markup=False)
            with VerticalScroll():
                yield Static("", id="detail", markup=False)
        yield Static(
            "▸ answers next    t transfers to the marked agent    Tab scrolls its text"
            "    Esc closes",
            classes="hint",
            markup=False,
        )

    def on_mount(self) -> None:
        """Begin at the agent that answers next."""
        listing = self.query_one(OptionList)
        listing.focus()
        at = next((i for i, (n, _) in enumerate(self._rows) if self._active(n)), 0)
        if self._rows:
            listing.highlighted = at

    def _active(self, node: AgentNode) -> bool:
        target = self._targets.get(node.name)
        return target is not None and target.active

    def _row(self, node: AgentNode, depth: int) -> Option:
        mark = "▸ " if self._active(node) else "  "
        tools = f"   {len(node.tools)} tools" if node.tools else ""
        return Option(
            Content.assemble(
                (mark + "  " * depth, "bold $accent"),
                (line(node.name, 60), "bold" if self._active(node) else ""),
                (f"  {line(node.kind, 30)}{tools}", "$foreground 62%"),
            )
        )

    @on(OptionList.OptionHighlighted)
    def _moved(self, event: OptionList.OptionHighlighted) -> None:
        node, _ = self._rows[event.option_index]
        self.query_one("#detail", Static).update(self._detail(node))

    @on(OptionList.OptionSelected)
    def _chosen(self) -> None:
        self.action_transfer()

    def action_transfer(self) -> None:
        """Hand the conversation to the marked agent."""
        at = self.query_one(OptionList).highlighted
        if at is not None:
            self.post_message(Act("transfer", self._rows[at][0].name))

    def _detail(self, node: AgentNode) -> Content:
        rows: list[tuple[str, str]] = [(line(node.name, 80) + "\n", "bold $primary")]
        if node.description:
            rows.append((clean(node.description) + "\n", ""))
        rows.append(("\n", ""))
        for label, value in (
            ("kind", node.kind + (f" ({node.mode})" if node.mode else "")),
            ("model", node.model + ("   the offline model stands in" if node.offline else "")),
            ("transfer", self._transfer(node)),
        ):
            if value:
                rows += [(f"{label:<10}", "$foreground 62%"), (line(value, 300) + "\n", "")]
        if node.tools:
            rows.append(("\ntools\n", "$foreground 62%"))
            for tool in node.tools:
                extra = "" if tool.kind == "function" else f"  {line(tool.kind, 20)}"
                if tool.confirmation != "no":
                    extra += f"  confirmation: {tool.confirmation}"
                rows += [("  " + line(tool.name, 60), "bold"), (extra, "$text-warning")]
                first = tool.description.strip().split("\n")[0]
                rows.append((f"\n    {line(first, 300)}\n" if first else "\n", "$foreground 62%"))
        if node.edges:
            rows.append(("\nedges\n", "$foreground 62%"))
            for source, target, label in node.edges:
                via = f"  [{label}]" if label else ""
                rows.append((f"  {line(source, 60)} → {line(target, 60)}{line(via, 60)}\n", ""))
        if node.instruction:
            rows.append(("\ninstruction\n", "$foreground 62%"))
            rows.append((clean(node.instruction), ""))
        return Content.assemble(*rows)

    def _transfer(self, node: AgentNode) -> str:
        target = self._targets.get(node.name)
        if target is None:
            return ""
        if target.active:
            return "answers next"
        return target.reason or ("can be made to answer next" if target.reachable else "")
