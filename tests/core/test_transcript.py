"""What stands in the chat."""

import random
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adk_tui.core.event_log import EventLog
from adk_tui.core.event_reader import read_event
from adk_tui.core.records import EventRecord
from adk_tui.core.reports import Failure, ToolRun
from adk_tui.core.rewinds import live
from adk_tui.core.tickets import TicketBook, read_tickets
from adk_tui.core.transcript import (
    AgentText,
    Attachments,
    ChatItem,
    CodeCard,
    ErrorCard,
    HumanAnswer,
    Line,
    OutputCard,
    Thought,
    TicketMark,
    ToolCard,
    Transcript,
    TransferLine,
    UserTurn,
)
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

T = TypeVar("T", bound=ChatItem)
PAY = call("pay", "g1", amount=5)


def _tell(
    *events: EventRecord, runs: Mapping[str, ToolRun] | None = None, idle: bool = False
) -> list[ChatItem]:
    transcript = Transcript()
    transcript.update(log_of(events), runs or {}, idle=idle)
    return list(transcript.items)


def _all(items: Sequence[ChatItem], kind: type[T]) -> list[T]:
    return [i for i in items if isinstance(i, kind)]


def _one(items: Sequence[ChatItem], kind: type[T]) -> T:
    (found,) = _all(items, kind)
    return found


def _part(event_id: str, value: str, author: str = "root", **fields: Any) -> EventRecord:
    thought = bool(fields.pop("thought", False))
    part = text(value, thought=thought)
    return event(author, part, id=event_id, partial=True, **fields)


# Text and thoughts.


def test_partials_are_appended_and_the_final_event_has_the_last_word():
    chunks = [_part("a", "The pear "), _part("a", "weighs 120 "), _part("a", "gramm")]
    streamed = _one(_tell(*chunks), AgentText)
    assert (streamed.text, streamed.streaming) == ("The pear weighs 120 gramm", True)
    final = event("root", text("The pear weighs 120 grams."), id="a")
    closed = _one(_tell(*chunks, final), AgentText)
    assert (closed.text, closed.streaming) == ("The pear weighs 120 grams.", False)
    assert closed.key == streamed.key


def test_cumulative_partials_are_not_repeated():
    chunks = [_part("a", "Hel"), _part("a", "Hello"), _part("a", "Hello you")]
    assert _one(_tell(*chunks), AgentText).text == "Hello you"


def test_thoughts_are_apart_from_the_answer():
    chunks = [_part("a", "First ", thought=True), _part("a", "weigh", thought=True)]
    chunks.append(_part("a", "Let me check."))
    items = _tell(*chunks)
    assert _one(items, Thought).text == "First weigh"
    assert not _one(items, Thought).streaming
    assert _one(items, AgentText).text == "Let me check."


def test_calls_between_pieces_of_text_keep_their_order():
    final = event(
        "root", text("Let me "), text("check."), call("weigh", "c"), text("Wait."), id="a"
    )
    items = _tell(_part("a", "Let me check."), final)
    assert [type(i) for i in items] == [AgentText, ToolCard, AgentText]
    assert [i.text for i in _all(items, AgentText)] == ["Let me check.", "Wait."]


def test_a_call_in_a_partial_is_no_card():
    assert _tell(event("root", call("tool", "throw-away"), id="a", partial=True)) == []


def test_parallel_agents_have_a_bubble_each_even_where_their_names_begin_alike():
    chunks = [
        _part(name, f"{word} ", author=name, branch=f"fan.{name}")
        for word in ("one", "two")
        for name in ("agent_1", "agent_10", "agent_2")
    ]
    texts = _all(_tell(*chunks), AgentText)
    assert [(t.author, t.text) for t in texts] == [
        ("agent_1", "one two "),
        ("agent_10", "one two "),
        ("agent_2", "one two "),
    ]
    assert all(t.streaming for t in texts)


