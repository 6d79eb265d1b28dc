"""Sessions as a library: renamed, listed with what is open, forked, deleted, brought back."""

import pytest

from adk_tui.core.commands import (
    DeleteSession,
    EditState,
    Fork,
    ListSessions,
    NewSession,
    OpenSession,
    RenameSession,
    RestoreSession,
    Say,
)
from adk_tui.core.reports import (
    Notice,
    SessionDeleted,
    SessionInfo,
    SessionList,
    SessionOpened,
    SessionRenamed,
)
from adk_tui.core.tickets import read_tickets
from adk_tui.core.undo import undo_delete, undo_rename
from tests.engine.harness import EngineProcess, events, last_done, of, write_agent

ASKER = """
def ask(what: str) -> dict:
    "Asks somebody."
    return {"status": "pending"}

def add(tool_context: ToolContext) -> str:
    "Counts."
    tool_context.state["n"] = tool_context.state.get("n", 0) + 1
    tool_context.state["user:n"] = tool_context.state["n"]
    return "ok"

def reply(request):
    last = request.contents[-1].parts[-1]
    if last.function_response:
        return say("noted")
    return call(*last.text.split()[:1], **({"what": last.text} if "ask" in last.text else {}))

root_agent = LlmAgent(
    name="root", model=Scripted(reply), tools=[LongRunningFunctionTool(ask), add]
)
"""


@pytest.fixture
def asker(tmp_path):
    return write_agent(tmp_path / "asker", ASKER)


def rows(engine: EngineProcess) -> dict[str, SessionInfo]:
    return {s.id: s for s in of(SessionList, engine.do(ListSessions()))[0].sessions}


def opened(records: list) -> SessionOpened:
    return of(SessionOpened, records)[-1]


def told(records: list) -> list[tuple[str, str, str]]:
    return [(e.id, e.author, e.text) for e in events(records)]


def test_a_fork_is_a_session_of_its_own_and_both_know_each_other(asker, store):
    with EngineProcess(asker, state={"given": 1}, **store) as engine:
        first = opened(engine.ready())
        engine.do(Say("add one"))
        engine.do(Say("ask a boss"))
        invocation = events(engine.records)[-1].invocation_id
        engine.do(Say("ask another"))
        before = told(engine.do(OpenSession(first.id)))
        records = engine.do(Fork(invocation_id=invocation, title="  what\n if "))
        fork = opened(records)
        assert (fork.reason, fork.parent, fork.title) == ("fork", first.id, "what if")
        assert fork.id != first.id
        assert told(records) == before[: fork.count]
        assert fork.state["given"] == 1
        assert fork.state["n"] == fork.state["user:n"] == 1
        note = last_done(records).note
        assert "carried over: ask" in note
        assert "Not carried over: ask" in note
        engine.do(Say("add two"))
        listed = rows(engine)
        assert listed[fork.id].relatives == (first.id,)
        assert listed[first.id].relatives == (fork.id,)
        assert (listed[fork.id].turns, listed[fork.id].tickets) == (3, 1)
        assert (listed[first.id].turns, listed[first.id].tickets) == (3, 2)
        assert (listed[fork.id].named, listed[first.id].named) == (True, False)
        again = engine.do(OpenSession(first.id))
        assert told(again) == before
        assert opened(again).state["n"] == 1


def test_a_fork_brings_no_old_value_back_into_what_sessions_share(asker, store):
    with EngineProcess(asker, **store) as engine:
        first = opened(engine.ready())
        engine.do(Say("add one"))
        point = events(engine.records)[-1].id
        engine.do(Say("add two"))
        records = engine.do(Fork(event_id=point))
        assert opened(records).state["n"] == 1
        assert opened(records).state["user:n"] == 2
        assert "user:n" in last_done(records).note
        assert opened(engine.do(OpenSession(first.id))).state["user:n"] == 2


