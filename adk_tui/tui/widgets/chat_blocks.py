"""Chat items as styled lines: what each kind of item looks like, and nothing about widgets."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import assert_never

from adk_tui.core.brief import arguments, brief, prose
from adk_tui.core.chat_items import (
    AgentText,
    Attachments,
    ChatItem,
    CodeCard,
    ErrorCard,
    HumanAnswer,
    OutputCard,
    Thought,
    TicketMark,
    ToolCard,
    TransferLine,
    UserTurn,
)
from adk_tui.core.chat_items import Line as LineItem
from adk_tui.core.jsontools import JsonObject
from adk_tui.core.records import REQUEST_INPUT, Blob
from adk_tui.core.sanitize import clean, mask_text
from adk_tui.core.sanitize import line as one
from adk_tui.tui.widgets.event_rows import span_text
from adk_tui.tui.widgets.looks import author_look
from adk_tui.tui.widgets.syntax import CODE, code_lines
from adk_tui.tui.widgets.text_lines import Line, Span, add_look, cut, pad, width_of, wrap, wrap_code

MARGIN = 2
RIGHT = 1
"""Cells left free before the scroll bar."""
BAR = "▌ "
_STATES = {
    "running": ("…", "line--primary"),
    "done": ("✓", "line--success"),
    "error": ("✗", "line--error"),
    "waiting": ("◆", "line--warning"),
    "stopped": ("■", "line--muted"),
}
_MARKS = {
    "interrupted": "interrupted: the run failed here",
    "cut": "cut off at the token limit",
    "stopped": "stopped by you",
}
_TONES = {"info": "line--primary", "warning": "line--warning", "muted": "line--faint"}
_ARGS = 300
_OUTPUT = 400
SHOWN = 120_000
"""Characters of one text that the chat lays out; the event has the rest."""
_LOOK_BACK = 30


@dataclass(frozen=True, slots=True)
class Frame:
    """How an item stands among its neighbours.

    ``head``: it begins a new speaker's part, so the name is shown. ``gap``: an
    empty line goes before it. ``open``: it is unfolded.
    """

    head: bool = False
    gap: bool = False
    open: bool = False


def speaker(item: ChatItem) -> str:
    """Who an item belongs to: the author's name and branch; empty for what belongs to nobody."""
    match item:
        case UserTurn() | HumanAnswer():
            return "user"
        case AgentText() | Thought() | ToolCard():
            return f"{item.author}\n{item.branch}"
        case ErrorCard() | Attachments() | CodeCard() | OutputCard():
            return f"{item.author}\n"
        case TransferLine() | TicketMark() | LineItem():
            return ""
        case _:
            assert_never(item)


def can_fold(item: ChatItem) -> bool:
    """Whether Enter folds and unfolds the item."""
    if item.withdrawn:
        return True
    match item:
        case Thought():
            return True
        case ErrorCard():
            return bool(item.details)
        case OutputCard():
            return item.text.count("\n") > 11 or len(item.text) > _OUTPUT
        case _:
            return False


def frame(items: Sequence[ChatItem], row: int, is_open: bool) -> Frame:
    """How an item stands after those before it."""
    item, mine = items[row], speaker(items[row])
    if item.withdrawn and not is_open:
        return Frame(False, bool(row) and not items[row - 1].withdrawn, False)
    if not row:
        return Frame(bool(mine) and mine != "user", False, is_open)
    before = items[row - 1]
    above = row - 1
    # What belongs to nobody stands within a speaker's part, except a transfer, which ends it.
    while (
        row - _LOOK_BACK < above > 0
        and not speaker(items[above])
        and not isinstance(items[above], TransferLine)
    ):
        above -= 1
    head = bool(mine) and mine != "user" and speaker(items[above]) != mine
    quiet = isinstance(item, (ToolCard, TicketMark, Attachments))
    quiet_before = isinstance(before, (ToolCard, TicketMark, Attachments, Thought))
    return Frame(head, head or not (quiet and quiet_before), is_open)


def folded(lines: Sequence[Line], width: int) -> list[Line]:
    """What a rewind has undone in one line: its first words, and a sign that there is more."""
    near = [lines[i] for i in range(min(len(lines), 5))]
    first, *rest = [line for line in near if any(text.strip() for text, _ in line)] or [()]
    # Where the first line itself is cut, its ellipsis says that there is more.
    more = " …" if width_of(first) <= width - 2 else ""
    return [[*cut(first, width - 2), (more, "")] if rest else list(first)]


def head_line(item: ChatItem, width: int) -> list[Span]:
    """The speaker's name, and the branch it speaks in."""
    author, _, branch = speaker(item).partition("\n")
    spans: list[Span] = [(one(author, 60) or "?", f"{author_look(author)} line--strong")]
    if branch:
        spans.append((f"  {one(branch, 80)}", "line--faint"))
    return [(" " * MARGIN, ""), *cut(spans, width - MARGIN)]


