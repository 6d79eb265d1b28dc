"""Sessions in a database, through ADK's own DatabaseSessionService."""

import asyncio

import pytest

pytest.importorskip("sqlalchemy", reason="the db extra is not installed")
pytest.importorskip("greenlet", reason="the db extra is not installed")

from adk_tui.core.commands import EditState, ListSessions, Rewind, Say, Transfer
from adk_tui.core.reports import SessionList, SessionOpened
from tests.engine.harness import EngineProcess, events, last_done, of, write_agent

TREE = """
leaf = LlmAgent(name="leaf", model=Scripted(say("leaf here")))
left = LlmAgent(name="left", model=Scripted(say("left here")), sub_agents=[leaf])
root_agent = LlmAgent(name="root", model=Scripted(say("root here")), sub_agents=[left])
"""


def test_a_session_in_a_database_is_talked_to_steered_and_opened_again(tmp_path):
    from google.adk.sessions.database_session_service import DatabaseSessionService

    agent = write_agent(tmp_path / "tree", TREE)
    uri = f"sqlite+aiosqlite:///{tmp_path}/sessions.db"
    with EngineProcess(agent, session_service_uri=uri) as engine:
        opened = of(SessionOpened, engine.ready())[0]
        first = events(engine.do(Say("hello")))[0]
        assert last_done(engine.do(Transfer("leaf"))).ok
        assert events(engine.do(Say("who?")))[-1].text == "leaf here"
        assert last_done(engine.do(EditState({"a": 1}))).ok
        assert last_done(engine.do(Rewind(first.invocation_id))).ok
        (row,) = of(SessionList, engine.do(ListSessions()))[0].sessions
        assert (row.id, row.title, row.events) == (opened.id, "hello", 7)
        told = events(engine.records)
        engine.quit()
    with EngineProcess(agent, session_service_uri=uri, session_id=opened.id) as engine:
        assert [e.id for e in events(engine.ready())] == [e.id for e in told]

    async def stored() -> int:
        service = DatabaseSessionService(uri)
        session = await service.get_session(
            app_name="tree", user_id=opened.user, session_id=opened.id
        )
        await service.close()
        assert session is not None
        return len(session.events)

    assert asyncio.run(stored()) == 7