def test_a_failed_run_keeps_the_half_sentence_and_tells_of_the_error_once():
    broken = event("root", errorCode="RuntimeError", errorMessage="boom")
    around = event("wf", errorCode="RuntimeError", errorMessage="boom")
    items = _tell(_part("a", "half a "), broken, around)
    half = _one(items, AgentText)
    assert (half.text, half.streaming, half.mark) == ("half a ", False, "interrupted")
    assert _one(items, ErrorCard).message == "boom"


def test_an_error_under_the_id_of_the_partials_does_not_wipe_them():
    broken = event("root", id="a", errorCode="503", errorMessage="overloaded")
    items = _tell(_part("a", "half"), broken)
    assert (_one(items, AgentText).text, _one(items, AgentText).mark) == ("half", "interrupted")
    assert _one(items, ErrorCard).hint


def test_a_stopped_run_keeps_the_half_sentence():
    items = _tell(_part("a", "half"), aborted("root"))
    assert _one(items, AgentText).mark == "stopped"
    assert _one(items, Line).text == "Stopped."


def test_a_stream_without_an_end_is_closed_by_the_next_turn_or_by_rest():
    assert _one(_tell(_part("a", "half")), AgentText).streaming
    later = _tell(_part("a", "half"), user("next", inv="i2"))
    assert (_one(later, AgentText).streaming, _one(later, AgentText).mark) == (False, "interrupted")
    assert _one(_tell(_part("a", "half"), idle=True), AgentText).mark == "interrupted"


def test_a_live_answer_cut_off_by_its_user_is_marked_wherever_the_news_of_it_comes():
    cut = event("root", interrupted=True)
    whole = event("root", text("a whole answer"))
    assert _one(_tell(event("root", text("x"), interrupted=True)), AgentText).mark == "interrupted"
    for before in (whole, _part("a", "half")):
        items = _tell(before, cut)
        assert (_one(items, AgentText).mark, _one(items, AgentText).streaming) == (
            "interrupted",
            False,
        )
        assert _all(items, Line) == []
    items = _tell(user("speak"), cut)
    assert _one(items, Line).text == "root was interrupted."
    items = _tell(event("other", text("not mine")), cut)
    assert _one(items, AgentText).mark == ""
    assert _one(items, Line).text == "root was interrupted."


def test_a_stream_that_goes_on_after_all_is_open_again():
    again = _tell(_part("a", "half "), user("x", inv="i2"), _part("a", "more"))
    assert (_one(again, AgentText).text, _one(again, AgentText).mark) == ("half more", "")
    assert _one(again, AgentText).streaming


@pytest.mark.parametrize("field", ["finishReason", "errorCode"])
def test_text_at_the_token_limit_is_kept_and_marked_cut(field: str):
    items = _tell(event("root", text("This is cut in the mid"), **{field: "MAX_TOKENS"}))
    assert len(items) == 1
    assert _one(items, AgentText).mark == "cut"


@pytest.mark.parametrize("code", ["MALFORMED_FUNCTION_CALL", "SAFETY", "MODEL_RETURNED_NO_CONTENT"])
def test_an_answer_without_text_is_never_an_empty_bubble(code: str):
    card = _one(
        _tell(event("root", errorCode=code, errorMessage="m", finishReason=code)), ErrorCard
    )
    assert (card.code, card.message) == (code, "m")
    assert card.hint


def test_an_empty_answer_says_so():
    nothing = read_event(
        {"id": "x", "author": "root", "content": {"role": "model", "parts": []},
         "finishReason": "STOP"}
    )  # fmt: skip
    assert "answered with nothing (finish reason STOP)" in _one(_tell(nothing), Line).text


def test_housekeeping_events_show_nothing():
    quiet = [{"endOfAgent": True}, {"agentState": {}}, {"stateDelta": {"k": 1}}]
    assert _tell(*(event("root", actions=a) for a in quiet)) == []


# Tools.


def test_a_card_pairs_a_call_with_its_response_and_takes_the_events_times():
    asked, answered = event("root", PAY), event("root", response("pay", "g1", {"paid": 5}))
    assert _one(_tell(asked), ToolCard).state == "running"
    card = _one(_tell(asked, answered), ToolCard)
    assert card.state == "done"
    assert card.response is not None
    assert card.response.response == {"paid": 5}
    assert card.response_event_id == answered.id
    assert (card.started, card.ended) == (asked.timestamp, answered.timestamp)


