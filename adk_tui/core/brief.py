"""JSON in a few words: bounded, safe to show, secrets masked.

A row of a list shows a call's arguments or a tool's result. Either may be
10 MB of base64 or nested 200 deep, so this writes until the room is used up and
looks at nothing behind that.
"""

import re
from collections.abc import Mapping
from typing import Any, cast

from adk_tui.core import sanitize
from adk_tui.core.jsontools import as_int

_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{200}")
_DATA_URI = re.compile(r"data:([\w.+-]{1,60}/[\w.+-]{1,60})?[;,]")
_VARIETY = 3
"""Different letters from which on a run is taken for data; zero bytes are encoded as one."""
_DEEPEST = 40


def size(count: float) -> str:
    """A number of bytes in words: ``812 B``, ``12 KB``, ``3.4 MB``; ``?`` where it is unknown."""
    if count < 0:
        return "?"
    for unit in ("B", "KB", "MB"):
        if count < 1000:
            return f"{count:.0f} {unit}" if count >= 10 or unit == "B" else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.1f} GB"


def binary_note(text: str) -> str:
    """``<base64 12 KB>`` where a string is encoded data, else the empty string."""
    if len(text) < 200:
        return ""
    uri = _DATA_URI.match(text, 0, 140)
    if uri:
        return f"<{uri[1] or 'data'} {size(len(text) * 3 // 4)}>"
    # One run of 200 letters without a blank at either end is no prose, unless it is all one line.
    ends = {*text[:200], *text[-200:]} - {"="}
    varied = len(ends) >= _VARIETY or ends == {"A"}
    if varied and _BASE64.match(text) and _BASE64.match(text, max(len(text) - 204, 0)):
        return f"<base64 {size(len(text.rstrip('=')) * 3 // 4)}>"
    return ""


def brief(value: object, limit: int = 200, *, reveal: bool = False) -> str:
    """A JSON value in at most ``limit`` characters of one line. Total.

    Encoded data shows as type and size; a string that is the whole value has
    no quotes.
    """
    if isinstance(value, str):
        return prose(value, limit, reveal=reveal)
    writer = _Writer(limit, reveal)
    writer.write(value, 0, False)
    return sanitize.line("".join(writer.pieces), limit)


def arguments(args: Mapping[str, Any], limit: int = 200, *, reveal: bool = False) -> str:
    """The arguments of a call as Python writes them, in the style of ``brief``."""
    writer = _Writer(limit, reveal)
    writer.fields(args, 0, False, "=")
    return sanitize.line("".join(writer.pieces), limit)


def prose(text: str, limit: int, *, reveal: bool = False) -> str:
    """Text in at most ``limit`` characters of one line, secrets masked; data as type and size."""
    note = binary_note(text)
    if note:
        return note
    if reveal:
        return sanitize.line(text, limit)
    # A secret cut in two would no longer look like one, so more is masked than shown.
    room = 2 * limit + 400
    masked = sanitize.mask_text(text[:room])
    if len(text) > room and len(masked) < limit:
        masked = re.sub(r"\S{0,400}\Z", "…", masked)
    return sanitize.line(masked, limit)


class _Writer:
    def __init__(self, limit: int, reveal: bool) -> None:
        self.pieces: list[str] = []
        self.room = limit + 1
        self.reveal = reveal

    def put(self, text: str) -> None:
        self.pieces.append(text)
        self.room -= len(text)

    def write(self, value: object, depth: int, secret: bool) -> None:
        if isinstance(value, str):
            self._text(value, secret)
        elif value is None or isinstance(value, bool):
            self.put({None: "null", True: "true", False: "false"}[value])
        elif isinstance(value, (int, float)):
            self.put(sanitize.MASK if secret else _number(value))
        elif isinstance(value, Mapping):
            self._object(cast("Mapping[Any, Any]", value), depth, secret)
        elif isinstance(value, (list, tuple)):
            self._list(cast("list[Any]", value), depth, secret)
        elif isinstance(value, (bytes, bytearray)):
            self.put(f"<bytes {size(len(value))}>")
        else:
            self.put(f"<{type(value).__name__}>")

    def _text(self, text: str, secret: bool) -> None:
        if secret and text:
            self.put(sanitize.MASK)
            return
        note = binary_note(text)
        self.put(note or f'"{prose(text, max(self.room, 8), reveal=self.reveal)}"')

    def _object(self, value: Mapping[Any, Any], depth: int, secret: bool) -> None:
        if value.get("$dumped") == "bytes":
            self.put(f"<bytes {size(as_int(value.get('size'), -1))}>")
            return
        if depth >= _DEEPEST:
            self.put("{…}")
            return
        self.put("{")
        if self.fields(value, depth, secret, ": "):
            self.put("}")

    def fields(self, value: Mapping[Any, Any], depth: int, secret: bool, equals: str) -> bool:
        """Write the fields of an object; False where the room was used up before the end."""
        for count, (key, item) in enumerate(value.items()):
            if self.room <= 0:
                return False
            name = str(key)
            self.put(f"{', ' if count else ''}{prose(name, 60, reveal=self.reveal)}{equals}")
            hidden = secret or (not self.reveal and sanitize.hides(name, item))
            self.write(item, depth + 1, hidden)
        return True

    def _list(self, value: list[Any], depth: int, secret: bool) -> None:
        if depth >= _DEEPEST:
            self.put("[…]")
            return
        self.put("[")
        for count, item in enumerate(value):
            if self.room <= 0:
                return
            if count:
                self.put(", ")
            self.write(item, depth + 1, secret)
        self.put("]")


def _number(value: float) -> str:
    try:
        return str(value)
    except ValueError:
        # Python refuses to print integers of more than 4,300 digits.
        return "<a very long number>"
