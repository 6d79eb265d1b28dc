"""Time as pictures: bars of model calls and tools on one axis, and sums."""

import time
from collections.abc import Iterator, Sequence

from adk_tui.core.brief import prose
from adk_tui.core.records import EventRecord
from adk_tui.core.sanitize import line as one
from adk_tui.core.session import SessionView
from adk_tui.core.timing import NO_USAGE, AgentSum, Axis, Span, Waterfall, waterfall
from adk_tui.tui.widgets.event_rows import span_text
from adk_tui.tui.widgets.page_view import Block, fact
from adk_tui.tui.widgets.text_lines import Line, cut_text, pad
from adk_tui.tui.widgets.text_lines import Span as Piece

EIGHTHS = " ▏▎▍▌▋▊▉█"
_LOOKS = {"model": "line--bar-model", "tool": "line--bar-tool", "inner": "line--bar-inner"}
_SIGNS = {"model": "◆", "tool": "⚙", "inner": "▣"}
LABELS = 64
"""Columns from which the tokens of a call have a column of their own."""


def times_page(view: SessionView, record: EventRecord) -> list[Block]:
    """The page of the event's invocation, at this moment; inner events stand in the outer one's."""
    log, invocation = view.log, record.invocation_id
    if record.inner_of:
        outer = log.by_call(record.inner_of)
        invocation = log[outer[0]].invocation_id if outer else invocation
    now = time.time()
    of = waterfall(invocation, log, view.calls.values(), view.runs.values(), now=now)
    rows: dict[str, int] = {}
    for span in of.spans:
        # A tool's bar leads to its result, or to the call while there is none.
        calls = log.by_call(span.key[2:]) if span.kind != "model" else ()
        at = calls[-1] if calls else log.find(span.event_id)
        if at is not None:
            rows[span.key] = at
    return _page(of, event_id=record.id, now=now, rows=rows)


def _page(of: Waterfall, *, event_id: str, now: float, rows: dict[str, int]) -> list[Block]:
    # ``rows`` maps keys of spans to indexes of the log, for Enter on a bar. The bar of
    # ``event_id``, the event that is looked at, is marked.
    blocks = [Block("facts", [], lambda width: list(_facts(of, width)), fixed=True)]
    if not of.spans:
        return blocks
    axis = Axis(of)
    blocks.append(Block("axis", lambda width: _axis_line(of, axis, width), gap=True))
    for span in of.spans:
        marked = bool(event_id) and span.event_id == event_id
        blocks.append(_bar_block(span, of, axis, marked, now, rows.get(span.key)))
    blocks.append(Block("legend", [], lambda width: list(_legend(of, width)), fixed=True, gap=True))
    head: Line = [("What each agent took", "line--heading")]
    blocks.append(Block("sums", head, lambda width: list(_sums(of, width)), fixed=True, gap=True))
    return blocks


def _facts(of: Waterfall, width: int) -> Iterator[Line]:
    yield from fact("invocation", one(of.invocation_id, 80) or "none", width)
    if not of.spans:
        words = "Nothing that takes time is known of this invocation."
        yield from fact("took", words, width, "line--muted")
        return
    took = span_text(of.busy) + (", and it still runs" if of.running else "")
    if of.pauses:
        waited = sum(p.end - p.start for p in of.pauses)
        took += f" of work, {span_text(waited)} of waiting in between"
    yield from fact("took", took, width)
    u = of.usage
    if u.total or u.prompt:
        words = f"{u.prompt:,} in ({u.cached:,} cached), {u.output:,} out, {u.thoughts:,} thought"
        yield from fact("tokens", words, width)
    if of.guessed:
        words = (
            "The calls themselves were not recorded; these times lie between the events and are "
            "estimates."
        )
        yield from fact("estimated", words, width, "line--warning")