def test_measured_runs_refine_the_times_and_tell_of_failures():
    asked, answered = event("root", PAY), event("root", response("pay", "g1", {"paid": 5}))
    run = ToolRun("g1", "pay", "root", "i1", started=10.0, ended=10.25)
    card = _one(_tell(asked, answered, runs={"g1": run}), ToolCard)
    assert (card.started, card.ended) == (10.0, 10.25)
    failed = ToolRun("g1", "pay", "root", "i1", started=10.0, ended=11.0, error="ValueError")
    assert _one(_tell(asked, runs={"g1": failed}), ToolCard).state == "error"
    elsewhere = ToolRun("g1", "pay", "root", "i7", started=10.0, ended=10.25)
    assert _one(_tell(asked, runs={"g1": elsewhere}), ToolCard).started == asked.timestamp


def test_an_error_in_the_response_and_a_call_that_a_failure_cut_off_are_errors():
    asked = event("root", PAY)
    failed = event("root", response("pay", "g1", {"error": "no"}))
    assert _one(_tell(asked, failed), ToolCard).state == "error"
    raised = event("root", errorCode="ValueError", errorMessage="tool exploded")
    assert _one(_tell(asked, raised), ToolCard).state == "error"


def test_a_call_that_will_get_no_response_is_stopped():
    asked = event("root", PAY)
    sealed = aborted("root", response("pay", "g1", {"error": "aborted"}))
    assert _one(_tell(asked, sealed), ToolCard).state == "stopped"
    assert _one(_tell(asked, user("next", inv="i2")), ToolCard).state == "stopped"
    assert _one(_tell(asked, idle=True), ToolCard).state == "stopped"
    resumed = event("root", response("pay", "g1", {"paid": 5}))
    assert _one(_tell(asked, user("x", inv="i2"), resumed), ToolCard).state == "done"


def test_calls_without_ids_are_paired_by_name():
    answered = read_event(
        {"id": "r", "author": "root", "invocationId": "i1", "content": {"parts": [
            {"functionResponse": {"name": "no_id", "response": {"x": 1}}}]}}
    )  # fmt: skip
    assert _one(_tell(event("root", call("no_id")), answered), ToolCard).state == "done"


def test_the_same_call_again_and_again_is_counted():
    calls = [event("root", call("poll", f"c{n}", q=1)) for n in range(3)]
    other = event("root", call("poll", "c9", q=2))
    assert [c.repeats for c in _all(_tell(*calls, other), ToolCard)] == [0, 1, 2, 0]


def test_a_response_to_a_call_that_is_not_here_is_said_and_not_lost():
    line = _one(_tell(event("root", response("ghost", "orphan", {"x": 1}))), Line)
    assert "ghost" in line.text
    assert line.tone == "warning"


def test_inner_events_of_an_agent_tool_are_counted_on_its_card():
    inner = [read_event(event("clerk", text("hm")).raw, inner_of="c") for _ in range(2)]
    assert _one(_tell(event("root", call("clerk", "c")), *inner), ToolCard).inner == 2


def test_a_pause_inside_an_agent_tool_is_explained_once():
    pause = event("clerk", call("ask", "x"), longRunningToolIds=["x"])
    gave_up = {
        "result": "Error: agent 'clerk' stopped waiting on unresolved long-running tool "
        "call(s) (pending call ids: ['x']), which AgentTool cannot resume."
    }
    items = _tell(
        event("root", call("clerk", "c")),
        read_event(pause.raw, inner_of="c"),
        event("root", response("clerk", "c", gave_up)),
    )
    line = _one(items, Line)
    assert "single_turn" in line.text
    assert _all(items, TicketMark) == []


def test_a_transfer_call_becomes_a_line_between_the_agents():
    items = _tell(
        event("root", call("transfer_to_agent", "t", agent_name="billing")),
        event(
            "root",
            response("transfer_to_agent", "t", {"result": None}),
            actions={"transferToAgent": "billing"},
        ),
        event("billing", text("hi")),
    )
    assert [type(i) for i in items] == [TransferLine, AgentText]
    line = _one(items, TransferLine)
    assert (line.source, line.target) == ("root", "billing")


