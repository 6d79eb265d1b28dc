"""Sessions: opened, listed, shared with ADK's own tools, changed by others, rebuilt, sealed."""

import asyncio
import sqlite3
import sys
from pathlib import Path

import pytest
from google.adk.cli import cli as adk_cli
from google.adk.cli.utils.service_factory import create_session_service_from_options
from google.adk.events.event import Event
from google.adk.sessions.sqlite_session_service import SqliteSessionService
from google.genai import types

from adk_tui.core.commands import (
    DeleteSession,
    EditState,
    ListSessions,
    NewSession,
    OpenSession,
    RestoreSession,
    Say,
)
from adk_tui.core.records import EventRecord
from adk_tui.core.reports import Failure, Notice, Ready, SessionList, SessionOpened, Status, ToolRun
from tests.engine.harness import EngineProcess, events, last_done, of, write_agent

TALK = "root_agent = LlmAgent(name='root', model=Scripted(say('Hi.')))"


@pytest.fixture
def talker(tmp_path: Path) -> Path:
    return write_agent(tmp_path / "talker", TALK)


@pytest.fixture
def forget_agents():
    """ADK's own loader imports the agent into this process; take it out again."""
    path, modules = list(sys.path), set(sys.modules)
    yield
    sys.path[:] = path
    for name in set(sys.modules) - modules:
        if name.split(".")[0] in ("talker", "agent"):
            del sys.modules[name]


def stored(folder: Path) -> SqliteSessionService:
    return SqliteSessionService(db_path=str(folder / ".adk" / "session.db"))


def test_adk_run_and_adk_web_open_what_the_engine_stored(talker, forget_agents):
    with EngineProcess(talker, storage="file") as engine:
        opened = of(SessionOpened, engine.ready())[0]
        assert of(Ready, engine.records)[0].store == str(talker / ".adk" / "session.db")
        told = events(engine.do(Say("hello")))
        engine.quit()
    context = adk_cli._setup_runner_context(
        agent_parent_dir=str(talker.parent), agent_folder_name=talker.name
    )
    run_service, app_name = context[1], context[6]
    web_service = create_session_service_from_options(base_dir=talker.parent)
    for service in (run_service, web_service):
        session = asyncio.run(
            service.get_session(app_name=app_name, user_id="user", session_id=opened.id)
        )
        assert session is not None
        assert [e.id for e in session.events] == [e.id for e in told]


def test_the_engine_opens_what_adk_run_stored(talker, forget_agents, capsys):
    code = asyncio.run(
        adk_cli.run_once_cli(
            agent_parent_dir=str(talker.parent),
            agent_folder_name=talker.name,
            query="from adk run",
            session_id="theirs",
        )
    )
    assert code == 0
    with EngineProcess(talker, storage="file", session_id="theirs") as engine:
        records = engine.ready()
        opened = of(SessionOpened, records)[0]
        assert (opened.id, opened.user, opened.count) == ("theirs", "test_user", 2)
        assert opened.title == "from adk run"
        assert any("test_user" in n.message for n in of(Notice, records))
        assert [e.text for e in events(records)] == ["from adk run", "Hi."]
        engine.do(Say("and from us"))
    session = asyncio.run(
        stored(talker).get_session(app_name="talker", user_id="test_user", session_id="theirs")
    )
    assert session is not None
    assert len(session.events) == 4


def test_an_unknown_session_names_those_that_exist(talker):
    with EngineProcess(talker, storage="file") as engine:
        known = of(SessionOpened, engine.ready())[0].id
        failure = last_done(engine.do(OpenSession("nope"))).failure
        assert failure is not None
        assert failure.code == "session.unknown"
        assert known in failure.hint
        assert last_done(engine.do(Say("still here"))).ok
        engine.quit()
    with EngineProcess(talker, storage="file", session_id="nope") as engine:
        records = engine.end()
        failure = of(Failure, records)[0]
        assert failure.code == "session.unknown"
        assert known in failure.hint
        assert not of(Ready, records)
        assert of(Status, records)[-1].phase == "failed"
        assert engine.process.returncode == 3


