import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adk_tui.core.event_log import EventLog
from adk_tui.core.event_reader import read_event
from adk_tui.core.records import Call, EventRecord
from adk_tui.core.sanitize import clean
from adk_tui.core.summary import KINDS, badges, full_text, kind_of, kinds_of, one_line
from tests.fakes.event_json import EVENT_LIKE, WHOLE


def event(*parts: dict[str, Any], author: str = "root", **more: Any) -> EventRecord:
    body = {"id": "e1", "invocationId": "i1", "author": author, "content": {"parts": list(parts)}}
    return read_event(json.dumps({**body, **more}))


CALL = {"functionCall": {"id": "c1", "name": "pay", "args": {"amount": 200.0, "to": "Ann"}}}
RESPONSE = {"functionResponse": {"id": "c1", "name": "pay", "response": {"result": [1, 2]}}}
CONFIRM = {
    "functionCall": {
        "id": "c9",
        "name": "adk_request_confirmation",
        "args": {
            "originalFunctionCall": {"id": "c1", "name": "pay", "args": {"amount": 5}},
            "toolConfirmation": {"hint": "Really?", "confirmed": False},
        },
    }
}
ASK = {"functionCall": {"id": "c8", "name": "adk_request_input", "args": {"message": "How many?"}}}
LOGIN = {
    "functionCall": {
        "id": "c7",
        "name": "adk_request_credential",
        "args": {"functionCallId": "c1", "authConfig": {}},
    }
}


def actions(**values: Any) -> dict[str, Any]:
    return {"actions": values}


