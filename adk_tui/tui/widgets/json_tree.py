"""A JSON value as a tree that grows only where somebody looks.

Rows are made when their parent is opened, a page of children at a time, so that
an event of a megabyte shows its first screen as fast as a small one. Nothing
recurses: two hundred levels are as safe as two. Secrets are masked when their
row is made; data in base64 is its type and size.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from adk_tui.core.jsontools import as_list, as_object
from adk_tui.core.sanitize import clean, is_secret, json_safe, mask, mask_text
from adk_tui.core.sanitize import line as one

PAGE = 500
"""Children shown at a time."""
LONG = 64 * 1024
"""Characters from which a text is masked only as far as it is looked at."""
_ROWS = 150
_BASE64 = re.compile(r"[A-Za-z0-9+/_\-\r\n]{120,}={0,2}\s*")
_PLAIN_KEY = re.compile(r"[A-Za-z_$][\w$-]*")
_SAMPLE = 2000


class Node:
    """One row: a value under a key, a line of a long string, or the rest of a long list."""

    __slots__ = ("count", "depth", "key", "kind", "open", "parent", "raw", "secret", "value")

    def __init__(
        self, key: str | int | None, value: Any, parent: "Node | None", kind: str = ""
    ) -> None:
        self.key = key
        self.value = value
        self.parent = parent
        self.depth: int = 0 if parent is None else parent.depth + 1
        self.kind = kind or kind_of_value(value)
        self.open = False
        self.secret = False
        self.raw = False
        """Whether ``value`` is a long text of which secrets are still to be masked."""
        self.count = len(value) if self.kind in ("object", "array") else 0

    @property
    def can_open(self) -> bool:
        """Whether there is something below it."""
        if self.kind in ("object", "array"):
            return self.count > 0
        return self.kind == "text"

    def text(self, limit: int = 0) -> str:
        """The string it holds, or its first ``limit`` characters; masked where it must be.

        Masking ten million characters takes half a second, so a long text is
        masked as far as it is shown, and as a whole when it is opened or copied.
        """
        value = cast(str, self.value)
        if not self.raw:
            return value[:limit] if limit else value
        if limit:
            # A secret that lies across the cut is masked as a whole first.
            return mask_text(value[: limit + 1_000])[:limit]
        self.value, self.raw = mask_text(value), False
        return self.value

    @property
    def path(self) -> str:
        """The way to it: ``content.parts[0].text``; keys that are no names in brackets."""
        keys: list[str | int] = []
        node: Node | None = self
        while node is not None:
            if node.key is not None and node.kind not in ("line", "more"):
                keys.append(node.key)
            node = node.parent
        out = ""
        for key in reversed(keys):
            if isinstance(key, int):
                out += f"[{key}]"
            elif _PLAIN_KEY.fullmatch(key):
                out += f".{key}" if out else key
            else:
                out += f"[{json.dumps(key)}]"
        return out or "$"


def kind_of_value(value: Any) -> str:
    """``object``, ``array``, ``string``, ``text`` (a string of several lines), ``base64`` …"""
    if isinstance(value, Mapping):
        return "object"
    if isinstance(value, (list, tuple)):
        return "array"
    if isinstance(value, str):
        return "text" if "\n" in value or len(value) > 80 else "string"
    if isinstance(value, bool):
        return "bool"
    if value is None:
        return "null"
    return "number" if isinstance(value, (int, float)) else "other"


def is_base64(value: str, sibling: Any = None) -> bool:
    """Whether a string is data: it stands beside a MIME type, or has only base64's letters."""
    if len(value) < 120:
        return False
    sample = value[:_SAMPLE]
    if len(value) > _SAMPLE:
        sample = sample.rstrip("=")
    return _BASE64.fullmatch(sample) is not None and (
        sibling is not None or (not sample.isalpha() and any(c.isdigit() for c in sample))
    )


