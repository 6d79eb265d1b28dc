"""Answers without a form: given as JSON to a ticket named by its id or tool."""

import pytest

from adk_tui.console.tickets import AnswerError, prepare
from adk_tui.core.tickets import Ticket, read_tickets
from tests.fakes.fake_engine import called, responded

PAY = called("root", "pay", {"amount": 200}, call_id="c1", waits=True)
CHOICE = called(
    "root", "get_user_choice", {"options": ["open", "pending"]}, call_id="c2", waits=True
)


def ticket(*events: object) -> Ticket:
    return read_tickets(events)[0]  # pyright: ignore


@pytest.mark.parametrize("value", [{"status": "in_progress"}, {"status": "queued", "place": 3}])
def test_an_answer_that_says_more_will_follow_is_progress(value: dict[str, object]):
    answer = prepare(ticket(PAY), value).answers[0]
    assert answer.will_continue
    assert answer.response == value


def test_any_other_answer_is_final():
    assert not prepare(ticket(PAY), {"status": "approved"}).answers[0].will_continue
    assert not prepare(ticket(CHOICE), "pending").answers[0].will_continue


def test_who_says_final_and_means_progress_is_told_so():
    with pytest.raises(AnswerError, match="status: says that more will follow"):
        prepare(ticket(PAY), {"status": "pending"}, progress=False)


def test_all_that_is_wrong_is_told_in_one_sentence_each():
    hint = {"originalFunctionCall": {"id": "g1", "name": "wipe", "args": {}}}
    gate = called("root", "adk_request_confirmation", hint, call_id="q1", waits=True)
    with pytest.raises(AnswerError, match="payload are; confirmed: must be"):
        prepare(ticket(gate), {"confirmd": True})


def test_an_answered_ticket_takes_another_answer_only_when_asked_to():
    done = ticket(PAY, responded("user", "pay", {"status": "approved"}, call_id="c1"))
    with pytest.raises(AnswerError, match="'again'"):
        prepare(done, {"status": "rejected"})
    assert prepare(done, {"status": "rejected"}, again=True).answers
