"""What an answer will do is told before it is given."""

from collections.abc import Sequence

from adk_tui.core.consequences import awaited_with, consequences, siblings
from adk_tui.core.records import EventRecord
from adk_tui.core.reports import AgentNode
from adk_tui.core.tickets import read_tickets
from tests.fakes.sessions import call, confirmation, event, response, text, user

ROOT = AgentNode("root", children=(AgentNode("cashier"),))
STEPS = AgentNode(
    "steps",
    "SequentialAgent",
    can_transfer=False,
    children=(AgentNode("one"), AgentNode("two"), AgentNode("three")),
)


def _told(
    events: Sequence[EventRecord], tree: AgentNode = ROOT, *, resumable: bool = False, at: int = 0
) -> str:
    return "\n".join(consequences(read_tickets(events)[at], tree, events, resumable))


def _asked(author: str = "root", *ids: str) -> EventRecord:
    calls = [call("ask", i) for i in ids or ("c1",)]
    return event(author, *calls, longRunningToolIds=list(ids or ("c1",)))


def test_it_says_who_goes_on_and_stays_active():
    assert "cashier goes on and stays active." in _told([user("hi"), _asked("cashier")])


def test_it_says_whether_the_app_is_resumable():
    assert "The app is not resumable" in _told([_asked()])
    assert "The app is resumable" in _told([_asked()], resumable=True)


def test_later_steps_of_a_sequence_run_only_if_the_app_is_resumable():
    events = [_asked("one")]
    told = _told(events, STEPS)
    assert "The later steps of steps will not run (two, three)" in told
    assert "one goes on; the next message goes to steps again." in told
    assert "later steps" not in _told(events, STEPS, resumable=True)
    assert "later steps" not in _told([_asked("three")], STEPS)


def test_text_since_the_call_is_hidden_from_that_request():
    events = [_asked(), user("hello?", inv="i2"), event("root", text("yes"), inv="i2")]
    assert "Your message since the call is hidden" in _told(events)
    assert "Your 2 messages" in _told([*events, user("again", inv="i3")])
    assert "hidden" not in _told(events[:1])


def test_a_call_beside_it_without_any_response_is_warned_about():
    events = [_asked("root", "c1", "c2")]
    told = _told(events)
    assert told.startswith("ask has no response yet")
    assert "send all of them together" in told
    assert "recorded; the run goes on once 1 other is answered too" in _told(events, resumable=True)


def test_a_call_beside_it_with_a_receipt_is_not():
    receipts = [response("ask", i, {"status": "pending"}) for i in ("c1", "c2")]
    events = [_asked("root", "c1", "c2"), event("root", *receipts)]
    tickets = read_tickets(events)
    assert awaited_with(tickets[0], tickets, events) == ()
    assert "no response" not in _told(events)


def test_confirmations_beside_each_other_wait_for_each_other_only_in_a_resumable_app():
    gated = [call("pay", "g1"), call("pto", "g2")]
    asked = [confirmation(f"c{n}", g) for n, g in enumerate(gated, 1)]
    events = [event("root", *gated), event("root", *asked, longRunningToolIds=["c1", "c2"])]
    assert "no response" not in _told(events)
    assert "pay is dealt with at once" in _told(events, resumable=True)


def test_siblings_are_the_open_tickets_of_the_same_invocation():
    events = [
        _asked("root", "c1", "c2", "c3"),
        event("user", response("ask", "c3", {"ok": 1})),
        event("root", call("ask", "c4"), inv="i2", longRunningToolIds=["c4"]),
    ]
    tickets = read_tickets(events)
    assert [t.call_id for t in siblings(tickets[0], tickets)] == ["c2"]


def test_a_ticket_that_cannot_be_answered_says_only_why():
    events = [
        event("root", call("gate", "call_0"), inv=f"i{n}", longRunningToolIds=["call_0"])
        for n in (1, 2)
    ]
    first = consequences(read_tickets(events)[0], ROOT, events, False)
    assert len(first) == 1
    assert "newest" in first[0]
    assert "Another open ticket has the id call_0" in _told(events, at=1)


def test_a_stuck_ticket_points_to_the_rewind():
    schema = {"type": "integer"}
    events = [
        event("wf", call("adk_request_input", "q", response_schema=schema)),
        event("user", response("adk_request_input", "q", {"result": "x"})),
    ]
    assert "Rewind this turn" in _told(events)


def test_answering_again_is_said_to_be_that():
    events = [_asked(), event("user", response("ask", "c1", {"ok": 1}))]
    assert _told(events).startswith("It has been answered.")
