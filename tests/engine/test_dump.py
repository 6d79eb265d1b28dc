"""ADK's objects as JSON: its own where that is true, marked where it is not, never an exception."""

import json
import math
from datetime import datetime
from typing import Any

import pytest
from google.adk.events.event import Event
from google.adk.events.event_actions import EventActions
from google.adk.models.llm_request import LlmRequest
from google.genai import types
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from adk_tui.engine.dump import MAX_BYTES, dump, dump_event, plain, restore


def with_state(value: Any) -> Event:
    return Event(author="a", actions=EventActions(state_delta={"k": value}))


def state_of(event: Event) -> Any:
    return json.loads(dump_event(event))["actions"]["stateDelta"]["k"]


class Shape(BaseModel):
    side: int = 2


class Rude:
    def __repr__(self) -> str:
        raise RuntimeError("no")


class RudeDict(dict[str, Any]):
    def items(self) -> Any:
        raise RuntimeError("no")


def test_an_ordinary_event_is_adks_own_json():
    event = Event(
        author="a",
        invocation_id="i",
        content=types.Content(
            role="model",
            parts=[
                types.Part(text="ä 😀 \u2028"),
                types.Part(inline_data=types.Blob(data=b"\xff\xfe", mime_type="image/png")),
                types.Part(
                    function_call=types.FunctionCall(name="f", args={"x": None, "y": [1.5]})
                ),
            ],
        ),
        long_running_tool_ids={"c"},
        actions=EventActions(state_delta={"gone": None, "n": {"deep": [None]}}),
    )
    raw = dump_event(event)
    assert raw.isascii()
    assert b"\n" not in raw
    assert json.loads(raw) == event.model_dump(mode="json", by_alias=True, exclude_none=True)
    assert Event.model_validate_json(raw) == event


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (b"\xff\x00", {"$dumped": "bytes", "size": 2, "base64": "_wA="}),
        (b"x" * (MAX_BYTES + 1), {"$dumped": "bytes", "size": MAX_BYTES + 1}),
        (math.nan, {"$dumped": "float", "value": "nan"}),
        (-math.inf, {"$dumped": "float", "value": "-inf"}),
        ({3, 1}, {"$dumped": "set", "value": [1, 3]}),
        ((1, b"a"), [1, {"$dumped": "bytes", "size": 1, "base64": "YQ=="}]),
        (datetime(2026, 1, 2), {"$dumped": "datetime", "value": "2026-01-02T00:00:00"}),
        (Shape(), {"$dumped": "Shape", "value": {"side": 2}}),
        ({1: "one"}, {"1": "one"}),
        (1 << 20_000, {"$dumped": "int", "bits": 20_001}),
        ("half \ud800", "half \ud800"),
    ],
    ids=lambda v: type(v).__name__,
)
def test_what_json_has_no_word_for_is_marked(value, expected):
    assert state_of(with_state(value)) == expected


def test_objects_and_things_that_refuse_are_named():
    assert state_of(with_state(print))["$dumped"] == "object"
    rude = state_of(with_state(Rude()))
    assert rude["type"] == "Rude"
    assert "RuntimeError" in rude["repr"]
    assert state_of(with_state([RudeDict(a=1)]))[0]["$dumped"] == "unreadable"


def test_cycles_and_depth_end():
    loop: list[Any] = []
    loop.append(loop)
    assert state_of(with_state(loop)) == [{"$dumped": "cycle", "type": "list"}]
    deep: Any = "bottom"
    for _ in range(1000):
        deep = {"d": deep}
    raw = dump_event(with_state(deep))
    assert b'"$dumped":"depth"' in raw
    json.loads(raw)


def test_a_strange_value_does_not_change_the_rest_of_the_event():
    content = types.Content(
        role="model", parts=[types.Part(inline_data=types.Blob(data=b"\xff", mime_type="a/b"))]
    )
    plainly = Event(id="1", author="a", timestamp=1.0, content=content)
    strange = plainly.model_copy(update={"output": b"\xff"})
    expected = json.loads(dump_event(plainly))
    found = json.loads(dump_event(strange))
    assert found.pop("output")["$dumped"] == "bytes"
    assert found == expected


def test_a_lone_surrogate_in_text_travels_as_an_escape():
    event = Event(
        author="a", content=types.Content(role="model", parts=[types.Part(text="a\ud800b")])
    )
    raw = dump_event(event)
    assert b"\\ud800" in raw
    assert json.loads(raw)["content"]["parts"][0]["text"] == "a\ud800b"


def test_a_request_with_foreign_objects_is_dumped():
    request = LlmRequest(model="m", contents=[types.Content(parts=[types.Part(text="hi")])])
    request.config.response_schema = Shape
    request.config.tools = [print]
    parsed = json.loads(dump(request))
    assert parsed["contents"][0]["parts"][0]["text"] == "hi"
    assert "toolsDict" not in parsed


def test_marks_of_bytes_and_numbers_are_undone():
    value = {"a": [b"\xff", math.inf], "b": {"c": "text"}}
    assert restore(json.loads(json.dumps(plain(value)))) == value


anything = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.characters(categories=["Cs"])
    | st.binary(max_size=20)
    | st.builds(object),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(max_size=3) | st.integers(), inner, max_size=4)
        | st.tuples(inner, inner)
    ),
    max_leaves=12,
)


@given(anything)
def test_dumping_is_total(value):
    raw = dump_event(with_state(value))
    assert raw.isascii()
    assert b"\n" not in raw
    json.loads(raw)
