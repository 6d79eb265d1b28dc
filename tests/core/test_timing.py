"""Where the time of an invocation went."""

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from adk_tui.core.event_log import EventLog
from adk_tui.core.records import Usage
from adk_tui.core.reports import ModelCall, ToolRun
from adk_tui.core.timing import Axis, TurnTokens, waterfall
from tests.fakes.sessions import call, event, log_of, response, text


def model(call_id: str, start: float, end: float, **fields: Any) -> ModelCall:
    agent = fields.pop("agent", "root")
    return ModelCall(call_id, agent, "i1", "gemini", started=start, ended=end, **fields)


def tool(call_id: str, start: float, end: float, parent: str = "", inv: str = "i1") -> ToolRun:
    return ToolRun(call_id, f"tool_{call_id}", "root", inv, parent, start, end)


def test_spans_stand_in_order_and_inner_runs_below_their_tool():
    calls = [
        model("m1", 10.0, 11.0),
        model("m2", 12.0, 13.0, parent_call_id="c1", agent="inner"),
        model("m3", 16.0, 17.0),
    ]
    runs = [tool("c1", 11.0, 15.0), tool("c2", 13.0, 14.0, "c1", inv="i9"), tool("c3", 11.5, 15.5)]
    w = waterfall("i1", EventLog(), calls, runs)
    assert [(s.key, s.depth) for s in w.spans] == [
        ("m:m1", 0),
        ("t:c1", 0),
        ("m:m2", 1),
        ("t:c2", 1),
        ("t:c3", 0),
        ("m:m3", 0),
    ]
    assert [s.kind for s in w.spans] == ["model", "inner", "model", "tool", "tool", "model"]
    assert (w.start, w.end, w.running, w.guessed) == (10.0, 17.0, False, False)


def test_calls_of_other_invocations_are_not_told():
    other = ModelCall("m9", "root", "i2", started=10.0, ended=20.0)
    w = waterfall("i1", EventLog(), [other, model("m1", 10.0, 11.0)], [])
    assert [s.key for s in w.spans] == ["m:m1"]


def test_sums_are_told_for_each_agent():
    calls = [
        model("m1", 0.5, 1.5, usage=Usage(10, 5, 2, 4, 17)),
        model("m2", 2.0, 2.5, usage=Usage(20, 1, 0, 0, 21)),
        model("m3", 3.0, 4.0, agent="helper"),
    ]
    w = waterfall("i1", EventLog(), calls, [tool("c1", 1.5, 2.0)])
    first, second = w.sums
    assert (first.agent, first.calls, first.model_seconds) == ("root", 2, 1.5)
    assert (first.tools, first.tool_seconds) == (1, 0.5)
    assert first.usage == Usage(30, 6, 2, 4, 38)
    assert (second.agent, second.calls, second.usage) == ("helper", 1, Usage())
    assert w.usage == first.usage


def test_the_first_token_counts_only_where_an_answer_came_in_pieces():
    whole = model("m1", 1.0, 3.0, first_token=3.0, chunks=1)
    pieces = model("m2", 4.0, 6.0, first_token=4.5, chunks=7)
    spans = waterfall("i1", EventLog(), [whole, pieces], []).spans
    assert [s.wait for s in spans] == [0.0, 0.5]


def test_what_still_runs_reaches_until_now():
    w = waterfall("i1", EventLog(), [model("m1", 10.0, 0.0)], [], now=13.0)
    assert w.running
    assert w.spans[0].seconds(13.0) == 3.0
    assert w.end == 13.0


def test_tools_that_name_each_other_as_parents_do_not_hang():
    runs = [tool("c1", 1.0, 2.0), tool("c1", 1.2, 1.8, "c1"), tool("c2", 1.3, 1.4, "c1")]
    w = waterfall("i1", EventLog(), [], runs)
    assert [s.depth for s in w.spans] == [0, 1, 1]


def test_a_session_without_recorded_calls_is_told_by_its_events():
    log = log_of(
        [
            event("user", text("hi"), timestamp=10.0),
            event(
                "root",
                call("look", "c1"),
                timestamp=11.0,
                usageMetadata={"promptTokenCount": 5, "totalTokenCount": 6},
            ),
            event("root", response("look", "c1", {}), timestamp=11.5),
            event("root", text("done"), timestamp=13.0),
        ]
    )
    w = waterfall("i1", log, [], [])
    assert w.guessed
    assert [(s.kind, s.label, s.start, s.end) for s in w.spans] == [
        ("model", "model", 10.0, 11.0),
        ("tool", "look", 11.0, 11.5),
        ("model", "model", 11.5, 13.0),
    ]
    assert w.usage.prompt == 5


def test_a_long_wait_for_a_person_is_folded():
    calls = [model("m1", 0.5, 1.0), model("m2", 3600.0, 3601.0)]
    w = waterfall("i1", EventLog(), calls, [])
    assert [(p.start, p.end) for p in w.pauses] == [(1.0, 3600.0)]
    assert w.busy == pytest.approx(1.5)
    axis = Axis(w)
    begin, end = axis.folds[0]
    assert end - begin < 0.1
    assert axis.place(0.5) == 0.0
    assert axis.place(3601.0) == 1.0
    # Second for second the work on both sides is drawn to one scale.
    before = axis.place(1.0) - axis.place(0.5)
    after = axis.place(3600.5) - axis.place(3600.0)
    assert before == pytest.approx(after)


def test_a_short_pause_stays_as_it_is():
    w = waterfall("i1", EventLog(), [model("m1", 1.0, 5.0), model("m2", 5.5, 9.0)], [])
    assert w.pauses == ()
    assert Axis(w).place(5.0) == pytest.approx(0.5)


def test_an_invocation_of_which_nothing_is_known_is_empty():
    w = waterfall("i1", EventLog(), [], [])
    assert (w.spans, w.sums, w.start, w.end, w.running) == ((), (), 0.0, 0.0, False)
    assert Axis(w).place(5.0) in (0.0, 1.0)


@given(
    st.lists(
        st.tuples(
            st.floats(-1e10, 1e12), st.floats(-1e10, 1e12), st.sampled_from(["", "c1", "c2"])
        ),
        max_size=12,
    )
)
@example([(0.0, 5e-27, ""), (2441407.0, 0.0, ""), (4882814.0, 0.0, ""), (-9765625.0, 0.0, "")])
def test_any_times_give_places_between_both_ends_in_order(times: list[tuple[float, float, str]]):
    calls = [model(f"m{n}", a, b, parent_call_id=p) for n, (a, b, p) in enumerate(times)]
    runs = [tool(f"c{n}", a, b, p) for n, (a, b, p) in enumerate(times)]
    axis = Axis(waterfall("i1", EventLog(), calls, runs))
    moments = sorted(t for a, b, _ in times for t in (a, b))
    places = [axis.place(m) for m in moments]
    assert places == sorted(places)
    assert all(0.0 <= p <= 1.0 for p in places)


def test_tokens_of_each_turn_are_counted_in_order():
    def answer(inv: str, total: int):
        return event("root", text("x"), inv=inv, usageMetadata={"totalTokenCount": total})

    log = log_of([answer("i1", 5), answer("i1", 7), answer("i2", 4)])
    tokens = TurnTokens()
    assert tokens.of(log) == (12, 4)
    log.extend([answer("i2", 1), answer("i3", 2)])
    assert tokens.of(log) == (12, 5, 2)
    log.reset()
    assert tokens.of(log) == ()
