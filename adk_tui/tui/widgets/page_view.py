"""A page to read: headed blocks that fold, made of lines that are wrapped when they are shown."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.message import Message

from adk_tui.core.sanitize import clean, mask_text
from adk_tui.tui.widgets.document_view import DocumentView
from adk_tui.tui.widgets.text_lines import Line, Span, cut, plain, width_of, wrap

INDENT = 2
LONGEST = 20_000
"""Characters of one text that a page shows; the JSON tabs hold all of it."""


@dataclass(slots=True, eq=False)
class Block:
    """A heading and what is below it.

    ``key`` names it among the blocks of its page, so that it stays open when
    the page is made anew. ``head`` is a line, or makes one for a width; an
    empty one is left out. ``body`` gives the lines for a width; with ``fixed``
    they are always shown. ``index`` is the event of the log that Enter opens.
    """

    key: str
    head: Line | Callable[[int], Line]
    body: Callable[[int], Sequence[Line]] | None = None
    open: bool = False
    fixed: bool = False
    index: int | None = None
    gap: bool = False

    def heading(self, width: int) -> Line:
        """The first line."""
        return self.head(width) if callable(self.head) else self.head


def text_body(text: str, look: str = "", *, reveal: bool = False) -> Callable[[int], list[Line]]:
    """Untrusted text as a block's body: safe, masked, wrapped, and never more than a page needs."""

    def lines(width: int) -> list[Line]:
        cut_off = len(text) - LONGEST
        # A secret that lies across the cut is masked as a whole first.
        shown = text[: LONGEST + 1_000] if cut_off > 0 else text
        shown = clean(shown if reveal else mask_text(shown))[:LONGEST]
        found: list[Line] = [*wrap([(shown, look)], max(width, 8))]
        if cut_off > 0:
            found.append([(f"… {cut_off:,} more characters", "line--warning")])
        return found

    return lines


def fact(label: str, value: Sequence[Span] | str, width: int, look: str = "") -> list[Line]:
    """A label and its value, which wraps beside it. The value must be safe already."""
    column = 14 if width >= 48 else 10
    spans: Sequence[Span] = [(value, look)] if isinstance(value, str) else value
    lines = wrap(spans, max(width - column, 8))
    first: list[Line] = [[(f"{label:<{column}}"[:column], "line--muted"), *lines[0]]]
    return first + [[(" " * column, ""), *line] for line in lines[1:]]


