"""Which changes of an agent's files count, and when they are told."""

import queue
from collections.abc import Iterator
from pathlib import Path

import pytest

from adk_tui.client.file_watch import Changes, FileWatch, snapshot
from adk_tui.client.process import Launch, ProcessEngine
from adk_tui.core.commands import Say, Start
from adk_tui.core.reports import Failure, Notice, SessionOpened, Status
from tests.client.agents import write_agent
from tests.fakes.engine_records import PATIENCE, Listener


def test_files_count_at_any_depth_and_what_programs_write_for_themselves_does_not(
    tmp_path: Path,
) -> None:
    for name in (
        "agent.py", "deep/er/tool.py", "root_agent.yaml", ".env", "prompt.txt",
        ".adk/session.db", ".venv/x.py", "__pycache__/agent.pyc", ".git/config.py",
        ".agent.py.swp", "agent.py~", "own.db", "own.db-wal", "run.log",
    ):  # fmt: skip
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    assert set(snapshot(tmp_path)) == {
        "agent.py",
        str(Path("deep", "er", "tool.py")),
        "root_agent.yaml",
        ".env",
        "prompt.txt",
    }


def test_a_folder_that_is_gone_has_no_files(tmp_path: Path) -> None:
    assert snapshot(tmp_path / "nothing") == {}


def test_a_change_is_told_once_it_stands_still_and_only_once() -> None:
    a, b, c = {"x": (1, 1)}, {"x": (2, 1)}, {"x": (3, 1), "y": (1, 1)}
    changes = Changes(a)
    assert changes.look(a) == ()
    assert changes.look(b) == ()
    assert changes.look(c) == ()
    assert changes.look(c) == ("x", "y")
    assert changes.look(c) == ()


def test_a_change_that_is_taken_back_at_once_is_none() -> None:
    changes = Changes({"x": (1, 1)})
    assert changes.look({}) == ()
    assert changes.look({"x": (1, 1)}) == ()
    assert changes.look({"x": (1, 1)}) == ()


def test_a_watch_tells_what_changed(tmp_path: Path) -> None:
    (tmp_path / "agent.py").write_text("a = 1\n")
    told: queue.Queue[tuple[str, ...]] = queue.Queue()
    watch = FileWatch(tmp_path, told.put)
    try:
        watch.looked.wait(PATIENCE)
        (tmp_path / "agent.py").write_text("a = 22\n")
        assert told.get(timeout=PATIENCE) == ("agent.py",)
    finally:
        watch.stop()


def test_what_a_turn_writes_counts_only_where_it_is_code(tmp_path: Path) -> None:
    told: queue.Queue[tuple[str, ...]] = queue.Queue()
    watch = FileWatch(tmp_path, told.put, lambda: (1.0, 0.0))
    try:
        watch.looked.wait(PATIENCE)
        (tmp_path / "report.md").write_text("written by the agent")
        (tmp_path / "tool.py").write_text("")
        assert told.get(timeout=PATIENCE) == ("tool.py",)
    finally:
        watch.stop()


def test_a_text_that_was_written_after_a_turn_counts(tmp_path: Path) -> None:
    told: queue.Queue[tuple[str, ...]] = queue.Queue()
    watch = FileWatch(tmp_path, told.put, lambda: (1.0, 2.0))
    try:
        watch.looked.wait(PATIENCE)
        (tmp_path / "prompt.txt").write_text("written by a person")
        assert told.get(timeout=PATIENCE) == ("prompt.txt",)
    finally:
        watch.stop()


@pytest.fixture
def e(tmp_path: Path) -> Iterator[Listener]:
    folder = write_agent(tmp_path / "helper")
    engine = ProcessEngine(Launch(Start(str(folder), storage="file"), grace=2.0, reload=True))
    engine.start()
    yield Listener(engine)
    engine.close()


def is_reload(record: object) -> bool:
    return isinstance(record, SessionOpened) and record.reason == "reload"


def test_an_edit_is_loaded_by_itself_and_a_broken_one_keeps_the_old_agent(
    e: Listener, tmp_path: Path
) -> None:
    folder = tmp_path / "helper"
    e.phase("ready")
    assert e.done(e.engine.submit(Say("one"))).ok
    write_agent(folder, answer='"heard anew"')
    e.until(lambda r: isinstance(r, Notice) and "agent.py changed" in r.message)
    e.until(is_reload)
    e.done(e.engine.submit(Say("two")))
    whole = (folder / "agent.py").read_text()
    (folder / "agent.py").write_text(whole + "\ndef broken(:\n")
    failure = e.until(lambda r: isinstance(r, Failure))
    assert isinstance(failure, Failure)
    assert failure.code.startswith("reload.")
    assert failure.file.endswith("agent.py")
    assert failure.line == len(whole.splitlines()) + 2
    assert e.done(e.engine.submit(Say("three"))).ok
    (folder / "agent.py").write_text(whole)
    e.until(is_reload)


def test_an_agent_that_never_loaded_is_tried_again_once_its_file_is_mended(tmp_path: Path) -> None:
    folder = tmp_path / "helper"
    write_agent(folder, imports="import no_such_module")
    engine = ProcessEngine(Launch(Start(str(folder), storage="memory"), grace=2.0, reload=True))
    engine.start()
    e = Listener(engine)
    try:
        e.phase("failed")
        write_agent(folder)
        e.until(lambda r: isinstance(r, Status) and r.phase == "ready")
        assert e.done(engine.submit(Say("one"))).ok
    finally:
        engine.close()