def test_sessions_are_listed_newest_first_opened_and_deleted(talker):
    with EngineProcess(talker, storage="file") as engine:
        first = of(SessionOpened, engine.ready())[0].id
        engine.do(Say("the first\n question"))
        engine.do(NewSession({}, "second"))
        engine.do(Say("other"))
        listed = of(SessionList, engine.do(ListSessions()))[0].sessions
        assert [(s.id, s.title, s.events) for s in listed] == [
            ("second", "other", 2),
            (first, "the first question", 2),
        ]
        records = engine.do(OpenSession(first))
        opened = of(SessionOpened, records)[0]
        assert (opened.reason, opened.count) == ("open", 2)
        assert [e.text for e in events(records)] == ["the first\n question", "Hi."]
        refused = last_done(engine.do(DeleteSession(first))).failure
        assert refused is not None
        assert refused.code == "session.open"
        assert last_done(engine.do(DeleteSession("second"))).ok
        gone = last_done(engine.do(DeleteSession("second"))).failure
        assert gone is not None
        assert gone.code == "session.unknown"
        listed = of(SessionList, engine.do(ListSessions()))[0].sessions
        assert [s.id for s in listed] == [first]


async def _append_as_another(folder: Path, opened: SessionOpened, event: Event) -> None:
    service = stored(folder)
    session = await service.get_session(
        app_name=opened.app, user_id=opened.user, session_id=opened.id
    )
    assert session is not None
    await service.append_event(session, event)


def _note(text: str, **more) -> Event:
    content = types.Content(role="user", parts=[types.Part(text=text)])
    return Event(author="user", invocation_id="other", content=content, **more)


def test_what_another_process_added_meanwhile_is_told_before_the_next_turn(talker):
    with EngineProcess(talker, storage="file") as engine:
        opened = of(SessionOpened, engine.ready())[0]
        engine.do(Say("mine"))
        asyncio.run(_append_as_another(talker, opened, _note("theirs")))
        records = engine.do(Say("mine again"))
        assert [e.text for e in events(records)] == ["theirs", "mine again", "Hi."]
        assert of(Notice, records)[0].level == "warning"
        assert not of(SessionOpened, records)


def test_an_event_of_another_process_that_belongs_before_ours_tells_the_session_again(talker):
    with EngineProcess(talker, storage="file") as engine:
        opened = of(SessionOpened, engine.ready())[0]
        mine = events(engine.do(Say("mine")))
        earlier = _note("theirs", timestamp=mine[0].timestamp + 1e-5)
        with sqlite3.connect(talker / ".adk" / "session.db") as db:
            db.execute(
                "INSERT INTO events VALUES (?,?,?,?,?,?,?)",
                (
                    earlier.id,
                    opened.app,
                    opened.user,
                    opened.id,
                    "other",
                    earlier.timestamp,
                    earlier.model_dump_json(exclude_none=True),
                ),
            )
        db.close()
        records = engine.do(EditState({"a": 1}))
        again = of(SessionOpened, records)[0]
        assert (again.id, again.reason, again.count) == (opened.id, "resync", 3)
        assert [e.text for e in events(records)] == ["mine", "theirs", "Hi.", ""]


def test_a_session_changed_during_a_run_is_told_again_and_nothing_is_lost(tmp_path):
    source = """
async def wait_for_file() -> str:
    "Waits for a file."
    while not os.path.exists(os.environ["WAKE"]):
        await asyncio.sleep(0.02)
    return "ok"

model = Scripted(call("wait_for_file"), say("Done."))
root_agent = LlmAgent(name="root", model=model, tools=[wait_for_file])
"""
    wake = tmp_path / "wake"
    agent = write_agent(tmp_path / "racing", source)
    with EngineProcess(agent, storage="file", env={"WAKE": str(wake)}) as engine:
        opened = of(SessionOpened, engine.ready())[0]
        turn = engine.send(Say("go"))
        engine.until(lambda r: isinstance(r, ToolRun))
        asyncio.run(_append_as_another(agent, opened, _note("theirs")))
        wake.touch()
        records = engine.done(turn)
        done = last_done(records)
        assert done.failure is not None
        assert done.failure.code == "session.stale"
        again = of(SessionOpened, records)[0]
        assert (again.id, again.reason) == (opened.id, "resync")
        told = events(records[records.index(again) :])
        assert told[0].text == "go"
        assert "theirs" in [e.text for e in told]
        assert len(told) == again.count
        assert last_done(engine.do(Say("again"))).ok


def test_a_session_that_vanished_is_a_failure(talker):
    with EngineProcess(talker, storage="file") as engine:
        opened = of(SessionOpened, engine.ready())[0]
        asyncio.run(
            stored(talker).delete_session(
                app_name=opened.app, user_id=opened.user, session_id=opened.id
            )
        )
        failure = last_done(engine.do(Say("hello?"))).failure
        assert failure is not None
        assert failure.code == "session.unknown"
        assert opened.id in failure.message


