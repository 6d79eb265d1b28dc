"""Who answers next, the state and going back: on every kind of store, and undone again."""

import base64

import pytest

from adk_tui.core.commands import (
    EditState,
    ListArtifacts,
    ReadArtifact,
    Resend,
    Rewind,
    SaveArtifact,
    Say,
    Transfer,
)
from adk_tui.core.reports import (
    ArtifactContent,
    ArtifactList,
    Ready,
    SessionOpened,
    Settings,
)
from adk_tui.core.rewind_preview import preview_rewind
from adk_tui.core.routing import next_agent
from adk_tui.core.state import diff, initial_state, state_at
from adk_tui.core.undo import undo_event, undoable
from tests.engine.harness import EngineProcess, ModelCall, events, last_done, of, write_agent

TREE = """
leaf = LlmAgent(name="leaf", model=Scripted(say("leaf here")))
left = LlmAgent(name="left", model=Scripted(say("left here")), sub_agents=[leaf])
one = LlmAgent(name="one", model=Scripted(say("one here")))
two = LlmAgent(name="two", model=Scripted(say("two here")))
steps = SequentialAgent(name="steps", sub_agents=[one, two])
stray = LlmAgent(name="stray", model=Scripted(say("stray here")), disallow_transfer_to_parent=True,
    disallow_transfer_to_peers=True)
root_agent = LlmAgent(name="root", model=Scripted(say("root here")),
    sub_agents=[left, steps, stray])
"""


@pytest.fixture
def tree(tmp_path):
    return write_agent(tmp_path / "tree", TREE)


def start(engine: EngineProcess) -> tuple[SessionOpened, Ready]:
    records = engine.ready()
    return of(SessionOpened, records)[0], of(Ready, records)[0]


def problem(records: list) -> str:
    failure = last_done(records).failure
    assert failure is not None
    return f"{failure.code}: {failure.message}"


def test_transfers_and_state_edits_are_taken_back(tree, store):
    with EngineProcess(tree, state={"given": 1}, **store) as engine:
        opened, ready = start(engine)
        engine.do(Say("hello"))
        engine.do(Transfer("leaf"))
        engine.do(EditState({"given": 2, "new": "x"}))
        log = events(engine.records)
        ids = undoable(log)
        assert [bool(e.actions.state_delta) for i in ids for e in log if e.id == i] == [True, False]
        edit = undo_event(log, ids[0], ready.root, opened.state)
        moved = undo_event(log, ids[1], ready.root, opened.state)
        assert edit is not None
        assert moved is not None
        assert "new becomes null" in edit.words
        assert edit.command == EditState({"given": 1, "new": None})
        assert moved.command == Transfer("root")
        assert last_done(engine.do(edit.command)).ok
        assert last_done(engine.do(moved.command)).ok
        log = events(engine.records)
        assert next_agent(ready.root, log).agent == "root"
        assert state_at(log, len(log) - 1, opened.state) == {"given": 1, "new": None}
        assert events(engine.do(Say("who?")))[-1].text == "root here"


def test_an_agent_that_cannot_hold_the_conversation_is_forced_for_one_turn(tree, store):
    with EngineProcess(tree, **store) as engine:
        start(engine)
        engine.do(Say("hello"))
        assert "steps is a SequentialAgent" in problem(engine.do(Transfer("steps"))).replace(
            "It is", "steps is"
        )
        records = engine.do(Transfer("steps", once=True))
        assert of(Settings, records)[-1].once == "steps"
        assert not events(records)
        records = engine.do(Say("go"))
        turn = events(records)
        assert [(e.author, e.text) for e in turn if e.text] == [
            ("user", "go"),
            ("one", "one here"),
            ("two", "two here"),
        ]
        assert turn[1].calls[0].name == "transfer_to_agent"
        assert "root" not in {c.agent for c in of(ModelCall, records)}
        assert "root answers next" in last_done(records).note
        assert of(Settings, records)[-1].once == ""
        assert events(engine.do(Say("who?")))[-1].text == "root here"


