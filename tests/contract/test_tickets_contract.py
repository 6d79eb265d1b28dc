"""Our tickets against ADK's own index of open interrupts, and the places where they must differ."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from google.adk.events._interrupts import index_open_interrupts
from google.adk.events._rewind_events import _apply_rewinds
from google.adk.events.event import Event
from hypothesis import given, settings
from hypothesis import strategies as st

from adk_tui.core.records import REQUEST_CONFIRMATION, EventRecord
from adk_tui.core.rewinds import live
from adk_tui.core.tickets import Ticket, read_tickets
from tests.fakes.sessions import aborted, call, event, response, rewind, user
from tests.golden_table import read, streams


def _adk(events: Sequence[EventRecord]) -> list[Event]:
    return [Event.model_validate_json(e.raw) for e in events if not e.partial and not e.inner_of]


def _adk_open(events: Sequence[EventRecord]) -> set[str]:
    return set(index_open_interrupts(_apply_rewinds(_adk(events))))


def _why_only_ours(ticket: Ticket, events: Sequence[EventRecord]) -> str:
    """Why a ticket of ours may be open although ADK's index has it closed."""
    if ticket.state == "updated":
        return "ADK takes progress for the answer"
    if ticket.state == "invalid":
        return "ADK takes an unusable answer for the answer"
    if ticket.dead.startswith("A later call"):
        return "ADK knows only the newest call of an id"
    if ticket.function_name == REQUEST_CONFIRMATION and not any(
        ticket.call_id in e.long_running_tool_ids for e in events
    ):
        return "ADK does not know old confirmations without long-running ids"
    return ""


def _why_only_theirs(call_id: str, tickets: Sequence[Ticket], events: Sequence[EventRecord]) -> str:
    """Why ADK's index may have an id open although no ticket of ours is."""
    ours = [t for t in tickets if t.call_id == call_id and t.state != "withdrawn"]
    if not ours:
        return "ADK lists ids that no call has"
    last = ours[-1]
    if last.state == "aborted":
        return "ADK keeps what a stop has sealed"
    if last.state == "final" and all(r.author != "user" for r in last.replies):
        return "ADK does not read the tool's own final status"
    return ""


def _differences(events: Sequence[EventRecord]) -> list[str]:
    tickets = read_tickets(events)
    theirs = _adk_open(events)
    ours = {t.call_id: t for t in tickets if t.is_open}
    reasons = [_why_only_ours(ours[i], events) for i in sorted(set(ours) - theirs)]
    reasons += [_why_only_theirs(i, tickets, events) for i in sorted(theirs - set(ours))]
    return reasons


def test_recorded_sessions_differ_from_adk_only_where_they_must():
    found: Counter[str] = Counter()
    for path in streams():
        events = read(path)
        for count in range(len(events) + 1):
            reasons = set(_differences(events[:count]))
            assert "" not in reasons, (path.name, count)
            found.update({(path.name, r) for r in reasons} - set(found))
    assert Counter(reason for _, reason in found) == {
        "ADK takes progress for the answer": 5,
        "ADK takes an unusable answer for the answer": 4,
        "ADK keeps what a stop has sealed": 2,
    }


IDS = st.sampled_from(["a", "b"])
INVOCATIONS = st.sampled_from(["i1", "i2"])


@st.composite
def _sessions(draw: st.DrawFn) -> list[EventRecord]:
    """Sessions as ADK writes them: an answer goes to the newest call of its id."""
    events: list[EventRecord] = []
    newest: dict[str, tuple[str, str]] = {}
    for _ in range(draw(st.integers(0, 12))):
        act = draw(st.sampled_from(["call", "confirm", "answer", "progress", "stop", "talk",
                                    "ghost", "done", "rewind"]))  # fmt: skip
        call_id, inv = draw(IDS), draw(INVOCATIONS)
        if act in ("call", "confirm"):
            name = "ask" if act == "call" else REQUEST_CONFIRMATION
            newest[call_id] = (name, inv)
            events.append(event("root", call(name, call_id), inv=inv, longRunningToolIds=[call_id]))
        elif act == "talk":
            events.append(user("hm", inv=inv))
        elif act == "ghost":
            events.append(event("root", inv=inv, longRunningToolIds=["ghost"]))
        elif act == "rewind":
            events.append(rewind(inv, inv="i9"))
            newest = {}
            for kept in reversed(list(live(events))):
                newest.update({c.id: (c.name, kept.invocation_id) for c in kept.calls})
        elif call_id in newest:
            name, inv = newest[call_id]
            part = response(name, call_id, {"confirmed": True})
            if act == "progress":
                part = response(name, call_id, {"status": "pending"})
            if act == "stop":
                events.append(aborted("root", part, inv=inv))
            elif act == "done":
                part = response(name, call_id, {"status": "done"})
                events.append(event("root", part, inv=inv))
            else:
                events.append(event("user", part, inv=inv))
    return events


@settings(max_examples=200, deadline=None)
@given(_sessions())
def test_any_session_differs_from_adk_only_where_it_must(events: list[EventRecord]):
    assert "" not in _differences(events)


@settings(max_examples=200, deadline=None)
@given(_sessions())
def test_rewinds_leave_the_same_events_as_in_adk(events: list[EventRecord]):
    ours = [e.id for e in reversed(list(live(events)))]
    assert ours == [e.id for e in _apply_rewinds(_adk(events))]


@pytest.mark.parametrize("path", streams("rewind*", "input_poison*"), ids=lambda p: p.name)
def test_recorded_rewinds_leave_the_same_events_as_in_adk(path: Path):
    events = read(path)
    for count in range(len(events) + 1):
        ours = [e.id for e in reversed(list(live(events[:count])))]
        assert ours == [e.id for e in _apply_rewinds(_adk(events[:count]))]
