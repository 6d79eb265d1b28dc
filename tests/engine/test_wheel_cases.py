"""The recorded troubles of ADK's users that concern steering, on a real engine."""

import os
import shutil
import time
from pathlib import Path

import pytest

from adk_tui.client.process import Launch, ProcessEngine
from adk_tui.core.commands import ListSessions, Reload, Say, Start, Stop, Transfer
from adk_tui.core.records import EventRecord
from adk_tui.core.reports import (
    Failure,
    Output,
    Ready,
    SessionList,
    SessionOpened,
    Status,
    ToolRun,
)
from adk_tui.core.routing import next_agent, transfer_targets
from adk_tui.core.wire import Ping
from tests.engine.harness import EngineProcess, Pong, events, last_done, of
from tests.fakes.engine_records import Listener

CASES = Path(__file__).parents[1] / "cases"


def copy_of(name: str, tmp_path: Path) -> Path:
    return Path(shutil.copytree(CASES / name, tmp_path / name))


def test_c14_a_ghost_transfer_leaves_the_active_agent_and_only_real_ones_are_offered(tmp_path):
    with EngineProcess(copy_of("c14_ghost_transfer", tmp_path)) as engine:
        ready = of(Ready, engine.ready())[0]
        assert not last_done(engine.do(Say("goto nobody"))).ok
        log = events(engine.records)
        assert next_agent(ready.root, log).agent == "conductor"
        assert not last_done(engine.do(Say("goto soprano"))).ok
        assert last_done(engine.do(Say("goto choir"))).ok
        failure = last_done(engine.do(Transfer("nobody"))).failure
        assert failure is not None
        assert failure.code == "transfer.unknown"
        assert "soprano" in failure.hint
        failure = last_done(engine.do(Transfer("hermit"))).failure
        assert failure is not None
        assert failure.code == "transfer.unreachable"
        for target in transfer_targets(ready.root, events(engine.records)):
            if target.reachable and not target.active:
                done = last_done(engine.do(Transfer(target.agent)))
                assert done.ok, (target, done)
                assert events(engine.do(Say("who?")))[-1].author == target.agent
        assert last_done(engine.do(Transfer("hermit", once=True))).ok
        assert events(engine.do(Say("who?")))[-1].author == "hermit"


def test_c22_a_blocking_tool_delays_no_answer_and_stop_says_what_it_waits_for(tmp_path):
    with EngineProcess(copy_of("c22_blocking_tool", tmp_path)) as engine:
        engine.ready()
        turn = engine.send(Say("query"))
        engine.until(lambda r: isinstance(r, ToolRun))
        engine.send(Ping(7))
        engine.until(lambda r: isinstance(r, Pong) and r.token == 7)
        stop = engine.send(Stop())
        assert "waits for slow_query" in last_done(engine.done(stop)).note
        told = of(Status, engine.records)[-1]
        assert (told.phase, told.running[0].name) == ("stopping", "slow_query")
        assert last_done(engine.done(turn)).stopped
        assert last_done(engine.do(Say("query"))).ok


def test_c23_asyncio_run_at_import_works_and_inside_a_tool_it_is_explained(tmp_path):
    with EngineProcess(copy_of("c23_asyncio_run_inside", tmp_path)) as engine:
        engine.ready()
        done = last_done(engine.do(Say("convert")))
        if not done.ok:
            assert done.failure is not None
            assert done.failure.code == "tool.error"
            assert "asyncio.run" in done.failure.message + done.failure.hint
            assert done.failure.file.endswith("agent.py")


def test_c25_a_slow_import_tells_its_last_line_and_can_be_left_at_once(tmp_path):
    folder = copy_of("c25_slow_import", tmp_path)
    engine = ProcessEngine(Launch(Start(str(folder), storage="memory"), grace=2.0))
    engine.start()
    e = Listener(engine)
    e.phase("loading")
    e.until(lambda r: isinstance(r, Output) and "loading tables" in r.text)
    waiting = engine.submit(Say("hello"))
    engine.close()
    assert not e.done(waiting).ok
    assert not any(isinstance(r, Ready) for r in e.seen)


def test_c27_sessions_are_the_apps_and_the_stored_message_is_told(tmp_path):
    folder = copy_of("c27_app_other_name", tmp_path)
    with EngineProcess(folder, storage="file") as engine:
        ready = of(Ready, engine.ready())[0]
        assert (ready.app, ready.root.name) == ("billing-prod", "echo_bot")
        assert Path(ready.folder).name == "c27_app_other_name"
        turn = events(engine.do(Say("hello")))
        assert [e.text for e in turn] == ["HELLO", "heard: HELLO"]
        (row,) = of(SessionList, engine.do(ListSessions()))[0].sessions
        assert (row.title, row.turns) == ("HELLO", 1)


@pytest.mark.parametrize("by_itself", [True, False], ids=["watched", "asked for"])
def test_c28_edits_in_any_file_are_picked_up_and_a_broken_one_loses_nothing(tmp_path, by_itself):
    folder = copy_of("c28_hot_reload", tmp_path)
    start = Start(str(folder), storage="memory")
    engine = ProcessEngine(Launch(start, grace=2.0, reload=by_itself))
    engine.start()
    e = Listener(engine)

    def reload() -> None:
        if not by_itself:
            engine.submit(Reload())
        e.until(lambda r: isinstance(r, SessionOpened) and r.reason == "reload")

    try:
        e.phase("ready")
        assert e.done(engine.submit(Say("one"))).ok
        prompt = folder / "prompt.txt"
        prompt.write_text("Good evening!\n")
        # Clearly after the turn: the clock of files ticks in steps of some milliseconds.
        os.utime(prompt, (time.time() + 1.0, time.time() + 1.0))
        reload()
        menu = folder / "kitchen" / "menu.py"
        whole = menu.read_text()
        assert e.done(engine.submit(Say("two"))).ok
        menu.write_text(whole + "\n)\n")
        if not by_itself:
            engine.submit(Reload())
        failure = e.until(lambda r: isinstance(r, Failure))
        assert isinstance(failure, Failure)
        assert (failure.code, failure.line) == ("reload.syntax", len(whole.splitlines()) + 2)
        assert failure.file.endswith("menu.py")
        assert e.done(engine.submit(Say("three"))).ok
        menu.write_text(whole)
        reload()
        assert e.done(engine.submit(Say("four"))).ok
        last = max(i for i, r in enumerate(e.seen) if isinstance(r, SessionOpened))
        told = [r for r in e.seen[last:] if isinstance(r, EventRecord) and not r.partial]
        assert [r.text for r in told if r.author == "user" and r.text] == [
            "one", "two", "three", "four",
        ]  # fmt: skip
        assert told[-1].text.startswith("Good evening!")
    finally:
        engine.close()


def test_c29_what_somebody_else_wrote_into_the_session_is_explained_and_shown(tmp_path):
    with EngineProcess(copy_of("c29_stale_session", tmp_path), storage="file") as engine:
        engine.ready()
        records = engine.do(Say("mail?"))
        failure = last_done(records).failure
        assert failure is not None
        assert failure.code == "session.stale"
        assert "send again" in failure.hint
        again = of(SessionOpened, records)[-1]
        assert again.reason == "resync"
        assert "mail_bridge" in {e.author for e in events(records)}
        assert again.state["inbox"] == 3
