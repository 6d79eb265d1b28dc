"""Reading what a model was sent, comparing it, and finding it for an event."""

import json
from typing import Any

import pytest
from hypothesis import given

from adk_tui.core.reports import ModelCall
from adk_tui.core.request_events import quoted_words, sources
from adk_tui.core.requests import call_of, diff, previous_call, read_request, read_response
from tests.fakes.event_json import JSON
from tests.fakes.sessions import call, event, log_of, response, text, user

LOOK = {"name": "look", "description": "Looks.", "parametersJsonSchema": {"type": "object"}}


def request(*contents: Any, system: Any = "Be brief.", **config: Any) -> bytes:
    body = {
        "model": "gemini-2.5-flash",
        "contents": list(contents),
        "config": {"systemInstruction": system, **config},
        "live_connect_config": {"inputAudioTranscription": {}},
    }
    return json.dumps(body).encode()


def said(role: str, *parts: Any) -> dict[str, Any]:
    return {"role": role, "parts": list(parts)}


def model_call(number: int, **fields: Any) -> ModelCall:
    times = {"started": 100.0 + number, "ended": 100.5 + number}
    return ModelCall(f"m{number}", fields.pop("agent", "root"), "i1", **(times | fields))


def test_a_request_is_read_in_parts():
    tools = [{"functionDeclarations": [LOOK]}, {"googleSearch": {}}]
    read = read_request(request(said("user", text("hi")), tools=tools, temperature=0.5))
    assert read.model == "gemini-2.5-flash"
    assert read.system == "Be brief."
    assert [m.role for m in read.messages] == ["user"]
    assert [(t.name, t.builtin) for t in read.tools] == [("look", False), ("googleSearch", True)]
    # Empty settings of a live connection are in every request and say nothing.
    assert read.config == {"temperature": 0.5}
    assert read.raw["live_connect_config"]
    assert read.problem == ""


@pytest.mark.parametrize(
    "system",
    [
        "one\n\ntwo",
        ["one", {"text": "two"}],
        {"role": "user", "parts": [{"text": "one"}, {"text": "two"}]},
    ],
)
def test_a_system_instruction_may_be_text_parts_or_a_content(system: Any):
    assert read_request(request(system=system)).system == "one\n\ntwo"


@pytest.mark.parametrize("raw", [b"", b"nonsense", b"[1]", b'"x"', b"\xff", b"[" * 100_000])
def test_what_is_no_request_says_so(raw: bytes):
    read = read_request(raw)
    assert read.problem
    assert not read.messages


@given(JSON)
def test_any_json_is_read(value: Any):
    raw = json.dumps({"contents": value, "config": value, "model": value}).encode()
    read = read_request(raw)
    diff(read, read_request(request()))
    sources(read, model_call(1), log_of([user("hi")]))
    assert read_response(raw)


def test_a_request_that_only_grew_tells_what_is_new():
    first = said("user", text("hi"))
    answer, second = said("model", text("hello")), said("user", text("more"))
    change = diff(read_request(request(first)), read_request(request(first, answer, second)))
    assert change.only_grew
    assert change.same == 1
    assert [m.raw for m in change.added] == [answer, second]


def test_all_that_differs_is_told():
    one, two, three = (said("user", text(w)) for w in ("one", "two", "three"))
    spy = {**LOOK, "name": "spy"}
    before = request(
        one, two, three, system="a\nb\nc", tools=[{"functionDeclarations": [LOOK]}], topK=1, seed=1
    )
    after = request(
        one,
        three,
        system="a\nB\nc",
        tools=[{"functionDeclarations": [{**LOOK, "description": "Looks well."}, spy]}],
        topK=2,
        topP=1,
    )
    change = diff(read_request(before), read_request(after))
    assert not change.only_grew
    assert change.same == 2
    assert [m.raw for m in change.removed] == [two]
    assert not change.added
    assert change.system == ((" ", "a"), ("-", "b"), ("+", "B"), (" ", "c"))
    assert [(c.name, c.kind) for c in change.tools] == [("look", "changed"), ("spy", "added")]
    assert [(c.name, c.kind) for c in change.config] == [
        ("topK", "changed"),
        ("seed", "removed"),
        ("topP", "added"),
    ]


def test_a_long_instruction_is_not_compared_line_by_line():
    long = "\n".join(f"line {n}" for n in range(5_000))
    change = diff(read_request(request(system=long)), read_request(request(system=long + "!")))
    assert [sign for sign, _ in change.system] == ["-", "+"]


def test_the_call_behind_an_answer_is_the_one_that_names_it():
    made = event("root", text("hello"))
    calls = [model_call(1), model_call(2, event_id=made.id), model_call(3)]
    found = call_of(made, calls)
    assert found is not None
    assert (found.call.id, found.link) == ("m2", "made")


