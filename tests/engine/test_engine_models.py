"""An unmodified agent with a model given by name, through google-genai's own HTTP client."""

import threading

from adk_tui.core.commands import Say
from adk_tui.core.records import EventRecord
from adk_tui.core.reports import ModelCall, Ready
from tests.engine.harness import EngineProcess, events, last_done, of, write_agent
from tests.fakes import gemini_server as gemini

AGENT = """
def price(symbol: str) -> dict:
    "Tells a price."
    return {"symbol": symbol, "price": 12.5}

root_agent = LlmAgent(name="root", model="gemini-2.5-flash", tools=[price])
"""


def test_the_agents_own_model_streams_and_calls_tools(tmp_path):
    agent = write_agent(tmp_path / "prices", AGENT)
    gate = threading.Event()
    last = gemini.thought_and_text("Hm.", "It is ", "12.5.").held(gate)
    with (
        gemini.serve(gemini.call("price", symbol="GOOG"), last) as server,
        EngineProcess(agent, env=server.environment) as engine,
    ):
        assert of(Ready, engine.ready())[0].offline == ()
        turn = engine.send(Say("price of GOOG"))
        early = engine.until(lambda r: isinstance(r, EventRecord) and r.text == "It is ")
        assert early[-1].partial  # type: ignore[union-attr]
        gate.set()
        final = events(early + engine.done(turn))
        assert final[1].calls[0].args == {"symbol": "GOOG"}
        assert final[2].responses[0].response == {"symbol": "GOOG", "price": 12.5}
        assert final[3].text == "It is 12.5."
        assert final[3].thought == "Hm."
        call = [c for c in of(ModelCall, engine.records) if c.ended][-1]
        assert call.model == "gemini-2.5-flash"
        assert call.event_id == final[3].id


def test_a_quota_error_of_the_real_client_says_when_to_try_again(tmp_path):
    agent = write_agent(tmp_path / "prices", AGENT)
    with (
        gemini.serve(gemini.quota("7s"), gemini.text("Now it works.")) as server,
        EngineProcess(agent, env=server.environment) as engine,
    ):
        engine.ready()
        records = engine.do(Say("go"))
        done = last_done(records)
        assert done.failure is not None
        assert done.failure.code == "model.429"
        assert done.failure.retry_after == 7.0
        assert [e.id for e in events(records) if e.error_code] == [done.event_id]
        call = [c for c in of(ModelCall, records) if c.ended][-1]
        assert call.error
        assert events(engine.do(Say("again")))[-1].text == "Now it works."


def test_a_stream_that_is_cut_is_a_failure_and_the_session_goes_on(tmp_path):
    agent = write_agent(tmp_path / "prices", AGENT)
    with (
        gemini.serve(gemini.cut_stream("Half an "), gemini.text("Whole.")) as server,
        EngineProcess(agent, env=server.environment) as engine,
    ):
        engine.ready()
        records = engine.do(Say("go"))
        assert any(e.partial and e.text == "Half an " for e in of(EventRecord, records))
        failure = last_done(records).failure
        assert failure is not None
        assert failure.code == "model.network"
        assert events(engine.do(Say("again")))[-1].text == "Whole."


def test_a_safety_stop_is_an_event_and_no_failure(tmp_path):
    agent = write_agent(tmp_path / "prices", AGENT)
    with (
        gemini.serve(gemini.safety_stop("I will")) as server,
        EngineProcess(agent, env=server.environment) as engine,
    ):
        engine.ready()
        records = engine.do(Say("go"))
        last = events(records)[-1]
        assert "SAFETY" in (last.error_code, last.finish_reason)
        assert last_done(records).ok