def test_a_fork_in_the_middle_of_a_run_closes_the_calls_it_cuts(asker, store):
    with EngineProcess(asker, **store) as engine:
        engine.ready()
        turn = events(engine.do(Say("add one")))
        point = next(e for e in turn if e.calls)
        records = engine.do(Fork(event_id=point.id))
        copied = events(records)
        assert [e.id for e in copied[:2]] == [e.id for e in turn[:2]]
        assert copied[2].aborted
        assert [r.id for r in copied[2].responses] == [c.id for c in point.calls]
        assert "add" in last_done(records).note
        assert last_done(engine.do(Say("add two"))).ok


def test_a_fork_at_an_event_that_is_not_there_changes_nothing(asker):
    with EngineProcess(asker) as engine:
        engine.ready()
        engine.do(Say("add one"))
        failure = last_done(engine.do(Fork(event_id="nope"))).failure
        assert failure is not None
        assert failure.code == "fork.unknown"
        assert len(rows(engine)) == 1


def test_a_deleted_session_comes_back_with_all_that_it_was(asker, store):
    with EngineProcess(asker, state={"given": 1}, **store) as engine:
        first = opened(engine.ready())
        engine.do(Say("add one"))
        engine.do(Say("ask a boss"))
        engine.do(EditState({"given": 2}))
        engine.do(RenameSession(first.id, title="mine"))
        before = engine.do(OpenSession(first.id))
        engine.do(NewSession({}))
        deleted = of(SessionDeleted, engine.do(DeleteSession(first.id)))[0]
        assert first.id not in rows(engine)
        undo = undo_delete(deleted)
        assert isinstance(undo.command, RestoreSession)
        assert last_done(engine.do(undo.command)).ok
        after = engine.do(OpenSession(first.id))
        assert told(after) == told(before)
        assert [e.timestamp for e in events(after)] == [e.timestamp for e in events(before)]
        assert opened(after).title == "mine"
        assert opened(after).state == opened(before).state
        assert [t.key for t in read_tickets(events(after))] == [
            t.key for t in read_tickets(events(before))
        ]
        taken = last_done(engine.do(undo.command)).failure
        assert taken is not None
        assert taken.code == "session.exists"


def test_a_given_title_is_seen_by_every_engine_and_can_be_taken_back(asker, store):
    with EngineProcess(asker, **store) as engine:
        session = opened(engine.ready()).id
        engine.do(Say("ask a boss"))
        renamed = of(SessionRenamed, engine.do(RenameSession(session, title="mine")))[0]
        assert (renamed.title, renamed.named, renamed.before) == ("mine", True, "")
        assert (rows(engine)[session].title, rows(engine)[session].events) == ("mine", 4)
        if store != {"storage": "memory"}:
            with EngineProcess(asker, session_id=session, **store) as other:
                assert opened(other.ready()).title == "mine"
        undo = undo_rename(renamed)
        assert undo.command is not None
        back = of(SessionRenamed, engine.do(undo.command))[0]
        assert (back.title, back.named, back.before) == ("ask a boss", False, "mine")
        assert rows(engine)[session].title == "ask a boss"


def test_titles_that_cannot_be_kept_are_said_and_a_fork_goes_on_without(asker):
    (asker / ".adk" / "adk-tui.db").mkdir(parents=True)
    with EngineProcess(asker, storage="file") as engine:
        session = opened(engine.ready()).id
        engine.do(Say("ask a boss"))
        failure = last_done(engine.do(RenameSession(session, title="mine"))).failure
        assert failure is not None
        assert failure.code == "titles.unwritable"
        records = engine.do(Fork(title="mine"))
        assert last_done(records).ok
        assert any("adk-tui.db" in n.message for n in of(Notice, records))


def test_an_unknown_session_cannot_be_renamed(asker):
    with EngineProcess(asker) as engine:
        engine.ready()
        failure = last_done(engine.do(RenameSession("nope", title="x"))).failure
        assert failure is not None
        assert failure.code == "session.unknown"
