"""A Markdown text that grows: what is finished is never parsed or wrapped again.

An answer streams in thirty pieces a second. Parsing all of it each time costs
the square of its length, so blocks that nothing can change any more are kept,
and only what follows them is parsed. A block ends for good when another has
begun after it; a list item too; and of a very long paragraph the part before
a blank at which no emphasis, code or link is open.
"""

import re
from collections.abc import Sequence

from adk_tui.core.masking import GrowingText
from adk_tui.tui.widgets.markdown_lines import Block, parse
from adk_tui.tui.widgets.text_lines import Line

LONG = 1500
"""Characters of one paragraph above which it is cut."""
_TAIL = 400
_GIVE_UP = 8000
_GUARD = "."
_MARKS = re.compile(r"\*+|_+|`+|~~|\[|\]| ")


class MarkdownText:
    """A document of which the end is still being written."""

    def __init__(self) -> None:
        self.text: str = ""
        """The text as it is shown: secrets masked."""
        self.restarts = 0
        """How often a text came that did not go on from the one before."""
        self._growing = GrowingText()
        self._done: list[Block] = []
        self._open: list[Block] = []
        self._stable = 0
        self._in_paragraph = False
        self._width = -1
        self._kept: list[Line] = []
        self._kept_blocks = 0
        self._carry: Line = ()
        self._lines: Sequence[Line] | None = None

    def update(self, text: str) -> None:
        """Take the text as it is now; cheap when it only got longer."""
        text = self._growing.update(text)
        if text == self.text:
            return
        if not text.startswith(self.text):
            restarts, growing = self.restarts + 1, self._growing
            self.__init__()
            self.restarts, self._growing = restarts, growing
        self.text = text
        self._lines = None
        blocks = self._parse(text[self._stable :])
        if len(blocks) > 1:
            self._done += blocks[:-1]
            self._stable += _offset(text[self._stable :], blocks[-1].start)
            self._in_paragraph = False
            del blocks[:-1]
        cut_any = False
        while blocks and blocks[0].is_paragraph and (cut := _cut(text, self._stable)):
            piece = self._parse(text[self._stable : self._stable + cut])
            if len(piece) != 1 or not piece[0].is_paragraph:
                break
            piece[0].flows = True
            self._done += piece
            self._stable += cut
            self._in_paragraph = cut_any = True
        self._open = self._parse(text[self._stable :]) if cut_any else blocks

    def _parse(self, tail: str) -> list[Block]:
        if self._in_paragraph:
            # The rest of a paragraph is text, whatever its first letters would mean on a new line.
            blocks = parse(_GUARD + tail)
            if blocks:
                blocks[0].tight = True
                _drop_guard(blocks[0])
            return blocks
        blocks = parse(tail)
        if blocks and blocks[0].bullet and self._done and self._done[-1].bullet:
            self._continue_list(blocks)
        return blocks

    def _continue_list(self, blocks: list[Block]) -> None:
        number = self._done[-1].number
        if (number >= 0) != (blocks[0].number >= 0):
            return
        blocks[0].tight = not self.text[: self._stable].endswith("\n\n")
        for block in blocks:
            if number < 0 or block.number < 0:
                break
            number += 1
            block.number, block.bullet = number, f"{number}."

    @property
    def blocks(self) -> Sequence[Block]:
        """All blocks as they are now."""
        return [*self._done, *self._open]

    @property
    def fixed_lines(self) -> int:
        """How many lines, as last laid out, no further text can change."""
        return len(self._kept)

    def lines(self, width: int) -> Sequence[Line]:
        """All lines at a width; those of finished blocks are remembered."""
        if self._lines is not None and width == self._width:
            return self._lines
        if width != self._width:
            self._width = width
            self._kept, self._kept_blocks, self._carry = [], 0, ()
        for block in self._done[self._kept_blocks :]:
            self._carry = _add(self._kept, block, width, self._carry)
            self._kept_blocks += 1
        rest: list[Line] = []
        carry = self._carry
        for block in self._open:
            carry = _add(rest, block, width, carry, first=not self._kept and not rest)
        if carry:
            rest.append(carry)
        self._lines = _Joined(self._kept, len(self._kept), rest)
        return self._lines


class _Joined(Sequence[Line]):
    """Kept lines and the rest, without a copy of the kept ones for every piece that arrives."""

    def __init__(self, kept: list[Line], count: int, rest: list[Line]) -> None:
        self._kept, self._count, self._rest = kept, count, rest

    def __len__(self) -> int:
        return self._count + len(self._rest)

    def __getitem__(self, at: int) -> Line:  # type: ignore[override]
        if at < 0:
            at += len(self)
        return self._kept[at] if at < self._count else self._rest[at - self._count]


def _add(
    out: list[Line], block: Block, width: int, carry: Line, *, first: bool | None = None
) -> Line:
    """Add a block's lines; what its last line leaves for the next block is returned."""
    nothing_before = not out if first is None else first
    if carry and not block.tight:
        out.append(carry)
        carry = ()
        nothing_before = False
    if not nothing_before and not block.tight:
        out.append(())
    lines = block.lines(width, carry)
    if block.flows:
        out += lines[:-1]
        return lines[-1]
    out += lines
    return ()


def _offset(text: str, line: int) -> int:
    at = 0
    for _ in range(line):
        at = text.find("\n", at) + 1
        if not at:
            return len(text)
    return at


def _drop_guard(block: Block) -> None:
    for token in block.tokens:
        if token.children and token.children[0].content.startswith(_GUARD):
            token.children[0].content = token.children[0].content[len(_GUARD) :]
            return


def _cut(text: str, start: int) -> int:
    """Length of the part of a long paragraph that nothing can change any more; 0: none.

    It ends after a blank at which no emphasis, code or link is open.
    """
    limit = len(text) - start - _TAIL
    if limit < LONG - _TAIL:
        return 0
    part = text[start : start + min(limit, 4 * LONG) + 1]
    open_marks: set[str] = set()
    brackets = best = 0
    for found in _MARKS.finditer(part, 0, len(part) - 1):
        mark, at, end = found[0], found.start(), found.end()
        before = part[at - 1] if at else " "
        after = part[end]
        if mark == " ":
            if not (brackets or open_marks or before in " \n]"):
                best = end
        elif mark == "[":
            brackets += 1
        elif mark == "]":
            brackets = max(brackets - 1, 0)
        elif mark[0] == "`":
            # Within code nothing else counts, and only as many backticks end it.
            open_marks = set() if mark in open_marks else open_marks | {mark}
        elif not (before.isspace() and after.isspace()) and not (
            mark[0] == "_" and before.isalnum() and after.isalnum()
        ):
            open_marks ^= {mark}
    if not best and limit > _GIVE_UP:
        best = part.rfind(" ") + 1
    return best if 2 * best >= LONG - _TAIL else 0
