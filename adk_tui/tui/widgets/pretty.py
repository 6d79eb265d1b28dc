"""JSON written over several lines: bounded for a page, or whole for the clipboard."""

import json
from typing import cast

from adk_tui.core.brief import binary_note, brief
from adk_tui.core.jsontools import Json, as_list, as_object, as_text
from adk_tui.core.sanitize import json_safe, mask

DEEPEST = 60
"""Levels that are written out; what lies deeper is told in brief."""
LONGEST = 8_000
"""Characters of one string that are written out."""
MOST = 1_000
"""Items of one object or list that are written out."""


def pretty(value: object, reveal: bool) -> str:
    """The value as indented JSON that a page can hold, data as a note, secrets masked.

    Not yet safe for a screen: ``text_body`` makes it so.
    """
    # What is cut first need not be masked: masking ten million characters takes seconds.
    return whole_json(_bounded(value, 0), reveal)


def whole_json(value: object, reveal: bool) -> str:
    """All of the value as indented JSON, secrets masked unless revealed."""
    shown = value if reveal else mask(cast(Json, value))
    try:
        return json_safe(json.dumps(shown, indent=2, ensure_ascii=False, default=str))
    except (ValueError, RecursionError):
        return as_text(shown)


def _bounded(value: object, depth: int) -> object:
    if isinstance(value, str):
        if note := binary_note(value):
            return note
        rest = len(value) - LONGEST
        return f"{value[:LONGEST]}… {rest:,} more characters" if rest > 0 else value
    if not isinstance(value, (dict, list, tuple)):
        return value
    item = cast(object, value)
    if depth > DEEPEST:
        return brief(item, 200, reveal=True)
    if isinstance(item, dict):
        pairs = list(as_object(cast(object, item)).items())
        kept = {k: _bounded(v, depth + 1) for k, v in pairs[:MOST]}
        return kept if len(pairs) <= MOST else {**kept, "…": f"{len(pairs) - MOST:,} more"}
    items = as_list(item)
    rows = [_bounded(v, depth + 1) for v in items[:MOST]]
    return rows if len(items) <= MOST else [*rows, f"… {len(items) - MOST:,} more"]