def _columns(of: Waterfall, width: int) -> tuple[int, int, int, int]:
    """Cells of the label, the bar, the duration and the tokens."""
    tokens = 14 if width >= LABELS + 30 and any(s.usage for s in of.spans) else 0
    time = 8
    label = max(min(width // 3, 38), 14)
    return label, max(width - label - time - tokens - 1, 4), time, tokens


def _axis_line(of: Waterfall, axis: Axis, width: int) -> Line:
    label, bar, _, tokens = _columns(of, width)
    cells = [" "] * bar
    _write(cells, 0, "0")
    end = span_text(of.busy)
    _write(cells, bar - len(end), end)
    if bar > 40 and not of.pauses:
        middle = span_text(of.busy / 2)
        _write(cells, bar // 2 - len(middle) // 2, middle)
    for start, stop in axis.folds:
        at = round((start + stop) / 2 * bar)
        _write(cells, min(at, bar - 1), "⋯")
    spans: list[Piece] = [(" " * (label + 1), ""), ("".join(cells), "line--faint")]
    spans.append((f"{'took':>8}", "line--faint"))
    if tokens:
        spans.append((f"{'tokens':>{tokens}}", "line--faint"))
    return spans


def _write(cells: list[str], at: int, text: str) -> None:
    at = max(0, min(at, len(cells) - len(text)))
    if at >= 0 and len(text) <= len(cells):
        cells[at : at + len(text)] = list(text)


def _bar_block(
    span: Span, of: Waterfall, axis: Axis, marked: bool, now: float, index: int | None
) -> Block:
    def head(width: int) -> Line:
        # A bar that Enter can open has a sign of two cells before it.
        width += 2 if index is not None else 0
        label, bar, time, tokens = _columns(of, width)
        lead = 0 if index is not None else 2
        name = one(span.label if span.kind != "model" else f"{span.agent}: {span.label}", 80)
        sign = f"{'  ' * min(span.depth, 6)}{_SIGNS[span.kind]} "
        look = "line--strong line--primary" if marked else ("line--error" if span.error else "")
        room = label - len(sign) - 2
        spans: list[Piece] = [(" " * lead, ""), (sign, _LOOKS[span.kind])]
        spans += pad([(cut_text(name, room), look)], room)
        spans.append((" ", ""))
        spans += bar_pieces(span, axis, bar, now)
        took = ("…" if not span.end else "") + span_text(span.seconds(now))
        spans.append((f"{took:>{time}}", "line--error" if span.error else ""))
        if tokens and span.usage:
            told = f"↑{span.usage.prompt} ↓{span.usage.output + span.usage.thoughts}"
            spans.append((f"{told:>{tokens}}", "line--muted"))
        return spans

    return Block(f"span:{span.key}", head, index=index)


def bar_pieces(span: Span, axis: Axis, width: int, now: float) -> list[Piece]:
    """The bar of a span on ``width`` cells, folded pauses drawn through."""
    start = axis.place(span.start)
    end = axis.place(span.end or now or span.start)
    first = axis.place(span.first_token) if span.first_token else start
    look = "line--bar-error" if span.error else _LOOKS[span.kind]
    folds = {min(round((a + b) / 2 * width), width - 1) for a, b in axis.folds}
    left = min(int(start * width), width - 1)
    right = max(end * width, left + 0.25)
    waited = min(int(first * width), int(right)) if first > start else left
    pieces: list[Piece] = []
    for cell in range(width):
        if left <= cell < right:
            full = min(int(max(right - cell, 0.125) * 8), 8)
            kind = "line--bar-wait" if cell < waited else look
            _append(pieces, EIGHTHS[full], kind)
        elif cell in folds:
            _append(pieces, "┊", "line--faint")
        else:
            _append(pieces, "·" if cell % 10 == 0 else " ", "line--rule")
    return pieces


def _append(pieces: list[Piece], text: str, look: str) -> None:
    if pieces and pieces[-1][1] == look:
        pieces[-1] = (pieces[-1][0] + text, look)
    else:
        pieces.append((text, look))


def _legend(of: Waterfall, width: int) -> Iterator[Line]:
    line: list[Piece] = []
    kinds = {s.kind for s in of.spans}
    for kind, words in (("model", "model"), ("tool", "tool"), ("inner", "tool with an agent")):
        if kind in kinds:
            line += [(_SIGNS[kind], _LOOKS[kind]), (f" {words}   ", "line--muted")]
    if any(s.wait for s in of.spans):
        line += [("█", "line--bar-wait"), (" until the first token   ", "line--muted")]
    if of.pauses:
        line += [("┊", "line--faint"), (" nothing ran, folded   ", "line--muted")]
    yield line
    for span in of.spans:
        if span.error:
            yield from fact(
                "failed", prose(f"{span.label}: {span.error}", 300), width, "line--error"
            )


_HEADS = ("calls", "model", "tools", "tool time", "in", "cached", "out", "thought")


def _cells(told: AgentSum) -> tuple[str, ...]:
    u = told.usage
    return (
        str(told.calls),
        span_text(told.model_seconds),
        str(told.tools),
        span_text(told.tool_seconds),
        f"{u.prompt:,}",
        f"{u.cached:,}",
        f"{u.output:,}",
        f"{u.thoughts:,}",
    )


def _sums(of: Waterfall, width: int) -> Iterator[Line]:
    table = [_HEADS, *map(_cells, of.sums)]
    sizes = [max(len(row[n]) for row in table) + 2 for n in range(len(_HEADS))]
    name = max(14, min(28, width - sum(sizes)))
    # On a narrow screen the last columns go first.
    told_tokens = any(s.usage != NO_USAGE for s in of.sums)
    shown = len(sizes) if told_tokens else 4
    while shown > 4 and name + sum(sizes[:shown]) > width:
        shown -= 1

    def row(label: str, cells: Sequence[str], look: str) -> Line:
        text = "".join(f"{c:>{s}}" for c, s in zip(cells[:shown], sizes, strict=False))
        return [*pad([(cut_text(label, name), look or "line--strong")], name), (text, look)]

    yield row("agent", _HEADS, "line--muted")
    for told in of.sums:
        yield row(one(told.agent, 60), _cells(told), "")
    if not told_tokens:
        yield [("The model told no numbers of tokens.", "line--muted")]
