"""What a session service will refuse in a state, told by key name before it is sent.

ADK stores state as JSON: bytes and lone surrogates break SQLite, NUL
characters and lone surrogates PostgreSQL, NaN and infinity are no JSON at all
(ADK_FACTS: a failing append loses the whole event). The message of a database
names no key, so it is found here.
"""

import math
from collections.abc import Mapping
from typing import cast

from adk_tui.core.jsontools import JsonObject, as_text
from adk_tui.core.state import scope_of

MAX_DEPTH = 100
"""Nesting that every store takes; JSON readers give up at a few hundred levels."""

MAX_INTEGER = 1 << 63
"""Integers from here on come back from databases as something else."""


def refusals(state: JsonObject) -> dict[str, str]:
    """Why keys of a state cannot be stored, in words, by key. Empty when all can."""
    found: dict[str, str] = {}
    for key, value in cast("Mapping[object, object]", state).items():
        name = key if isinstance(key, str) else as_text(key)
        problem = _key(key) or _value(value, "", 0)
        if problem:
            found[name] = problem
    return found


def explain(problems: Mapping[str, str]) -> str:
    """The refusals as one sentence."""
    return " ".join(f"{key or '(empty)'}: {problem}." for key, problem in problems.items())


def fleeting(state: JsonObject) -> tuple[str, ...]:
    """The ``temp:`` keys: ADK drops them when it stores an event."""
    return tuple(key for key in state if scope_of(str(key)) == "temp")


def _key(key: object) -> str:
    if not isinstance(key, str):
        return f"a key must be text, not {type(key).__name__}"
    if not key or key in ("user:", "app:", "temp:"):
        return "a key needs a name"
    return _text(key, "the key")


def _value(value: object, where: str, depth: int) -> str:
    what = f"the value{f' at {where}' if where else ''}"
    if depth > MAX_DEPTH:
        return f"{what} is nested deeper than {MAX_DEPTH} levels"
    if value is None or isinstance(value, bool):
        return ""
    if isinstance(value, str):
        return _text(value, what)
    if isinstance(value, int):
        return f"{what} is too large a number" if not -MAX_INTEGER <= value < MAX_INTEGER else ""
    if isinstance(value, float):
        return "" if math.isfinite(value) else f"{what} is {value}, for which JSON has no word"
    if isinstance(value, Mapping):
        for key, item in cast("Mapping[object, object]", value).items():
            if not isinstance(key, str):
                return f"{what} has a key that is {type(key).__name__}, not text"
            inner = f"{where}.{key}" if where else key
            problem = _text(key, f"a key of {what}") or _value(item, inner, depth + 1)
            if problem:
                return problem
        return ""
    if isinstance(value, (list, tuple)):
        for index, item in enumerate(cast("list[object]", value)):
            if problem := _value(item, f"{where}[{index}]", depth + 1):
                return problem
        return ""
    return f"{what} is {type(value).__name__}, which is no JSON"


def _text(text: str, what: str) -> str:
    if "\0" in text:
        return f"{what} holds a NUL character, which databases refuse"
    if any("\ud800" <= c <= "\udfff" for c in text):
        return f"{what} holds half a character (a lone surrogate), which cannot be stored"
    return ""
