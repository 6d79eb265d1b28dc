"""How the next turns run: streaming, limits, threads, metadata, the model, files as artifacts."""

import base64
import json

import pytest

from adk_tui.core.commands import (
    Attachment,
    Configure,
    ListArtifacts,
    NewSession,
    RunSettings,
    Say,
    Transfer,
)
from adk_tui.core.reports import ArtifactList, ModelCall, Ready, SessionOpened, Settings
from tests.engine.harness import EngineProcess, events, last_done, of, write_agent

AGENT = """
import threading

def where() -> str:
    "Says whether it runs on the event loop."
    return "loop" if threading.current_thread() is threading.main_thread() else "thread"

def reply(request):
    last = request.contents[-1].parts[-1]
    if last.function_response:
        return say("it ran on " + last.function_response.response["result"])
    if last.text == "again":
        return call("where")
    return call("where") if last.text == "where" else stream("one ", "two")

def always(request):
    return call("where")

root_agent = LlmAgent(name="root", model=Scripted(reply), tools=[where], sub_agents=[
    LlmAgent(name="loop", model=Scripted(always), tools=[where]),
])
"""


@pytest.fixture
def agent(tmp_path):
    return write_agent(tmp_path / "agent", AGENT)


def test_settings_are_told_at_the_start_and_after_every_change(agent):
    with EngineProcess(agent, streaming=False, model="gemini-2.5-flash") as engine:
        first = of(Settings, engine.ready())[0]
        assert first.run == RunSettings(streaming=False, model="gemini-2.5-flash")
        wanted = RunSettings(max_llm_calls=7, custom_metadata={"a": [1]})
        assert of(Settings, engine.do(Configure(wanted)))[-1].run == wanted
    with EngineProcess(agent, settings=wanted) as engine:
        assert of(Settings, engine.ready())[0].run == wanted


def test_streaming_is_switched_for_the_next_turn(agent):
    with EngineProcess(agent, streaming=False) as engine:
        engine.ready()
        assert not [e for e in engine.do(Say("hi")) if getattr(e, "partial", False)]
        records = engine.do(Configure(RunSettings(streaming=True)))
        assert of(Ready, records)[0].streaming
        assert [e for e in engine.do(Say("hi")) if getattr(e, "partial", False)]


def test_synchronous_tools_run_on_threads_when_asked_to(agent):
    with EngineProcess(agent) as engine:
        engine.ready()
        assert events(engine.do(Say("where")))[-1].text == "it ran on loop"
        engine.do(Configure(RunSettings(tool_thread_pool=2)))
        assert events(engine.do(Say("where")))[-1].text == "it ran on thread"
        engine.do(Configure(RunSettings()))
        assert events(engine.do(Say("where")))[-1].text == "it ran on loop"


def test_a_limit_of_model_calls_ends_a_loop(agent):
    with EngineProcess(agent, settings=RunSettings(max_llm_calls=3)) as engine:
        engine.ready()
        engine.do(Transfer("loop"))
        records = engine.do(Say("go"))
        failure = last_done(records).failure
        assert failure is not None
        assert "limit" in failure.message.lower()
        assert len({c.id for c in of(ModelCall, records)}) <= 4


def test_metadata_goes_into_every_event_of_the_turn(agent):
    with EngineProcess(agent) as engine:
        engine.ready()
        engine.do(Configure(RunSettings(custom_metadata={"ticket": "A-1"})))
        turn = events(engine.do(Say("hi")))
        assert [e.json()["customMetadata"]["ticket"] for e in turn] == ["A-1", "A-1"]


@pytest.mark.parametrize(
    "wrong",
    [
        RunSettings(tool_thread_pool=-1),
        RunSettings(response_modalities=("SMELL",)),
        RunSettings(max_llm_calls=1 << 63),
    ],
)
def test_settings_that_adk_does_not_take_are_refused_and_nothing_changes(agent, wrong):
    with EngineProcess(agent) as engine:
        before = of(Settings, engine.ready())[0].run
        records = engine.do(Configure(wrong))
        failure = last_done(records).failure
        assert failure is not None
        assert failure.code == "settings.refused"
        assert not of(Settings, records)
        assert last_done(engine.do(Say("hi"))).ok
        engine.do(Configure(before))


def test_modalities_reach_the_model_request(agent):
    with EngineProcess(agent) as engine:
        engine.ready()
        engine.do(Configure(RunSettings(response_modalities=("text",))))
        asked = of(ModelCall, engine.do(Say("hi")))[-1]
        assert "TEXT" in json.dumps(json.loads(asked.request))


def test_a_model_is_replaced_by_name_and_brought_back(tmp_path):
    source = """
root_agent = LlmAgent(name="root", model="gemini-2.5-flash")
"""
    with EngineProcess(write_agent(tmp_path / "named", source)) as engine:
        assert of(Ready, engine.ready())[0].root.model == "gemini-2.5-flash"
        records = engine.do(Configure(RunSettings(model="gemini-2.5-pro")))
        ready = of(Ready, records)[0]
        assert (ready.root.model, ready.offline) == ("gemini-2.5-pro", ("gemini-2.5-pro",))
        assert "offline model answers" in last_done(records).note
        assert of(ModelCall, engine.do(Say("hi")))[-1].model == "gemini-2.5-pro"
        ready = of(Ready, engine.do(Configure(RunSettings())))[0]
        assert ready.root.model == "gemini-2.5-flash"


def test_a_model_that_no_agent_names_stays_and_that_is_said(agent):
    with EngineProcess(agent) as engine:
        engine.ready()
        note = last_done(engine.do(Configure(RunSettings(model="gemini-2.5-pro")))).note
        assert "every model stays as it is" in note
        assert events(engine.do(Say("hi")))[-1].text == "one two"


def test_files_sent_along_are_saved_as_artifacts_when_asked_to(agent):
    data = base64.b64encode(b"hello").decode()
    with EngineProcess(agent) as engine:
        engine.ready()
        engine.do(Configure(RunSettings(save_input_blobs_as_artifacts=True)))
        turn = events(engine.do(Say("look", (Attachment("note.txt", "text/plain", data),))))
        assert dict(turn[0].actions.artifact_delta) == {"note.txt": 0}
        assert turn[1].text == 'look[Uploaded Artifact: "note.txt"]'
        listed = of(ArtifactList, engine.do(ListArtifacts()))[0].artifacts
        assert [(a.name, a.versions[0].mime_type) for a in listed] == [("note.txt", "text/plain")]
        engine.do(Configure(RunSettings()))
        turn = events(engine.do(Say("look", (Attachment("note.txt", "text/plain", data),))))
        assert [type(p).__name__ for p in turn[0].parts] == ["Text", "Blob"]


def test_a_forced_turn_ends_with_its_session(agent):
    with EngineProcess(agent) as engine:
        engine.ready()
        assert of(Settings, engine.do(Transfer("loop", once=True)))[-1].once == "loop"
        records = engine.do(NewSession({}))
        assert of(Settings, records)[-1].once == ""
        assert of(SessionOpened, records)
        assert events(engine.do(Say("hi")))[-1].author == "root"
