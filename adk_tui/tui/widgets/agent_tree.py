"""The agents as a tree, and what is told of one of them."""

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType

from adk_tui.core.agent_tree import Tree
from adk_tui.core.event_log import EventLog
from adk_tui.core.filters import quoted
from adk_tui.core.graph import draw
from adk_tui.core.records import EventRecord
from adk_tui.core.reports import AgentNode, ToolInfo
from adk_tui.core.requests import Declaration
from adk_tui.core.routing import Target
from adk_tui.core.sanitize import line as one
from adk_tui.tui.widgets.inspector_request import parameters
from adk_tui.tui.widgets.line_view import LineView
from adk_tui.tui.widgets.page_view import Block, fact, text_body
from adk_tui.tui.widgets.pretty import pretty
from adk_tui.tui.widgets.text_lines import Line, Span, cut

KINDS = {
    "LlmAgent": "asks a model",
    "SequentialAgent": "runs its agents one after the other",
    "ParallelAgent": "runs its agents at the same time",
    "LoopAgent": "runs its agents again and again",
    "Workflow": "runs a graph of nodes",
    "FunctionNode": "runs a function",
    "ToolNode": "runs a tool",
    "JoinNode": "waits for all nodes that lead to it",
    "RemoteA2aAgent": "lives on another server",
}
MODES = {
    "task": "works on a task its parent gives it",
    "single_turn": "answers once to the task its parent gives it",
}
TOOLS = {
    "long_running": "answers later",
    "agent": "runs an agent of its own",
    "toolset": "a set of tools, found when it is connected",
    "builtin": "built into the model",
}


class AgentTree(LineView):
    """One row an agent; the one that answers next is marked."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("end,G", "last", "Last", show=False, id="agents.last"),
    ]

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.set_reactive(LineView.follow, False)
        self._cursor = 0
        self._agents: list[tuple[AgentNode, int]] = []
        self._active = ""
        self._authors: frozenset[str] = frozenset()
        self._counts: Counter[str] = Counter()
        self._version = 0

    def show(self, root: AgentNode, active: str, log: EventLog) -> None:
        """Show this tree; ``active`` is the agent that answers next."""
        with self.changing(keep_new=True):
            self._agents = Tree(root).order
            self._active = active
            self._authors = frozenset(log.authors)
            self._counts = Counter(map(_doer, log.history()))
            self._version += 1

    def events_of(self, node: AgentNode) -> str:
        """The filter expression for the events of an agent or a node."""
        name = quoted(node.name)
        if self._counts[node.name] and node.name not in self._authors and name == node.name:
            return f"node:*/{name}@*"
        return f"author:{name}"

    @property
    def marked(self) -> AgentNode | None:
        """The agent under the cursor."""
        row = self.cursor
        return None if row is None else self._agents[row][0]

    def mark(self, name: str) -> None:
        """Put the cursor on an agent."""
        for row, (node, _) in enumerate(self._agents):
            if node.name == name:
                self.move_cursor(row)
                return

    def row_count(self) -> int:
        """Agents and nodes."""
        return len(self._agents)

    def row_key(self, row: int) -> Hashable:
        """The place in the tree: names may repeat."""
        return row

    def find_row(self, key: Hashable) -> int | None:
        """The same place, or the last one."""
        return min(key, len(self._agents) - 1) if isinstance(key, int) and self._agents else None

    def row_token(self, row: int) -> Hashable:
        """What is shown changes as a whole."""
        return (self._version, row)

    def row_lines(self, row: int, width: int) -> Sequence[Line]:
        """The agent, indented."""
        node, depth = self._agents[row]
        active = node.name == self._active
        look = "line--accent line--strong" if active else ""
        spans: list[Span] = [
            ("▸ " if active else "  ", "line--accent"),
            ("  " * min(depth, 20), ""),
            (one(node.name, 60) or "unnamed", look),
            (f"  {one(node.kind, 30)}", "line--muted"),
        ]
        if node.mode in MODES:
            spans.append((f" {one(node.mode, 20)}", "line--warning"))
        if node.tools:
            spans.append((f"  {len(node.tools)} tool{'s' * (len(node.tools) > 1)}", "line--faint"))
        if events := self._counts.get(node.name):
            spans.append((f"  {events} event{'s' * (events > 1)}", "line--faint"))
        return [cut(spans, width)]

    def row_clicked(self, row: int) -> None:
        """A click marks; Enter chooses."""

    def action_last(self) -> None:
        """The last agent; the tree does not grow."""
        self.move_cursor(self.row_count() - 1)


def _doer(event: EventRecord) -> str:
    """Who did it. The author of a function node's events is the workflow; their path names it."""
    outer, _, own = event.node_path.rpartition("/")
    of_workflow = outer.rpartition("/")[2].partition("@")[0] == event.author
    return own.partition("@")[0] if of_workflow else event.author