def test_a_folder_that_cannot_be_written_sends_sessions_elsewhere_with_a_notice(talker, tmp_path):
    (talker / ".adk").write_text("in the way")
    other = tmp_path / "data"
    with EngineProcess(talker, storage="file", fallback_folder=str(other)) as engine:
        records = engine.ready()
        notice = of(Notice, records)[0]
        assert notice.level == "warning"
        assert str(other) in notice.message
        opened = of(SessionOpened, records)[0].id
        engine.do(Say("keep this"))
        engine.quit()
    with EngineProcess(
        talker, storage="file", fallback_folder=str(other), session_id=opened
    ) as engine:
        assert of(SessionOpened, engine.ready())[0].count == 2
        engine.quit()
    with EngineProcess(talker, storage="file") as engine:
        records = engine.ready()
        assert "memory" in of(Notice, records)[0].message
        assert "memory" in of(Ready, records)[0].store


def test_a_broken_database_says_what_to_do(talker):
    (talker / ".adk").mkdir()
    (talker / ".adk" / "session.db").write_bytes(b"no database at all" * 100)
    with EngineProcess(talker, storage="file") as engine:
        failure = of(Failure, engine.end())[0]
        assert failure.code == "store.broken"
        assert "session.db" in failure.message
        assert failure.hint


def test_a_database_of_an_older_adk_says_what_to_do(talker):
    (talker / ".adk").mkdir()
    with sqlite3.connect(talker / ".adk" / "session.db") as db:
        db.execute("CREATE TABLE events (id TEXT, content TEXT)")
    db.close()
    with EngineProcess(talker, storage="file") as engine:
        failure = of(Failure, engine.end())[0]
        assert failure.code == "store.schema"
        assert "migrate" in failure.hint


def test_an_in_memory_session_is_rebuilt_from_its_events(tmp_path):
    source = """
def put(tool_context: ToolContext) -> str:
    "Writes state."
    tool_context.state["raw"] = b"\\xff\\x00"
    tool_context.state["user:n"] = 3
    return "done"

def reply(request):
    return say(f"{len(request.contents)} contents")

root_agent = LlmAgent(name="root", model=Scripted(call("put"), reply), tools=[put])
"""
    agent = write_agent(tmp_path / "memory", source)
    with EngineProcess(agent, state={"first": 1}) as engine:
        opened = of(SessionOpened, engine.ready())[0]
        records = engine.do(Say("go"))
        log = tuple(e.raw for e in of(EventRecord, records))
        told = events(records)
    kept = (RestoreSession(opened.id, opened.user, state={"first": 1}, events=log),)
    shared = {opened.user: {"user:n": 3}}
    with EngineProcess(agent, session_id=opened.id, sessions=kept, shared=shared) as engine:
        records = engine.ready()
        again = of(SessionOpened, records)[0]
        assert (again.id, again.count, again.reason) == (opened.id, len(told), "restart")
        assert again.state["first"] == 1
        assert again.state["user:n"] == 3
        assert again.state["raw"] == {"$dumped": "bytes", "size": 2, "base64": "_wA="}
        assert [(e.id, e.text) for e in events(records)] == [(e.id, e.text) for e in told]
        assert [e.raw for e in events(records)] == [e.raw for e in told]


def test_calls_that_a_killed_run_left_open_are_sealed(tmp_path):
    source = """
async def wait_long() -> str:
    "Waits."
    await asyncio.sleep(3600)

def reply(request):
    if any(p.function_response for c in request.contents for p in c.parts):
        return say("I see it was stopped.")
    return call("wait_long")

root_agent = LlmAgent(name="root", model=Scripted(reply), tools=[wait_long])
"""
    agent = write_agent(tmp_path / "killed", source)
    with EngineProcess(agent, storage="file") as engine:
        opened = of(SessionOpened, engine.ready())[0]
        engine.send(Say("go"))
        engine.until(lambda r: isinstance(r, ToolRun))
    with EngineProcess(agent, storage="file", session_id=opened.id, seal=True) as engine:
        told = events(engine.ready())
        assert told[-1].aborted
        assert told[-1].responses[0].id == told[-2].calls[0].id
        assert events(engine.do(Say("what happened?")))[-1].text == "I see it was stopped."
        engine.quit()
    with EngineProcess(agent, storage="file", session_id=opened.id) as engine:
        assert sum(e.aborted for e in events(engine.ready())) == 1
