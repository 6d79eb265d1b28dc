"""What a person types for a state: a value, or ``KEY=VALUE`` pairs."""

import json
import shlex
from typing import Any, NoReturn


def value_of(text: str) -> Any:
    """The text as JSON where it is JSON, else as itself. NaN and infinity are no JSON."""
    try:
        return json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return text.strip()


def state_of(text: str) -> dict[str, Any]:
    """A state from ``KEY=VALUE`` pairs with spaces between, or from one JSON object.

    Raises ValueError with a sentence that says what is wrong.
    """
    text = text.strip()
    if text.startswith("{"):
        try:
            found = json.loads(text, parse_constant=_refuse)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"This is not JSON: {error}.") from error
        return dict(found)
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise ValueError(f"A quote is not closed ({error}).") from error
    state: dict[str, Any] = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals or not key:
            raise ValueError(
                f"{word!r} is not KEY=VALUE. Write city=Paris or 'limits={{\"max\": 3}}'."
            )
        state[key] = value_of(value)
    return state


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON")
