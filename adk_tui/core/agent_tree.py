"""The agent tree with ways up, and what ADK lets its members do.

The rules are those of google-adk 2.13's ``agents/_agent_router.py``
(``is_transferable_across_agent_tree``, ``_resolve_task_delegator``) and
``flows/llm_flows/extensions/_agent_transfer.py`` (``_get_transfer_targets``).
"""

from collections.abc import Iterator

from adk_tui.core.reports import AgentNode

TASK_MODES = frozenset({"task", "single_turn"})
"""Modes of agents that work on a task their parent delegates, and are never transferred to."""


class Tree:
    """An agent tree. Of agents with one name the first, depth first, counts, as in ADK."""

    def __init__(self, root: AgentNode) -> None:
        self.root = root
        self.order: list[tuple[AgentNode, int]] = []
        self._parents: dict[int, AgentNode] = {}
        self._by_name: dict[str, AgentNode] = {}
        self._add(root, 0)

    def _add(self, node: AgentNode, depth: int) -> None:
        self.order.append((node, depth))
        self._by_name.setdefault(node.name, node)
        for child in node.children:
            self._parents[id(child)] = node
            self._add(child, depth + 1)

    def find(self, name: str) -> AgentNode | None:
        """The agent of that name, None if there is none."""
        return self._by_name.get(name)

    def parent(self, node: AgentNode) -> AgentNode | None:
        """The agent above, None for the root."""
        return self._parents.get(id(node))

    def chain(self, node: AgentNode) -> Iterator[AgentNode]:
        """The agent, its parent, and so on up to the root."""
        current: AgentNode | None = node
        while current is not None:
            yield current
            current = self.parent(current)

    def barrier(self, node: AgentNode) -> AgentNode | None:
        """The first agent on the way up that may not hand over to its parent, None if all may.

        ADK lets only an agent stay active whose whole chain may, the root included.
        """
        return next(
            (a for a in self.chain(node) if not a.can_transfer or a.disallow_transfer_to_parent),
            None,
        )

    def targets(self, node: AgentNode) -> list[AgentNode]:
        """The agents this one may transfer to: children, parent, peers."""
        if not node.can_transfer:
            return []
        found = [c for c in node.children if c.mode not in TASK_MODES]
        parent = self.parent(node)
        if parent is None or not parent.can_transfer:
            return found
        if not node.disallow_transfer_to_parent:
            found.append(parent)
        if not node.disallow_transfer_to_peers:
            found.extend(
                c for c in parent.children if c.name != node.name and c.mode not in TASK_MODES
            )
        return found

    def delegator(self, node: AgentNode) -> AgentNode:
        """The agent that delegated the task ``node`` works in, else the agent itself."""
        found = node
        for agent in self.chain(node):
            parent = self.parent(agent)
            if parent is not None and agent.mode in TASK_MODES:
                found = parent
        return found
