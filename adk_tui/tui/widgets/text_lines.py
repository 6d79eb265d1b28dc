"""Styled text as plain data: spans, and lines wrapped and cut by terminal cells.

A span is text and a *look*: the names of component classes, separated by
blanks. No colour is known here, so what is laid out once survives a change of
theme, and all of it can be tested without a terminal. Widths are cells, never
characters: a CJK letter takes two.
"""

import re
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from rich.cells import cell_len, set_cell_size

Span: TypeAlias = tuple[str, str]
Line: TypeAlias = Sequence[Span]

_PIECES = re.compile(r"\n|[^\S\n]+|\S+")
ELLIPSIS = "…"


def width_of(line: Iterable[Span]) -> int:
    """The width of a line in cells."""
    return sum(cell_len(text) for text, _ in line)


def plain(line: Iterable[Span]) -> str:
    """The text of a line."""
    return "".join(text for text, _ in line)


def add_look(line: Iterable[Span], look: str) -> list[Span]:
    """The same line with one more look on every span."""
    return [(text, f"{old} {look}" if old else look) for text, old in line]


def cut_text(text: str, width: int) -> str:
    """The text in at most ``width`` cells; an ellipsis says that something is missing."""
    if width <= 0:
        return ""
    if len(text) * 2 <= width or cell_len(text) <= width:
        return text
    # set_cell_size measures all it is given: a megabyte on one line must not be.
    return set_cell_size(text[: width + 1], width - 1).rstrip() + ELLIPSIS


def cut(line: Iterable[Span], width: int) -> list[Span]:
    """A line in at most ``width`` cells; an ellipsis says that something is missing."""
    out: list[Span] = []
    if width <= 0:
        return out
    room = width
    spans = list(line)
    for at, (text, look) in enumerate(spans):
        size = cell_len(text) if len(text) <= 4 * width + 8 else 4 * width
        more = any(rest for rest, _ in spans[at + 1 :])
        if size < room or (size == room and not more):
            out.append((text, look))
            room -= size
            continue
        if size == room:
            text += ELLIPSIS
        out.append((cut_text(text, room), look))
        break
    return out


def pad(line: Iterable[Span], width: int, look: str = "") -> list[Span]:
    """A line filled up with blanks to ``width`` cells."""
    spans = list(line)
    missing = width - width_of(spans)
    if missing > 0:
        spans.append((" " * missing, look))
    return spans


def mark_match(line: Iterable[Span], match: str) -> list[Span]:
    """The line with the look ``line--match`` wherever it contains the text, in any case."""
    wanted = match.casefold()
    out: list[Span] = []
    for text, look in line:
        folded = text.casefold()
        if len(folded) != len(text):
            out.append((text, look))
            continue
        start = 0
        while (at := folded.find(wanted, start)) >= 0:
            out.append((text[start:at], look))
            out.append((text[at : at + len(wanted)], f"{look} line--match"))
            start = at + len(wanted)
        out.append((text[start:], look))
    return out


def _chop(text: str, first: int, width: int) -> list[str]:
    """Cut a word that fits no line: the first piece into ``first`` cells, the others into width."""
    pieces: list[str] = []
    start = size = 0
    room = first
    for at, letter in enumerate(text):
        cells = cell_len(letter)
        if size + cells > room and (at > start or room < width):
            pieces.append(text[start:at])
            start, size, room = at, 0, width
        size += cells
    pieces.append(text[start:])
    return pieces


class _Wrapper:
    def __init__(self, width: int, carry: Line) -> None:
        self.width = width
        self.lines: list[list[Span]] = []
        self.line: list[Span] = list(carry)
        self.size = width_of(self.line)
        self.gap: list[Span] = []
        self.gap_size = 0
        self.word: list[Span] = []
        self.word_size = 0

    def end_line(self) -> None:
        self.lines.append(self.line)
        self.line, self.size = [], 0
        self.gap, self.gap_size = [], 0

    def end_word(self) -> None:
        if not self.word:
            return
        if self.word_size > self.width:
            self._long_word()
        else:
            if self.size and self.size + self.gap_size + self.word_size > self.width:
                self.end_line()
            else:
                self._take_gap()
            self.line += self.word
            self.size += self.word_size
        self.word, self.word_size = [], 0

    def _take_gap(self) -> None:
        self.line += self.gap
        self.size += self.gap_size
        self.gap, self.gap_size = [], 0

    def _long_word(self) -> None:
        if self.size + self.gap_size + 1 >= self.width:
            self.end_line()
        self._take_gap()
        for text, look in self.word:
            for at, piece in enumerate(_chop(text, self.width - self.size, self.width)):
                if at:
                    self.end_line()
                if piece:
                    self.line.append((piece, look))
                    self.size += cell_len(piece)


def wrap(spans: Iterable[Span], width: int, carry: Line = ()) -> list[list[Span]]:
    """Lines of at most ``width`` cells, broken between words, at least one line.

    A line feed in a span always breaks. A word wider than a line is broken
    anywhere. ``carry`` is a begun line that the text continues: so a long
    paragraph can be wrapped piece by piece.
    """
    wrapper = _Wrapper(max(width, 1), carry)
    for text, look in spans:
        for piece in _PIECES.findall(text):
            if piece == "\n":
                wrapper.end_word()
                wrapper.end_line()
            elif piece[0].isspace():
                wrapper.end_word()
                # A line that goes on keeps its blanks; one that begins keeps an indent as written.
                wrapper.gap.append((piece, look))
                wrapper.gap_size += cell_len(piece)
            else:
                wrapper.word.append((piece, look))
                wrapper.word_size += cell_len(piece)
    wrapper.end_word()
    if wrapper.gap and carry_blank(wrapper.size, wrapper.gap_size, wrapper.width):
        wrapper.line += wrapper.gap
    wrapper.lines.append(wrapper.line)
    return wrapper.lines


def carry_blank(size: int, gap: int, width: int) -> bool:
    """Whether trailing blanks still fit on the line, where a continuation would need them."""
    return size > 0 and size + gap <= width


def wrap_code(lines: Iterable[Line], width: int) -> list[list[Span]]:
    """Lines of code, broken hard at the edge so that nothing of them is lost."""
    out: list[list[Span]] = []
    width = max(width, 1)
    for line in lines:
        current: list[Span] = []
        size = 0
        for text, look in line:
            for at, piece in enumerate(_chop(text, width - size, width)):
                if at:
                    out.append(current)
                    current, size = [], 0
                if piece:
                    current.append((piece, look))
                    size += cell_len(piece)
        out.append(current)
    return out