CASES: list[tuple[EventRecord, str, str, list[str]]] = [
    (event({"text": "hello\nworld"}, author="user"), "user", "hello↵world", []),
    (event({"text": "hi"}), "text", "hi", []),
    (event({"text": "hm", "thought": True}), "thought", "hm", []),
    (event({"text": "hm", "thought": True}, {"text": "yes"}), "text", "yes", []),
    (event({"text": "he"}, partial=True), "partial", "he", []),
    (event(CALL), "call", 'pay(amount=200.0, to="Ann")', []),
    (event(CALL, longRunningToolIds=[]), "call", 'pay(amount=200.0, to="Ann")', []),
    (event(CALL, longRunningToolIds=["c1"]), "ticket", 'pay(amount=200.0, to="Ann")', ["ticket"]),
    (event({"text": "hm"}, longRunningToolIds=["ghost"]), "text", "hm", []),
    (event(CONFIRM), "ticket", "confirm pay(amount=5): Really?", ["ticket"]),
    (event(ASK), "ticket", "asks: How many?", ["ticket"]),
    (event(LOGIN), "ticket", "credentials for c1", ["ticket"]),
    (event(RESPONSE), "response", "pay → [1, 2]", []),
    (event(RESPONSE, author="user"), "answer", "pay → [1, 2]", []),
    (event(RESPONSE, author="user", nodeInfo={"path": "wf@1/t@1"}), "response", "pay → [1, 2]",
     ["t@1"]),
    (
        event({"functionResponse": {"name": "t", "response": {"s": 1}, "willContinue": True}}),
        "response",
        "t → {s: 1} (more will follow)",
        ["progress"],
    ),
    (
        event({"inlineData": {"mimeType": "image/png", "data": "QUJD", "displayName": "a.png"}}),
        "file",
        "<image/png 3 B> a.png",
        ["1 file"],
    ),
    (event({"executableCode": {"code": "1+1", "language": "PYTHON"}}), "code", "PYTHON: 1+1", []),
    (event({"videoMetadata": {}}, {"x": 1}), "other", "<videoMetadata> · <x>", []),
    (event(errorCode="429", errorMessage="slow"), "error", "429: slow", ["✗"]),
    (event({"text": "so"}, errorCode="429"), "error", "429 · so", ["✗"]),
    (
        event(errorCode="INVOCATION_ABORTED", errorMessage="aborted"),
        "stopped",
        "INVOCATION_ABORTED: aborted",
        ["stopped"],
    ),
    (event({"text": "x"}, finishReason="STOP"), "text", "x", []),
    (event({"text": "x"}, finishReason="MAX_TOKENS"), "text", "x", ["MAX_TOKENS"]),
    (
        event({"text": "x"}, usageMetadata={"promptTokenCount": 10, "candidatesTokenCount": 5,
                                            "thoughtsTokenCount": 2}),
        "text", "x", ["↑10 ↓7"],
    ),
    (event({"text": "x"}, groundingMetadata={"groundingChunks": [1, 2]}), "text", "x",
     ["2 sources"]),
    (event({"text": "x"}, branch="par.A", isolationScope="c1"), "text", "x",
     ["├ par.A", "task c1"]),
    (event(output={"a": 1}, nodeInfo={"path": "wf@1/one@1"}), "output", "output {a: 1}",
     ["one@1"]),
    (event({"text": "x"}, nodeInfo={"path": "wf@1/root@1"}), "text", "x", []),
    (event({"text": "x"}, nodeInfo={"path": "wf@1/root@2"}), "text", "x", ["root@2"]),
    (event({"text": "x"}, output={"a": 1}), "text", "x", ["output"]),
    (event(**actions(stateDelta={"k": 1})), "state", "state {k: 1}", ["Δ1"]),
    (event({"text": "x"}, **actions(stateDelta={"k": 1, "l": 2})), "text", "x", ["Δ2"]),
    (event({"text": "x"}, partial=True, **actions(stateDelta={"k": 1})), "partial", "x", []),
    (event(**actions(artifactDelta={"f.png": 2})), "artifact", "saved f.png@2", []),
    (event({"text": "x"}, **actions(artifactDelta={"f.png": 2})), "text", "x", ["f.png@2"]),
    (event(**actions(transferToAgent="sub", transferReason="asked")), "transfer",
     "root → sub (asked)", ["→ sub"]),
    (event(**actions(escalate=True)), "escalate", "ends the loop", []),
    (event({"text": "x"}, **actions(escalate=True)), "text", "x", ["exit loop"]),
    (event(RESPONSE, **actions(skipSummarization=True)), "response", "pay → [1, 2]",
     ["no summary"]),
    (event(**actions(requestedAuthConfigs={"c1": {}})), "credential",
     "credentials needed for 1 call", ["credential"]),
    (event(RESPONSE, **actions(requestedToolConfirmations={"c1": {}})), "response",
     "pay → [1, 2]", ["confirmation"]),
    (event(**actions(compaction={"compactedContent": {"parts": [{"text": "sum"}]}})),
     "compaction", "earlier events summarised: sum", ["compacted"]),
    (event(author="user", **actions(rewindBeforeInvocationId="i0")), "rewind",
     "rewound to before i0", ["rewind"]),
    (event(**actions(agentState={"nodes": {}})), "workflow", "workflow {nodes: {}}", []),
    (event(**actions(endOfAgent=True)), "workflow", "agent has ended", []),
    (event(**actions(route="left")), "empty", "route left", []),
    (event({"text": "x"}, **actions(route="left")), "text", "x", ["route left"]),
    (event({"text": "x"}, **actions(setModelResponse={"a": 1})), "text", "x", ["structured"]),
    (event({"text": "x"}, **actions(renderUiWidgets=[
        {"provider": "mcp", "payload": {"resource_uri": "ui://x"}}])), "text", "x",
     ["widget mcp ui://x"]),
    (event(inputTranscription={"text": "heard"}), "speech", "“heard”", []),
    (event({"text": "x"}, interrupted=True), "text", "x", ["interrupted"]),
    (event(), "empty", "", []),
    (read_event(b"\x1b[2Jnot json"), "unread", "␛[2Jnot json", ["odd"]),
    (read_event({"id": "a", "author": "b"}, inner_of="c1"), "empty", "", []),
]  # fmt: skip


@pytest.mark.parametrize(("record", "kind", "line", "marks"), CASES)
def test_a_row_says_what_the_event_is(
    record: EventRecord, kind: str, line: str, marks: list[str]
) -> None:
    assert kind_of(record) == kind
    assert one_line(record) == line
    assert [badge.text for badge in badges(record)] == marks


def test_an_event_is_of_every_kind_that_fits() -> None:
    record = event({"text": "x"}, CALL, **actions(stateDelta={"k": 1}))
    assert kinds_of(record) == ("call", "text", "state")
    assert kinds_of(event({"text": "x"}, partial=True)) == ("partial", "text")


def test_an_error_is_red_and_a_stop_is_grey() -> None:
    assert [b.tone for b in badges(event(errorCode="500"))] == ["error"]
    assert [b.tone for b in badges(event(errorCode="INVOCATION_ABORTED"))] == ["muted"]


def test_a_forced_transfer_response_without_a_result_does_not_say_null() -> None:
    part = {"functionResponse": {"name": "transfer_to_agent", "response": {"result": None}}}
    assert one_line(event(part, **actions(transferToAgent="sub"))) == "root → sub"


def test_credentials_are_asked_for_by_the_name_of_the_tool_where_its_call_is_known() -> None:
    log = EventLog()
    log.extend([event(CALL)])
    assert one_line(event(LOGIN), log=log) == "credentials for pay"
    assert one_line(event(LOGIN), log=EventLog()) == "credentials for c1"