def test_a_transfer_that_nobody_took_up_says_so_once_nothing_runs():
    asked = event("root", call("transfer_to_agent", "t", agent_name="nobody"))
    done = response("transfer_to_agent", "t", {"result": None})
    moved = event("root", done, actions={"transferToAgent": "nobody"})
    assert not _one(_tell(asked, moved), TransferLine).unanswered
    assert _one(_tell(asked, moved, idle=True), TransferLine).unanswered
    answered = event("nobody", text("hi"))
    assert not _one(_tell(asked, moved, answered, idle=True), TransferLine).unanswered


def test_a_failure_explains_the_card_of_its_event_and_adds_none():
    node = event("root", id="e1", errorCode="Jam", errorMessage="raw")
    flow = event("flow", id="e2", errorCode="Jam", errorMessage="raw")
    why = Failure("tool.error", "The tool jammed.", "Oil it.", "agent.py", 3, "Traceback")
    transcript = Transcript()
    log = log_of([node, flow])
    transcript.update(log, {})
    assert _one(list(transcript.items), ErrorCard).message == "raw"
    assert transcript.update(log, {}, failures={"e2": why}) == 0
    card = _one(list(transcript.items), ErrorCard)
    assert (card.code, card.message, card.hint) == ("Jam", "The tool jammed.", "Oil it.")
    assert (card.place, card.details) == ("agent.py:3", "Traceback")


def test_many_calls_of_one_tool_in_a_turn_are_told_whatever_their_arguments():
    calls = [event("root", call("poll", f"c{n}", q=n)) for n in range(51)]
    lines = [ln.text for ln in _all(_tell(*calls), Line)]
    assert [ln.partition(" times")[0] for ln in lines] == [
        "poll has been called 25",
        "poll has been called 50",
    ]


def test_a_transfer_by_action_alone_is_a_line_too():
    forced = event("root", inv="p", actions={"transferToAgent": "x", "transferReason": "why"})
    assert _one(_tell(forced), TransferLine).reason == "why"


# Tickets.


def _ticket() -> EventRecord:
    return event("root", call("ask", "c1"), longRunningToolIds=["c1"])


def test_a_long_running_call_waits_until_the_human_has_answered():
    items = _tell(_ticket(), event("root", response("ask", "c1", {"status": "pending"})))
    assert _one(items, ToolCard).state == "waiting"
    assert _one(items, TicketMark).ticket_call_id == "c1"
    progress = event("user", response("ask", "c1", {"status": "in_progress"}))
    items = _tell(_ticket(), progress)
    assert _one(items, ToolCard).state == "waiting"
    assert _one(items, HumanAnswer).progress
    final = event("user", response("ask", "c1", {"status": "approved"}))
    items = _tell(_ticket(), progress, final)
    assert _one(items, ToolCard).state == "done"
    assert [a.progress for a in _all(items, HumanAnswer)] == [True, False]
    assert _one(_tell(_ticket(), idle=True), ToolCard).state == "waiting"


def test_a_tool_that_says_itself_that_it_is_done_leaves_no_mark():
    items = _tell(_ticket(), event("root", response("ask", "c1", {"status": "ok"})))
    assert _all(items, TicketMark) == []
    assert _one(items, ToolCard).state == "done"


def _gated(*more: EventRecord) -> list[ChatItem]:
    return _tell(
        event("root", PAY),
        event("root", confirmation("c1", PAY), longRunningToolIds=["c1"]),
        event(
            "root",
            response(
                "pay",
                "g1",
                {"error": "This tool call requires confirmation, please approve or reject."},
            ),
        ),
        *more,
    )


def _confirm(body: dict[str, Any]) -> EventRecord:
    return event("user", response("adk_request_confirmation", "c1", body))


