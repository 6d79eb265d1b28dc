"""Stores that are broken, foreign, gone or lack their driver: what happened and what to do."""

import sqlite3
from pathlib import Path

import pytest

from adk_tui.core.commands import EditState, Fork, ListSessions, NewSession, Say
from adk_tui.core.reports import Failure, SessionOpened
from tests.engine.harness import EngineProcess, last_done, of, write_agent


@pytest.fixture
def talker(tmp_path: Path) -> Path:
    return write_agent(
        tmp_path / "talker", "root_agent = LlmAgent(name='root', model=Scripted(say('Hi.')))"
    )


def without(tmp_path: Path, *modules: str) -> dict[str, str]:
    """An environment in which these modules cannot be imported, as where they are not installed."""
    folder = tmp_path / "without"
    folder.mkdir()
    for module in modules:
        line = f"raise ModuleNotFoundError(\"No module named '{module}'\", name='{module}')\n"
        (folder / f"{module}.py").write_text(line)
    return {"PYTHONPATH": str(folder)}


@pytest.mark.parametrize(
    ("uri", "missing"),
    [
        ("postgresql+asyncpg://me:secret@127.0.0.1:1/db", "asyncpg"),
        ("postgresql+asyncpg://me:secret@127.0.0.1:1/db", "sqlalchemy"),
        ("sqlite+aiosqlite:////tmp/never.db", "sqlalchemy"),
    ],
)
def test_a_missing_driver_is_named_with_the_way_to_install_it(tmp_path, talker, uri, missing):
    env = without(tmp_path, missing)
    with EngineProcess(talker, env=env, session_service_uri=uri) as engine:
        failure = of(Failure, engine.end())[0]
    assert failure.code == "store.driver"
    assert missing in failure.message + failure.hint
    assert "pip install" in failure.hint
    assert "secret" not in failure.message + failure.hint


def test_a_server_that_is_not_there_is_said_without_the_password(tmp_path, talker):
    pytest.importorskip("sqlalchemy", reason="the db extra is not installed")
    pytest.importorskip("asyncpg", reason="the db extra is not installed")
    uri = "postgresql+asyncpg://me:secret@127.0.0.1:1/db"
    with EngineProcess(talker, session_service_uri=uri) as engine:
        failure = of(Failure, engine.end())[0]
    assert failure.code.startswith("store.")
    assert "127.0.0.1" in failure.message
    assert "secret" not in failure.message + failure.hint
    assert failure.hint


def test_a_uri_of_no_known_kind_names_those_there_are(talker):
    with EngineProcess(talker, session_service_uri="carrier-pigeon://roof") as engine:
        failure = of(Failure, engine.end())[0]
    assert failure.code in ("store.uri", "store.driver")
    assert "carrier-pigeon" in failure.message
    assert failure.hint


def test_a_file_given_by_uri_that_is_no_database_says_what_to_do(tmp_path, talker):
    broken = tmp_path / "broken.db"
    broken.write_bytes(b"no database at all" * 100)
    with EngineProcess(talker, session_service_uri=f"sqlite:///{broken}") as engine:
        failure = of(Failure, engine.end())[0]
    assert failure.code.startswith("store.")
    assert "not a database" in failure.message
    assert failure.hint


def test_a_database_that_breaks_while_it_is_used_costs_no_more_than_the_command(talker):
    with EngineProcess(talker, storage="file") as engine:
        engine.ready()
        engine.do(Say("hello"))
        with sqlite3.connect(talker / ".adk" / "session.db") as db:
            db.execute("ALTER TABLE events RENAME TO elsewhere")
        db.close()
        failure = last_done(engine.do(Say("lost"))).failure
        assert failure is not None
        assert failure.code == "store.error"
        assert failure.hint
        with sqlite3.connect(talker / ".adk" / "session.db") as db:
            db.execute("ALTER TABLE elsewhere RENAME TO events")
        db.close()
        assert last_done(engine.do(Say("found"))).ok


def test_a_session_that_vanished_is_said_and_another_can_be_opened(talker):
    with EngineProcess(talker, storage="file") as engine:
        session = of(SessionOpened, engine.ready())[0].id
        engine.do(Say("hello"))
        with sqlite3.connect(talker / ".adk" / "session.db") as db:
            db.execute("DELETE FROM sessions")
            db.execute("DELETE FROM events")
        db.close()
        for command in (Say("lost"), EditState({"a": 1}), Fork()):
            failure = last_done(engine.do(command)).failure
            assert failure is not None
            assert failure.code == "session.unknown"
            assert session in failure.message
        assert last_done(engine.do(ListSessions())).ok
        assert last_done(engine.do(NewSession({}))).ok
        assert last_done(engine.do(Say("here"))).ok


def test_a_first_state_that_cannot_be_stored_is_refused_by_key(talker):
    with EngineProcess(talker, state={"bad": "\ud800"}) as engine:
        failure = of(Failure, engine.end())[0]
    assert failure.code == "state.refused"
    assert "bad: " in failure.message
