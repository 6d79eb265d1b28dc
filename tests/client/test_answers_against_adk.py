"""Whatever passes our check must pass ADK's own, on ADK's own code."""

from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import PydanticUserError

from adk_tui.client.answers import Credential, Decision, Value, check
from tests.client.golden_tickets import first_ticket
from tests.client.test_answers import ticket

adk = pytest.importorskip("google.adk.workflow.utils._rehydration_utils")

SCALARS = {
    "integer": st.integers(-1000, 1000),
    "number": st.floats(-1000, 1000) | st.integers(-5, 5),
    "string": st.text(st.characters(codec="utf-8"), max_size=8)
    | st.sampled_from(["42", "true", "null", '{"a": 1}', "NaN", '"q"']),
    "boolean": st.booleans(),
    "array": st.lists(st.integers(), max_size=3),
    "object": st.dictionaries(st.sampled_from("ab"), st.integers(), max_size=2),
}
NAMES = st.sampled_from(sorted(SCALARS))
TYPED = st.fixed_dictionaries({"type": NAMES})
OBJECTS = st.builds(
    lambda properties, required: {
        "type": "object",
        "properties": properties,
        "required": sorted(set(required) & set(properties)),
    },
    st.dictionaries(st.sampled_from(["a", "b", "result"]), TYPED, min_size=1, max_size=3),
    st.lists(st.sampled_from(["a", "b", "result"])),
)
ENTERED = st.one_of(
    *SCALARS.values(),
    st.none(),
    st.sampled_from(["5", "yes", "5.0", "1e3", " 7 ", "[1]", '{"a": "x"}', "no", "maybe"]),
)
WRITTEN = ENTERED | st.dictionaries(st.sampled_from(["a", "b", "result", "c"]), ENTERED)


@given(TYPED | OBJECTS, WRITTEN)
def test_an_input_we_let_through_never_fails_in_adk(schema: dict[str, Any], value: Any) -> None:
    answer = check(ticket(schema=schema), Value(value)).answer
    if answer is None:
        return
    arrived = adk._unwrap_response(answer.response)
    adk._validate_resume_response(arrived, schema)


@given(st.sampled_from(sorted(SCALARS)).flatmap(lambda t: st.tuples(st.just(t), SCALARS[t])))
def test_a_value_of_the_right_type_arrives_in_adk_as_it_was_entered(pair: Any) -> None:
    kind, value = pair
    answer = check(ticket(schema={"type": kind}), Value(value)).answer
    assert answer is not None
    arrived = adk._unwrap_response(answer.response)
    assert adk._validate_resume_response(arrived, {"type": kind}) == value


@given(st.booleans(), st.none() | st.integers() | st.dictionaries(st.text(), st.integers()))
def test_a_decision_means_in_adk_what_the_person_meant(confirmed: bool, payload: Any) -> None:
    from google.adk.tools.tool_confirmation import ToolConfirmation

    asked = first_ticket("conf_static_approve")
    answer = check(asked, Decision(confirmed, payload, True)).answer
    assert answer is not None
    read = ToolConfirmation.from_response_dict(dict(answer.response))
    assert read.confirmed is confirmed
    assert read.payload == payload


@pytest.mark.parametrize(
    ("name", "given_", "stored"),
    [
        ("auth_apikey", Credential(api_key="K"), ("api_key", "K")),
        ("auth_oauth", Credential(token="T"), ("access_token", "T")),
        (
            "auth_oauth",
            Credential(redirect_url="http://localhost/cb?code=c"),
            ("auth_response_uri", "http://localhost/cb?code=c"),
        ),
        ("auth_oauth", Credential(redirect_url="bare-code"), ("auth_code", "bare-code")),
    ],
)
async def test_a_credential_is_stored_by_adk_as_it_was_given(
    name: str, given_: Credential, stored: tuple[str, str]
) -> None:
    from google.adk.auth._auth_resume import store_auth_response
    from google.adk.auth.auth_tool import AuthConfig

    asked = first_ticket(name)
    answer = check(asked, given_).answer
    assert answer is not None
    state: dict[str, Any] = {}
    config = await store_auth_response(
        requested=AuthConfig.model_validate(asked.auth),
        response=answer.response,
        state=state,  # type: ignore[arg-type]
        interrupt_id=asked.call_id,
    )
    assert config is not None
    credential = state["temp:" + str(config.credential_key)]
    field, value = stored
    assert getattr(credential.oauth2 or SimpleNamespace(), field, None) == value or (
        getattr(credential, field, None) == value
    )


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "properties": {"model_config": {"type": "string"}}},
        {"type": "object", "properties": {"model_dump": {"type": "string"}}},
        {"type": "object", "properties": {"__base__": {"type": "string"}}},
        {"type": "object", "properties": {"x": {"type": ["string", "null"]}}},
    ],
)
def test_forms_we_call_unanswerable_do_fail_in_adk(schema: dict[str, Any]) -> None:
    assert check(ticket(schema=schema), Value({})).answer is None
    with pytest.raises((TypeError, ValueError, PydanticUserError)):
        adk._validate_resume_response({}, schema)
