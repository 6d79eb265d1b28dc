"""A clock that jumps back by an hour during a session: order, ages and times stay sound."""

from pathlib import Path

import pytest

from adk_tui.core.ages import age
from adk_tui.core.chat_items import ToolCard
from adk_tui.core.commands import EditState, ListSessions, Rewind, Say
from adk_tui.core.reports import SessionList
from adk_tui.core.session import SessionView
from adk_tui.core.timing import waterfall
from adk_tui.core.wire import Hello, Pong
from tests.engine.harness import EngineProcess, events, last_done, of, write_agent

JUMPY = """
from google.adk.platform.time import set_time_provider

set_time_provider(lambda: time.time())

def jump() -> str:
    real = time.time
    time.time = lambda: real() - 3_600
    return "an hour ago"

def play(request):
    text = request.contents[-1].parts[-1].text or ""
    return call("jump") if text == "jump" else say("It is done.")

root_agent = LlmAgent(name="root", model=Scripted(play), tools=[jump])
"""


@pytest.mark.parametrize("storage", ["memory", "file"])
def test_a_clock_that_jumps_back_disturbs_neither_order_nor_times(
    tmp_path: Path, storage: str
) -> None:
    agent = write_agent(tmp_path / "jumpy", JUMPY)
    view = SessionView()
    with EngineProcess(agent, storage=storage) as engine:
        engine.ready()
        for command in (Say("before"), Say("jump"), Say("after"), EditState({"a": 1})):
            records = engine.do(command)
            assert last_done(records).ok, last_done(records)
        view.apply([r for r in engine.records if not isinstance(r, (Hello, Pong))])
        history = view.log.history()
        assert history[-1].timestamp < history[0].timestamp - 3_000
        asked = [e.text for e in history if e.author == "user" and e.text]
        assert asked == ["before", "jump", "after"]
        card = next(i for i in view.transcript.items if isinstance(i, ToolCard))
        assert card.state == "done"
        for invocation in dict.fromkeys(e.invocation_id for e in history):
            told = waterfall(invocation, view.log, view.calls.values(), view.runs.values())
            assert told.end >= told.start
            assert all(span.seconds() >= 0 for span in told.spans)
        listed = of(SessionList, engine.do(ListSessions()))[0].sessions[0]
        assert listed.events == len(history)
        assert age(history[-1].timestamp - history[0].timestamp) == "just now"
        undone = engine.do(Rewind(events(records)[0].invocation_id))
        assert last_done(undone).ok
        assert last_done(engine.do(Say("again"))).ok
