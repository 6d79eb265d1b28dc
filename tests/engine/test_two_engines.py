"""Two engines, in processes of their own, on one session at once."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from google.adk.sessions.base_session_service import BaseSessionService
from google.adk.sessions.sqlite_session_service import SqliteSessionService

from adk_tui.core.commands import Answer, EditState, ListSessions, Say, ToolAnswer
from adk_tui.core.records import EventRecord
from adk_tui.core.reports import SessionList, SessionOpened, ToolRun
from adk_tui.core.tickets import read_tickets
from tests.engine.harness import Done, EngineProcess, events, last_done, of, write_agent

AGENT = """
def ask(what: str) -> dict:
    "Asks somebody."
    return {"status": "pending"}

async def wait_for_file() -> str:
    "Waits for a file."
    while not os.path.exists(os.environ["WAKE"]):
        await asyncio.sleep(0.02)
    return "ok"

def reply(request):
    last = request.contents[-1].parts[-1]
    if last.function_response or not last.text:
        return say("noted")
    if last.text.startswith("ask"):
        return call("ask", what=last.text)
    return call("wait_for_file") if last.text == "wait" else say("heard " + last.text)

root_agent = LlmAgent(
    name="root", model=Scripted(reply), tools=[LongRunningFunctionTool(ask), wait_for_file]
)
"""


@pytest.fixture(params=["sqlite", "postgres"])
def shared(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, Any]:
    """How to start engines that share their sessions."""
    if request.param == "sqlite":
        return {"storage": "file"}
    for module in ("sqlalchemy", "greenlet", "asyncpg"):
        pytest.importorskip(module, reason="the db extra is not installed")
    return {"session_service_uri": request.getfixturevalue("postgres").database()}


def service_of(shared: dict[str, Any], folder: Path) -> BaseSessionService:
    if uri := shared.get("session_service_uri"):
        from google.adk.sessions.database_session_service import DatabaseSessionService

        return DatabaseSessionService(uri)
    return SqliteSessionService(db_path=str(folder / ".adk" / "session.db"))


def stored_ids(shared: dict[str, Any], folder: Path, session: SessionOpened) -> list[str]:
    async def read() -> list[str]:
        found = await service_of(shared, folder).get_session(
            app_name=session.app, user_id=session.user, session_id=session.id
        )
        assert found is not None
        return [e.id for e in found.events]

    return asyncio.run(read())


def shown(engine: EngineProcess) -> list[EventRecord]:
    """The session as the engine has told it last: everything since it was opened or told again."""
    last = max(i for i, r in enumerate(engine.records) if isinstance(r, SessionOpened))
    return events(engine.records[last:])


def test_turns_at_the_same_time_lose_no_event_and_both_end_with_the_same_session(tmp_path, shared):
    folder = write_agent(tmp_path / "shared", AGENT)
    with EngineProcess(folder, **shared) as a:
        session = of(SessionOpened, a.ready())[0]
        a.do(Say("first"))
        with EngineProcess(folder, session_id=session.id, **shared) as b:
            b.ready()
            fine: dict[int, list[str]] = {}
            for turn in range(6):
                pair = [(e, e.send(Say(f"{n}{turn}"))) for n, e in (("a", a), ("b", b))]
                for engine, command in pair:
                    done = last_done(engine.done(command))
                    if done.ok:
                        fine[len(fine)] = [e.id for e in shown(engine)]
                    else:
                        assert done.failure is not None
                        assert done.failure.code in ("session.stale", "store.error", "run.error")
            assert fine
            a.do(EditState({"last": "a"}))
            b.do(EditState({"last": "b"}))
            a.do(EditState({"very last": "a"}))
            b.do(EditState({"end": 1}))
            a.do(Say("bye"))
            b.do(EditState({"end": 2}))
            a.do(EditState({"end": 3}))
            kept = stored_ids(shared, folder, session)
            assert len(set(kept)) == len(kept)
            assert {i for ids in fine.values() for i in ids} <= set(kept)
            assert sorted(e.id for e in shown(a)) == sorted(kept)
            assert {e.id for e in shown(b)} <= set(kept)
            said = [e.text for e in shown(a) if e.author == "user" and e.text]
            assert len(said) == len(set(said))


def test_a_run_that_another_engine_overtook_is_told_and_the_next_message_works(tmp_path, shared):
    folder = write_agent(tmp_path / "shared", AGENT)
    wake = tmp_path / "wake"
    with EngineProcess(folder, env={"WAKE": str(wake)}, **shared) as a:
        session = of(SessionOpened, a.ready())[0]
        with EngineProcess(folder, session_id=session.id, **shared) as b:
            b.ready()
            turn = a.send(Say("wait"))
            a.until(lambda r: isinstance(r, ToolRun))
            assert last_done(b.do(EditState({"theirs": 1}))).ok
            wake.write_text("")
            failure = last_done(a.done(turn)).failure
            assert failure is not None
            assert failure.code == "session.stale"
            assert sorted(e.id for e in shown(a)) == sorted(stored_ids(shared, folder, session))
            assert last_done(a.do(Say("again"))).ok
            assert last_done(b.do(Say("me too"))).ok
            assert sorted(e.id for e in shown(b)) == sorted(stored_ids(shared, folder, session))


def test_a_ticket_that_another_engine_answered_is_not_answered_twice_unawares(tmp_path, shared):
    folder = write_agent(tmp_path / "shared", AGENT)
    with EngineProcess(folder, **shared) as a:
        session = of(SessionOpened, a.ready())[0]
        a.do(Say("ask one"))
        a.do(Say("ask two"))
        with EngineProcess(folder, session_id=session.id, **shared) as b:
            b.ready()
            first, second = read_tickets(shown(b))
            assert [t.key for t in read_tickets(shown(a))] == [first.key, second.key]

            def answer(ticket, value):
                given = ToolAnswer(ticket.call_id, ticket.function_name, {"result": value})
                return Answer(ticket.invocation_id, (given,))

            assert last_done(a.do(answer(first, "a's"))).ok
            failure = last_done(b.do(answer(first, "b's"))).failure
            assert failure is not None
            assert failure.code == "ticket.closed"
            assert "ask" in failure.message
            states = [(t.state, t.args["what"]) for t in read_tickets(shown(b))]
            assert states == [("final", "ask one"), ("open", "ask two")]
            assert last_done(b.do(answer(second, "b's"))).ok
            listed = of(SessionList, a.do(ListSessions()))[0].sessions
            assert [(s.id, s.tickets) for s in listed] == [(session.id, 0)]
            assert last_done(a.do(EditState({"end": 1}))).ok
            assert [t.state for t in read_tickets(shown(a))] == ["final", "final"]
            replies = [r.response.get("result") for t in read_tickets(shown(a)) for r in t.replies]
            assert "a's" in replies
            assert "b's" in replies
            assert of(Done, a.records)
