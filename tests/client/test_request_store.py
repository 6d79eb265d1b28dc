"""Model calls and tool runs outlive the process they happened in, within bounds."""

import itertools
import os
import random
import sqlite3
from pathlib import Path

from adk_tui.client.process import Launch, ProcessEngine
from adk_tui.client.request_store import RequestStore, store_path
from adk_tui.core.commands import DeleteSession, NewSession, Restart, Say, Start
from adk_tui.core.reports import AgentNode, ModelCall, Ready, SessionOpened, ToolRun
from tests.client.agents import write_agent
from tests.fakes.engine_records import Listener


def call(number: int, size: int = 10, **fields: object) -> ModelCall:
    # Random text, so that compression cannot make nothing of it.
    noise = random.Random(number).randbytes(size).hex().encode()
    given = {"started": float(number), "ended": number + 0.5, "request": noise, **fields}
    return ModelCall(f"m{number}", "root", "i1", "model", **given)  # pyright: ignore[reportArgumentType]


def run(number: int) -> ToolRun:
    return ToolRun(f"c{number}", "look", "root", "i1", "", float(number), number + 0.25)


def test_what_was_kept_of_a_session_comes_back_in_order_and_nothing_of_another(tmp_path: Path):
    store = RequestStore(tmp_path / "requests.db")
    kept = [call(1), run(2), call(3)]
    for record in reversed(kept):
        store.put("one", record)
    store.put("two", call(4))
    store.close()
    again = RequestStore(tmp_path / "requests.db")
    assert again.load("one") == kept
    assert again.load("three") == []
    assert again.problem == ""


def test_the_file_is_private(tmp_path: Path):
    store = RequestStore(tmp_path / "deep" / "requests.db")
    old = os.umask(0)
    try:
        store.put("one", call(1))
    finally:
        os.umask(old)
    assert (tmp_path / "deep" / "requests.db").stat().st_mode & 0o777 == 0o600


def test_the_oldest_are_dropped_first_once_the_file_is_full(tmp_path: Path):
    store = RequestStore(tmp_path / "requests.db", max_bytes=50_000)
    for number in range(1, 41):
        store.put("one", call(number, 2_000))
    kept = [r.id for r in store.load("one") if isinstance(r, ModelCall)]
    assert kept[-1] == "m40"
    assert kept == [f"m{n}" for n in range(41 - len(kept), 41)]
    assert 10 <= len(kept) < 30


def test_putting_an_entry_does_not_measure_all_others(tmp_path: Path):
    store = RequestStore(tmp_path / "requests.db")
    store.put("one", call(0))
    said: list[str] = []
    assert store._db is not None
    store._db.set_trace_callback(said.append)
    for number in range(1, 100):
        store.put("one", call(number))
    assert sum("INSERT" in s for s in said) == 99
    assert not any("SUM" in s for s in said)


def test_two_programs_that_share_a_file_keep_it_within_bounds(tmp_path: Path):
    path = tmp_path / "requests.db"
    one, two = (RequestStore(path, max_bytes=50_000) for _ in range(2))
    for number in range(400):
        one.put("one", call(number, 100))
        two.put("two", call(number, 100))
    with sqlite3.connect(path) as db:
        assert db.execute("SELECT SUM(LENGTH(body)) FROM kept").fetchone()[0] < 100_000
    assert one.problem == two.problem == ""


def test_an_entry_put_again_and_again_pushes_nothing_else_out(tmp_path: Path):
    store = RequestStore(tmp_path / "requests.db", max_bytes=50_000)
    for number in range(5):
        store.put("one", call(number, 2_000))
    for _ in range(100):
        store.put("one", call(9, 2_000))
    assert [r.id for r in store.load("one") if isinstance(r, ModelCall)] == [
        "m0", "m1", "m2", "m3", "m4", "m9"
    ]  # fmt: skip


def test_a_call_that_is_too_large_is_kept_without_its_bodies(tmp_path: Path):
    store = RequestStore(tmp_path / "requests.db")
    store.put("one", call(1, 5_000_000))
    (found,) = store.load("one")
    assert isinstance(found, ModelCall)
    assert (found.request, found.started) == (b"", 1.0)


def test_a_forgotten_session_leaves_nothing_behind(tmp_path: Path):
    store = RequestStore(tmp_path / "requests.db")
    store.put("one", call(1, request=b"a secret word"))
    store.put("two", call(2))
    store.forget("one")
    assert store.load("one") == []
    assert len(store.load("two")) == 1


def test_a_damaged_file_is_replaced_and_said_once(tmp_path: Path):
    path = tmp_path / "requests.db"
    path.write_bytes(b"no database at all" * 1000)
    store = RequestStore(path)
    assert store.load("one") == []
    assert "requests.db" in store.problem
    store.put("one", call(1))
    assert store.load("one") == [call(1)]


def test_a_file_that_another_program_locks_costs_the_entry_and_nothing_else(tmp_path: Path):
    path = tmp_path / "requests.db"
    store = RequestStore(path)
    store.put("one", call(1))
    other = sqlite3.connect(path)
    other.execute("BEGIN EXCLUSIVE")
    store.put("one", call(2))
    assert "locked" in store.problem
    other.rollback()
    other.close()
    store.put("one", call(3))
    assert store.load("one") == [call(1), call(3)]