class JsonTree:
    """The visible rows of a JSON value."""

    def __init__(self, value: Any, *, revealed: bool = False) -> None:
        self.revealed = revealed
        self.root = Node(None, value, None)
        self.rows: list[Node] = [self.root]
        self._open_first()

    @classmethod
    def of_bytes(cls, raw: bytes, *, revealed: bool = False) -> "JsonTree":
        """The tree of a JSON document; of bytes that are none, one text with all of them."""
        try:
            value = json.loads(raw)
        except (ValueError, RecursionError):
            value = raw.decode("utf-8", "backslashreplace")
            return cls(value if revealed else mask_text(value), revealed=revealed)
        return cls(value, revealed=revealed)

    def _open_first(self) -> None:
        """Open from the top, level by level, as long as it fits a few screens."""
        level = [self.root]
        while level and len(self.rows) < _ROWS:
            below: list[Node] = []
            for node in level:
                if node.kind not in ("object", "array") or not node.can_open:
                    continue
                if len(self.rows) + min(node.count, PAGE) > _ROWS and node is not self.root:
                    continue
                self.open(self.rows.index(node))
                row = self.rows.index(node)
                below += self.rows[row + 1 : row + 1 + min(node.count, PAGE)]
            level = below

    def open(self, row: int) -> int:
        """Open a row; how many rows came."""
        node = self.rows[row]
        if node.kind == "more":
            return self._open_more(row)
        if node.open or not node.can_open:
            return 0
        node.open = True
        children = list(self._children(node, 0))
        self.rows[row + 1 : row + 1] = children
        return len(children)

    def _open_more(self, row: int) -> int:
        node = self.rows[row]
        parent, start = cast(Node, node.parent), cast(int, node.value)
        children = list(self._children(parent, start))
        self.rows[row : row + 1] = children
        return len(children) - 1

    def close(self, row: int) -> None:
        """Close a row and all below it."""
        node = self.rows[row]
        if not node.open:
            return
        node.open = False
        end = row + 1
        while end < len(self.rows) and self.rows[end].depth > node.depth:
            end += 1
        del self.rows[row + 1 : end]

    def parent_row(self, row: int) -> int:
        """The row of the value around this one; of the outermost, itself."""
        depth = self.rows[row].depth
        while row > 0 and self.rows[row].depth >= depth:
            row -= 1
        return row

    def _children(self, node: Node, start: int) -> Iterator[Node]:
        if node.kind == "text":
            lines = node.text().split("\n")
            pairs: Sequence[tuple[str | int, Any]] = list(enumerate(lines))
        elif node.kind == "object":
            pairs = list(as_object(node.value).items())
        else:
            pairs = list(enumerate(as_list(node.value)))
        kind = "line" if node.kind == "text" else ""
        mime = as_object(node.value).get("mimeType") or as_object(node.value).get("mime_type")
        for key, value in pairs[start : start + PAGE]:
            child = Node(key, value, node, kind)
            if not kind:
                self._guard(child, mime)
            yield child
        if start + PAGE < len(pairs):
            rest = Node(len(pairs) - start - PAGE, start + PAGE, node, "more")
            yield rest

    def _guard(self, child: Node, mime: Any) -> None:
        """Mask a secret and recognise data, before anything of it is shown."""
        value = child.value
        if isinstance(value, str) and is_base64(value, mime if child.key == "data" else None):
            child.kind = "base64"
            child.count = len(value.rstrip("=\r\n")) * 3 // 4
        if self.revealed:
            return
        key = str(child.key)
        named = isinstance(child.key, str) and is_secret(key)
        if not named and (not isinstance(value, str) or child.kind == "base64"):
            return
        if not named and isinstance(value, str) and len(value) > LONG:
            child.raw = True
            return
        shown = as_object(mask({key: value})).get(key)
        if isinstance(value, str):
            if shown == value:
                return
            child.kind = kind_of_value(shown)
            child.count = 0
        child.value = shown
        child.secret = True

    def search(self, text: str, row: int, step: int = 1) -> int | None:
        """The next row (opened if need be) that contains the text; None if there is none.

        Values not yet opened are searched too.
        """
        wanted = text.casefold()
        order = list(range(row + step, len(self.rows) if step > 0 else -1, step))
        order += list(range(0 if step > 0 else len(self.rows) - 1, row + step, step))
        for at in order:
            if at >= len(self.rows):
                break
            node = self.rows[at]
            if wanted in row_text(node).casefold():
                return at
            if not node.open and node.can_open and self._holds(node, wanted):
                return self._open_to(at, wanted)
        return None

    def _open_to(self, row: int, wanted: str) -> int:
        """Open rows below until the one that contains the text is visible."""
        while True:
            end = row + 1 + self.open(row)
            for at in range(row + 1, end):
                node = self.rows[at]
                if wanted in row_text(node).casefold():
                    return at
                if node.kind == "more":
                    row = at
                    break
                if node.can_open and self._holds(node, wanted):
                    row = at
                    break
            else:
                return row

    def _holds(self, node: Node, wanted: str) -> bool:
        """Whether a closed value contains the text, in a key or below."""
        stack: list[Any] = [node.value]
        while stack:
            value = stack.pop()
            if isinstance(value, Mapping):
                for key, below in as_object(cast(object, value)).items():
                    if wanted in str(key).casefold():
                        return True
                    if self.revealed or not is_secret(str(key)):
                        stack.append(below)
            elif isinstance(value, (list, tuple)):
                stack += as_list(cast(object, value))
            elif wanted in (value if isinstance(value, str) else json.dumps(value)).casefold():
                return True
        return False


def row_text(node: Node) -> str:
    """What a row says, without its key's colour: for search and the clipboard."""
    return f"{node.key if node.key is not None else ''}: {short_value(node, 100_000)}"


def short_value(node: Node, limit: int = 400) -> str:
    """A value on one safe line."""
    value = node.value
    match node.kind:
        case "object":
            return f"{{{node.count}}}" if node.count else "{}"
        case "array":
            return f"[{node.count}]" if node.count else "[]"
        case "base64":
            return f"base64, {node.count:,} bytes"
        case "text" | "string":
            # More than fits, so that it is told that some is missing.
            return f'"{one(node.text(limit + 1_000), limit)}"'
        case "line":
            return one(node.text(limit + 1_000), limit)
        case "more":
            return f"… {node.key:,} more"
        case "bool" | "null" | "number":
            return json.dumps(value)
        case _:
            return one(str(value), limit)


def whole_value(node: Node) -> str:
    """A value for the clipboard: a string as it is, anything else as JSON; secrets as shown."""
    if isinstance(node.value, str):
        return clean(node.text())
    try:
        return json_safe(json.dumps(node.value, indent=2, ensure_ascii=False, default=str))
    except (ValueError, RecursionError):
        return str(node.value)
