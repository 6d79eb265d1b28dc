"""Markdown as styled lines: tokens of markdown-it become blocks, blocks become wrapped lines.

Nothing is ever hidden that a person should see: HTML stays text, a link shows
its address, an image is its description and its address. What markdown-it
decodes (entities) is sanitized after it has decoded it.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from adk_tui.core.sanitize import clean
from adk_tui.tui.widgets.syntax import CODE, code_lines
from adk_tui.tui.widgets.text_lines import (
    Line,
    Span,
    add_look,
    cut,
    pad,
    width_of,
    wrap,
    wrap_code,
)

_parser = MarkdownIt("commonmark", {"html": False, "maxNesting": 100}).enable(
    ["table", "strikethrough"]
)
_UNCLOSED = 60


def _inline(state: StateCore) -> None:
    """Parse inline text, except where unclosed brackets would cost the parser seconds."""
    for token in state.tokens:
        if token.type != "inline":
            continue
        token.children = []
        if token.content.count("[") - token.content.count("]") > _UNCLOSED:
            token.children.append(Token("text", "", 0, content=token.content))
        else:
            state.md.inline.parse(token.content, state.md, state.env, token.children)


_parser.core.ruler.at("inline", _inline)
# Deeper than markdown-it goes it drops text without a mark.
_TOO_DEEP = re.compile(r"^(?:[ \t]*(?:>|[-*+]|\d{1,9}[.)])){60}", re.MULTILINE)
_MIN_COLUMN = 4
_BULLETS = "•◦▪"


@dataclass(slots=True)
class Block:
    """A block of a document that can be laid out by itself.

    ``start`` and ``end`` are its source lines. ``tight``: no empty line goes
    before it. ``flows``: its last line is continued by the next block (a piece
    of a long paragraph).
    """

    tokens: Sequence[Token]
    start: int
    end: int
    tight: bool = False
    flows: bool = False
    number: int = -1
    bullet: str = ""
    nest: int = 0
    _width: int = -1
    _lines: Sequence[Line] = ()
    _carry: Line = ()

    @property
    def is_paragraph(self) -> bool:
        """Whether it is a paragraph at the top level."""
        return bool(self.tokens) and self.tokens[0].type == "paragraph_open" and not self.bullet

    def lines(self, width: int, carry: Line = ()) -> Sequence[Line]:
        """The lines of the block, no wider than ``width``; remembered for one width."""
        if self._width != width or self._carry != carry:
            if self.is_paragraph:
                spans = inline_spans(self.tokens[1].children or ())
                if self.flows:
                    # The parser drops the blank at which the paragraph was cut.
                    spans.append((" ", ""))
                self._lines = wrap(spans, width, carry)
            elif self.bullet:
                self._lines = _item(self.tokens, self.bullet, width, self.nest)
            else:
                self._lines = [line for part in _layout(self.tokens, width, 0) for line in part]
            self._width, self._carry = width, carry
        return self._lines


def parse(text: str) -> list[Block]:
    """The blocks of a document, list items as blocks of their own."""
    if _TOO_DEEP.search(text):
        token = Token("code_block", "", 0, content=text)
        return [Block([token], 0, text.count("\n") + 1)]
    return list(_blocks(_parser.parse(text), text.split("\n")))


def _blocks(tokens: Sequence[Token], source: Sequence[str]) -> Iterator[Block]:
    for group in _groups(tokens):
        first = group[0]
        start, end = first.map or (0, 0)
        if first.type in ("bullet_list_open", "ordered_list_open"):
            number = int(first.attrs.get("start", 1))
            for at, item in enumerate(_groups(group[1:-1])):
                top, bottom = item[0].map or (start, end)
                ordered = first.type == "ordered_list_open"
                yield Block(
                    item[1:-1],
                    top,
                    bottom,
                    # By the gap itself: it must not change while the list grows.
                    tight=at > 0 and bool(source[top - 1].strip()),
                    number=number + at if ordered else -1,
                    bullet=f"{number + at}." if ordered else _BULLETS[0],
                )
        else:
            yield Block(group, start, end)


def _groups(tokens: Sequence[Token]) -> Iterator[Sequence[Token]]:
    """Split tokens into those of each block at this level."""
    start = depth = 0
    for at, token in enumerate(tokens):
        depth += token.nesting
        if depth == 0:
            yield tokens[start : at + 1]
            start = at + 1
    if start < len(tokens):
        yield tokens[start:]


def _is_loose(group: Sequence[Token]) -> bool:
    level = group[0].level + 2
    return any(t.type == "paragraph_open" and t.level == level and not t.hidden for t in group)


def inline_spans(tokens: Sequence[Token]) -> list[Span]:
    """Inline tokens as spans, sanitized."""
    spans: list[Span] = []
    looks: list[str] = []
    links: list[tuple[str, int]] = []
    for token in tokens:
        look = " ".join(looks)
        match token.type:
            case "text" | "text_special":
                spans.append((clean(token.content), look))
            case "code_inline":
                spans.append((clean(token.content), f"{look} line--inline-code".strip()))
            case "softbreak":
                spans.append((" ", look))
            case "hardbreak":
                spans.append(("\n", look))
            case "strong_open":
                looks.append("line--strong")
            case "em_open":
                looks.append("line--em")
            case "s_open":
                looks.append("line--strike")
            case "link_open":
                links.append((str(token.attrs.get("href", "")), len(spans)))
                looks.append("line--link")
            case "link_close":
                looks.pop()
                href, at = links.pop()
                if clean(href) != "".join(text for text, _ in spans[at:]):
                    spans.append((f" ({clean(href)})", "line--faint"))
            case "strong_close" | "em_close" | "s_close":
                looks.pop()
            case "image":
                spans.append((f"▣ {clean(token.content) or 'image'}", f"{look} line--link"))
                spans.append((f" ({clean(str(token.attrs.get('src', '')))})", "line--faint"))
            case _:
                spans.append((clean(token.content), look))
    return spans


def _layout(tokens: Sequence[Token], width: int, nest: int) -> Iterator[list[Line]]:
    """The lines of each block among the tokens."""
    for group in _groups(tokens):
        first = group[0]
        match first.type:
            case "paragraph_open":
                yield list(wrap(inline_spans(group[1].children or ()), width))
            case "heading_open":
                yield _heading(group, width)
            case "fence":
                words = first.info.split()
                yield _code(first.content, words[0] if words else "", width)
            case "code_block":
                yield _code(first.content, "", width)
            case "hr":
                yield [[("─" * width, "line--rule")]]
            case "blockquote_open":
                yield _quote(group[1:-1], width, nest)
            case "bullet_list_open" | "ordered_list_open":
                yield _list(group, width, nest)
            case "table_open":
                yield _table(group, width)
            case "inline":
                yield list(wrap(inline_spans(first.children or ()), width))
            case _:
                yield list(wrap([(clean(first.content), "")], width))


def _stack(parts: Iterator[list[Line]], *, tight: bool) -> list[Line]:
    out: list[Line] = []
    for part in parts:
        if out and not tight:
            out.append(())
        out += part
    return out


def _heading(group: Sequence[Token], width: int) -> list[Line]:
    level = int(group[0].tag[1:]) if group[0].tag[1:].isdigit() else 6
    look = "line--h1" if level == 1 else "line--h2" if level == 2 else "line--h3"
    spans = add_look(inline_spans(group[1].children or ()), look)
    return list(wrap(spans, width))


def _code(text: str, language: str, width: int) -> list[Line]:
    lines = code_lines(text.rstrip("\n"), language)
    if width <= _MIN_COLUMN:
        return list(wrap_code(lines, width))
    inner = max(width - 2, 1)
    # The block is one even field, so its lines are filled up.
    return [pad([(" ", CODE), *line], inner + 2, CODE) for line in wrap_code(lines, inner)]


def _quote(tokens: Sequence[Token], width: int, nest: int) -> list[Line]:
    if width <= _MIN_COLUMN:
        return _stack(_layout(tokens, width, nest), tight=False)
    inner = _stack(_layout(tokens, width - 2, nest), tight=False)
    return [[("▏ ", "line--rule"), *add_look(line, "line--quote")] for line in inner]


def _list(group: Sequence[Token], width: int, nest: int) -> list[Line]:
    number = int(group[0].attrs.get("start", 1))
    ordered = group[0].type == "ordered_list_open"
    loose = _is_loose(group)
    out: list[Line] = []
    for at, item in enumerate(_groups(group[1:-1])):
        bullet = f"{number + at}." if ordered else _BULLETS[min(nest, len(_BULLETS) - 1)]
        if out and loose:
            out.append(())
        out += _item(item[1:-1], bullet, width, nest)
    return out


def _item(tokens: Sequence[Token], bullet: str, width: int, nest: int) -> list[Line]:
    margin = len(bullet) + 1
    if width - margin < _MIN_COLUMN:
        margin, bullet = 0, ""
    tight = not any(t.type == "paragraph_open" and not t.hidden for t in tokens)
    inner = _stack(_layout(tokens, width - margin, nest + 1), tight=tight) or [()]
    if not margin:
        return inner
    return [
        [(f"{bullet} " if not at else " " * margin, "line--bullet"), *line]
        for at, line in enumerate(inner)
    ]


def _table(group: Sequence[Token], width: int) -> list[Line]:
    """A table fitted to the width: wide columns give way first, cells wrap."""
    rows: list[list[list[Span]]] = []
    align: list[str] = []
    for at, token in enumerate(group):
        if token.type == "tr_open":
            rows.append([])
        elif token.type in ("th_open", "td_open"):
            cell = group[at + 1]
            rows[-1].append(inline_spans(cell.children or ()))
            if len(rows) == 1:
                align.append(str(token.attrs.get("style", "")))
    if not rows:
        return []
    widths = _columns(rows, width)
    if widths is None:
        return _records(rows, width)
    out: list[Line] = []
    for number, row in enumerate(rows):
        look = "line--strong" if number == 0 else ""
        cells = [
            wrap(add_look(cell, look) if look else cell, size)
            for cell, size in zip(row, widths, strict=False)
        ]
        for at in range(max(map(len, cells), default=0)):
            line: list[Span] = []
            for column, (cell, size) in enumerate(zip(cells, widths, strict=False)):
                text = cell[at] if at < len(cell) else []
                room = size - width_of(text)
                left = room if "right" in align[column] else 0
                left = room // 2 if "center" in align[column] else left
                if column:
                    line.append((" │ ", "line--rule"))
                line += [(" " * left, ""), *text, (" " * (room - left), "")]
            out.append(line)
        if number == 0:
            out.append([("─┼─".join("─" * size for size in widths), "line--rule")])
    return out


def _columns(rows: list[list[list[Span]]], width: int) -> list[int] | None:
    """Widths of the columns; None where they cannot stand side by side."""
    count = max(map(len, rows))
    wants = [
        max((width_of(row[c]) for row in rows if c < len(row)), default=1) or 1
        for c in range(count)
    ]
    room = width - 3 * (count - 1)
    if room < _MIN_COLUMN * count:
        return None
    widths = [0] * count
    open_columns = set(range(count))
    while open_columns:
        share = (room - sum(widths)) // len(open_columns)
        small = {c for c in open_columns if wants[c] <= share}
        if not small:
            for c in open_columns:
                widths[c] = share
            break
        for c in small:
            widths[c] = wants[c]
        open_columns -= small
    return widths


def _records(rows: list[list[list[Span]]], width: int) -> list[Line]:
    """A table too wide for its columns, one cell under the other."""
    out: list[Line] = []
    head = rows[0]
    for row in rows[1:] or rows:
        if out:
            out.append(())
        for column, cell in enumerate(row):
            name = add_look(head[column], "line--strong") if column < len(head) else []
            out += wrap([*cut(name, width // 2), (": ", ""), *cell], width)
    return out
