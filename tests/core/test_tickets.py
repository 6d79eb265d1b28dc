"""The life of a ticket."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adk_tui.core.event_log import EventLog
from adk_tui.core.event_reader import read_event
from adk_tui.core.records import EventRecord
from adk_tui.core.tickets import Ticket, TicketBook, read_tickets
from tests.fakes.sessions import (
    aborted,
    call,
    confirmation,
    event,
    log_of,
    response,
    rewind,
    text,
    user,
)

ASK = call("ask", "c1", amount=200)
PAY = call("pay", "g1", amount=5)


def _one(*events: EventRecord) -> Ticket:
    (ticket,) = read_tickets(events)
    return ticket


def _asked(**fields: Any) -> list[EventRecord]:
    return [user("go"), event("root", ASK, longRunningToolIds=["c1"], **fields)]


def _answer(body: dict[str, Any], **kwargs: Any) -> EventRecord:
    return event("user", response("ask", "c1", body, **kwargs))


def test_a_long_running_call_is_an_open_ticket():
    ticket = _one(*_asked(branch="a.b"))
    assert (ticket.kind, ticket.state, ticket.name, ticket.function_name) == (
        "long_running",
        "open",
        "ask",
        "ask",
    )
    assert (ticket.agent, ticket.branch, ticket.args) == ("root", "a.b", {"amount": 200})
    assert ticket.is_open
    assert ticket.opened > 0


def test_an_ordinary_call_and_an_empty_list_of_ids_are_no_ticket():
    assert read_tickets([event("root", ASK, longRunningToolIds=[]), event("root", ASK)]) == ()


def test_a_partial_event_never_makes_a_ticket():
    partial = event("root", ASK, longRunningToolIds=["c1"], partial=True)
    assert read_tickets([partial]) == ()


def test_an_event_of_an_inner_run_never_makes_a_ticket():
    raw = event("clerk", ASK, longRunningToolIds=["c1"]).raw
    assert read_tickets([read_event(raw, inner_of="outer")]) == ()


def test_a_long_running_id_without_a_call_is_no_ticket():
    assert read_tickets([event("root", text("hm"), longRunningToolIds=["ghost"])]) == ()


@pytest.mark.parametrize(
    "body",
    [{"status": "pending"}, {"status": "In Progress"}, {"status": "pending-approval"}, {"x": 1}],
)
def test_the_tools_own_receipt_leaves_the_ticket_open(body: dict[str, Any]):
    ticket = _one(*_asked(), event("root", response("ask", "c1", body)))
    assert ticket.state == "open"
    assert [r.progress for r in ticket.replies] == [True]


def test_the_tools_own_final_status_closes_it():
    assert _one(*_asked(), event("root", response("ask", "c1", {"status": "ok"}))).state == "final"


@pytest.mark.parametrize(
    ("body", "more", "state"),
    [
        ({"status": "approved"}, None, "final"),
        ({"status": "open", "gate": 1}, None, "final"),
        ({}, None, "final"),
        ({"status": "in_progress"}, None, "updated"),
        ({"status": "awaiting approval"}, None, "updated"),
        ({"progress": 50}, True, "updated"),
        ({"status": "approved"}, True, "updated"),
        ({"status": "approved"}, False, "final"),
    ],
)
def test_progress_keeps_the_ticket_open_and_any_other_answer_closes_it(
    body: dict[str, Any], more: bool | None, state: str
):
    assert _one(*_asked(), _answer(body, will_continue=more)).state == state


def test_small_talk_leaves_the_ticket_open():
    talk = [
        event("root", text("pending")),
        user("hm", inv="i2"),
        event("root", text("x"), inv="i2"),
    ]
    assert _one(*_asked(), *talk).state == "open"


def test_a_second_answer_is_kept_but_does_not_open_it_again():
    ticket = _one(*_asked(), _answer({"status": "approved"}), _answer({"status": "pending"}))
    assert ticket.state == "final"
    assert len(ticket.replies) == 2


def test_three_calls_in_one_event_are_three_tickets_and_an_answer_closes_its_own():
    calls = [call("ask", f"c{n}") for n in (1, 2, 3)]
    asked = event("root", *calls, longRunningToolIds=["c1", "c2", "c3"])
    tickets = read_tickets([asked, event("user", response("ask", "c2", {"status": "approved"}))])
    assert [(t.call_id, t.state) for t in tickets] == [
        ("c1", "open"),
        ("c2", "final"),
        ("c3", "open"),
    ]


def test_stopping_aborts_what_it_seals_and_an_answer_still_closes_it():
    sealed = aborted("root", response("ask", "c1", {"error": "Invocation was aborted by client."}))
    assert _one(*_asked(), sealed).state == "aborted"
    assert not _one(*_asked(), sealed).is_open
    assert _one(*_asked(), sealed, _answer({"ok": 1})).state == "final"


def test_stopping_leaves_a_ticket_with_a_receipt_open():
    receipt = event("root", response("ask", "c1", {"status": "pending"}))
    assert _one(*_asked(), receipt, aborted("root")).state == "open"


def test_a_rewind_withdraws_the_ticket():
    ticket = _one(*_asked(), rewind("i1", inv="i2"))
    assert ticket.state == "withdrawn"
    assert not ticket.is_open


def test_a_rewind_past_the_answer_opens_the_ticket_again():
    events = [*_asked(), user("more", inv="i2"), _answer({"ok": 1}), rewind("i2", inv="i3")]
    ticket = _one(*events)
    assert ticket.state == "open"
    assert ticket.replies == ()


# Confirmations.


def _gated() -> list[EventRecord]:
    return [
        event("root", PAY, longRunningToolIds=[]),
        event("root", confirmation("c1", PAY), longRunningToolIds=["c1"]),
    ]


def _confirm(body: dict[str, Any]) -> EventRecord:
    return event("user", response("adk_request_confirmation", "c1", body))


def test_a_confirmation_shows_the_gated_call_and_is_answered_under_its_own_name():
    ticket = _one(*_gated())
    assert (ticket.kind, ticket.name, ticket.args) == ("confirmation", "pay", {"amount": 5})
    assert ticket.function_name == "adk_request_confirmation"
    assert ticket.gated_id == "g1"
    assert ticket.message.startswith("Please approve")


@pytest.mark.parametrize(
    "body",
    [{"confirmed": True}, {"confirmed": "yes"}, {}, {"response": '{"confirmed": true}'},
     {"confirmed": True, "payload": [1]}, {"confirmed": True, "hint": "h"}],
)  # fmt: skip
def test_a_readable_confirmation_is_final(body: dict[str, Any]):
    assert _one(*_gated(), _confirm(body)).state == "final"


@pytest.mark.parametrize(
    "body",
    [{"approved": True}, {"confirmed": "maybe"}, {"confirmed": None}, {"response": "{"},
     {"response": "[]"}, {"confirmed": True, "hint": 3}],
)  # fmt: skip
def test_an_unreadable_confirmation_can_be_answered_again(body: dict[str, Any]):
    bad = _one(*_gated(), _confirm(body))
    assert bad.state == "invalid"
    assert bad.is_open
    assert bad.replies[-1].problem
    assert _one(*_gated(), _confirm(body), _confirm({"confirmed": True})).state == "final"


def test_answering_the_gated_call_leaves_the_confirmation_open():
    forged = event("user", response("pay", "g1", {"paid": "forged"}))
    assert _one(*_gated(), forged).state == "open"


def test_a_long_running_tool_behind_a_confirmation_is_not_answerable_before_it():
    events = [
        event("root", PAY, longRunningToolIds=["g1"]),
        event("root", confirmation("c1", PAY), longRunningToolIds=["c1"]),
    ]
    pay, confirm = read_tickets(events)
    assert "confirmation first" in pay.dead
    assert confirm.dead == ""
    pay, _ = read_tickets([*events, _confirm({"confirmed": True})])
    assert (pay.is_open, pay.dead) == (True, "")
    refused = event("root", response("pay", "g1", {"error": "This tool call is rejected."}))
    pay, _ = read_tickets([*events, _confirm({}), refused])
    assert pay.state == "final"


# Credentials, inputs, choices.


def test_a_credential_that_did_not_help_is_asked_for_again():
    tool = call("secret_tool", "g1", q="x")
    config = {"authScheme": {"type": "apiKey"}, "credentialKey": "k"}
    asked = call("adk_request_credential", "c1", functionCallId="g1", authConfig=config)
    again = {"requestedAuthConfigs": {"g1": config}}
    events = [
        event("root", tool),
        event("root", asked, longRunningToolIds=["c1"]),
        event("root", response("secret_tool", "g1", {"status": "auth pending"}), actions=again),
    ]
    first = _one(*events)
    assert (first.kind, first.state, first.name, first.auth) == (
        "credential",
        "open",
        "secret_tool",
        config,
    )
    given_ = event("user", response("adk_request_credential", "c1", {"foo": 1}))
    assert _one(*events, given_).state == "final"
    pending = event("root", response("secret_tool", "g1", {"status": "x"}), actions=again)
    bad = _one(*events, given_, pending)
    assert bad.state == "invalid"
    assert bad.replies[-1].problem


SIZE = {"type": "object", "properties": {"size": {"type": "integer"}}, "required": ["size"]}


def _input(schema: Any = None, call_id: str = "q", inv: str = "i1", **extra: Any) -> EventRecord:
    asked = call("adk_request_input", call_id, message="?", response_schema=schema, **extra)
    return event("wf", asked, inv=inv, longRunningToolIds=[call_id])


def _reply(body: dict[str, Any], inv: str = "i1", call_id: str = "q") -> EventRecord:
    return event("user", response("adk_request_input", call_id, body), inv=inv)


def test_an_answer_against_the_schema_sticks_for_good():
    bad = _one(_input(SIZE), _reply({"wrong": 1}))
    assert bad.state == "stuck"
    assert "size is missing" in bad.replies[0].problem
    assert _one(_input(SIZE), _reply({"wrong": 1}), _reply({"size": 1})).state == "stuck"
    assert _one(_input(SIZE), _reply({"size": "42"})).state == "final"


def test_a_status_is_no_progress_where_adk_takes_the_answer_as_the_value():
    assert _one(_input(), _reply({"status": "pending"})).state == "final"


def test_the_same_question_in_a_later_turn_takes_the_place_of_the_first():
    first, second = read_tickets([_input(), _input(inv="i2")])
    assert (first.state, second.state) == ("superseded", "open")
    assert first.key != second.key


def test_the_same_question_again_in_one_turn_is_a_new_ticket_each_time():
    rounds = [_input(), _reply({"d": "no"}), _input(), _reply({"d": "no"}), _input()]
    assert [t.state for t in read_tickets(rounds)] == ["final", "final", "open"]


def test_a_node_confirmation_shows_the_gated_tool():
    ticket = _one(
        _input(
            call_id="wf_tool_confirmation:wf@1/remove@1",
            interruptId="x",
            payload={"tool_name": "remove", "args": {"n": 1}},
        )
    )
    assert (ticket.kind, ticket.name, ticket.args) == ("node_confirmation", "remove", {"n": 1})
    assert ticket.function_name == "adk_request_input"


def test_a_request_counts_even_where_an_old_session_left_the_long_running_ids_out():
    assert _one(event("root", call("adk_request_input", "q"))).state == "open"


def test_a_choice_has_its_options():
    asked = event("root", call("get_user_choice", "c", options=["a", 2]), longRunningToolIds=["c"])
    ticket = _one(asked)
    assert (ticket.kind, ticket.options) == ("choice", ("a", "2"))


# Ids that repeat.


def test_two_open_calls_with_one_id_both_show_and_the_answer_is_the_newest_ones():
    gates = [
        event("root", call("open_gate", "call_0", n=n), inv=f"i{n}", longRunningToolIds=["call_0"])
        for n in (1, 2)
    ]
    first, second = read_tickets(gates)
    assert (first.is_open, second.is_open) == (True, True)
    assert (first.duplicate_id, second.duplicate_id) == (True, True)
    assert first.key != second.key
    assert "newest" in first.dead
    assert second.dead == ""
    answer = event("user", response("open_gate", "call_0", {"status": "open"}), inv="i2")
    first, second = read_tickets([*gates, answer])
    assert (first.state, second.state) == ("open", "final")
    assert not first.duplicate_id


def test_one_id_twice_in_one_invocation_is_answered_once():
    asked = [event("root", ASK, longRunningToolIds=["c1"]) for _ in range(2)]
    assert [t.duplicate_id for t in read_tickets(asked)] == [True, True]
    tickets = read_tickets([*asked, _answer({"ok": 1})])
    assert [t.state for t in tickets] == ["final", "final"]


def test_a_response_to_a_plain_call_with_the_same_id_is_none_of_the_tickets():
    events = [
        event("root", call("open_gate", "call_0"), longRunningToolIds=["call_0"]),
        event("root", call("read_meter", "call_0"), inv="i2"),
        event("root", response("read_meter", "call_0", {"status": "ok"}), inv="i2"),
    ]
    assert _one(*events).state == "open"


def test_a_call_without_an_id_says_that_it_cannot_be_answered():
    ticket = _one(event("root", call("adk_request_input")))
    assert ticket.dead


# The book.


def test_the_book_tells_a_session_again_after_a_reset():
    log, book = log_of(_asked()), TicketBook()
    assert book.update(log)
    assert not book.update(log)
    assert book.get(book.open[0].key) is book.open[0]
    log.reset()
    assert book.update(log)
    assert book.tickets == ()
    assert book.get("c1#1") is None


IDS = st.sampled_from(["a", "b", "c"])
INVOCATIONS = st.sampled_from(["i1", "i2", "i3"])
ACTS = st.lists(
    st.tuples(
        st.sampled_from(
            ["call", "input", "confirm", "final", "progress", "bad", "receipt", "abort", "rewind",
             "talk", "partial"]
        ),
        IDS,
        INVOCATIONS,
    ),
    max_size=14,
)  # fmt: skip


def _act(act: str, call_id: str, inv: str) -> EventRecord:
    match act:
        case "call":
            return event("root", call("ask", call_id), inv=inv, longRunningToolIds=[call_id])
        case "input":
            return _input(SIZE, call_id, inv)
        case "confirm":
            asked = confirmation(call_id, call("pay", "g" + call_id))
            return event("root", asked, inv=inv, longRunningToolIds=[call_id])
        case "final":
            return event("user", response("ask", call_id, {"size": 1}), inv=inv)
        case "progress":
            return event("user", response("ask", call_id, {"status": "pending"}), inv=inv)
        case "bad":
            return event("user", response("ask", call_id, {"bad": 1}), inv=inv)
        case "receipt":
            return event("root", response("ask", call_id, {"status": "pending"}), inv=inv)
        case "abort":
            return aborted("root", response("ask", call_id, {"error": "x"}), inv=inv)
        case "rewind":
            return rewind(inv, inv="i9")
        case "partial":
            return event(
                "root", call("ask", call_id), inv=inv, longRunningToolIds=[call_id], partial=True
            )
        case _:
            return user("talk", inv=inv)


@settings(max_examples=300, deadline=None)
@given(ACTS)
def test_no_ticket_is_lost_and_none_is_open_after_its_final_answer(
    acts: list[tuple[str, str, str]],
):
    events = [_act(*a) for a in acts]
    log, book = EventLog(), TicketBook()
    for count, one in enumerate(events, 1):
        log.extend([one])
        book.update(log)
        assert book.tickets == read_tickets(events[:count])
    calls = [a for a in acts if a[0] in ("call", "input", "confirm")]
    assert [t.call_id for t in book.tickets] == [a[1] for a in calls]
    assert len({t.key for t in book.tickets}) == len(calls)
    for ticket in book.tickets:
        by_people = [r for r in ticket.replies if r.author == "user"]
        finals = [r for r in by_people if not r.progress and not r.problem]
        if finals:
            assert not ticket.is_open
        if ticket.state == "final":
            assert any(not r.progress for r in ticket.replies)
        if ticket.state == "open":
            assert by_people == []


@settings(max_examples=150, deadline=None)
@given(ACTS)
def test_every_call_that_nobody_answered_aborted_or_undid_is_open(acts: list[tuple[str, str, str]]):
    harmless = [a for a in acts if a[0] in ("call", "receipt", "talk", "partial", "progress")]
    tickets = read_tickets([_act(*a) for a in harmless])
    assert all(t.is_open for t in tickets)
    assert len(tickets) == sum(a[0] == "call" for a in harmless)
