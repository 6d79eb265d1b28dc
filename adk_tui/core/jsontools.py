"""Total readers for JSON that somebody else wrote.

A stored session, an export or a server may hold anything where a string was
promised. These helpers turn "anything" into the type that was asked for, or
into an empty value, so that no reader of ours needs a type check of its own
and none of them can raise.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias, cast

Json: TypeAlias = "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None"
JsonObject: TypeAlias = Mapping[str, Any]

EMPTY: JsonObject = {}


def nothing() -> JsonObject:
    """The shared empty object, as a default of record fields."""
    return EMPTY


_SNAKE: dict[str, str] = {}


def _snake(camel: str) -> str:
    found = _SNAKE.get(camel)
    if found is None:
        found = "".join("_" + c.lower() if c.isupper() else c for c in camel)
        _SNAKE[camel] = found
    return found


def pick(source: JsonObject, camel: str) -> Any:
    """The value under a camelCase key or its snake_case spelling, else None.

    ADK writes camelCase (``by_alias``) in its servers and snake_case in some
    exports; both are the same field.
    """
    value = source.get(camel)
    if value is None:
        value = source.get(_snake(camel))
    return value


def parse(raw: bytes) -> Any:
    """The value that JSON bytes hold; None where they are no JSON."""
    try:
        return json.loads(raw)
    except (ValueError, RecursionError):
        return None


def as_object(value: object) -> JsonObject:
    """The value if it is a JSON object, else an empty one."""
    return cast(JsonObject, value) if isinstance(value, Mapping) else EMPTY


def as_list(value: object) -> Sequence[Any]:
    """The value if it is a JSON array (or any list, tuple, set), else an empty one."""
    if isinstance(value, (list, tuple)):
        return cast("Sequence[Any]", value)
    if isinstance(value, (set, frozenset)):
        return sorted(cast("set[Any]", value), key=str)
    return ()


def as_text(value: object) -> str:
    """The value if it is a string, the empty string for None, else its ``str``.

    What has no ``str`` (nested too deep, an integer of too many digits) gives
    the name of its type in angle brackets.
    """
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    try:
        return str(value)
    except (ValueError, RecursionError):
        return f"<{type(value).__name__}>"


def as_number(value: object, default: float = 0.0) -> float:
    """The value as a float; ``default`` where it is none (a bool is none)."""
    if isinstance(value, bool):
        return default
    if isinstance(value, (int, float)):
        try:
            return float(value)
        except OverflowError:
            return default
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            return default
    return default


def as_int(value: object, default: int = 0) -> int:
    """The value as an int; ``default`` where it is no finite number."""
    number = as_number(value, float("nan"))
    return default if number != number or number in (float("inf"), float("-inf")) else int(number)


def as_flag(value: object) -> bool:
    """True only for JSON ``true``."""
    return value is True
