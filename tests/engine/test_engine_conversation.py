"""A conversation with a real engine process: what comes up, in which order, exactly once."""

import base64

from adk_tui.core.commands import (
    Answer,
    Attachment,
    EditState,
    NewSession,
    Quit,
    Rewind,
    Say,
    ToolAnswer,
)
from adk_tui.core.records import Blob, EventRecord
from adk_tui.core.reports import ModelCall, Ready, SessionOpened, Status, ToolRun
from adk_tui.core.wire import COMMAND_NAMES, Hello
from tests.engine.harness import EngineProcess, events, last_done, of, write_agent

ADD = """
def add(a: int, b: int) -> int:
    "Adds."
    print("adding")
    return a + b

model = Scripted(call("add", a=1, b=2), stream("The ", "sum ", "is 3."), say("Yes?"))
root_agent = LlmAgent(name="root", model=model, tools=[add])
"""


def test_hello_comes_first_and_the_agents_own_prints_go_elsewhere(tmp_path):
    agent = write_agent(tmp_path / "noisy", "print('at import')\nos.system('echo a child')\n" + ADD)
    with EngineProcess(agent) as engine:
        records = engine.ready()
        assert isinstance(records[0], Hello)
        assert records[0].adk_version
        phases = [s.phase for s in of(Status, records)]
        assert phases[0] in ("starting", "loading")
        assert "loading" in phases
        assert phases[-1] == "ready"
        ready = of(Ready, records)[0]
        assert ready.app == "noisy"
        assert ready.root.tools[0].name == "add"
        assert ready.root.tools[0].declaration["name"] == "add"
        assert ready.capabilities == COMMAND_NAMES - {"reload", "restart"}
        assert of(SessionOpened, records)[0].reason == "start"
        engine.do(Say("add 1 and 2"))
        engine.wait_for_output("stdout", "adding")
        assert "at import" in engine.output("stdout")
        assert "a child" in engine.output("stdout")
        assert engine.quit() == 0


def test_a_turn_is_told_once_in_order_with_its_calls(tmp_path):
    with EngineProcess(write_agent(tmp_path / "adder", ADD)) as engine:
        engine.ready()
        records = engine.do(Say("add 1 and 2"))
        final = events(records)
        assert [e.author for e in final] == ["user", "root", "root", "root"]
        assert final[0].text == "add 1 and 2"
        assert final[1].calls[0].name == "add"
        assert final[2].responses[0].response == {"result": 3}
        assert final[3].text == "The sum is 3."
        assert len({e.id for e in final}) == 4
        partial = [e for e in of(EventRecord, records) if e.partial]
        assert [e.text for e in partial] == ["The ", "sum ", "is 3."]
        assert {e.id for e in partial} == {final[3].id}
        done = last_done(records)
        assert done.ok
        assert done.events == 4
        assert not done.stopped


def test_model_calls_and_tool_runs_are_told_at_their_start_and_end(tmp_path):
    with EngineProcess(write_agent(tmp_path / "adder", ADD)) as engine:
        engine.ready()
        records = engine.do(Say("add 1 and 2"))
        calls = of(ModelCall, records)
        assert [(c.id.rpartition("-")[2], bool(c.ended)) for c in calls] == [
            ("1", False),
            ("1", True),
            ("2", False),
            ("2", True),
        ]
        end = calls[3]
        assert end.started <= end.first_token <= end.ended
        assert end.chunks == 4
        assert b"add 1 and 2" in end.request
        assert b"functionDeclarations" in end.request
        assert b"The sum is 3." in end.response
        assert end.event_id == events(records)[3].id
        assert end.usage is not None
        assert end.usage.total == 10
        runs = of(ToolRun, records)
        assert [(r.name, bool(r.ended), r.error) for r in runs] == [
            ("add", False, ""),
            ("add", True, ""),
        ]
        assert runs[0].call_id == events(records)[1].calls[0].id


def test_without_streaming_no_partial_comes(tmp_path):
    with EngineProcess(write_agent(tmp_path / "adder", ADD), streaming=False) as engine:
        engine.ready()
        records = engine.do(Say("add 1 and 2"))
        assert not [e for e in of(EventRecord, records) if e.partial]
        assert events(records)[-1].text == "The sum is 3."


def test_what_is_typed_while_the_agent_loads_is_queued_and_carried_out(tmp_path):
    slow = write_agent(tmp_path / "slow", "time.sleep(1.5)\n" + ADD)
    with EngineProcess(slow) as engine:
        engine.until(lambda r: isinstance(r, Hello))
        first, second = engine.send(Say("one")), engine.send(Say("two"))
        waiting = engine.until(lambda r: isinstance(r, Status) and len(r.queued) == 2)
        queued = of(Status, waiting)[-1].queued
        assert [(q.id, q.summary) for q in queued] == [(first, "one"), (second, "two")]
        engine.done(first)
        engine.done(second)
        said = [e.text for e in events(engine.records) if e.author == "user"]
        assert said == ["one", "two"]


