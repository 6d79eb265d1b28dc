"""The way of a forced turn through the tree."""

from adk_tui.core.agent_tree import Tree
from adk_tui.core.forced import forced_hops
from adk_tui.core.reports import AgentNode


def tree(*children: AgentNode, **root: object) -> Tree:
    return Tree(AgentNode("root", children=children, **root))  # type: ignore[arg-type]


def test_children_parents_and_peers_are_one_hop_away() -> None:
    found = tree(AgentNode("a"), AgentNode("b", kind="SequentialAgent", can_transfer=False))
    assert forced_hops(found, "root", "b") == {"root": "b"}
    assert forced_hops(found, "a", "root") == {"a": "root"}
    assert forced_hops(found, "a", "b") == {"a": "b"}


def test_those_farther_away_are_reached_by_agents_that_ask_a_model() -> None:
    inner = AgentNode("inner", kind="SequentialAgent", can_transfer=False)
    found = tree(AgentNode("a", children=(inner,)), AgentNode("b"))
    assert forced_hops(found, "b", "inner") == {"b": "a", "a": "inner"}


def test_steps_of_a_sequence_are_out_of_reach() -> None:
    steps = AgentNode("steps", "SequentialAgent", can_transfer=False, children=(AgentNode("one"),))
    assert forced_hops(tree(steps), "root", "one") == {}


def test_what_an_agent_may_not_is_no_way() -> None:
    proud = AgentNode("proud", disallow_transfer_to_parent=True, children=(AgentNode("under"),))
    shy = AgentNode("shy", disallow_transfer_to_parent=True, disallow_transfer_to_peers=True)
    found = tree(proud, shy, AgentNode("a"))
    assert forced_hops(found, "proud", "a") == {"proud": "a"}
    assert forced_hops(found, "shy", "a") == {}
    assert forced_hops(found, "a", "shy") == {"a": "shy"}


def test_nobody_is_found_in_no_tree() -> None:
    assert forced_hops(tree(), "root", "nobody") == {}
    assert forced_hops(tree(), "nobody", "root") == {}
