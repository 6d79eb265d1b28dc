"""Watching a run never harms it."""

import pytest
from google.adk.agents import LlmAgent
from google.adk.apps.app import App
from google.adk.runners import InMemoryRunner
from google.genai import types

from adk_tui.core.reports import ModelCall, ToolRun
from adk_tui.engine.recorder import Recorder
from tests.fakes.scripted import Scripted, call, calls, fail, say


class Broken:
    """A sink that cannot take anything."""

    def send(self, record, /):
        raise OSError("no room")

    def send_event(self, raw, *, inner_of=""):
        raise OSError("no room")


class Kept:
    def __init__(self):
        self.records = []

    def send(self, record, /):
        self.records.append(record)

    def send_event(self, raw, *, inner_of=""):
        self.records.append((inner_of, raw))


def add(a: int, b: int) -> int:
    """Adds."""
    return a + b


async def run(recorder: Recorder, *script, tools=(add,)):
    agent = LlmAgent(name="root", model=Scripted(*script), tools=list(tools))
    runner = InMemoryRunner(app=App(name="app", root_agent=agent, plugins=[recorder]))
    session = await runner.session_service.create_session(app_name="app", user_id="u")
    recorder.session_id = session.id
    message = types.UserContent("hi")
    try:
        return [
            e
            async for e in runner.run_async(user_id="u", session_id=session.id, new_message=message)
        ]
    finally:
        recorder.settle()


async def test_a_recorder_that_cannot_record_leaves_the_run_alone():
    events = await run(Recorder(Broken()), call("add", a=1, b=2), say("3"))
    assert events[-1].content.parts[0].text == "3"


async def test_tools_in_parallel_are_told_apart():
    sink = Kept()
    both = calls(call("add", a=1, b=2), call("add", a=3, b=4))
    await run(Recorder(sink), both, say("ok"))
    runs = [r for r in sink.records if isinstance(r, ToolRun)]
    assert len(runs) == 4
    assert len({r.call_id for r in runs}) == 2
    assert sorted(bool(r.ended) for r in runs) == [False, False, True, True]


async def test_an_error_of_the_model_ends_its_call():
    sink = Kept()
    with pytest.raises(ValueError, match="no"):
        await run(Recorder(sink), fail(ValueError("no")))
    begun, ended = (r for r in sink.records if isinstance(r, ModelCall))
    assert not begun.ended
    assert ended.ended
    assert ended.error == "ValueError: no"
    assert b'"hi"' in ended.request


async def test_the_request_is_told_as_later_plugins_left_it():
    from google.adk.plugins.base_plugin import BasePlugin

    class Editor(BasePlugin):
        async def before_model_callback(self, *, callback_context, llm_request):
            llm_request.append_instructions(["Speak like a pirate."])

    sink = Kept()
    recorder = Recorder(sink)
    agent = LlmAgent(name="root", model=Scripted(say("Arr.")))
    app = App(name="app", root_agent=agent, plugins=[recorder, Editor(name="editor")])
    runner = InMemoryRunner(app=app)
    session = await runner.session_service.create_session(app_name="app", user_id="u")
    recorder.session_id = session.id
    async for _ in runner.run_async(
        user_id="u", session_id=session.id, new_message=types.UserContent("hi")
    ):
        pass
    ended = [r for r in sink.records if isinstance(r, ModelCall)][-1]
    assert b"pirate" in ended.request
    assert b"Arr." in ended.response


async def test_a_run_that_is_over_leaves_nothing_open():
    sink = Kept()
    recorder = Recorder(sink)
    await run(recorder, call("add", a=1, b=2), say("3"))
    assert recorder.running() == ()
    assert all(r.ended for r in sink.records[-1:])
