"""What a person types: JSON, a value of a state, or ``KEY=VALUE`` pairs."""

import json
import shlex
from typing import Any, NoReturn


def read_json(text: str) -> Any:
    """The value of a JSON text; NaN and infinity, which Python would take, are none.

    Raises ValueError, and JSONDecodeError where it is known in which column.
    """
    try:
        return json.loads(text, parse_constant=_refuse)
    except RecursionError:
        raise ValueError("is nested too deeply") from None


def value_of(text: str) -> Any:
    """The text as JSON where it is JSON, else as itself."""
    try:
        return read_json(text)
    except ValueError:
        return text.strip()


def state_of(text: str) -> dict[str, Any]:
    """A state from ``KEY=VALUE`` pairs with spaces between, or from one JSON object.

    Raises ValueError with a sentence that says what is wrong.
    """
    text = text.strip()
    if text.startswith("{"):
        try:
            found = read_json(text)
        except ValueError as error:
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
    raise ValueError(f"{constant} is no JSON number")
