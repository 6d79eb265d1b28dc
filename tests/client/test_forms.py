"""Schemas as forms."""

from adk_tui.client.forms import Field, assemble, form_fields, sample_schema
from tests.client.golden_tickets import first_ticket


def test_a_pydantic_form_becomes_fields_in_order() -> None:
    fields = form_fields(first_ticket("input_wf_form").schema)
    assert [(f.name, f.kind, f.required, f.nullable) for f in fields] == [
        ("approved", "boolean", True, False),
        ("amount", "number", True, False),
        ("note", "string", False, True),
    ]
    assert fields[2].has_default
    assert fields[2].label == "Note"


def test_no_schema_is_one_text_and_a_plain_type_one_field() -> None:
    (free,) = form_fields(None)
    assert (free.path, free.kind) == ((), "string")
    (number,) = form_fields({"type": "integer"})
    assert (number.path, number.kind) == ((), "integer")
    assert assemble((number,), {(): "4"}) == "4"


def test_nested_objects_lists_enums_and_references_are_described() -> None:
    schema = {
        "type": "object",
        "required": ["who"],
        "properties": {
            "who": {"$ref": "#/$defs/Who"},
            "tags": {"type": "array", "items": {"type": "string"}},
            "size": {"enum": ["S", "M"], "description": "How big", "default": "M"},
            "any": {},
            "both": {"type": ["string", "integer"]},
        },
        "$defs": {"Who": {"type": "object", "properties": {"name": {"type": "string"}}}},
    }
    who, tags, size, free, both = form_fields(schema)
    assert who.kind == "object"
    assert who.fields[0].path == ("who", "name")
    assert tags.item is not None
    assert tags.item.kind == "string"
    assert (size.options, size.default, size.description) == (("S", "M"), "M", "How big")
    assert (free.kind, both.kind) == ("json", "json")


def test_a_schema_that_refers_to_itself_ends() -> None:
    schema = {
        "type": "object",
        "properties": {"next": {"$ref": "#"}},
    }

    def depth(fields: tuple[Field, ...]) -> int:
        return 1 + depth(fields[0].fields) if fields else 0

    assert 1 < depth(form_fields(schema)) < 20


def test_entered_values_make_the_answer_and_empty_optional_ones_do_not() -> None:
    schema = {
        "type": "object",
        "required": ["name"],
        "properties": {
            "name": {"type": "string"},
            "age": {"type": "integer"},
            "home": {"type": "object", "properties": {"city": {"type": "string"}}},
        },
    }
    fields = form_fields(schema)
    assert assemble(fields, {("name",): "", ("age",): "", ("home", "city"): ""}) == {"name": ""}
    assert assemble(fields, {("name",): "n", ("age",): "3", ("home", "city"): "x"}) == {
        "name": "n",
        "age": "3",
        "home": {"city": "x"},
    }


def test_a_payload_nobody_described_becomes_a_form_with_its_values() -> None:
    fields = form_fields(
        sample_schema({"days": 3, "note": "hi", "paid": False, "deep": {"x": 1.5}})
    )
    assert [(f.name, f.kind, f.default) for f in fields[:3]] == [
        ("days", "integer", 3),
        ("note", "string", "hi"),
        ("paid", "boolean", False),
    ]
    assert fields[3].fields[0].kind == "number"