def test_a_gated_tool_waits_runs_and_is_done():
    paid = event("root", response("pay", "g1", {"paid": 5}))
    assert _one(_gated(), ToolCard).state == "waiting"
    assert _one(_gated(), TicketMark).name == "pay"
    assert _one(_gated(_confirm({"confirmed": True})), ToolCard).state == "running"
    items = _gated(_confirm({"confirmed": True}), paid)
    assert _one(items, ToolCard).state == "done"
    assert _one(items, HumanAnswer).name == "pay"
    assert _all(items, ErrorCard) == []


def test_an_answer_that_adk_cannot_use_says_why():
    items = _gated(_confirm({"approved": True}))
    assert "approved" in _one(items, HumanAnswer).problem
    assert _one(items, ToolCard).state == "waiting"


def test_a_tool_that_ran_although_it_was_rejected_is_a_loud_card():
    paid = event("root", response("pay", "g1", {"paid": 5}))
    card = _one(_gated(_confirm({"confirmed": False}), paid), ErrorCard)
    assert card.message == "pay ran although it was rejected."
    assert card.hint


def test_a_tool_that_ran_before_anybody_answered_is_a_loud_card():
    paid = event("root", response("pay", "g1", {"paid": 5}))
    assert "nobody had answered" in _one(_gated(paid), ErrorCard).message


def test_the_alarm_is_called_off_when_the_answer_only_came_late_into_the_log():
    answer = _confirm({"confirmed": True})
    paid = event("root", response("pay", "g1", {"paid": 5}))
    assert _all(_gated(paid, answer), ErrorCard) == []
    too_late = _confirm({"confirmed": True})
    assert len(_all(_gated(paid, too_late), ErrorCard)) == 1


@pytest.mark.parametrize(
    "body", [{"error": "This tool call is rejected."}, {"error": "a callback's own words"}]
)
def test_a_refusal_is_no_alarm(body: dict[str, Any]):
    refused = event("root", response("pay", "g1", body))
    assert _all(_gated(_confirm({}), refused), ErrorCard) == []


def test_a_tool_that_asks_from_within_may_run_after_a_refusal():
    asked = confirmation("c1", PAY)
    asked["functionCall"]["args"]["toolConfirmation"]["hint"] = "Approve days?"
    items = _tell(
        event("root", PAY),
        event("root", asked, longRunningToolIds=["c1"]),
        _confirm({"confirmed": False}),
        event("root", response("pay", "g1", {"status": "refused"})),
    )
    assert _all(items, ErrorCard) == []


def test_a_credential_is_not_repeated_in_the_chat():
    asked = call("adk_request_credential", "c1", functionCallId="g1", authConfig={})
    secret = event("user", response("adk_request_credential", "c1", {"apiKey": "K1"}))
    items = _tell(event("root", PAY), event("root", asked, longRunningToolIds=["c1"]), secret)
    assert "K1" not in repr(items)


# Everything else.


def test_a_user_turn_has_its_attachments():
    blob = {"inlineData": {"mimeType": "image/png", "data": "AAAA", "displayName": "x.png"}}
    turn = _one(_tell(event("user", text("look"), blob)), UserTurn)
    assert (turn.text, turn.attachments[0].name, turn.invocation_id) == ("look", "x.png", "i1")


def test_images_code_outputs_and_unknown_parts_are_shown():
    blob = {"inlineData": {"mimeType": "image/png", "data": "AAAA"}}
    code = {"executableCode": {"code": "print(1)", "language": "PYTHON"}}
    items = _tell(
        event("root", blob, blob, code, {"hologram": {"x": 1}}),
        event("wf", nodeInfo={"path": "wf@1/done@1"}, output={"k": "ü"}),
    )
    assert len(_one(items, Attachments).blobs) == 2
    assert _one(items, CodeCard).code.text == "print(1)"
    assert "hologram" in _one(items, Line).text
    output = _one(items, OutputCard)
    assert (output.author, output.text) == ("done", '{\n  "k": "ü"\n}')


def test_odd_events_are_lines():
    ghost = event("root", text("x"), longRunningToolIds=["ghost-id"])
    lines = _all(_tell(ghost, read_event(b"{"), event("root", errorMessage="no code")), Line)
    assert "ghost-id" in lines[0].text
    assert "cannot be read" in lines[1].text