def item_lines(item: ChatItem, about: Frame, width: int) -> list[Line]:
    """The lines of an item other than an agent's text, without name and gap."""
    room = max(width - MARGIN - RIGHT, 1)
    match item:
        case UserTurn():
            return _user(item, width)
        case AgentText():
            return []
        case Thought():
            return _indent(_thought(item, about.open, room))
        case ToolCard():
            return _indent([_tool(item, room)])
        case TransferLine():
            return [_transfer(item, width)]
        case TicketMark():
            name = one(item.name, 80)
            text = f"◆ {'a question' if name == REQUEST_INPUT else name} waits for you"
            return _indent([cut([(text, "line--warning")], room)])
        case HumanAnswer():
            return [_answer(item, width)]
        case ErrorCard():
            return _indent(_error(item, about.open, room))
        case Attachments():
            return _indent(wrap(chips(item.blobs), room))
        case CodeCard():
            return _indent(_code(item, room))
        case OutputCard():
            return _indent(_output(item, about.open, room))
        case LineItem():
            look = _TONES[item.tone]
            return _indent(wrap([("· ", look), (_told(item.text), look)], room))
        case _:
            assert_never(item)


def _indent(lines: Sequence[Line]) -> list[Line]:
    return [[(" " * MARGIN, ""), *line] for line in lines]


def _user(item: UserTurn, width: int) -> list[Line]:
    room = max(width - len(BAR) - 1, 1)
    lines: list[Line] = list(wrap([(_told(item.text), "line--said")], room)) if item.text else []
    if item.attachments:
        lines += wrap(chips(item.attachments), room)
    return [
        pad([(BAR, "line--user line--turn"), *add_look(ln, "line--turn")], width, "line--turn")
        for ln in lines or [()]
    ]


def size_text(size: int) -> str:
    """A size in bytes for people: ``812 B``, ``12.3 kB``, ``4.0 MB``; empty if unknown."""
    if size < 0:
        return ""
    if size < 1000:
        return f"{size} B"
    return f"{size / 1000:.1f} kB" if size < 1_000_000 else f"{size / 1_000_000:.1f} MB"


def chips(blobs: Sequence[Blob]) -> list[Span]:
    """Attachments as small labels: name, type and size."""
    out: list[Span] = []
    for blob in blobs:
        name = one(blob.name or blob.uri.rsplit("/", 1)[-1], 60)
        # No plain blanks inside: a chip is never broken over two lines.
        text = " ".join(filter(None, (name, one(blob.mime_type, 60), size_text(blob.size))))
        out += [
            (f"\u2063{text}\u2063".replace("\u2063", "\xa0").replace(" ", "\xa0"), "line--chip")
        ]
        out.append((" ", ""))
    return out[:-1]


def result_text(response: JsonObject, limit: int = 200) -> str:
    """What a tool returned, or a person answered, on one line; secrets masked, data as its size.

    However large it is, no more is read than is shown: it is drawn with every frame.
    """
    if len(response) == 1 and (only := next(iter(response))) in ("result", "output", "error"):
        return brief(response[only], limit)
    return brief(response, limit)


def _tool(item: ToolCard, room: int) -> list[Span]:
    sign, look = _STATES[item.state]
    status: list[Span] = [(f" {sign}", look)]
    if item.ended and item.started and item.ended >= item.started:
        status.append((f" {span_text(item.ended - item.started)}", "line--faint"))
    if item.repeats:
        status.append((f" ×{item.repeats + 1}", "line--muted"))
    if item.inner:
        status.append((f" ▸{item.inner}", "line--accent"))
    name = one(item.call.name or "?", 60)
    head: list[Span] = [("⚙ ", "line--faint"), (name, "line--tool")]
    args: list[Span] = [(f"({arguments(item.call.args, _ARGS)})", "line--muted")]
    space = room - width_of(head) - width_of(status)
    card = [*head, *cut(args, max(space, 3)), *status]
    rest = room - width_of(card) - 3
    if item.response is not None and rest > 8:
        look = "line--error" if item.state == "error" else "line--faint"
        card += cut([(" → ", "line--faint"), (result_text(item.response.response), look)], rest + 3)
    return cut(card, room)


def _thought(item: Thought, is_open: bool, room: int) -> list[Line]:
    if not is_open:
        label = "thinking " if item.streaming else "thought "
        text = prose(item.text.strip(), 2 * room + 8)
        return [cut([(f"▸ {label}", "line--faint"), (text, "line--faint line--em")], room)]
    lines: list[Line] = [[("▾ thought", "line--faint")]]
    for line in wrap([(_told(item.text.strip("\n")), "line--muted line--em")], max(room - 2, 1)):
        lines.append([("▏ ", "line--rule"), *line])
    return lines