def test_a_failed_call_is_found_for_its_error_and_for_the_pieces_before_it():
    failed = model_call(2, error="429")
    calls = [model_call(1, event_id="other"), failed]
    piece = event("root", text("The"), timestamp=102.0 - 0.01, partial=True)
    error = event("root", timestamp=102.51, errorCode="429")
    for each in (piece, error):
        found = call_of(each, calls)
        assert found is not None
        assert (found.call, found.link) == (failed, "failed")


def test_a_message_of_the_user_leads_to_the_first_request_after_it():
    message = event("user", text("hi"), timestamp=101.5)
    found = call_of(message, [model_call(1), model_call(2), model_call(3)])
    assert found is not None
    assert (found.call.id, found.link) == ("m2", "next")


def test_calls_of_an_inner_run_belong_to_its_events_only():
    inner = model_call(1, parent_call_id="c1")
    message = event("user", text("hi"), timestamp=100.0)
    assert call_of(message, [inner]) is None
    assert previous_call(model_call(2), [inner]) is None
    again = model_call(3, parent_call_id="c1")
    assert previous_call(again, [inner, again]) == inner


def test_the_previous_request_is_of_the_same_agent():
    calls = [model_call(1), model_call(2, agent="other"), model_call(3), model_call(4)]
    assert previous_call(calls[3], calls) == calls[2]
    assert previous_call(calls[1], calls) is None


def test_messages_are_traced_to_their_events():
    asked = call("look", "c1", at="sky")
    log = log_of(
        [
            user("hi"),
            event("root", text("hm", thought=True), asked),
            event("root", response("look", "c1", {"seen": 1})),
            event("helper", text("I saw it too")),
            event("helper", text("nobody hears"), branch="root.helper"),
        ]
    )
    made = event("root", text("done"), branch="root.other")
    log.extend([made])
    fence = "<<<BEGIN_QUOTED_AGENT_CONTENT>>>\n{}\n<<<END_QUOTED_AGENT_CONTENT>>>"
    sent = request(
        said("user", text("hi")),
        said("model", text("hm", thought=True), call("look", "", at="sky")),
        said("user", {"functionResponse": {"name": "look", "response": {"seen": 1}}}),
        said(
            "user",
            text("For context: what another agent did"),
            text("[helper] said:\n" + fence.format("I saw it too")),
        ),
        said("user", text("slipped in by a plugin")),
    )
    found = sources(read_request(sent), model_call(1, event_id=made.id), log)
    assert [(s.how, s.events) for s in found.sent] == [
        ("event", (0,)),
        ("event", (1,)),
        ("event", (2,)),
        ("quoted", (3,)),
        ("added", ()),
    ]
    assert [(h.index, h.reason) for h in found.hidden] == [(4, "on another branch, root.helper")]
    quoted = read_request(sent).messages[3]
    assert quoted_words(quoted) == "[helper] said: I saw it too"
    assert quoted_words(read_request(sent).messages[4]) == ""


def test_the_task_of_an_agent_in_a_tool_is_traced_to_the_call():
    log = log_of([user("hi"), event("root", call("helper", "c1", request="find it"))])
    sent = request(said("user", text("find it")), said("user", text("something else")))
    found = sources(read_request(sent), model_call(1, parent_call_id="c1"), log)
    assert [(s.how, s.events) for s in found.sent] == [("task", (1,)), ("added", ())]


def test_a_quotation_of_an_older_adk_is_traced_too():
    log = log_of([event("helper", text("well")), event("helper", call("look", "c1", a=1))])
    sent = request(
        said("user", text("For context:"), text("[helper] said: well")),
        said(
            "user",
            text("For context:"),
            text("[helper] called tool `look` with parameters: {'a': 1}"),
        ),
    )
    found = sources(read_request(sent), model_call(1, started=2e9), log)
    assert [(s.how, s.events) for s in found.sent] == [("quoted", (0,)), ("quoted", (1,))]


def test_the_newest_of_equal_events_is_the_one_that_was_sent():
    log = log_of([user("go"), event("root", text("ok")), user("go")])
    found = sources(
        read_request(request(said("user", text("go")))), model_call(1, started=2e9), log
    )
    assert found.sent[0].events == (2,)
    assert [h.index for h in found.hidden] == [0, 1]


def test_a_message_that_a_callback_changed_is_told_from_one_that_is_whole():
    log = log_of([event("user", text("one"), text("two"))])
    sent = request(said("user", text("one"), text("TWO")))
    found = sources(read_request(sent), model_call(1, started=2e9), log)
    assert (found.sent[0].how, found.sent[0].events) == ("changed", (0,))