def test_a_forced_turn_reaches_nested_agents_and_those_that_may_not_go_back(tree):
    with EngineProcess(tree) as engine:
        start(engine)
        for name, after in (("leaf", "leaf"), ("stray", "left")):
            assert last_done(engine.do(Transfer(name, once=True))).ok
            records = engine.do(Say("go"))
            assert events(records)[-1].author == name
            assert f"{after} answers next" in last_done(records).note
        assert last_done(engine.do(Transfer("leaf", once=True))).ok
        assert last_done(engine.do(Transfer("", once=True))).ok
        assert events(engine.do(Say("who?")))[-1].author == "left"


def test_a_forced_turn_that_cannot_be_is_refused_with_the_reason(tmp_path):
    source = 'root_agent = LlmAgent(name="root", model=Scripted(say("hi")), sub_agents=[])'
    with EngineProcess(write_agent(tmp_path / "lonely", source)) as engine:
        start(engine)
        assert "transfer.unknown" in problem(engine.do(Transfer("nobody", once=True)))
        assert last_done(engine.do(Transfer("root", once=True))).ok
    source = """
one = LlmAgent(name="one", model=Scripted(say("one here")))
root_agent = SequentialAgent(name="root", sub_agents=[one])
"""
    with EngineProcess(write_agent(tmp_path / "steps", source)) as engine:
        start(engine)
        words = problem(engine.do(Transfer("one", once=True)))
        assert "transfer.unreachable" in words
        assert "root answers next, and has no way to hand over" in words


def test_a_transfer_warns_of_tickets_that_bring_the_conversation_back(tmp_path):
    source = """
def ask() -> dict:
    "Asks."
    return {"status": "pending"}

left = LlmAgent(name="left", model=Scripted(say("left here")))
root_agent = LlmAgent(name="root", model=Scripted(call("ask"), say("waiting")),
    tools=[LongRunningFunctionTool(ask)], sub_agents=[left])
"""
    with EngineProcess(write_agent(tmp_path / "asking", source)) as engine:
        start(engine)
        engine.do(Say("go"))
        assert "answering ask brings root back" in last_done(engine.do(Transfer("left"))).note


WRITER = """
async def put(n: int, tool_context: ToolContext) -> str:
    "Writes state and a file."
    from google.genai import types
    tool_context.state["n"] = n
    tool_context.state[f"n{n}"] = True
    tool_context.state["user:n"] = n
    data = types.Part.from_bytes(data=b"version %d" % n, mime_type="text/plain")
    await tool_context.save_artifact("notes.txt", data)
    return "ok"

def reply(request):
    last = request.contents[-1].parts[-1]
    return say("done") if last.function_response else call("put", n=int(last.text.split()[-1]))

root_agent = LlmAgent(name="root", model=Scripted(reply), tools=[put])
"""


@pytest.fixture
def writer(tmp_path):
    return write_agent(tmp_path / "writer", WRITER)


def data_of(records: list) -> bytes:
    return base64.b64decode(of(ArtifactContent, records)[0].data)


def test_a_rewind_does_what_its_preview_says_and_brings_the_first_state_back(writer, store):
    with EngineProcess(writer, state={"given": {"a": 1}, "n": 0}, **store) as engine:
        opened, ready = start(engine)
        engine.do(Say("put 1"))
        engine.do(Say("put 2"))
        log = events(engine.records)
        second = log[-1].invocation_id
        initial = initial_state(opened.state, [])
        plan = preview_rewind(log, second, initial, ready.root)
        assert plan is not None
        assert (plan.events, plan.turns, plan.text) == (4, 1, "put 2")
        assert [(c.key, c.before, c.after) for c in plan.state] == [("n", 2, 1), ("n2", True, None)]
        assert plan.shared == ("user:n",)
        assert [(a.name, a.now, a.before) for a in plan.artifacts] == [("notes.txt", 1, 0)]
        before = state_at(log, len(log) - 1, initial)
        assert last_done(engine.do(Rewind(second))).ok
        log = events(engine.records)
        after = state_at(log, len(log) - 1, initial)
        assert diff(before, after) == plan.state
        assert after["given"] == {"a": 1}
        assert data_of(engine.do(ReadArtifact("notes.txt"))) == b"version 1"
        first = log[0].invocation_id
        plan = preview_rewind(log, first, initial, ready.root)
        assert plan is not None
        assert last_done(engine.do(Rewind(first))).ok
        log = events(engine.records)
        after = state_at(log, len(log) - 1, initial)
        assert (after["n"], after["n1"], after["given"]) == (0, None, {"a": 1})
        assert "artifact.withdrawn" in problem(engine.do(ReadArtifact("notes.txt")))


