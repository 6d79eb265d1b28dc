"""Values out of words: what a piece of text is worth as a parameter's type."""

import json
import re
from typing import Any, cast

from adk_tui.engine.declarations import Parameter, words
from adk_tui.engine.lexicon import ARTICLES, BLANK, NUMBER, NUMBER_WORDS

PUNCTUATION = " \t\n.,;:!?'\""

MISSING: Any = object()
"""No value; ``None`` would be one."""


def number(text: str) -> int | float:
    """A matched number or number word as its value."""
    low = text.lower()
    if low in NUMBER_WORDS:
        return NUMBER_WORDS[low]
    plain = re.sub(r"[^\d.\-]", "", text)
    return float(plain) if "." in plain else int(plain)


def coerce(parameter: Parameter, text: str) -> Any:
    """``text`` as a value of the parameter's type, or ``MISSING`` where it is none."""
    raw = text.strip().strip("\"'`“”").strip()
    if not raw:
        return MISSING
    if parameter.enum and parameter.type != "array":
        low = raw.lower().replace("_", " ")
        return next((v for v in parameter.enum if str(v).lower().replace("_", " ") == low), MISSING)
    match parameter.type:
        case "integer" | "number":
            found = NUMBER.fullmatch(raw)
            if not found:
                return MISSING
            value = number(raw)
            if parameter.type == "number":
                return value
            return int(value) if value == int(value) else MISSING
        case "boolean":
            if raw.lower() in ("yes", "true", "on", "y", "sure", "ok"):
                return True
            return False if raw.lower() in ("no", "false", "off", "n", "none") else MISSING
        case "array" | "object":
            try:
                value: object = json.loads(raw)
            except ValueError:
                return MISSING
            right = isinstance(value, list if parameter.type == "array" else dict)
            return cast(Any, value) if right else MISSING
        case _:
            return raw


class Sentence:
    """A text of which parts have been used. Blanked parts are boundaries for what follows."""

    def __init__(self, text: str) -> None:
        self.text = text

    def take(self, start: int, end: int) -> str:
        """Use a span up: it is returned, and blank from now on."""
        taken = self.text[start:end]
        self.text = self.text[:start] + BLANK * (end - start) + self.text[end:]
        return taken

    def around(self, start: int, end: int) -> tuple[list[str], list[str]]:
        """Up to three words before, and two after, a span."""
        before = re.findall(r"[\w$€£]+", self.text[:start].replace(BLANK, " "))[-3:]
        return before, re.findall(r"[\w$€£]+", self.text[end:].split(BLANK)[0])[:2]


def open_strings(parameters: tuple[Parameter, ...], args: dict[str, Any]) -> list[Parameter]:
    """The string parameters without fixed values that have none yet, required ones first."""
    left = [p for p in parameters if p.type in ("string", "") and not p.enum and p.name not in args]
    return sorted(left, key=lambda p: not p.required)


def is_id(p: Parameter) -> bool:
    """Whether a parameter is an identifier, by the last word of its name."""
    ordered = [word.lower() for word in words(p.name)]
    return bool(ordered) and ordered[-1] in ("id", "number", "no", "reference")


def clean(phrase: str) -> str:
    """A phrase without articles, fillers and punctuation at its ends."""
    text = phrase.replace(BLANK, " ").strip(PUNCTUATION)
    text = re.sub(rf"^(?:{ARTICLES})+", "", text + " ", flags=re.IGNORECASE).strip()
    text = re.sub(r"(?:[\s,]+(?:please|now|too|and|or|thanks))+$", "", text, flags=re.IGNORECASE)
    return text.strip(PUNCTUATION)
