"""Values against JSON schemas that somebody else wrote, the model included.

A schema is untrusted: it may name a remote document, hold a pattern that never
ends, be of another dialect, or be none at all. Nothing here fetches anything,
hangs or raises.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from adk_tui.core.jsontools import JsonObject, as_list, as_object

DEPTH = 32
MESSAGE = 200
_ENDLESS = re.compile(r"\)\s*[*+{]|\\[1-9]")
"""A repeated group or a back reference: what makes a pattern take for ever."""
_TRUE = frozenset({"1", "on", "t", "true", "y", "yes"})
_FALSE = frozenset({"0", "off", "f", "false", "n", "no"})


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with a part of an answer. ``path`` is like ``items[0].name``, empty: all."""

    path: str
    message: str


def path_text(path: Sequence[str | int]) -> str:
    """A path into JSON as a person reads it: ``items[0].name``."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else str(step)
    return text


def resolve(schema: JsonObject, root: JsonObject) -> JsonObject:
    """The schema a local ``$ref`` points to (``#/$defs/Name``), with what stands beside it."""
    for _ in range(DEPTH):
        reference = schema.get("$ref")
        if not isinstance(reference, str) or not reference.startswith("#"):
            return schema
        found: Any = root
        for step in reference[1:].split("/")[1:]:
            found = as_object(found).get(step.replace("~1", "/").replace("~0", "~"))
        beside = {k: v for k, v in schema.items() if k != "$ref"}
        schema = {**as_object(found), **beside}
    return {}


def types_of(schema: JsonObject) -> tuple[str, ...]:
    """The types a schema allows, in lower case (Gemini's dialect writes ``STRING``)."""
    kind = schema.get("type")
    names = (kind,) if isinstance(kind, str) else as_list(kind)
    found = tuple(str(name).lower() for name in names)
    return (*found, "null") if schema.get("nullable") is True and found else found


def _plain(schema: Any, depth: int = 0) -> Any:
    """The schema in JSON Schema's own dialect, without patterns that could hang."""
    if depth > DEPTH or not isinstance(schema, Mapping):
        return schema
    clean: dict[str, Any] = {}
    for key, value in cast(JsonObject, schema).items():
        if key == "pattern" and not _harmless(value):
            continue
        if key in ("properties", "$defs", "definitions", "patternProperties"):
            parts = as_object(value).items()
            harmless = [(k, v) for k, v in parts if key != "patternProperties" or _harmless(k)]
            clean[key] = {k: _plain(v, depth + 1) for k, v in harmless}
        elif key in ("anyOf", "oneOf", "allOf", "prefixItems"):
            clean[key] = [_plain(v, depth + 1) for v in as_list(value)]
        elif key in ("items", "additionalProperties", "not", "if", "then", "else", "contains"):
            clean[key] = _plain(value, depth + 1)
        elif key != "nullable":
            clean[key] = value
    if types := types_of(cast(JsonObject, schema)):
        clean["type"] = types[0] if len(types) == 1 else list(types)
    return clean


def _harmless(pattern: object) -> bool:
    if not isinstance(pattern, str) or len(pattern) > 500 or _ENDLESS.search(pattern):
        return False
    try:
        re.compile(pattern)
    except (re.error, RecursionError, OverflowError):
        return False
    return True


def problems(value: Any, schema: JsonObject) -> tuple[Problem, ...]:
    """Where ``value`` violates ``schema``. A schema that is none is violated by nothing."""
    # Half of what the panes import, and few sessions need it.
    import jsonschema
    from jsonschema.validators import validator_for
    from referencing import Registry

    plain = _plain(schema)
    try:
        kind = validator_for(plain, default=jsonschema.Draft202012Validator)
        kind.check_schema(plain)
        validator = kind(plain, registry=Registry())
        errors = sorted(validator.iter_errors(value), key=lambda e: [str(p) for p in e.path])
    except Exception:
        # Whatever a strange schema makes of the validator: ADK checks types only, and so do we.
        return _by_type(value, schema)
    return tuple(_problem(e) for e in errors[:20])


def _by_type(value: Any, schema: JsonObject) -> tuple[Problem, ...]:
    types = types_of(schema)
    return () if not types or fits(value, types) else (Problem("", f"must be {_either(types)}"),)


def fits(value: Any, types: Sequence[str]) -> bool:
    """Whether a value is of one of the types, as JSON Schema sees it."""
    match value:
        case None:
            return "null" in types
        case bool():
            return "boolean" in types
        case int():
            return "integer" in types or "number" in types
        case float():
            return "number" in types or ("integer" in types and value.is_integer())
        case str():
            return "string" in types
        case Mapping():
            return "object" in types
        case _:
            return "array" in types


_ARTICLES = {
    "integer": "a whole number",
    "number": "a number",
    "string": "text",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "empty (null)",
}


def _either(types: Sequence[str]) -> str:
    return " or ".join(_ARTICLES.get(t, t) for t in types)


def _problem(error: Any) -> Problem:
    path = [*error.absolute_path]
    match error.validator:
        case "required":
            missing = [n for n in as_list(error.validator_value) if n not in error.instance]
            named = [n for n in missing if repr(n) in error.message]
            return Problem(path_text([*path, *named[:1]]), "is missing")
        case "type":
            expected = error.validator_value
            kinds = (expected,) if isinstance(expected, str) else as_list(expected)
            return Problem(path_text(path), f"must be {_either([str(k) for k in kinds])}")
        case "enum":
            options = ", ".join(json.dumps(v, ensure_ascii=False) for v in error.validator_value)
            return Problem(path_text(path), _short(f"must be one of {options}"))
        case "anyOf" | "oneOf":
            return Problem(path_text(path), "fits none of the forms that are allowed here")
        case _:
            return Problem(path_text(path), _short(str(error.message)))


def _short(text: str) -> str:
    return text if len(text) <= MESSAGE else text[: MESSAGE - 1] + "…"


def convert(value: Any, schema: JsonObject, root: JsonObject | None = None, depth: int = 0) -> Any:
    """What a person typed as the type the schema wants, where the text says it plainly.

    The words are those ADK's own check accepts (pydantic's lax mode): ``"5"``
    for a number, ``"yes"`` for true. What cannot be converted stays as it is,
    for ``problems`` to name. An empty optional property is left out.
    """
    whole = schema if root is None else root
    here = resolve(schema, whole)
    if depth > DEPTH:
        return value
    for key in ("anyOf", "oneOf"):
        if options := as_list(here.get(key)):
            return _first_fit(value, [as_object(o) for o in options], whole, depth)
    types = types_of(here)
    if isinstance(value, str):
        return _from_text(value, here, types)
    if isinstance(value, Mapping) and "properties" in here:
        return _convert_object(cast(JsonObject, value), here, whole, depth)
    if isinstance(value, (list, tuple)) and isinstance(here.get("items"), Mapping):
        items = as_object(here["items"])
        return [convert(v, items, whole, depth + 1) for v in cast("Sequence[Any]", value)]
    return cast(Any, value)


def _first_fit(value: Any, options: list[JsonObject], root: JsonObject, depth: int) -> Any:
    definitions = {k: root[k] for k in ("$defs", "definitions") if k in root}
    whole = [{**definitions, **resolve(o, root)} for o in options]
    if any(not problems(value, option) for option in whole):
        return value
    for option in whole:
        converted = convert(value, option, root, depth + 1)
        if not problems(converted, option):
            return converted
    return value


def _convert_object(value: JsonObject, schema: JsonObject, root: JsonObject, depth: int) -> Any:
    properties = as_object(schema.get("properties"))
    required = as_list(schema.get("required"))
    converted: dict[str, Any] = {}
    for name, given in value.items():
        inner = as_object(properties.get(name))
        if name in properties and name not in required and _absent(given, inner, root):
            continue
        converted[name] = convert(given, inner, root, depth + 1) if inner else given
    return converted


def _absent(value: Any, schema: JsonObject, root: JsonObject) -> bool:
    here = resolve(schema, root)
    if value == "":
        return "string" not in types_of(here) and bool(types_of(here) or here.get("enum"))
    if value is None:
        definitions = {k: root[k] for k in ("$defs", "definitions") if k in root}
        return bool(problems(None, {**definitions, **here}))
    return False


def _from_text(text: str, schema: JsonObject, types: Sequence[str]) -> Any:
    options = as_list(schema.get("enum"))
    if options:
        named = [o for o in options if o == text] or [o for o in options if _spelled(o) == text]
        return named[0] if named else text
    if "string" in types or not types:
        return text
    word = text.strip().lower()
    if "integer" in types and (number := _number(text)) is not None and number == int(number):
        return int(number)
    if "number" in types and (number := _number(text)) is not None:
        return number
    if "boolean" in types and word in _TRUE | _FALSE:
        return word in _TRUE
    if "null" in types and word in ("", "null", "none"):
        return None
    if "array" in types or "object" in types:
        try:
            parsed: Any = json.loads(text)
        except (ValueError, RecursionError):
            return text
        return parsed if fits(parsed, types) else text
    return text


def _spelled(option: Any) -> str:
    return option if isinstance(option, str) else json.dumps(option)


def _number(text: str) -> int | float | None:
    try:
        return int(text.strip())
    except ValueError:
        pass
    try:
        number = float(text.strip())
    except ValueError:
        return None
    return number if abs(number) != float("inf") and number == number else None
