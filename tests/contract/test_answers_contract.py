"""What we say ADK makes of an answer, against ADK's own checks."""

import inspect
import math
from typing import Any

import pytest
from google.adk.tools import _confirmation_utils
from google.adk.tools.tool_confirmation import ToolConfirmation
from google.adk.workflow._errors import WorkflowDataError
from google.adk.workflow.utils._rehydration_utils import (
    _unwrap_response,
    _validate_resume_response,
)
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from adk_tui.core.answer_rules import (
    NEEDS_CONFIRMATION,
    REJECTED,
    read_confirmation,
    schema_problem,
)

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.sampled_from([0.0, 1.0, 1.5, -2.0]),
    st.sampled_from(
        ["", "42", " 42 ", "4_2", "4.0", "4.5", ".5", "1e3", "-1", "abc", "true", "Yes", "oN", "f",
         "0", "1", "null", "[1]", "{}", "nan", "inf", "１"]
    ),
)  # fmt: skip
VALUES = st.one_of(
    SCALARS,
    st.lists(SCALARS, max_size=2),
    st.dictionaries(st.sampled_from(["a", "b", "result"]), SCALARS, max_size=3),
)
TYPES = st.sampled_from(["integer", "number", "string", "boolean", "array", "object", "null", None])


@st.composite
def _schemas(draw: st.DrawFn) -> dict[str, Any]:
    if draw(st.booleans()):
        kind = draw(TYPES)
        return {"type": kind} if kind else {}
    names = draw(st.lists(st.sampled_from(["a", "b"]), unique=True, max_size=2))
    properties: dict[str, Any] = {}
    for name in names:
        kind = draw(TYPES)
        properties[name] = {"type": kind} if kind else {"anyOf": []}
    required = [n for n in names if draw(st.booleans())]
    return {"type": "object", "properties": properties, "required": required}


def _adk_refuses(response: dict[str, Any], schema: dict[str, Any]) -> bool:
    if not schema:
        return False
    try:
        _validate_resume_response(_unwrap_response(response), schema)
    except WorkflowDataError:
        return True
    return False


@settings(max_examples=1500, deadline=None)
@given(VALUES, _schemas())
@example({"result": "42"}, {"type": "integer"})
@example({"result": '"42"'}, {"type": "integer"})
def test_an_input_answer_is_refused_where_adk_refuses_it(value: Any, schema: dict[str, Any]):
    response = value if isinstance(value, dict) else {"result": value}
    assert bool(schema_problem(response, schema)) == _adk_refuses(response, schema)


def _adk_confirms(response: dict[str, Any]) -> bool | None:
    try:
        return ToolConfirmation.from_response_dict(response).confirmed
    except (ValidationError, ValueError, TypeError):
        return None


CONFIRMATIONS = st.dictionaries(
    st.sampled_from(["confirmed", "hint", "payload", "approved", "response"]), VALUES, max_size=3
)


@settings(max_examples=800, deadline=None)
@given(CONFIRMATIONS)
@example({"response": '{"confirmed": true}'})
@example({"response": '{"confirmed": 1, "payload": [1]}'})
@example({"response": "{"})
@example({})
def test_a_confirmation_is_read_as_adk_reads_it(response: dict[str, Any]):
    confirmed, problem = read_confirmation(response)
    expected = _adk_confirms(response)
    assert bool(problem) == (expected is None)
    assert confirmed == bool(expected)


@pytest.mark.parametrize("text", [NEEDS_CONFIRMATION, REJECTED])
def test_the_words_by_which_adk_holds_a_tool_back_are_still_these(text: str):
    assert text in inspect.getsource(_confirmation_utils)


def test_not_a_number_is_a_number_to_adk_too():
    assert not _adk_refuses({"result": math.nan}, {"type": "number"})
    assert not schema_problem({"result": math.nan}, {"type": "number"})