def test_actions_are_lines():
    actions = {"escalate": True, "artifactDelta": {"reports/ü ber.txt": 0}}
    edited = event("user", actions={"stateDelta": {"k": 1}})
    compacted = event("user", actions={"compaction": {"compactedContent": {}}})
    texts = [i.text for i in _all(_tell(event("root", actions=actions), edited, compacted), Line)]
    assert [t.split()[0] for t in texts] == ["root", "Artifact", "State", "Older"]


def test_a_rewind_marks_the_turns_it_undoes_and_takes_answers_back():
    events = [
        user("one"),
        _ticket(),
        user("two", inv="i2"),
        event("root", text("hm"), inv="i2"),
        event("user", response("ask", "c1", {"status": "approved"})),
    ]
    transcript, log = Transcript(), log_of(events)
    transcript.update(log, {})
    assert _one(transcript.items, ToolCard).state == "done"
    keys = [i.key for i in transcript.items]
    log.extend([rewind("i2", inv="i3")])
    first = transcript.update(log, {})
    assert first == 1
    assert [i.key for i in transcript.items][: len(keys)] == keys
    assert _one(transcript.items, ToolCard).state == "waiting"
    assert [i.withdrawn for i in _all(transcript.items, UserTurn)] == [False, True]
    assert _one(transcript.items, HumanAnswer).withdrawn
    line = _one(transcript.items, Line)
    assert (line.text, line.withdrawn) == ("Rewound: 1 turn withdrawn.", False)


def test_telling_the_session_again_keeps_the_keys():
    final = event("root", text("hello"), id="a")
    live = [user("hi"), _part("a", "hel"), _part("a", "lo"), final]
    transcript, log = Transcript(), log_of(live)
    transcript.update(log, {})
    keys = [i.key for i in transcript.items]
    log.reset()
    log.extend([live[0], final])
    transcript.update(log, {})
    assert [i.key for i in transcript.items] == keys


# What it costs.


class _Counting(EventLog):
    """A log that counts how many of its events are read."""

    reads = 0

    def __getitem__(self, index: Any) -> Any:
        found = super().__getitem__(index)
        self.reads += len(found) if isinstance(index, slice) else 1
        return found

    def __iter__(self) -> Any:
        self.reads += len(self)
        return super().__iter__()


def test_an_update_reads_only_what_is_new_and_changes_only_its_tail():
    log, transcript = _Counting(), Transcript()
    log.extend(event("root", text(f"t{n}"), inv=f"i{n}") for n in range(2_000))
    transcript.update(log, {})
    log.reads = 0
    for n in range(50):
        log.extend([_part("z", f"w{n} ", inv="last")])
        assert transcript.update(log, {}) == 2_000
    assert log.reads == 50
    assert transcript.update(log, {}) == len(transcript.items)


def _random_session(seed: int) -> list[EventRecord]:
    pick = random.Random(seed)
    events: list[EventRecord] = []
    for number in range(pick.randint(1, 25)):
        inv, lane = f"i{pick.randint(1, 3)}", f"b{pick.randint(1, 2)}"
        stream = f"{inv}{lane}s{pick.randint(1, 2)}"
        author = f"agent_{lane}"
        where: dict[str, Any] = {"inv": inv, "branch": lane}
        call_id = f"c{pick.randint(1, 3)}"
        kind = pick.randrange(11)
        if kind < 4:
            thought = pick.random() < 0.3
            events.append(_part(stream, f"w{number} ", author, thought=thought, **where))
        elif kind == 4:
            parts = [text("think", thought=True)] if pick.random() < 0.5 else []
            parts += [text("done")] if pick.random() < 0.7 else []
            events.append(event(author, *parts, id=stream, **where))
        elif kind == 5:
            long = [call_id] if pick.random() < 0.5 else []
            events.append(event(author, call("ask", call_id), longRunningToolIds=long, **where))
        elif kind == 6:
            who = pick.choice(["user", author])
            status = pick.choice(["pending", "ok"])
            events.append(event(who, response("ask", call_id, {"status": status}), inv=inv))
        elif kind == 7:
            events.append(user("hm", inv=inv))
        elif kind == 8:
            events.append(rewind(inv, inv="i9"))
        elif kind == 9:
            events.append(aborted(author, response("ask", call_id, {"error": "x"}), **where))
        else:
            events.append(event(author, errorCode="X", errorMessage="boom", **where))
    return events