def test_secrets_are_masked_until_they_are_revealed() -> None:
    part = {"functionCall": {"name": "login", "args": {"password": "hunter2", "max_tokens": 5}}}
    record = event(part, {"text": "key sk-proj-abcdefghij1234567890"})
    for shown in (one_line(record), full_text(record)):
        assert "hunter2" not in shown
        assert "abcdefghij" not in shown
        assert "max_tokens=5" in shown or "max_tokens: 5" in shown
    for shown in (one_line(record, reveal=True), full_text(record, reveal=True)):
        assert "hunter2" in shown
        assert "abcdefghij" in shown


@pytest.mark.parametrize("where", ["call", "response", "state", "route", "error", "name"])
def test_a_secret_is_masked_wherever_it_stands(where: str) -> None:
    key = "AIzaSyA1234567890abcdefghijklmnopqrstuv"
    record = {
        "call": event({"functionCall": {"name": "f", "args": {"x": [key]}}}),
        "response": event({"functionResponse": {"name": "f", "response": {"x": key}}}),
        "state": event(**actions(stateDelta={"x": key})),
        "route": event(**actions(route=key)),
        "error": event(errorCode="400", errorMessage=f"bad key {key}"),
        "name": event({"inlineData": {"mimeType": "a/b", "displayName": key, "data": ""}}),
    }[where]
    assert "1234567890" not in one_line(record) + full_text(record)


def test_data_shows_as_type_and_size() -> None:
    args = {"image": "iVBORw0KGgo" * 4_000}
    record = event({"functionCall": {"name": "f", "args": args}})
    assert one_line(record) == "f(image=<base64 33 KB>)"
    assert len(full_text(record)) < 500


EVERY_WORD = """
    e1 i1 root root.sub c9 wf@1/one@1 c1 SAFETY blocked m-1 heard said pay amount a.png gs://x
    1+1 OUTCOME_OK videoMetadata stateDelta artifactDelta transferToAgent escalate i0
    endOfAgent left renderUiWidgets setModelResponse skipSummarization
    requestedAuthConfigs compaction interrupted
"""


def test_full_text_tells_every_field_that_is_set() -> None:
    text = full_text(read_event(json.dumps(WHOLE)))
    for word in EVERY_WORD.split():
        assert word in text, word
    assert "1 in (4 cached), 2 out, 3 thought, 6 in all" in text
    assert "thought: hm" in text


def test_full_text_cuts_nothing_off() -> None:
    long = "word " * 50_000
    assert full_text(event({"text": long})).count("word") == 50_000


def test_full_text_says_how_much_a_limit_cut_off() -> None:
    key = "AIzaSyA1234567890abcdefghijklmnopqrstuv"
    text = full_text(event({"text": "x" * 80 + " " + key + " tail" * 1_000}), limit=100)
    assert "more characters)" in text
    assert len(text) < 300
    assert "SyA" not in text


@given(EVENT_LIKE, st.integers(1, 120))
def test_summaries_are_total_and_safe(body: dict[str, Any], limit: int) -> None:
    for author in ("user", "agent"):
        record = read_event(json.dumps({"author": author, **body}))
        line = one_line(record, limit)
        assert len(line) <= limit
        assert "\n" not in line
        assert clean(line) == line
        assert set(kinds_of(record)) <= set(KINDS)
        assert kind_of(record) == kinds_of(record)[0]
        for badge in badges(record):
            assert badge.text
            assert clean(badge.text) == badge.text
            assert "\n" not in badge.text
        text = full_text(record)
        assert clean(text) == text


def test_a_row_of_a_huge_event_looks_at_little_of_it() -> None:
    class Endless(dict[str, Any]):
        asked = 0

        def items(self) -> Any:
            for number in range(10**9):
                Endless.asked += 1
                yield f"key{number}", number

    part = read_event({"author": "a", "id": "b"})
    record = replace(part, parts=(Call("c", "f", Endless(a=1)),))
    assert len(one_line(record, 100)) == 100
    assert Endless.asked < 60


def test_an_answer_given_by_a_policy_is_marked() -> None:
    part = {"functionResponse": {"id": "c", "name": "pay", "response": {"status": "approved"}}}
    metadata = {"adk_tui_policy": "approve pay of root"}
    for author, marked in (("user", True), ("root", False)):
        record = read_event(
            {"id": "e", "author": author, "content": {"parts": [part]}, "customMetadata": metadata}
        )
        assert ("automatic" in [b.text for b in badges(record)]) is marked
