"""JSON written over several lines, to be read on a page: masked, data as a note."""

import json
from typing import cast

from adk_tui.core.brief import binary_note, brief
from adk_tui.core.jsontools import Json, as_list, as_object, as_text
from adk_tui.core.sanitize import mask

DEEPEST = 60
"""Levels that are written out; what lies deeper is told in brief."""


def pretty(value: object, reveal: bool) -> str:
    """The value as indented JSON. Not yet safe for a screen: ``text_body`` makes it so."""
    shown = value if reveal else mask(cast(Json, value))
    try:
        return json.dumps(_noted(shown, 0), indent=2, ensure_ascii=False, default=str)
    except (ValueError, RecursionError):
        return as_text(shown)


def _noted(value: object, depth: int) -> object:
    if isinstance(value, str):
        return binary_note(value) or value
    if not isinstance(value, (dict, list, tuple)):
        return value
    item = cast(object, value)
    if depth > DEEPEST:
        return brief(item, 200, reveal=True)
    if isinstance(item, dict):
        return {k: _noted(v, depth + 1) for k, v in as_object(cast(object, item)).items()}
    return [_noted(v, depth + 1) for v in as_list(item)]
