"""Answers to tickets as the golden streams hold them, right and wrong."""

import dataclasses
from typing import Any

import pytest

from adk_tui.client.answers import (
    Choice,
    Credential,
    Decision,
    Problem,
    Value,
    approve_response,
    check,
    parse_json,
    reject_response,
)
from adk_tui.core.tickets import Reply, Ticket
from tests.client.golden_tickets import first_ticket


def ticket(kind: str = "input", **changes: Any) -> Ticket:
    base = Ticket(
        key="k", call_id="c", invocation_id="i", event_id="e", kind="input", state="open",
        name="ask", function_name="adk_request_input", agent="a", branch="", opened=0.0,
    )  # fmt: skip
    return dataclasses.replace(base, kind=kind, **changes)


def sent(ticket: Ticket, entered: Any) -> Any:
    checked = check(ticket, entered)
    assert checked.problems == ()
    assert checked.answer is not None
    return checked.answer.response


def refused(ticket: Ticket, entered: Any) -> list[tuple[str, str]]:
    checked = check(ticket, entered)
    assert checked.answer is None
    assert checked.problems
    return [(p.path, p.message) for p in checked.problems]


def test_an_answer_carries_id_and_name_of_the_call_it_answers() -> None:
    asked = first_ticket("conf_static_approve")
    answer = check(asked, Decision(True)).answer
    assert answer is not None
    assert answer.call_id == "adk-conf_static_approve-0007"
    assert answer.name == "adk_request_confirmation"


@pytest.mark.parametrize(
    ("value", "response"),
    [
        ({"status": "approved"}, {"status": "approved"}),
        ("fine", {"result": "fine"}),
        ([1], {"result": [1]}),
        (None, {"result": None}),
        ({}, {}),
    ],
)
def test_a_long_running_call_takes_any_json_as_an_object(value: Any, response: Any) -> None:
    assert sent(ticket("long_running"), Value(value)) == response


def test_progress_keeps_the_ticket_open_by_flag_and_status() -> None:
    answer = check(ticket("long_running"), Value({"note": "half"}, progress=True)).answer
    assert answer is not None
    assert answer.will_continue
    assert answer.response == {"note": "half", "status": "pending"}


def test_a_final_answer_whose_status_says_more_will_follow_is_refused() -> None:
    assert refused(ticket("long_running"), Value({"status": "in_progress"}))[0][0] == "status"


@pytest.mark.parametrize("kind", ["input", "confirmation", "choice", "credential"])
def test_progress_is_refused_where_adk_would_take_it_as_the_answer(kind: str) -> None:
    assert refused(ticket(kind, options=("a",)), Value({"confirmed": True}, progress=True))


def test_approving_and_rejecting_take_over_what_names_the_matter() -> None:
    pending = {
        "status": "pending",
        "ticketId": "t-1",
        "case_number": 7,
        "amount": 5,
        "valid": True,
        "api_key": "secret",
    }
    asked = ticket("long_running", replies=(Reply("e", 0.0, "agent", pending),))
    assert approve_response(asked) == {"status": "approved", "ticketId": "t-1", "case_number": 7}
    assert reject_response(asked)["status"] == "rejected"
    assert sent(asked, Decision(False)) == reject_response(asked)


@pytest.mark.parametrize(
    ("entered", "response"),
    [
        (Decision(True), {"confirmed": True}),
        (Decision(False), {"confirmed": False}),
        (Decision(True, {"n": 1}, True), {"confirmed": True, "payload": {"n": 1}}),
        (Decision(True, None, True), {"confirmed": True, "payload": None}),
        (Value({"confirmed": False}), {"confirmed": False}),
    ],
)
@pytest.mark.parametrize("name", ["conf_static_approve", "conf_workflow_node"])
def test_a_confirmation_takes_yes_no_and_a_payload(name: str, entered: Any, response: Any) -> None:
    assert sent(first_ticket(name), entered) == response


@pytest.mark.parametrize(
    ("value", "path"),
    [
        ({}, "confirmed"),
        ({"confirmed": "yes"}, "confirmed"),
        ({"confirmed": True, "reason": "x"}, "reason"),
        ({"response": '{"confirmed": true}'}, "response"),
        (True, ""),
    ],
)
def test_a_confirmation_takes_nothing_adk_would_misread(value: Any, path: str) -> None:
    assert path in [p for p, _ in refused(first_ticket("conf_static_approve"), Value(value))]