@settings(max_examples=250, deadline=None)
@given(st.integers(0, 10**9), st.integers(1, 7))
def test_how_the_log_is_cut_into_updates_makes_no_difference(seed: int, size: int):
    events = _random_session(seed)
    log, transcript = EventLog(), Transcript()
    for start in range(0, len(events), size):
        batch = events[start : start + size]
        log.extend(batch)
        before = list(transcript.items)
        first = transcript.update(log, {})
        assert list(transcript.items[:first]) == before[:first]
        fresh = Transcript()
        fresh.update(log_of(events[: start + len(batch)]), {})
        assert list(transcript.items) == list(fresh.items)
        keys = [item.key for item in transcript.items]
        assert len(set(keys)) == len(keys)


@settings(max_examples=250, deadline=None)
@given(st.integers(0, 10**9), st.integers(1, 7))
def test_tickets_are_the_same_whether_told_as_they_come_or_all_at_once(seed: int, size: int):
    events = _random_session(seed)
    log, book = EventLog(), TicketBook()
    for start in range(0, len(events), size):
        log.extend(events[start : start + size])
        book.update(log)
        assert book.tickets == read_tickets(events[: start + size])
    assert list(live(log.history())) == list(live([*log.history()]))


@settings(max_examples=250, deadline=None)
@given(st.integers(0, 10**9), st.integers(1, 7), st.integers(1, 9), st.integers(0, 4))
def test_a_rewind_told_in_steps_ends_as_if_told_at_once(
    seed: int, size: int, step: int, updates: int
):
    events = _random_session(seed)
    log, transcript = EventLog(), Transcript()
    transcript.step = step
    mirror: list[ChatItem] = []

    def update() -> None:
        first = transcript.update(log, {})
        mirror[first:] = transcript.items[first:]
        assert mirror == list(transcript.items)

    for start in range(0, len(events), size):
        log.extend(events[start : start + size])
        for _ in range(1 + updates):
            update()
    most = 2 * len(events) + 10
    while transcript.unfinished:
        update()
        most -= 1
        assert most
    assert list(transcript.items) == _tell(*events)


def test_in_one_update_a_rewind_reads_no_more_than_a_step():
    log, transcript = _Counting(), Transcript()
    transcript.step = 100
    for n in range(500):
        log.extend([user(f"q{n}", inv=f"i{n}"), event("root", text("a"), inv=f"i{n}")])
    transcript.update(log, {})
    log.extend([rewind("i499", inv="r")])
    log.reads = 0
    rounds = told = 0
    while not rounds or transcript.unfinished:
        transcript.update(log, {})
        rounds += 1
        assert log.reads <= 101 * rounds + 1
        withdrawn = [i.key for i in transcript.items if i.withdrawn]
        assert withdrawn in ([], [i.key for i in transcript.items[-3:-1]])
        told += bool(withdrawn)
    assert rounds - told >= 10
    assert [i.withdrawn for i in transcript.items[-3:]] == [True, True, False]


def test_items_that_a_rewind_leaves_alone_are_the_very_same_afterwards():
    log, transcript = EventLog(), Transcript()
    transcript.step = 10
    for n in range(50):
        log.extend([user(f"q{n}", inv=f"i{n}"), event("root", text("a"), inv=f"i{n}")])
    transcript.update(log, {})
    before = list(transcript.items)
    log.extend([rewind("i49", inv="r")])
    firsts = [transcript.update(log, {})]
    while transcript.unfinished:
        firsts.append(transcript.update(log, {}))
    assert min(firsts[1:]) == 98
    assert all(new is old for new, old in zip(transcript.items[:98], before, strict=False))
    assert [i.key for i in transcript.items[:100]] == [i.key for i in before]
