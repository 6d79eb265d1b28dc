"""A workflow's graph as lines of text: nodes below the nodes that lead to them."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

Edge: TypeAlias = tuple[str, str, str]
"""From, to, and the route that leads there (empty: always)."""

START = "__START__"
"""ADK's name for where a workflow begins."""

MOST = 400
"""Lines after which a drawing ends."""


def draw(edges: Sequence[Edge]) -> list[str]:
    """The graph as a tree, from its beginnings down.

    A node that was drawn already is named again with ``↑`` and not followed:
    so loops and joins show without end. Names are as they come; whoever shows
    them sanitizes.
    """
    below: dict[str, list[tuple[str, str]]] = {}
    targets = {target for _, target, _ in edges}
    for source, target, label in edges:
        below.setdefault(source, []).append((target, label))
    begins = [s for s in dict.fromkeys(s for s, _, _ in edges) if s not in targets]
    # A graph that is one loop has no beginning; any node will do.
    begins = begins or [edges[0][0]] if edges else []
    lines: list[str] = []
    drawn: set[str] = set()
    for begin in begins:
        lines.append(name_of(begin))
        drawn.add(begin)
        lines += _below(begin, below, drawn)
    # What no beginning reaches stands in loops of its own.
    for source in below:
        if source not in drawn:
            lines.append(name_of(source))
            drawn.add(source)
            lines += _below(source, below, drawn)
    return lines[:MOST] + ([f"… {len(lines) - MOST} more"] if len(lines) > MOST else [])


def name_of(node: str) -> str:
    """A node's name for a person."""
    return "start" if node == START else node


def _below(node: str, below: dict[str, list[tuple[str, str]]], drawn: set[str]) -> Iterator[str]:
    # A chain of a thousand nodes is no reason to recurse a thousand deep.
    stack: list[tuple[str, Iterator[tuple[bool, tuple[str, str]]]]] = [
        ("", _last_marked(below.get(node, ())))
    ]
    while stack:
        indent, rest = stack[-1]
        found = next(rest, None)
        if found is None:
            stack.pop()
            continue
        last, (target, label) = found
        way = f"─{label}→ " if label else "─→ "
        again = target in drawn
        yield f"{indent}{'└' if last else '├'}{way}{'↑ ' if again else ''}{name_of(target)}"
        if not again:
            drawn.add(target)
            deeper = indent + ("   " if last else "│  ")
            stack.append((deeper, _last_marked(below.get(target, ()))))


def _last_marked(
    items: Iterable[tuple[str, str]],
) -> Iterator[tuple[bool, tuple[str, str]]]:
    found = list(items)
    return ((n == len(found) - 1, item) for n, item in enumerate(found))