def test_a_choice_is_one_of_the_options() -> None:
    asked = first_ticket("user_choice")
    assert sent(asked, Choice("b")) == {"result": "b"}
    assert sent(asked, Value({"result": "a"})) == {"result": "a"}
    assert "a, b" in refused(asked, Choice("c"))[0][1]


@pytest.mark.parametrize(
    ("name", "value", "response"),
    [
        ("input_tool", {"size": "42"}, {"size": 42}),
        ("input_tool", {"size": 42.0}, {"size": 42.0}),
        ("input_wf_int", "42", {"result": 42}),
        ("input_wf_int", 7, {"result": 7}),
        ("input_wf_enumdict", "x", {"result": "x"}),
        ("input_wf_none", "free text", {"result": "free text"}),
        ("input_wf_none", {"result": 1}, {"result": {"result": 1}}),
        (
            "input_wf_form",
            {"approved": "yes", "amount": "3.5", "note": ""},
            {"approved": True, "amount": 3.5, "note": ""},
        ),
        ("input_wf_form", {"approved": False, "amount": 2}, {"approved": False, "amount": 2}),
    ],
)
def test_an_input_is_converted_and_wrapped_as_adk_unwraps_it(
    name: str, value: Any, response: Any
) -> None:
    assert sent(first_ticket(name), Value(value)) == response


@pytest.mark.parametrize(
    ("name", "value", "path", "words"),
    [
        ("input_tool", {"wrong": "thing"}, "size", "missing"),
        ("input_tool", "42", "", "object"),
        ("input_wf_int", "abc", "", "whole number"),
        ("input_wf_int", 1.5, "", "whole number"),
        ("input_wf_enumdict", "zzz", "", '"x", "y"'),
        ("input_wf_form", {"approved": "maybe", "amount": 1}, "approved", "true or false"),
        ("input_wf_form", {"approved": True}, "amount", "missing"),
    ],
)
def test_an_input_that_breaks_its_schema_is_refused_with_the_place(
    name: str, value: Any, path: str, words: str
) -> None:
    found = refused(first_ticket(name), Value(value))
    assert [m for p, m in found if p == path and words in m], found


def test_problems_in_nested_values_name_their_path() -> None:
    schema = {
        "type": "object",
        "properties": {
            "items": {
                "type": "array",
                "items": {"$ref": "#/$defs/Item"},
            }
        },
        "$defs": {
            "Item": {
                "type": "object",
                "properties": {"name": {"type": "string"}, "count": {"type": "integer"}},
                "required": ["name", "count"],
            }
        },
    }
    value = {"items": [{"name": "a", "count": "3"}, {"name": "b"}]}
    assert refused(ticket(schema=schema), Value(value)) == [("items[1].count", "is missing")]
    value["items"][1]["count"] = "4"
    assert sent(ticket(schema=schema), Value(value)) == {
        "items": [{"name": "a", "count": 3}, {"name": "b", "count": 4}]
    }


def test_an_optional_field_left_empty_is_left_out() -> None:
    schema = {
        "type": "object",
        "properties": {"n": {"type": "integer"}, "day": {"type": "string"}},
    }
    assert sent(ticket(schema=schema), Value({"n": "", "day": None})) == {}


def test_text_that_looks_like_json_arrives_as_text_where_text_is_wanted() -> None:
    assert sent(ticket(schema={"type": "string"}), Value("42")) == {"result": '"42"'}
    assert sent(ticket(schema={"type": "string"}), Value("plain")) == {"result": "plain"}


def test_a_form_that_adk_itself_cannot_check_is_refused_with_the_reason() -> None:
    hidden = {"type": "object", "properties": {"model_dump": {"type": "string"}}}
    several = {"type": "object", "properties": {"x": {"type": ["string", "null"]}}}
    for schema in (hidden, several):
        assert "ADK cannot check" in refused(ticket(schema=schema), Value({}))[0][1]


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "nonsense"},
        {"$ref": "http://127.0.0.1:9/never.json"},
        {"$ref": "#/$defs/missing"},
        {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a"}}},
        {"type": "string", "pattern": "("},
        {"type": "string", "pattern": "^(a+)+$"},
        {"properties": 5, "required": "x"},
        {"enum": "x"},
        {"type": "STRING", "nullable": True},
    ],
)
def test_a_strange_or_hostile_schema_neither_raises_nor_hangs(schema: Any) -> None:
    check(ticket(schema=schema), Value("a" * 5000 + "!"))