def test_user_text_is_told_as_a_plugin_changed_it_for_every_kind_of_root(tmp_path):
    source = """
from google.adk.plugins.base_plugin import BasePlugin
from google.genai import types

class Upper(BasePlugin):
    async def on_user_message_callback(self, *, invocation_context, user_message):
        text = user_message.parts[0].text.upper()
        return types.Content(role="user", parts=[types.Part(text=text)])

step = LlmAgent(name="step", model=Scripted(say("ok")))
app = App(name="seq", root_agent=SequentialAgent(name="seq_root", sub_agents=[step]),
          plugins=[Upper(name="upper")])
"""
    with EngineProcess(write_agent(tmp_path / "seq", source)) as engine:
        engine.ready()
        records = engine.do(Say("hello"))
        assert [(e.author, e.text) for e in events(records)] == [("user", "HELLO"), ("step", "ok")]


def test_an_attachment_travels_inline(tmp_path):
    with EngineProcess(write_agent(tmp_path / "adder", ADD)) as engine:
        engine.ready()
        data = base64.b64encode(b"\x89PNG\xff\xfe").decode()
        records = engine.do(Say("look", (Attachment("a.png", "image/png", data),)))
        blob = next(p for p in events(records)[0].parts if isinstance(p, Blob))
        assert (blob.mime_type, blob.size, blob.name) == ("image/png", 6, "a.png")
        broken = engine.do(Say("look", (Attachment("b.png", "image/png", "???"),)))
        failure = last_done(broken).failure
        assert failure is not None
        assert failure.code == "bad.attachment"
        assert "b.png" in failure.message


def test_answers_of_one_invocation_go_in_one_message(tmp_path):
    source = """
def ask(what: str) -> dict:
    "Asks a human."
    return {"status": "pending"}

both = calls(call("ask", what="a"), call("ask", what="b"))
model = Scripted(both, say("Waiting."), say("Both."))
root_agent = LlmAgent(name="root", model=model, tools=[LongRunningFunctionTool(ask)])
"""
    with EngineProcess(write_agent(tmp_path / "asker", source)) as engine:
        engine.ready()
        asked = events(engine.do(Say("go")))[1]
        assert len(asked.long_running_tool_ids) == 2
        answers = tuple(ToolAnswer(c.id, c.name, {"ok": c.args["what"]}) for c in asked.calls)
        records = engine.do(Answer(asked.invocation_id, answers))
        answer, reply = events(records)
        assert [r.response for r in answer.responses] == [{"ok": "a"}, {"ok": "b"}]
        assert answer.invocation_id == asked.invocation_id
        assert reply.text == "Both."
        wrong = last_done(engine.do(Answer("x", (ToolAnswer("nope", "ask", {}),))))
        assert not wrong.ok
        assert wrong.failure is not None
        assert wrong.failure.code == "answer.unknown"


def test_a_progress_answer_says_that_more_will_follow(tmp_path):
    source = """
def ask() -> None:
    "Asks a human."

root_agent = LlmAgent(name="root", model=Scripted(call("ask"), say("Noted.")),
                      tools=[LongRunningFunctionTool(ask)])
"""
    with EngineProcess(write_agent(tmp_path / "asker", source)) as engine:
        engine.ready()
        asked = events(engine.do(Say("go")))[1]
        one = ToolAnswer(asked.calls[0].id, "ask", {"done": "half"}, will_continue=True)
        answer = events(engine.do(Answer(asked.invocation_id, (one,))))[0]
        assert answer.responses[0].will_continue


def test_state_is_edited_by_one_event_of_the_user(tmp_path):
    with EngineProcess(write_agent(tmp_path / "adder", ADD), state={"a": 1}) as engine:
        opened = of(SessionOpened, engine.ready())[0]
        assert opened.state == {"a": 1}
        records = engine.do(EditState({"a": None, "user:b": [1], "temp:c": 3}))
        (edit,) = events(records)
        assert edit.author == "user"
        assert edit.actions.state_delta == {"a": None, "user:b": [1]}
        assert "temp:c" in last_done(records).note


def test_rewind_and_compaction_events_are_told_though_adk_does_not_yield_them(tmp_path):
    source = (
        ADD.replace("root_agent =", "root =")
        + """
from google.adk.apps.app import EventsCompactionConfig
from google.adk.apps.llm_event_summarizer import LlmEventSummarizer
app = App(name="compacting", root_agent=root, events_compaction_config=EventsCompactionConfig(
    compaction_interval=2, overlap_size=0,
    summarizer=LlmEventSummarizer(llm=Scripted(say("They added.")))))
"""
    )
    with EngineProcess(write_agent(tmp_path / "compacting", source)) as engine:
        engine.ready()
        first = events(engine.do(Say("add")))
        second = events(engine.do(Say("more")))
        compaction = second[-1]
        assert compaction.author == "user"
        assert "They added." in str(compaction.actions.compaction)
        (rewind,) = events(engine.do(Rewind(first[0].invocation_id)))
        assert rewind.actions.rewind_before_invocation_id == first[0].invocation_id
        unknown = last_done(engine.do(Rewind("nope"))).failure
        assert unknown is not None
        assert unknown.code == "rewind.unknown"


