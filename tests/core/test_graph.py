"""A workflow's graph as text."""

from hypothesis import given
from hypothesis import strategies as st

from adk_tui.core.graph import START, draw

NAMES = st.sampled_from(["a", "b", "c", "d", START])


def test_a_graph_is_drawn_from_its_beginning_with_the_routes_on_the_way() -> None:
    edges = [
        (START, "fetch", ""),
        ("fetch", "ask", "unsure"),
        ("fetch", "write", "sure"),
        ("ask", "fetch", ""),
        ("ask", "write", ""),
    ]
    assert draw(edges) == [
        "start",
        "└─→ fetch",
        "   ├─unsure→ ask",
        "   │  ├─→ ↑ fetch",
        "   │  └─→ write",
        "   └─sure→ ↑ write",
    ]


def test_a_graph_that_is_one_loop_has_a_beginning_all_the_same() -> None:
    assert draw([("a", "b", ""), ("b", "a", "")]) == ["a", "└─→ b", "   └─→ ↑ a"]


def test_parts_without_a_way_to_them_are_drawn_too() -> None:
    lines = draw([(START, "a", ""), ("x", "y", ""), ("y", "x", "")])
    assert lines[:2] == ["start", "└─→ a"]
    assert lines[2:] == ["x", "└─→ y", "   └─→ ↑ x"]


def test_no_edges_are_no_lines() -> None:
    assert draw([]) == []


def test_a_long_chain_is_cut_and_says_so() -> None:
    lines = draw([(f"n{i}", f"n{i + 1}", "") for i in range(2_000)])
    assert len(lines) == 401
    assert lines[-1] == "… 1601 more"


@given(st.lists(st.tuples(NAMES, NAMES, st.sampled_from(["", "r"])), max_size=20))
def test_every_edge_of_any_graph_is_drawn_once(edges: list[tuple[str, str, str]]) -> None:
    lines = draw(edges)
    arrows = sum("→" in line for line in lines)
    assert arrows == len(edges)
