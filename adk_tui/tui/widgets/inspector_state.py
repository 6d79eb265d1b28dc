"""The page of the inspector that shows the state around an event: before, what changed, after."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from adk_tui.core.brief import brief
from adk_tui.core.sanitize import MASK, is_secret
from adk_tui.core.sanitize import line as one
from adk_tui.core.state import (
    StateAtEvent,
    StateChange,
    by_scope,
    initial_state,
    state_before_after,
)
from adk_tui.tui.widgets.inspector_summary import Subject
from adk_tui.tui.widgets.page_view import Block, fact, text_body
from adk_tui.tui.widgets.pretty import pretty
from adk_tui.tui.widgets.text_lines import Line, Span

WORDS = {
    "session": "This session",
    "user": "This user, in all sessions",
    "app": "Everybody who uses the app",
    "temp": "This invocation only",
}
SIGNS = {"added": "+", "changed": "~", "removed": "-"}
LOOKS = {"added": "line--added", "changed": "line--warning", "removed": "line--removed"}


def state_around(subject: Subject) -> StateAtEvent:
    """The state before and after the event."""
    opened, log = subject.view.session, subject.view.log
    begun = initial_state(opened.state, log.history()) if opened else {}
    return state_before_after(log, subject.index, begun)


def state_page(subject: Subject) -> list[Block]:
    """The page."""
    around = state_around(subject)
    changed = {change.key: change for change in around.changes}
    blocks = [Block("told", [], lambda width: list(_told(subject, around, width)), fixed=True)]
    everything = {**around.before, **around.after}
    for scope, values in by_scope(everything).items():
        if not values:
            continue
        head: Line = [(WORDS[scope], "line--heading"), (f"  {len(values)}", "line--muted")]
        blocks.append(Block(f"scope:{scope}", head, gap=True))
        # What changed comes first.
        for key in sorted(values, key=lambda k: (k not in changed, str(k))):
            blocks.append(_key_block(key, around, changed.get(key), subject.reveal))
    return blocks


def _told(subject: Subject, around: StateAtEvent, width: int) -> Iterator[Line]:
    record = subject.record
    if record.partial:
        words = "A piece of a streamed answer changes nothing; its final event does."
        yield from fact("", words, width) if width < len(words) else [[(words, "line--muted")]]
    elif not around.delta:
        yield [("This event does not change the state.", "line--muted")]
    else:
        counts = {kind: sum(c.kind == kind for c in around.changes) for kind in SIGNS}
        words = ", ".join(f"{n} {kind}" for kind, n in counts.items() if n)
        same = len(around.delta) - len(around.changes)
        if same:
            words += f"{', ' if words else ''}{same} set to the value it had"
        yield [("This event writes the state: ", ""), (words, "line--strong")]
    if not around.before and not around.after:
        yield [("The state is empty.", "line--muted")]


def _key_block(key: str, around: StateAtEvent, change: StateChange | None, reveal: bool) -> Block:
    shown = {"before": around.before, "after": around.after}

    def head(width: int) -> Line:
        name = one(str(key), 60)
        if change is None:
            kept = _short(key, around.after, width, reveal)
            # Set again to the same value: written, though nothing is different.
            sign = "= " if key in around.delta else "  "
            return [(sign, "line--muted"), (name, ""), (f"  {kept}", "line--muted")]
        look = LOOKS[change.kind]
        spans: list[Span] = [(f"{SIGNS[change.kind]} ", look), (name, f"{look} line--strong")]
        half = max((width - len(name) - 8) // 2, 12)
        if change.kind != "added":
            spans += [("  ", ""), (_short(key, around.before, half, reveal), "line--muted")]
        if change.kind != "removed":
            arrow = "  → " if change.kind == "changed" else "  "
            spans += [(arrow, "line--faint"), (_short(key, around.after, width, reveal), "")]
        return spans

    def body(width: int) -> list[Line]:
        lines: list[Line] = []
        sides = ("before", "after") if change is not None else ("after",)
        for side in sides:
            if key not in shown[side]:
                lines.append([(f"{side}: not there", "line--muted")])
                continue
            if change is not None:
                lines.append([(side, "line--muted")])
            lines += _whole(key, shown[side], reveal)(width)
        return lines

    return Block(f"key:{key}", head, body)


def _short(key: str, state: Mapping[str, Any], width: int, reveal: bool) -> str:
    if is_secret(str(key)) and not reveal:
        return MASK
    return brief(state.get(key), max(width, 12), reveal=reveal)


def _whole(key: str, state: Mapping[str, Any], reveal: bool) -> Callable[[int], list[Line]]:
    if is_secret(str(key)) and not reveal:
        return text_body(MASK)
    return text_body(pretty(state.get(key), reveal), reveal=True)
