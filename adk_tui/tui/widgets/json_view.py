"""JSON to walk through: a tree that opens where one looks, at any size."""

from collections.abc import Hashable, Sequence
from typing import Any, ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message

from adk_tui.core.sanitize import line as one
from adk_tui.core.sanitize import mask
from adk_tui.tui.widgets.document_view import DocumentView
from adk_tui.tui.widgets.json_tree import JsonTree, Node, short_value, whole_value
from adk_tui.tui.widgets.text_lines import Line, Span, cut

_INDENT = 2
_DEEPEST = 30
_LOOKS = {
    "string": "line--success",
    "text": "line--success",
    "number": "line--accent",
    "bool": "line--primary",
    "null": "line--faint",
    "base64": "line--warning",
    "object": "line--faint",
    "array": "line--faint",
    "more": "line--primary",
    "other": "line--warning",
}


class JsonView(DocumentView):
    """Shows one JSON value, masked until ``set_revealed``.

    Keys: Right and Left open and close, Enter and Space toggle, ``y`` copies
    the value, ``Y`` its path, ``n``/``N`` go on with a search.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,l", "open", "Open", show=False, id="json.open"),
        Binding("left,h", "close", "Close", show=False, id="json.close"),
        Binding("y", "copy_value", "Copy value", show=False, id="json.copy_value"),
        Binding("Y", "copy_path", "Copy path", show=False, id="json.copy_path"),
    ]

    class Copied(Message):
        """A value or a path went to the clipboard; ``kind`` is ``value`` or ``path``."""

        def __init__(self, kind: str) -> None:
            super().__init__()
            self.kind = kind

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._tree = JsonTree(None)
        self._source: bytes | Any = None

    def show(self, source: bytes | Any, *, revealed: bool = False) -> None:
        """Show a JSON document (bytes) or a value; from the top."""
        self._source = source
        with self.changing(keep_new=True):
            self._tree = (
                JsonTree.of_bytes(source, revealed=revealed)
                if isinstance(source, bytes)
                else JsonTree(source, revealed=revealed)
            )
            self._strips.clear()
            self._cursor = 0
        self._scroll_line(0)

    @property
    def revealed(self) -> bool:
        """Whether secrets are shown."""
        return self._tree.revealed

    def set_revealed(self, revealed: bool) -> None:
        """Show secrets, or mask them again."""
        self.show(self._source, revealed=revealed)

    # Rows

    def row_count(self) -> int:
        """Open rows."""
        return len(self._tree.rows)

    def row_key(self, row: int) -> Hashable:
        """The node."""
        return self._tree.rows[row]

    def find_row(self, key: Hashable) -> int | None:
        """The row of a node; of one that was closed, its nearest open parent's."""
        node = key if isinstance(key, Node) else None
        while node is not None:
            for row, shown in enumerate(self._tree.rows):
                if shown is node:
                    return row
            node = node.parent
        return 0 if self._tree.rows else None

    def row_token(self, row: int) -> Hashable:
        """The node, whether it is open, and the search."""
        node = self._tree.rows[row]
        return (node, node.open, self._needle)

    def row_lines(self, row: int, width: int) -> Sequence[Line]:
        """The line of a node."""
        node = self._tree.rows[row]
        sign = "▾ " if node.open else "▸ " if node.can_open or node.kind == "more" else "  "
        spans: list[Span] = [
            (" " * (_INDENT * min(node.depth, _DEEPEST)), ""),
            (sign, "line--faint"),
        ]
        if node.depth > _DEEPEST:
            spans.append((f"↳{node.depth} ", "line--faint"))
        if node.kind == "line":
            spans[1] = ("▏ ", "line--rule")
        elif node.kind != "more" and node.key is not None:
            key = f"{node.key}" if isinstance(node.key, int) else one(node.key, 200)
            spans += [(key, "line--primary" if isinstance(node.key, str) else "line--faint")]
            spans.append((": ", "line--faint"))
        look = "line--warning" if node.secret else _LOOKS.get(node.kind, "")
        spans.append((short_value(node, 2 * width + 8), look))
        if node.secret:
            spans.append((" masked", "line--faint"))
        return [self.marked(cut(spans, width))]

    def row_text(self, row: int) -> str:
        """The value."""
        return whole_value(self._tree.rows[row])

    # What a person does

    def row_selected(self, row: int) -> None:
        """Open or close."""
        if self._tree.rows[row].open:
            self.close_row(row)
        else:
            self.open_row(row)

    def open_row(self, row: int) -> None:
        """Open a row."""
        with self.changing(keep_new=True):
            self._tree.open(row)

    def close_row(self, row: int) -> None:
        """Close a row."""
        with self.changing(keep_new=True):
            self._tree.close(row)

    def action_open(self) -> None:
        """Open the row, or go into it."""
        row = self.cursor
        if row is None:
            return
        node = self._tree.rows[row]
        if node.open:
            self.move_cursor(row + 1)
        else:
            self.open_row(row)

    def action_close(self) -> None:
        """Close the row, or go to the one around it."""
        row = self.cursor
        if row is None:
            return
        if self._tree.rows[row].open:
            self.close_row(row)
        else:
            self.move_cursor(self._tree.parent_row(row))

    def find_text(self, text: str, row: int, step: int) -> int | None:
        """The next node with this text, opened."""
        with self.changing(keep_new=True):
            return self._tree.search(text, row - step, step)

    def action_copy_value(self) -> None:
        """Copy the value under the cursor, masked unless secrets are revealed."""
        if (row := self.cursor) is not None:
            node = self._tree.rows[row]
            if not self.revealed and not isinstance(node.value, str):
                node = Node(node.key, mask(node.value), node.parent)
            self.copy(whole_value(node))
            self.post_message(self.Copied("value"))

    def action_copy_path(self) -> None:
        """Copy the path to the value under the cursor."""
        if (row := self.cursor) is not None:
            self.copy(self._tree.rows[row].path)
            self.post_message(self.Copied("path"))
