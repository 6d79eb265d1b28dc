"""Who answers next, and whether the conversation can be moved to another agent.

ADK has no public API for either. The rules are those of google-adk 2.13's
``agents/_agent_router.py`` (``find_agent_to_run``), ``events/_rewind_events.py``
and ``flows/llm_flows/extensions/_agent_transfer.py``; contract tests hold the
two against each other.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from adk_tui.core.records import EventRecord
from adk_tui.core.reports import AgentNode

TASK_MODES = frozenset({"task", "single_turn"})
USER = "user"


@dataclass(frozen=True, slots=True)
class Route:
    """The agent that the next message goes to, and in words why."""

    agent: str
    why: str


@dataclass(frozen=True, slots=True)
class Target:
    """An agent as a choice for a forced transfer.

    ``depth`` is its distance from the root. ``active``: it answers next
    anyway. ``reason`` says why it cannot be reached, or how it is. ``hops``
    are the transfer actions to append, in order, as ``(author, target)``.
    """

    agent: str
    kind: str
    depth: int
    reachable: bool
    active: bool
    reason: str = ""
    hops: tuple[tuple[str, str], ...] = ()


def live(events: Sequence[EventRecord]) -> Iterator[EventRecord]:
    """The events that no rewind has undone, newest first; rewind events themselves are left out.

    Partials and events of inner runs are skipped: ADK never stores them in
    this session.
    """
    index = len(events) - 1
    first: dict[str, int] | None = None
    while index >= 0:
        event = events[index]
        if not event.partial and not event.inner_of:
            if target := event.actions.rewind_before_invocation_id:
                if first is None:
                    first = {}
                    for place, earlier in enumerate(events):
                        if not earlier.partial and not earlier.inner_of:
                            first.setdefault(earlier.invocation_id, place)
                start = first.get(target)
                if start is not None and start < index:
                    index = start
            else:
                yield event
        index -= 1


class Tree:
    """An agent tree with ways up. Of agents with one name the first, depth first, counts (ADK)."""

    def __init__(self, root: AgentNode) -> None:
        self.root = root
        self.order: list[tuple[AgentNode, AgentNode | None, int]] = []
        self._add(root, None, 0)
        self._by_name: dict[str, tuple[AgentNode, AgentNode | None]] = {}
        for node, parent, _ in self.order:
            self._by_name.setdefault(node.name, (node, parent))

    def _add(self, node: AgentNode, parent: AgentNode | None, depth: int) -> None:
        self.order.append((node, parent, depth))
        for child in node.children:
            self._add(child, node, depth + 1)

    def find(self, name: str) -> AgentNode | None:
        """The agent of that name."""
        found = self._by_name.get(name)
        return found[0] if found else None

    def parent(self, node: AgentNode) -> AgentNode | None:
        """The agent above, None for the root."""
        found = self._by_name.get(node.name)
        return found[1] if found else None

    def chain(self, node: AgentNode) -> Iterator[AgentNode]:
        """The agent, its parent, and so on up to the root."""
        current: AgentNode | None = node
        while current is not None:
            yield current
            current = self.parent(current)

    def barrier(self, node: AgentNode) -> AgentNode | None:
        """The first agent on the way up that may not hand over to its parent, None if all may.

        Activity stays only with agents whose whole chain may
        (``is_transferable_across_agent_tree``).
        """
        return next(
            (a for a in self.chain(node) if not a.can_transfer or a.disallow_transfer_to_parent),
            None,
        )

    def targets(self, node: AgentNode) -> list[AgentNode]:
        """The agents this one may transfer to (``_get_transfer_targets``)."""
        if not node.can_transfer:
            return []
        result = [c for c in node.children if c.mode not in TASK_MODES]
        parent = self.parent(node)
        if parent is None or not parent.can_transfer:
            return result
        if not node.disallow_transfer_to_parent:
            result.append(parent)
        if not node.disallow_transfer_to_peers:
            result.extend(
                c for c in parent.children if c.name != node.name and c.mode not in TASK_MODES
            )
        return result

    def delegator(self, node: AgentNode) -> AgentNode:
        """The agent that delegated the task ``node`` works in, else the agent itself."""
        found = node
        current = node
        while current is not self.root and (parent := self.parent(current)) is not None:
            if current.mode in TASK_MODES:
                found = parent
            current = parent
        return found


def find_agent(root: AgentNode, name: str) -> AgentNode | None:
    """The agent of that name in the tree (the first one, depth first), None if there is none."""
    return Tree(root).find(name)


def next_agent(root: AgentNode, events: Sequence[EventRecord], *, resumable: bool = False) -> Route:
    """Who answers the next message. ``events`` is the session, oldest first.

    When the newest event answers a call, the owner of that call is meant:
    a run that was cut off there goes on with it.
    """
    if root.kind == "Workflow":
        return Route(root.name, "a workflow routes for itself")
    if root.kind != "LlmAgent" or root.mode == "task":
        return Route(root.name, "the root runs its own steps")
    tree = Tree(root)
    owner = _owner_of_answered_call(tree, events, resumable)
    if owner is not None:
        return owner
    for event in live(events):
        if not _is_reply(event):
            continue
        if target := event.actions.transfer_to_agent:
            source = tree.find(event.author)
            if source is not None:
                node = next((t for t in tree.targets(source) if t.name == target), None)
                if node is not None and tree.barrier(node) is None:
                    return Route(node.name, f"{source.name} transferred to it")
        if event.author == root.name:
            return Route(root.name, "it replied last")
        agent = tree.find(event.author)
        if agent is not None and tree.barrier(agent) is None:
            chosen = tree.delegator(agent)
            if chosen is agent:
                return Route(agent.name, "it replied last")
            return Route(chosen.name, f"it delegated a task to {agent.name}")
    return Route(root.name, "the root answers when nobody else does")


def _is_reply(event: EventRecord) -> bool:
    if event.author == USER or event.aborted:
        return False
    if event.actions.agent_state is not None or event.actions.end_of_agent:
        return False
    return not (event.error_code and not event.parts)


def _owner_of_answered_call(
    tree: Tree, events: Sequence[EventRecord], resumable: bool
) -> Route | None:
    walk = live(events)
    last = next(walk, None)
    if last is None or last.aborted or not last.responses or not last.responses[0].id:
        return None
    if last.author != USER and not resumable:
        return None
    call_id = last.responses[0].id
    earlier = list(walk)
    newest_agent = (
        last if last.author != USER else next((e for e in earlier if e.author != USER), None)
    )
    if newest_agent is not None and newest_agent.aborted:
        return None
    call_event = next((e for e in earlier if any(c.id == call_id for c in e.calls)), None)
    if call_event is None or not call_event.author:
        return None
    for name in (call_event.author,):
        if (agent := tree.find(name)) is not None:
            return Route(
                tree.delegator(agent).name, f"its call to {last.responses[0].name} was answered"
            )
    return None


def transfer_targets(root: AgentNode, events: Sequence[EventRecord]) -> tuple[Target, ...]:
    """Every agent of the tree, in order, as a choice for a forced transfer, with reasons."""
    active = next_agent(root, events).agent
    tree = Tree(root)
    return tuple(_target(tree, node, depth, active) for node, _, depth in tree.order)


def _target(tree: Tree, node: AgentNode, depth: int, active: str) -> Target:
    reason = ""
    if node.name == active:
        return Target(node.name, node.kind, depth, True, True, "answers next already")
    if (wall := tree.barrier(node)) is not None:
        reason = f"{wall.name} may not transfer to its parent"
    return Target(node.name, node.kind, depth, not reason, False, reason)