class PageView(DocumentView):
    """Shows blocks. Enter and Space fold and unfold, or open the event a block stands for."""

    DEFAULT_CSS = """
    PageView {
        & > .line--added { color: $text-success; }
        & > .line--removed { color: $text-error; }
        & > .line--heading { color: $text-primary; text-style: bold; }
        & > .line--bar-wait { color: $primary 45%; }
        & > .line--bar-model { color: $primary; }
        & > .line--bar-tool { color: $success; }
        & > .line--bar-inner { color: $accent; }
        & > .line--bar-error { color: $error; }
    }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "line--added",
        "line--removed",
        "line--heading",
        "line--bar-wait",
        "line--bar-model",
        "line--bar-tool",
        "line--bar-inner",
        "line--bar-error",
    }

    SEARCH_FROM = 0

    class Followed(Message):
        """A block that stands for an event was chosen."""

        def __init__(self, index: int) -> None:
            super().__init__()
            self.index = index

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._blocks: list[Block] = []
        self._rows: list[tuple[Block, int]] = []
        self._bodies: dict[int, Sequence[Line]] = {}
        self._laid_out = 0
        self._version = 0

    def show(self, blocks: Sequence[Block], *, fresh: bool = True) -> None:
        """Show these. ``fresh``: from the top; else it is the same page with other contents."""
        opened = {b.key: b.open for b in self._blocks}
        row = self.cursor or 0
        with self.changing(keep_new=True):
            self._blocks = list(blocks)
            if not fresh:
                for block in self._blocks:
                    block.open = opened.get(block.key, block.open)
            self._forget()
            self._cursor = self._first() if fresh else min(row, max(len(self._rows) - 1, 0))
        if fresh:
            self._scroll_line(0)

    def _first(self) -> int:
        """The first row that Enter does something to."""
        for row, (block, number) in enumerate(self._rows):
            foldable = block.body is not None and not block.fixed
            if number == 0 and (foldable or block.index is not None):
                return row
        return 0

    def _forget(self) -> None:
        self._version += 1
        self._bodies.clear()
        self._lay_out()

    def _lay_out(self) -> None:
        self._laid_out = self.text_width
        self._rows = []
        for block in self._blocks:
            if block.gap and self._rows:
                self._rows.append((block, -1))
            if block.head:
                self._rows.append((block, 0))
            if block.body is not None and (block.open or block.fixed):
                lines = self._body(block)
                self._rows += [(block, n) for n in range(1, len(lines) + 1)]

    def _body(self, block: Block) -> Sequence[Line]:
        key = id(block)
        if key not in self._bodies and block.body is not None:
            width = max(self._laid_out - self._indent(block), 1)
            self._bodies[key] = [*block.body(width)]
        return self._bodies.get(key, ())

    @staticmethod
    def _indent(block: Block) -> int:
        return INDENT if block.head else 0

    def width_changed(self) -> None:
        """Wrap everything again."""
        if self.text_width != self._laid_out:
            self._forget()

    # Rows

    def row_count(self) -> int:
        """Lines of all blocks."""
        return len(self._rows)

    def row_key(self, row: int) -> Hashable:
        """The block and the line in it."""
        block, line = self._rows[row]
        return (block.key, line)

    def find_row(self, key: Hashable) -> int | None:
        """The row of a line; where it is folded away, its heading."""
        if not isinstance(key, tuple) or not self._rows:
            return None
        best = 0
        for row, (block, line) in enumerate(self._rows):
            if (block.key, line) == key:
                return row
            if block.key == key[0] and line == 0:
                best = row
        return best

    def row_token(self, row: int) -> Hashable:
        """The line, and whether its block is open."""
        block, line = self._rows[row]
        return (self._version, block.key, line, block.open, self._needle)

    def row_lines(self, row: int, width: int) -> Sequence[Line]:
        """The line."""
        block, number = self._rows[row]
        spans: list[Span]
        if number < 0:
            spans = []
        elif number == 0:
            spans = []
            if not block.fixed and block.body is not None:
                spans.append(("▾ " if block.open else "▸ ", "line--faint"))
            elif block.index is not None:
                spans.append(("› ", "line--faint"))
            spans += block.heading(width - width_of(spans))
        else:
            spans = [(" " * self._indent(block), ""), *self._body(block)[number - 1]]
        return [self.marked(cut(spans, width))]

    @property
    def reading(self) -> bool:
        """Whether there is nothing to choose: then the arrows scroll, and no cursor shows."""
        return all(b.fixed or b.body is None for b in self._blocks) and not any(
            b.index is not None for b in self._blocks
        )

    @property
    def _cursor_shown(self) -> int | None:
        plain_text = self.reading and not self._needle
        return None if plain_text or not self.has_focus else super()._cursor_shown

    def page_text(self) -> str:
        """The whole page as plain text, folded blocks included."""
        out: list[str] = []
        for block in self._blocks:
            if block.gap and out:
                out.append("")
            if block.head:
                out.append(plain(block.heading(self.text_width)).rstrip())
            if block.body is not None:
                out += [
                    " " * self._indent(block) + plain(line).rstrip() for line in self._body(block)
                ]
        return "\n".join(out)

    # What a person does

    def _step(self, step: int) -> None:
        if self.reading:
            self._scroll_line(self.top_line + step)
            self._cursor = min(self.top_line, max(self.row_count() - 1, 0))
        else:
            super()._step(step)

    def action_follow(self) -> None:
        """The last line, at the bottom where nothing can be chosen."""
        super().action_follow()
        self._scroll_line(self.max_scroll_y)

    def row_selected(self, row: int) -> None:
        """Fold, unfold, or go to the event."""
        block, number = self._rows[row]
        if block.index is not None and number == 0:
            self.post_message(self.Followed(block.index))
        elif block.body is not None and not block.fixed:
            with self.changing(keep_new=True):
                block.open = not block.open
                self._lay_out()

    def find_text(self, text: str, row: int, step: int) -> int | None:
        """The next line with this text, unfolding all blocks that have it."""
        wanted = text.casefold()
        with self.changing(keep_new=True):
            for block in self._blocks:
                if (
                    block.body is not None
                    and not (block.open or block.fixed)
                    and any(wanted in plain(line).casefold() for line in self._body(block))
                ):
                    block.open = True
            self._lay_out()
        count = self.row_count()
        for n in range(count):
            at = (row + n * step) % count
            if any(wanted in plain(line).casefold() for line in self.row_lines(at, 10_000)):
                return at
        return None