def test_entries_of_a_version_that_cannot_be_read_are_passed_over(tmp_path: Path):
    store = RequestStore(tmp_path / "requests.db")
    store.put("one", call(1))
    store.put("one", call(2))
    store.close()
    with sqlite3.connect(tmp_path / "requests.db") as db:
        db.execute("UPDATE kept SET body = x'00ff' WHERE id = 'm1'")
    db.close()
    assert store.load("one") == [call(2)]


def test_the_place_follows_the_session_store():
    def place(store: str, *fleeting: str) -> Path | None:
        root = AgentNode("root")
        gone = frozenset(fleeting)
        ready = Ready("app", root, "/agents/helper", "user", store, fleeting=gone)
        return store_path(ready, "/data")

    assert place("/agents/helper/.adk/session.db") == Path("/agents/helper/.adk/requests.db")
    assert place("memory (sessions end with the program)") is None
    for uri in ("memory://", "sqlite://", "sqlite+aiosqlite:///:memory:"):
        assert place(uri, "sessions") is None
    behind = place("postgresql+asyncpg://me@host/sessions")
    assert behind is not None
    assert behind.parent == Path("/data")
    assert behind != place("sqlite:///other.db")


def opened(folder: Path, **fields: str) -> Listener:
    start = Start(str(folder), **fields)  # pyright: ignore[reportArgumentType]
    engine = ProcessEngine(Launch(start, grace=2.0, recall=True))
    engine.start()
    heard = Listener(engine)
    heard.phase("ready")
    return heard


def last_calls(heard: Listener) -> dict[str, ModelCall]:
    """The calls that came after the session was opened last, as told last."""
    at = max(i for i, r in enumerate(heard.seen) if isinstance(r, SessionOpened))
    return {r.id: r for r in heard.seen[at:] if isinstance(r, ModelCall)}


def test_the_requests_of_a_stored_session_are_there_after_everything_was_closed(tmp_path: Path):
    folder = write_agent(tmp_path / "helper")
    first = opened(folder)
    try:
        assert first.done(first.engine.submit(Say("act read"))).ok
        (session,) = first.of(SessionOpened)
        told = last_calls(first)
        runs = {r.call_id: r for r in first.of(ToolRun)}
        assert len(told) == 2
        assert all(b"act read" in c.request for c in told.values())
    finally:
        first.engine.close()
    second = opened(folder, session_id=session.id)
    try:
        assert last_calls(second) == told
        assert {r.call_id: r for r in second.of(ToolRun)} == runs
        assert (folder / ".adk" / "requests.db").stat().st_mode & 0o777 == 0o600
    finally:
        second.engine.close()


def test_calls_of_a_process_that_died_and_of_its_successor_stand_side_by_side(tmp_path: Path):
    folder = write_agent(tmp_path / "helper")
    heard = opened(folder)
    try:
        heard.done(heard.engine.submit(Say("one")))
        heard.done(heard.engine.submit(Say("act exit 3")))
        heard.phase("dead")
        assert heard.done(heard.engine.submit(Restart())).ok
        assert heard.done(heard.engine.submit(Say("two"))).ok
        session = heard.of(SessionOpened)[-1]
        calls = {c.id: c for c in heard.of(ModelCall)}
        ended = [c for c in calls.values() if c.ended]
        assert len(ended) == len(calls)
        assert any(b'"one"' in c.request for c in ended)
        assert any(b'"two"' in c.request for c in ended)
        died = next(r for r in heard.of(ToolRun) if r.ended)
        assert died.error
    finally:
        heard.engine.close()
    again = opened(folder, session_id=session.id)
    try:
        assert set(last_calls(again)) == set(calls)
        assert [r.error for r in again.of(ToolRun)] == [died.error]
    finally:
        again.engine.close()


def test_a_deleted_session_takes_its_requests_along(tmp_path: Path):
    folder = write_agent(tmp_path / "helper")
    heard = opened(folder)
    try:
        heard.done(heard.engine.submit(Say("private words")))
        session = heard.of(SessionOpened)[-1]
        assert heard.done(heard.engine.submit(NewSession())).ok
        assert heard.done(heard.engine.submit(DeleteSession(session.id))).ok
    finally:
        heard.engine.close()
    path = folder / ".adk" / "requests.db"
    key = "\n".join((session.app, session.user, session.id))
    assert RequestStore(path).load(key) == []


def test_a_session_in_memory_leaves_no_file(tmp_path: Path):
    folder = write_agent(tmp_path / "helper")
    heard = opened(folder, storage="memory")
    try:
        heard.done(heard.engine.submit(Say("one")))
    finally:
        heard.engine.close()
    assert not list(folder.rglob("requests.db"))


def test_without_recall_stored_calls_are_kept_and_not_told(tmp_path: Path):
    folder = write_agent(tmp_path / "helper")
    first = opened(folder)
    first.done(first.engine.submit(Say("one")))
    session = first.of(SessionOpened)[-1]
    first.engine.close()
    engine = ProcessEngine(Launch(Start(str(folder), session_id=session.id), grace=2.0))
    engine.start()
    second = Listener(engine)
    try:
        second.phase("ready")
        assert not list(itertools.chain(second.of(ModelCall), second.of(ToolRun)))
    finally:
        engine.close()
