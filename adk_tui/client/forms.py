"""A JSON schema as a form, described so that a screen and a line mode can both draw it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, cast

from adk_tui.client.schemas import resolve, types_of
from adk_tui.core.jsontools import JsonObject, as_list, as_object, as_text
from adk_tui.core.masking import is_secret, mask

FieldKind: TypeAlias = Literal[
    "string", "integer", "number", "boolean", "enum", "array", "object", "json"
]
Path: TypeAlias = tuple[str, ...]

DEPTH = 6
"""Nesting after which a field is edited as JSON."""


@dataclass(frozen=True, slots=True)
class Field:
    """One thing to fill in.

    ``path`` leads from the answer to the value; it is empty where the answer
    is that one value. ``options`` are an enum's values. ``fields`` are those of
    an object, ``item`` describes the elements of an array. ``default`` counts
    only where ``has_default``. ``secret`` must not be echoed. A ``json`` field
    is any JSON.
    """

    path: Path
    name: str
    kind: FieldKind
    label: str = ""
    description: str = ""
    required: bool = False
    nullable: bool = False
    default: Any = None
    has_default: bool = False
    options: tuple[Any, ...] = ()
    item: "Field | None" = None
    fields: tuple["Field", ...] = ()
    secret: bool = False

    @property
    def is_plain_list(self) -> bool:
        """Whether it is a list of single values: their texts do, which the check converts."""
        single = ("string", "integer", "number", "boolean", "enum")
        return self.kind == "array" and self.item is not None and self.item.kind in single


def form_fields(schema: JsonObject | None) -> tuple[Field, ...]:
    """The fields of a schema: an object's properties in order, else one field.

    Without a schema, and for a schema this cannot read, one field: text, or JSON.
    """
    if not schema:
        return (Field((), "", "string", "Answer"),)
    root = _field((), "", schema, schema, required=True, depth=0)
    return root.fields if root.kind == "object" and root.fields else (root,)


def _field(
    path: Path, name: str, schema: JsonObject, root: JsonObject, *, required: bool, depth: int
) -> Field:
    here, nullable = _without_null(resolve(schema, root), root)
    label = as_text(here.get("title")) or name.replace("_", " ") or "Answer"
    described: dict[str, Any] = {
        "label": label,
        "description": as_text(here.get("description")),
        "required": required,
        "nullable": nullable,
        "default": here.get("default"),
        "has_default": "default" in here,
        "secret": is_secret(name) or mask(here.get("default")) != here.get("default"),
    }
    if options := as_list(here.get("enum")):
        return Field(path, name, "enum", options=tuple(options), **described)
    if "const" in here:
        return Field(path, name, "enum", options=(here["const"],), **described)
    types = [t for t in types_of(here) if t != "null"]
    if len(types) != 1 or depth >= DEPTH:
        return Field(path, name, "json", **described)
    match types[0]:
        case "string" | "integer" | "number" | "boolean" as kind:
            return Field(path, name, kind, **described)
        case "array":
            items = as_object(here.get("items"))
            item = _field(path, "", items, root, required=True, depth=depth + 1) if items else None
            return Field(path, name, "array", item=item, **described)
        case "object":
            wanted = as_list(here.get("required"))
            fields = tuple(
                _field((*path, key), key, as_object(value), root, required=key in wanted,
                       depth=depth + 1)
                for key, value in as_object(here.get("properties")).items()
            )  # fmt: skip
            return Field(path, name, "object" if fields else "json", fields=fields, **described)
        case _:
            return Field(path, name, "json", **described)


def _without_null(schema: JsonObject, root: JsonObject) -> tuple[JsonObject, bool]:
    """A schema without its ``null`` branch (pydantic's Optional), and whether it had one."""
    for key in ("anyOf", "oneOf"):
        options = [resolve(as_object(o), root) for o in as_list(schema.get(key))]
        rest = [o for o in options if types_of(o) != ("null",)]
        if len(rest) == 1:
            beside = {k: v for k, v in schema.items() if k != key}
            return {**rest[0], **beside}, len(rest) < len(options)
    return schema, "null" in types_of(schema)


def assemble(fields: tuple[Field, ...], entered: Mapping[Path, Any]) -> Any:
    """The answer that the entered values make, by path.

    Empty text and ``None`` leave a field out unless it is required: then it is
    sent as it is, and the check says what is missing. Texts are converted by
    the check, not here.
    """
    if len(fields) == 1 and not fields[0].path:
        return entered.get(())
    return _object(fields, entered)


def _object(fields: tuple[Field, ...], entered: Mapping[Path, Any]) -> dict[str, Any]:
    answer: dict[str, Any] = {}
    for field in fields:
        if field.kind == "object" and field.path not in entered:
            inner = _object(field.fields, entered)
            if inner or field.required:
                answer[field.name] = inner
            continue
        if field.path not in entered:
            continue
        value = entered[field.path]
        if value in ("", None) and (not field.required or field.kind != "string"):
            continue
        answer[field.name] = value
    return answer


def sample_schema(value: Any, depth: int = 0) -> JsonObject:
    """A schema that fits a sample, to make a form for a payload nobody described."""
    match value:
        case bool():
            return {"type": "boolean", "default": value}
        case int():
            return {"type": "integer", "default": value}
        case float():
            return {"type": "number", "default": value}
        case str():
            return {"type": "string", "default": value}
        case Mapping() if depth < DEPTH:
            source = cast(JsonObject, value)
            properties = {str(k): sample_schema(v, depth + 1) for k, v in source.items()}
            return {"type": "object", "properties": properties}
        case list() | tuple():
            return {"type": "array", "default": value}
        case _:
            return {"default": value}