def test_inner_runs_of_an_agent_tool_are_told_as_children_of_the_call(tmp_path):
    source = """
def look(word: str) -> str:
    "Looks a word up."
    return word.upper()

deepest = LlmAgent(name="deepest", model=Scripted(say("deep")))
inner = LlmAgent(name="inner", model=Scripted(call("look", word="x"), call("deepest", request="d"),
                 say("inner says X")), tools=[look, AgentTool(deepest)])
root_agent = LlmAgent(name="root", model=Scripted(call("inner", request="ask"), say("outer")),
                      tools=[AgentTool(inner)])
"""
    with EngineProcess(write_agent(tmp_path / "nested", source)) as engine:
        opened = of(SessionOpened, engine.ready())[0]
        records = engine.do(Say("go"))
        outer = events(records)
        assert [e.author for e in outer] == ["user", "root", "root", "root"]
        call_id = outer[1].calls[0].id
        inner = [e for e in of(EventRecord, records) if e.inner_of and not e.partial]
        by_parent = {}
        for event in inner:
            by_parent.setdefault(event.inner_of, []).append(event)
        assert {e.author for e in by_parent[call_id]} == {"inner"}
        assert by_parent[call_id][-1].text == "inner says X"
        deep_call = next(c for e in by_parent[call_id] for c in e.calls if c.name == "deepest")
        assert [e.text for e in by_parent[deep_call.id]] == ["deep"]
        calls = [c for c in of(ModelCall, records) if c.ended]
        parents = {c.agent: c.parent_call_id for c in calls}
        assert parents == {"root": "", "inner": call_id, "deepest": deep_call.id}
        assert {c.session_id for c in calls if c.agent == "root"} == {opened.id}
        runs = {r.name: r.parent_call_id for r in of(ToolRun, records)}
        assert runs == {"inner": "", "look": call_id, "deepest": call_id}
        assert last_done(records).events == 4


def test_a_partial_event_tells_nothing_of_the_state_its_turn_will_write(tmp_path):
    source = """
def count(callback_context, llm_response):
    callback_context.state["chunks"] = callback_context.state.get("chunks", 0) + 1

model = Scripted(stream("a", "b", "c"))
root_agent = LlmAgent(name="root", model=model, after_model_callback=count)
"""
    with EngineProcess(write_agent(tmp_path / "counting", source)) as engine:
        engine.ready()
        records = engine.do(Say("go"))
        *partial, last = of(EventRecord, records)[1:]
        assert [e.actions.state_delta for e in partial] == [{}, {}, {}]
        assert last.actions.state_delta == {"chunks": 4}


def test_a_new_session_is_opened_with_its_state_and_the_old_one_is_left_alone(tmp_path):
    with EngineProcess(write_agent(tmp_path / "adder", ADD)) as engine:
        first = of(SessionOpened, engine.ready())[0]
        records = engine.do(NewSession({"x": 1}, "mine"))
        (opened,) = of(SessionOpened, records)
        assert (opened.id, opened.reason, opened.state) == ("mine", "new", {"x": 1})
        assert opened.id != first.id
        again = last_done(engine.do(NewSession({}, "mine"))).failure
        assert again is not None
        assert again.code == "session.exists"


def test_quit_ends_the_process_in_good_order(tmp_path):
    source = (
        ADD
        + "\nimport atexit, threading\nthreading.Thread(target=time.sleep, args=(600,)).start()\n"
    )
    with EngineProcess(write_agent(tmp_path / "adder", source)) as engine:
        engine.ready()
        command = engine.send(Quit())
        records = engine.end()
        assert engine.process.returncode == 0
        assert last_done(records).command == command


def test_the_engine_ends_when_its_client_is_gone(tmp_path):
    with EngineProcess(write_agent(tmp_path / "adder", ADD)) as engine:
        engine.ready()
        assert engine.process.stdin is not None
        engine.process.stdin.close()
        engine.end()
        assert engine.process.returncode == 0


def test_strange_state_is_told_and_marked(tmp_path):
    source = """
class Odd: pass

def odd(tool_context: ToolContext) -> str:
    "Writes odd things."
    loop = []
    loop.append(loop)
    tool_context.state.update({"bytes": b"\\xff", "nan": float("nan"), "odd": Odd(), "loop": loop,
                               "half": "\\ud800", "when": {1: {2, 3}}})
    return "done"

root_agent = LlmAgent(name="root", model=Scripted(call("odd"), say("ok")), tools=[odd])
"""
    with EngineProcess(write_agent(tmp_path / "odd", source)) as engine:
        engine.ready()
        records = engine.do(Say("go"))
        delta = events(records)[2].actions.state_delta
        assert delta["bytes"] == {"$dumped": "bytes", "size": 1, "base64": "_w=="}
        assert delta["nan"] == {"$dumped": "float", "value": "nan"}
        assert delta["odd"]["$dumped"] == "object"
        assert delta["loop"][0]["$dumped"] == "cycle"
        assert delta["half"] == "\ud800"
        assert delta["when"]["1"] == {"$dumped": "set", "value": [2, 3]}
        assert events(records)[-1].text == "ok"
