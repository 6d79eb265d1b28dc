"""JSON values as text for a screen."""

import json
from collections.abc import Mapping
from typing import Any, cast

from adk_tui.core.sanitize import json_safe, mask


def flat(value: object) -> str:
    """In one line."""
    return json_safe(json.dumps(value, ensure_ascii=False, default=str))


def pretty(value: object) -> str:
    """In as many lines as it takes."""
    return json_safe(json.dumps(value, indent=2, ensure_ascii=False, default=str))


def shown(key: str, value: Any) -> object:
    """The value under a key, masked where it is a secret."""
    masked = mask({key: value})
    return cast("Mapping[str, object]", masked).get(key) if isinstance(masked, Mapping) else value
