"""One event as one line of columns: gutter, time, author, kind, summary, badges.

The gutter brackets the events of one invocation, so that a turn is seen at a
glance and costs no line of its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from rich.cells import cell_len

from adk_tui.core.event_log import EventLog
from adk_tui.core.records import EventRecord
from adk_tui.core.sanitize import line as one
from adk_tui.core.summary import badges, kind_of, one_line
from adk_tui.tui.widgets.event_window import STREAMED
from adk_tui.tui.widgets.looks import author_look
from adk_tui.tui.widgets.text_lines import ELLIPSIS, Span, cut, cut_text, mark_match, pad, width_of

NOTHING = "nothing in it"
"""What the row of an event says that has nothing to show."""
_NARROW = 56
_TINY = 36
_TONES = {
    "info": "line--primary",
    "success": "line--success",
    "warning": "line--warning",
    "error": "line--error",
    "muted": "line--faint",
}
_KINDS = {
    "call": "line--primary",
    "response": "line--success",
    "error": "line--error",
    "ticket": "line--warning",
    "transfer": "line--accent",
    "user": "line--user",
}


@dataclass(frozen=True, slots=True)
class RowView:
    """What a row shows besides its event.

    ``gutter`` is the bracket of the invocation, ``depth`` counts the
    AgentTools around it, ``inner`` the events folded (or shown) below it,
    ``started`` is the time relative times count from, 0 for wall time,
    ``streamed`` the end of the text of an answer that is still coming in, and
    ``log`` is where the calls are that an event tells of.
    """

    gutter: str = " "
    depth: int = 0
    inner: int = 0
    open: bool = False
    withdrawn: bool = False
    started: float = 0.0
    match: str = ""
    lane: int = 0
    streamed: str = ""
    log: EventLog | None = None


def clock(timestamp: float) -> str:
    """The wall time of a timestamp, in the local zone; blank where there is none."""
    if timestamp <= 0:
        return " " * 8
    try:
        return datetime.fromtimestamp(timestamp).strftime("%H:%M:%S")
    except (OverflowError, OSError, ValueError):
        return "--:--:--"


def span_text(seconds: float) -> str:
    """A duration in at most seven characters: ``12ms``, ``3.4s``, ``5m07s``, ``3h12m``."""
    sign, seconds = ("-", -seconds) if seconds < 0 else ("", seconds)
    if seconds < 0.9995:
        return f"{sign}{seconds * 1000:.0f}ms"
    if seconds < 59.95:
        return f"{sign}{seconds:.1f}s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{sign}{minutes}m{rest:02d}s"
    hours, minutes = divmod(minutes, 60)
    return f"{sign}{hours}h{minutes:02d}m" if hours < 1000 else f"{sign}{hours // 24}d"


def _time(record: EventRecord, view: RowView) -> str:
    if view.started and record.timestamp:
        return f"+{span_text(record.timestamp - view.started)}".replace("+-", "-").rjust(8)
    return clock(record.timestamp)


def _badges(record: EventRecord, room: int) -> list[Span]:
    out: list[Span] = []
    for badge in badges(record):
        text = one(badge.text, 24)
        size = cell_len(text) + 1
        if size > room:
            continue
        room -= size
        out += [(" ", ""), (text, _TONES.get(badge.tone, "line--faint"))]
    return out


def event_row(record: EventRecord, view: RowView, width: int) -> list[Span]:
    """The line of an event, exactly ``width`` cells or less."""
    kind = kind_of(record)
    dim = "line--faint" if record.partial else ""
    head: list[Span] = []
    if width >= _TINY:
        head.append((_time(record, view) + " ", "line--faint"))
    head.append((view.gutter + " ", f"line--lane-{view.lane}"))
    if view.depth:
        head.append(("  " * (view.depth - 1) + "↳ ", "line--faint"))
    name = 8 if width < _NARROW else (16 if width >= 110 else 12)
    author = cut_text(one(record.author or "?", 80), name)
    told: list[Span] = [(author, dim or author_look(record.author))]
    head += pad(mark_match(told, view.match) if view.match else told, name + 1)
    if width >= _NARROW:
        head += pad([(cut_text(one(kind, 20), 9), dim or _KINDS.get(kind, "line--muted"))], 10)
    if view.inner:
        head.append((f"{'▾' if view.open else '▸'}{view.inner} ", "line--accent"))
    room = width - width_of(head)
    tail = _badges(record, room // 2)
    room -= width_of(tail)
    summary_look = dim or ("line--error" if kind == "error" else "")
    if record.aborted:
        summary_look = "line--muted"
    text = view.streamed and _end(one(view.streamed, 2 * STREAMED), room)
    text = text or one_line(record, max(2 * room, 40), log=view.log)
    if not text and not record.partial:
        text, summary_look = NOTHING, "line--faint"
    summary: list[Span] = [(text, summary_look)]
    summary = pad(cut(summary, room), room)
    if view.match:
        summary = mark_match(summary, view.match)
    line = cut(head + summary + tail, width)
    return _withdraw(line) if view.withdrawn else line


def _end(text: str, room: int) -> str:
    """The end of a text in at most ``room`` cells."""
    if cell_len(text) <= room:
        return text
    text = text[-max(room - 1, 1) :]
    while text and cell_len(text) > room - 1:
        text = text[1:]
    return ELLIPSIS + text


def _withdraw(line: Sequence[Span]) -> list[Span]:
    return [(text, "line--withdrawn" if text.strip() else look) for text, look in line]
