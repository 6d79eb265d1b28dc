"""Stores that are broken, foreign, gone or lack their driver: what happened and what to do."""

import base64
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from adk_tui.core.commands import (
    Command,
    EditState,
    Fork,
    ListArtifacts,
    ListSessions,
    NewSession,
    RenameSession,
    Rewind,
    SaveArtifact,
    Say,
)
from adk_tui.core.reports import ArtifactList, Failure, SessionList, SessionOpened
from tests.engine.harness import EngineProcess, events, last_done, of, write_agent
from tests.fakes.disks import Disk


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
    assert failure.code == "store.uri"
    assert "carrier-pigeon" in failure.message
    assert "postgresql+asyncpg://" in failure.hint
    assert "google-adk[db]" in failure.hint


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
        assert failure.code == "store.gone"
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


def refused(engine: EngineProcess, command: Command) -> Failure:
    """The failure of a command, which must leave no event behind."""
    records = engine.do(command)
    failure = last_done(records).failure
    assert failure is not None, command
    assert events(records) == [], command
    return failure


def whole(path: Path, table: str = "events") -> int:
    """How many events, or other rows, a file holds, which must be in order."""
    with closing(sqlite3.connect(":memory:")) as db:
        # SQLite would follow a path through /proc into our own file system.
        db.deserialize(path.read_bytes())
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        return db.execute(f"SELECT COUNT(*) FROM {table}").fetchone()[0]


def writers(session: SessionOpened, invocation: str) -> tuple[Command, ...]:
    """Everything that writes to a store of sessions."""
    return (
        Say("lost " * 2_000),
        EditState({"a": "x" * 9_000}),
        NewSession({"b": "y" * 9_000}),
        Fork(),
        RenameSession(session.id, "", "title " * 900),
        Rewind(invocation),
    )


def test_a_full_disk_costs_no_more_than_the_commands_that_do_not_fit(talker):
    disk = Disk(talker / ".adk")
    with EngineProcess(talker, within=disk.within, storage="file") as engine:
        session = of(SessionOpened, engine.ready())[0]
        first = engine.do(Say("first"))
        assert last_done(engine.do(RenameSession(session.id, "", "Given"))).ok
        pid = engine.process.pid
        store = disk.seen_by(pid) / "session.db"
        disk.fill(pid)
        for command in writers(session, events(first)[0].invocation_id):
            failure = refused(engine, command)
            assert "full" in failure.message, failure
            assert str(disk.folder) in failure.message, failure
            assert "free some space" in failure.hint.lower(), failure
        assert whole(store) == 2
        assert whole(store.with_name("adk-tui.db"), "sessions") == 1
        listed = of(SessionList, engine.do(ListSessions()))[0]
        assert [s.title for s in listed.sessions] == ["Given"], "the title that was there"
        disk.free(pid)
        assert last_done(engine.do(RenameSession(session.id, "", "title " * 900))).ok
        assert last_done(engine.do(Say("found"))).ok
        listed = engine.do(ListSessions())
        assert [s.events for s in of(SessionList, listed)[0].sessions] == [4]
        assert whole(store) == 4


def test_an_artifact_that_does_not_fit_leaves_nothing_of_itself(talker):
    disk = Disk(talker / ".adk")
    big = base64.b64encode(b"x" * 500_000).decode()
    with EngineProcess(talker, within=disk.within, storage="file") as engine:
        engine.ready()
        assert last_done(engine.do(SaveArtifact("kept.txt", "text/plain", "aGk="))).ok
        for name in ("kept.txt", "new.txt"):
            failure = refused(engine, SaveArtifact(name, "text/plain", big))
            assert "No space left" in failure.message
            assert "free some space" in failure.hint
        listed = of(ArtifactList, engine.do(ListArtifacts()))[0]
        assert [(a.name, len(a.versions)) for a in listed.artifacts] == [("kept.txt", 1)]
        files = disk.seen_by(engine.process.pid).rglob("new.txt")
        assert [f for f in files if f.is_file()] == []
        assert last_done(engine.do(SaveArtifact("kept.txt", "text/plain", "aG8="))).ok