def test_what_cannot_be_stored_is_refused() -> None:
    for value in (float("nan"), {"x": "\ud800"}, {"x": object()}):
        assert refused(ticket("long_running"), Value(value))


def test_a_dead_or_stuck_ticket_takes_nothing() -> None:
    assert refused(ticket(dead="It cannot pause."), Value("x")) == [("", "It cannot pause.")]
    assert "rewind" in refused(ticket(state="stuck"), Value("x"))[0][1]
    stuck = first_ticket("input_tool", upto_user_answer=False)
    assert stuck.state == "stuck"
    assert refused(stuck, Value({"size": 1}))


def test_an_api_key_answers_as_the_authconfig_that_was_seen_to_work() -> None:
    asked = first_ticket("auth_apikey_authconfig")
    answered = first_ticket("auth_apikey_authconfig", upto_user_answer=False)
    assert sent(asked, Credential(api_key="K3")) == answered.replies[-1].response
    assert refused(asked, Credential()) == [("api_key", "is missing")]


def test_an_access_token_answers_an_oauth_request_as_was_seen_to_work() -> None:
    asked = first_ticket("auth_oauth")
    answered = first_ticket("auth_oauth", upto_user_answer=False)
    assert sent(asked, Credential(token="AT")) == answered.replies[-1].response


def test_a_redirect_address_is_checked_against_the_login_it_belongs_to() -> None:
    asked = first_ticket("auth_oauth")
    state = asked.auth["exchangedAuthCredential"]["oauth2"]["state"]
    good = f"http://localhost/cb?code=abc&state={state}"
    oauth = sent(asked, Credential(redirect_url=good))["exchangedAuthCredential"]["oauth2"]
    assert oauth["authResponseUri"] == good
    assert oauth["state"] == state
    assert oauth["redirectUri"] == "http://localhost/cb"
    for address, words in [
        ("http://localhost/cb?code=abc&state=other", "another login"),
        ("http://localhost/cb?error=access_denied", "access_denied"),
        ("http://localhost/cb", "no code"),
        ("http://[broken", "no web address"),
        ("not an address", "must be the address"),
        ("", "missing"),
    ]:
        assert words in refused(asked, Credential(redirect_url=address))[0][1]
    bare = sent(asked, Credential(redirect_url="4/0Ab-code"))
    assert bare["exchangedAuthCredential"]["oauth2"]["authCode"] == "4/0Ab-code"


def test_basic_and_bearer_credentials_go_under_http() -> None:
    basic = ticket("credential", auth={"authScheme": {"type": "http", "scheme": "basic"}})
    found = sent(basic, Credential(username="u", password="p"))["exchangedAuthCredential"]
    assert found == {
        "authType": "http",
        "http": {"scheme": "basic", "credentials": {"username": "u", "password": "p"}},
    }
    assert refused(basic, Credential(username="u")) == [("password", "is missing")]
    bearer = ticket("credential", auth={"authScheme": {"type": "http", "scheme": "bearer"}})
    found = sent(bearer, Credential(token="T"))["exchangedAuthCredential"]["http"]
    assert found == {"scheme": "bearer", "credentials": {"token": "T"}}


def test_a_credential_written_as_json_must_be_one() -> None:
    asked = first_ticket("auth_apikey")
    assert sent(asked, Value({"auth_type": "apiKey", "api_key": "K1"}))
    for bad in ({"foo": 1}, {"result": "K2"}, "K2"):
        assert refused(asked, Value(bad))


def test_json_that_is_none_is_told_with_its_place() -> None:
    assert parse_json('{"a": 1}') == ({"a": 1}, ())
    _, (problem,) = parse_json('{\n  "a": }')
    assert problem == Problem("", "line 2, column 8: Expecting value")
    for bad in ("NaN", "[" * 100_000, ""):
        assert parse_json(bad)[1]