def _transfer(item: TransferLine, width: int) -> list[Span]:
    source, target = one(item.source, 60), one(item.target, 60)
    label: list[Span] = [
        (source, f"{author_look(item.source)}"),
        (" ✗ ", "line--error") if item.unanswered else (" → ", "line--faint"),
        (target, f"{author_look(item.target)} line--strong"),
    ]
    if item.unanswered:
        label.append(("  did not take over", "line--error"))
    if item.reason:
        label.append((f"  {one(item.reason, 200)}", "line--faint"))
    label = cut(label, max(width - MARGIN - 8, 1))
    rest = max(width - width_of(label) - 6, 0)
    return [
        (" " * MARGIN + "─── ", "line--rule"),
        *label,
        (" " + "─" * max(rest - MARGIN, 0), "line--rule"),
    ]


def _answer(item: HumanAnswer, width: int) -> list[Span]:
    look, sign = ("line--primary", "↻") if item.progress else ("line--success", "✓")
    word = "reported on" if item.progress else "answered"
    confirmed = item.response.get("confirmed")
    if confirmed is True:
        word = "approved"
    elif confirmed is False:
        word, look, sign = "rejected", "line--error", "✗"
    if item.policy:
        word = f"automatically {word}"
    spans: list[Span] = [
        (BAR, "line--user line--turn"),
        (f"{sign} {word} ", f"{look} line--turn"),
        (one(item.name, 60), "line--strong line--turn"),
    ]
    rest = {k: v for k, v in item.response.items() if k != "confirmed"}
    if rest:
        spans.append((f"  {result_text(rest)}", "line--muted line--turn"))
    if item.policy:
        spans.append((f"  by your policy: {one(item.policy, 200)}", "line--warning line--turn"))
    return pad(cut(spans, width), width, "line--turn")


def _error(item: ErrorCard, is_open: bool, room: int) -> list[Line]:
    title: list[Span] = [
        ("✗ ", "line--error"),
        (one(item.code, 60) or "error", "line--error line--strong"),
    ]
    lines: list[Line] = [cut(title, room)]
    inner = max(room - 2, 1)
    body = wrap([(_told(item.message), "")], inner) if item.message else []
    if item.place:
        body += wrap([(f"at {clean(item.place)}", "line--faint")], inner)
    if item.hint:
        body += wrap([(_told(item.hint), "line--muted")], inner)
    if item.details:
        sign = "▾" if is_open else "▸"
        body.append([(f"{sign} details", "line--faint")])
    lines += [[("  ", ""), *line] for line in body]
    if is_open:
        lines += [[("  ", ""), *line] for line in _field(item.details, "", inner)]
    return lines


def _field(text: str, language: str, room: int) -> list[Line]:
    """Code as it is; prose, which has no language, is broken between words."""
    inner = max(room - 2, 1)
    lines = code_lines(mask_text(_capped(text.rstrip("\n"))), language)
    if language:
        broken = wrap_code(lines, inner)
    else:
        broken = [part for line in lines for part in wrap(line, inner)]
    return [pad([(" ", CODE), *line], room, CODE) for line in broken]


def _code(item: CodeCard, room: int) -> list[Line]:
    label = one(item.code.label, 60).lower()
    failed = item.code.result and label not in ("", "outcome_ok")
    title = "result" if item.code.result else f"code {label}".strip()
    look = "line--error" if failed else "line--faint"
    language = "" if item.code.result else label
    sign = "↳" if item.code.result else "λ"
    return [[(f"{sign} {title}", look)], *_field(item.code.text, language, room)]


def _output(item: OutputCard, is_open: bool, room: int) -> list[Line]:
    text = item.text.strip()
    language = "json" if text[:1] in ("{", "[") else ""
    folds = can_fold(item)
    if folds and not is_open:
        text = "\n".join(text[:_OUTPUT].split("\n")[:8])
    lines: list[Line] = [[("⇥ output", "line--faint")]]
    lines += _field(text, language, room)
    if folds:
        left = f"▸ all {len(item.text):,} characters" if not is_open else "▾ fold"
        lines.append([(left, "line--faint")])
    return lines


def mark_lines(item: AgentText, width: int) -> list[Line]:
    """What ended an agent's text before its time, and what of it is not shown."""
    room = max(width - MARGIN - RIGHT, 1)
    lines: list[list[Span]] = []
    if left := rest_text(item.text):
        lines += wrap([(left, "line--warning")], room)
    if item.mark:
        lines += wrap([(f"■ {_MARKS[item.mark]}", "line--warning")], room)
    return _indent(lines)


def rest_text(text: str) -> str:
    """What says that a text is longer than the chat shows; empty if it is not."""
    left = len(text) - SHOWN
    return f"… {left:,} more characters: open the event to see them" if left > 0 else ""


def _told(text: str) -> str:
    return clean(mask_text(_capped(text)))


def _capped(text: str) -> str:
    return f"{text[:SHOWN]}\n{rest_text(text)}" if len(text) > SHOWN else text