def test_a_message_is_edited_and_sent_in_its_own_place(writer, store):
    with EngineProcess(writer, **store) as engine:
        start(engine)
        first = events(engine.do(Say("put 1")))[0]
        records = engine.do(Resend(first.invocation_id, "put 5"))
        assert last_done(records).ok
        told = events(records)
        assert told[0].actions.rewind_before_invocation_id == first.invocation_id
        assert [e.text for e in told if e.text] == ["put 5", "done"]
        assert "1 message is undone" in last_done(records).note


def test_nothing_is_undone_for_a_message_that_cannot_be_sent(writer):
    with EngineProcess(writer) as engine:
        start(engine)
        first = events(engine.do(Say("put 1")))[0]
        records = engine.do(Resend(first.invocation_id, ""))
        assert not last_done(records).ok
        assert not events(records)
        assert "rewind.unknown" in problem(engine.do(Resend("nope", "put 2")))


def test_artifacts_are_listed_with_versions_read_and_saved(writer, store):
    with EngineProcess(writer, **store) as engine:
        opened, _ = start(engine)
        engine.do(Say("put 1"))
        turn = events(engine.do(Say("put 2")))
        saver = next(e for e in turn if e.actions.artifact_delta)
        data = base64.b64encode(b"\x00\xff").decode()
        records = engine.do(SaveArtifact("more data.bin", "application/x-more", data))
        saved = events(records)[0]
        assert (saved.author, dict(saved.actions.artifact_delta)) == ("user", {"more data.bin": 0})
        listed = of(ArtifactList, engine.do(ListArtifacts()))[0]
        assert listed.session_id == opened.id
        found = {a.name: a.versions for a in listed.artifacts}
        assert sorted(found) == ["more data.bin", "notes.txt"]
        assert [v.version for v in found["notes.txt"]] == [0, 1]
        assert found["notes.txt"][1].event_id == saver.id
        assert found["notes.txt"][1].mime_type == "text/plain"
        assert data_of(engine.do(ReadArtifact("notes.txt"))) == b"version 2"
        assert data_of(engine.do(ReadArtifact("notes.txt", 0))) == b"version 1"
        assert data_of(engine.do(ReadArtifact("more data.bin"))) == b"\x00\xff"
        assert "artifact.unknown" in problem(engine.do(ReadArtifact("notes.txt", 7)))
        assert "artifact.unknown" in problem(engine.do(ReadArtifact("nothing")))
        assert "bad.attachment" in problem(engine.do(SaveArtifact("x", "text/plain", "?!")))


def test_a_name_that_leaves_the_store_is_refused(writer):
    with EngineProcess(writer, storage="file") as engine:
        start(engine)
        data = base64.b64encode(b"x").decode()
        words = problem(engine.do(SaveArtifact("../../outside", "text/plain", data)))
        assert "artifact.refused" in words
        assert "artifact.refused" in problem(engine.do(ReadArtifact("../../outside")))


def test_state_that_cannot_be_stored_is_refused_by_key_before_anything_is_written(tree, store):
    refused = {
        "bad\ud800": 1,
        "bad": "\ud800",
        "nul": {"in": ["\0"]},
        "": 1,
        "large": 1 << 70,
    }
    with EngineProcess(tree, **store) as engine:
        start(engine)
        for key, value in refused.items():
            records = engine.do(EditState({"fine": 1, key: value}))
            assert "state.refused" in problem(records)
            assert f"{key or '(empty)'}: " in problem(records)
            assert not events(records)
        assert last_done(engine.do(EditState({"fine": "\U0001f600"}))).ok
