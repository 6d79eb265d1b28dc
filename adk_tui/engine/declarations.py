"""A tool as the offline model sees it: the declaration a real model would get, read once.

ADK writes declarations in two dialects, JSON Schema (``parameters_json_schema``)
and genai's own ``Schema`` (``parameters``, upper-case types). Both end here in
one flat shape, so that no rule has to know which one it was.
"""

import re
from dataclasses import dataclass
from typing import cast

from google.genai import types

from adk_tui.core.jsontools import JsonObject, as_list, as_object, as_text, pick

_SUFFIXES = (
    "isations",
    "izations",
    "isation",
    "ization",
    "ements",
    "ement",
    "ments",
    "ment",
    "ations",
    "ation",
    "izers",
    "isers",
    "izer",
    "iser",
    "ising",
    "izing",
    "ised",
    "ized",
    "ises",
    "izes",
    "ise",
    "ize",
    "ings",
    "ing",
    "ies",
    "ied",
    "ed",
    "es",
    "s",
    "e",
    "y",
)

_SECTION = re.compile(r"^\s*(?:Args|Arguments|Parameters|Returns|Raises):", re.MULTILINE)


def stem(word: str) -> str:
    """A crude stem that makes ``reimburse``, ``reimbursing`` and ``reimbursement`` one word."""
    low = word.lower()
    for suffix in _SUFFIXES:
        if low.endswith(suffix) and len(low) - len(suffix) >= 3:
            return low[: -len(suffix)]
    return low


def words(text: str) -> list[str]:
    """The words of a text or an identifier: ``get_stockPrice`` has three."""
    spaced = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", text.replace("_", " "))
    return re.findall(r"[^\W_]+", spaced)


def stems(text: str) -> frozenset[str]:
    """The stems of all words of a text or an identifier."""
    return frozenset(stem(word) for word in words(text))


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter. ``type`` is JSON Schema's word, empty for "anything".

    ``enum`` holds the allowed values of the parameter, or of an array's items;
    ``item`` is the type of an array's items; ``fields`` are an object's.
    """

    name: str
    type: str = "string"
    required: bool = False
    description: str = ""
    enum: tuple[str | int | float | bool, ...] = ()
    item: str = ""
    fields: tuple["Parameter", ...] = ()

    @property
    def stems(self) -> frozenset[str]:
        """The stems of the words of its name."""
        return stems(self.name)

    @property
    def words(self) -> frozenset[str]:
        """The lower-case words of its name."""
        return frozenset(word.lower() for word in words(self.name))


@dataclass(frozen=True, slots=True)
class Tool:
    """One declared tool; ``description`` without its ``Args:`` section."""

    name: str
    description: str = ""
    parameters: tuple[Parameter, ...] = ()
    required: tuple[Parameter, ...] = ()

    def parameter(self, name: str) -> Parameter | None:
        """The parameter of that name."""
        return next((p for p in self.parameters if p.name == name), None)

    def missing(self, args: JsonObject) -> tuple[Parameter, ...]:
        """The required parameters that ``args`` has no value for."""
        return tuple(p for p in self.required if p.name not in args)


def _resolve(schema: JsonObject, definitions: JsonObject, depth: int = 0) -> JsonObject:
    """The schema with ``$ref`` followed and ``Optional`` unwrapped."""
    if depth > 8:
        return {}
    if reference := as_text(schema.get("$ref")):
        target = as_object(definitions.get(reference.rsplit("/", 1)[-1]))
        return _resolve(target, definitions, depth + 1)
    for key in ("anyOf", "oneOf", "allOf"):
        for option in as_list(pick(schema, key)):
            branch = as_object(option)
            if as_text(branch.get("type")).lower() != "null":
                return _resolve(branch, definitions, depth + 1)
    return schema


def _type(schema: JsonObject) -> str:
    kind = schema.get("type")
    if not isinstance(kind, str):
        kind = next((k for k in as_list(kind) if k != "null"), "")
    return as_text(kind).lower().replace("type_unspecified", "")


def _enum(schema: JsonObject) -> tuple[str | int | float | bool, ...]:
    values = as_list(schema.get("enum"))
    if "const" in schema:
        values = (*values, schema["const"])
    return tuple(v for v in values if isinstance(v, (str, int, float, bool)))


def read_parameters(
    schema: JsonObject, definitions: JsonObject | None = None, doc: str = "", depth: int = 0
) -> tuple[Parameter, ...]:
    """The parameters of an object schema, in order; ``doc`` may describe them in ``Args:``."""
    known = as_object(schema.get("$defs")) if definitions is None else definitions
    needed = {as_text(name) for name in as_list(schema.get("required"))}
    found: list[Parameter] = []
    for name, value in as_object(schema.get("properties")).items():
        outer = as_object(value)
        inner = _resolve(outer, known)
        kind = _type(inner)
        items = _resolve(as_object(inner.get("items")), known)
        described = as_text(outer.get("description")) or as_text(inner.get("description"))
        if not described:
            line = re.search(rf"^\s*{re.escape(name)}(?: ?\([^)]*\))?:\s*(.+)$", doc, re.MULTILINE)
            described = line.group(1) if line else ""
        found.append(
            Parameter(
                name=name,
                type=kind,
                required=name in needed,
                description=described.strip().rstrip("."),
                enum=_enum(items) if kind == "array" else _enum(inner),
                item=_type(items),
                fields=read_parameters(inner, known, "", depth + 1)
                if kind == "object" and depth < 4
                else (),
            )
        )
    return tuple(found)


def read_tool(declaration: types.FunctionDeclaration) -> Tool:
    """A declaration of either dialect as a ``Tool``."""
    source: JsonObject = as_object(declaration.parameters_json_schema)
    if not source and declaration.parameters is not None:
        source = declaration.parameters.model_dump(mode="json", by_alias=True, exclude_none=True)
    doc = declaration.description or ""
    parameters = read_parameters(source, None, doc)
    return Tool(
        name=declaration.name or "",
        description=_SECTION.split(doc)[0].strip(),
        parameters=parameters,
        required=tuple(p for p in parameters if p.required),
    )


def read_tools(config: types.GenerateContentConfig | None) -> tuple[Tool, ...]:
    """All function tools of a request, in order. Built-in tools declare nothing: left out."""
    declared = cast("list[object]", getattr(config, "tools", None) or [])
    return tuple(
        read_tool(declaration)
        for tool in declared
        if isinstance(tool, types.Tool)
        for declaration in tool.function_declarations or ()
        if declaration.name
    )