def agent_page(node: AgentNode, tree: Tree, target: Target | None) -> list[Block]:
    """Everything about an agent."""
    blocks = [
        Block("name", [(one(node.name, 80) or "unnamed", "line--heading")]),
        Block("facts", [], lambda width: list(_facts(node, tree, target, width)), fixed=True),
    ]
    if node.instruction:
        size = f"  {len(node.instruction):,} characters"
        head: Line = [("Instruction, as written", "line--heading"), (size, "line--muted")]
        body = text_body(node.instruction)
        blocks.append(
            Block("instruction", head, body, open=len(node.instruction) < 1_500, gap=True)
        )
    if node.edges:
        head = [("Graph", "line--heading"), (f"  {len(node.edges)} edges", "line--muted")]
        blocks.append(Block("graph", head, lambda _: list(_graph(node)), open=True, gap=True))
    if node.tools:
        head = [("Tools", "line--heading"), (f"  {len(node.tools)}", "line--muted")]
        blocks.append(Block("tools", head, gap=True))
        blocks += (_tool(n, tool) for n, tool in enumerate(node.tools))
    return blocks


def _facts(node: AgentNode, tree: Tree, target: Target | None, width: int) -> Iterator[Line]:
    if node.description:
        yield from fact("about", one(node.description, 1_000), width)
    words = KINDS.get(node.kind, "")
    yield from fact("kind", one(node.kind, 60) + (f": {words}" if words else ""), width)
    if node.mode in MODES:
        yield from fact("mode", f"{node.mode}: {MODES[node.mode]}", width)
    if node.model:
        offline = "   the offline model stands in for it" if node.offline else ""
        yield from fact("model", one(node.model, 80) + offline, width)
    if (parent := tree.parent(node)) is not None:
        yield from fact("parent", one(parent.name, 80), width)
    if node.children:
        names = ", ".join(one(c.name, 60) for c in node.children)
        yield from fact("nodes" if node.edges else "sub-agents", names, width)
    if node.can_transfer:
        targets = ", ".join(one(t.name, 60) for t in tree.targets(node))
        yield from fact("hands over", f"to {targets}" if targets else "to nobody", width)
    denied = [
        words
        for no, words in (
            (node.disallow_transfer_to_parent, "its parent"),
            (node.disallow_transfer_to_peers, "its peers"),
        )
        if no and node.can_transfer and parent is not None
    ]
    if denied:
        words = f"to {' and '.join(denied)}, by its own settings"
        yield from fact("never", words, width, "line--warning")
    if target is not None:
        if target.active:
            yield from fact("now", "answers next", width, "line--accent line--strong")
        elif target.reason:
            yield from fact("now", one(target.reason, 400), width)
        elif target.reachable:
            yield from fact("now", "can be made to answer next: t does it", width)


def _graph(node: AgentNode) -> Iterator[Line]:
    edges = [(one(a, 60), one(b, 60), one(route, 60)) for a, b, route in node.edges]
    for row in draw(edges):
        yield [(row, "")]


def _tool(number: int, tool: ToolInfo) -> Block:
    first = one(tool.description.strip().split("\n")[0], 300)
    declared = Declaration(tool.name, tool.description, tool.declaration)
    takes = f"({', '.join(parameters(declared.raw))})" if tool.declaration else ""
    head: list[Span] = [(one(tool.name, 80), "line--strong"), (takes, "line--muted")]
    if tool.kind in TOOLS:
        head.append((f"  {TOOLS[tool.kind]}", "line--accent"))
    if tool.confirmation != "no":
        asked = {"yes": "asks for approval", "sometimes": "may ask for approval"}
        head.append((f"  {asked[tool.confirmation]}", "line--warning"))
    head.append((f"  {first}", "line--faint"))

    def body(width: int) -> list[Line]:
        lines = text_body(tool.description.strip())(width) if tool.description else []
        if tool.declaration:
            lines.append([("declared as", "line--muted")])
            lines += text_body(pretty(tool.declaration, False), reveal=True)(width)
        return lines or [[("It declares nothing.", "line--muted")]]

    return Block(f"tool{number}", head, body)
