"""The way on which model answers can hand one turn to an agent that no event can reach.

ADK carries out a call of ``transfer_to_agent`` from an agent to its children,
its parent and its peers, and refuses all others (google-adk's
``workflow/utils/_transfer_utils.py``). It gives the tool only to an LlmAgent
that has somebody to hand over to. So an agent farther away is reached hop by
hop, each hop one answer of an agent on the way.
"""

from collections import deque
from collections.abc import Mapping

from adk_tui.core.agent_tree import Tree
from adk_tui.core.reports import AgentNode


def forced_hops(tree: Tree, start: str, target: str) -> Mapping[str, str]:
    """For each agent on the shortest way from ``start``, to whom it hands over; empty: no way."""
    first = tree.find(start)
    came: dict[str, str] = {}
    todo = deque([first] if first is not None else [])
    while todo:
        node = todo.popleft()
        if not _asks_a_model(tree, node):
            continue
        for neighbour in _neighbours(tree, node):
            name = neighbour.name
            if name == start or name in came or tree.find(name) is not neighbour:
                continue
            came[name] = node.name
            if name == target:
                return _path(came, start, target)
            todo.append(neighbour)
    return {}


def _path(came: Mapping[str, str], start: str, target: str) -> Mapping[str, str]:
    hops: dict[str, str] = {}
    name = target
    while name != start:
        hops[came[name]] = name
        name = came[name]
    return hops


def _asks_a_model(tree: Tree, node: AgentNode) -> bool:
    return node.kind == "LlmAgent" and bool(tree.targets(node))


def _neighbours(tree: Tree, node: AgentNode) -> list[AgentNode]:
    found = list(node.children)
    parent = tree.parent(node)
    if parent is None:
        return found
    if not node.disallow_transfer_to_parent:
        found.append(parent)
    if not node.disallow_transfer_to_peers:
        found.extend(c for c in parent.children if c is not node)
    return found