def test_a_store_that_became_read_only_is_still_read_and_says_how_to_go_on(talker):
    disk = Disk(talker / ".adk")
    with EngineProcess(talker, within=disk.within, storage="file") as engine:
        session = of(SessionOpened, engine.ready())[0]
        first = engine.do(Say("first"))
        pid = engine.process.pid
        disk.set_writable(pid, False)
        for command in writers(session, events(first)[0].invocation_id):
            failure = refused(engine, command)
            assert "read" in failure.message, failure
            assert str(disk.folder) in failure.message, failure
            assert "writable" in failure.hint, failure
        failure = refused(engine, SaveArtifact("new.txt", "text/plain", "aGk="))
        assert "Read-only" in failure.message
        assert "writable" in failure.hint
        assert last_done(engine.do(ListSessions())).ok
        disk.set_writable(pid, True)
        assert last_done(engine.do(Say("found"))).ok


def test_another_writer_is_waited_for_and_then_named_as_the_reason(talker):
    with EngineProcess(talker, storage="file") as engine:
        engine.ready()
        engine.do(Say("first"))
        with closing(sqlite3.connect(talker / ".adk" / "session.db")) as other:
            other.execute("BEGIN IMMEDIATE")
            failure = refused(engine, Say("lost"))
            assert last_done(engine.do(ListSessions())).ok
            other.rollback()
        assert failure.code == "store.locked"
        assert str(talker / ".adk" / "session.db") in failure.message
        assert "Another program" in failure.hint
        assert last_done(engine.do(Say("found"))).ok


DELETING = """
import pathlib, shutil
from tests.fakes.scripted import call, say

def act(what: str) -> str:
    folder = pathlib.Path(__file__).parent / ".adk"
    shutil.rmtree(folder) if what == "folder" else (folder / "session.db").unlink()
    return "gone"

def play(request):
    part = request.contents[-1].parts[-1]
    text = part.text or ""
    return call("act", what=text) if text in ("file", "folder") else say("Hi.")

root_agent = LlmAgent(name="root", model=Scripted(play), tools=[act])
"""


@pytest.mark.parametrize("what", ["file", "folder"])
def test_a_store_deleted_during_a_run_is_named_and_a_new_session_can_be_begun(tmp_path, what):
    agent = write_agent(tmp_path / "deleter", DELETING)
    with EngineProcess(agent, storage="file") as engine:
        engine.ready()
        engine.do(Say("first"))
        failure = last_done(engine.do(Say(what))).failure
        assert failure is not None
        assert failure.code == "store.gone"
        assert str(agent / ".adk" / "session.db") in failure.message
        assert "F9" in failure.hint
        assert "deleted" in failure.hint
        assert refused(engine, Say("lost")).hint
        assert last_done(engine.do(NewSession({}))).ok
        assert last_done(engine.do(Say("found"))).ok
        assert whole(agent / ".adk" / "session.db") == 2
        assert (agent / ".adk" / "session.db").stat().st_mode & 0o077 == 0


EATING = """
import os
HELD = []

def eat() -> str:
    try:
        while True:
            HELD.append(os.open("/dev/null", os.O_RDONLY))
    except OSError:
        return "full"

def spit() -> str:
    while HELD:
        os.close(HELD.pop())
    return "empty"

def play(request):
    part = request.contents[-1].parts[-1]
    text = part.text or ""
    return call(text) if text in ("eat", "spit") else say("Hi.")

root_agent = LlmAgent(name="root", model=Scripted(play), tools=[eat, spit])
"""


def test_an_agent_that_has_eaten_all_descriptors_is_told_so_and_still_heard(tmp_path):
    agent = write_agent(tmp_path / "eater", EATING)
    within = ("sh", "-c", 'ulimit -n 160 && exec "$@"', "sh")
    with EngineProcess(agent, within=within, storage="file") as engine:
        engine.ready()
        engine.do(Say("first"))
        failure = last_done(engine.do(Say("eat"))).failure
        assert failure is not None
        assert failure.code == "run.system"
        assert "too many files open" in failure.message
        assert "F9" in failure.hint
        failure = refused(engine, Say("more"))
        assert failure.code == "run.system"
        assert engine.quit() == 0
