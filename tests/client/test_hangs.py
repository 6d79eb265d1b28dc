"""A process that dies or falls silent anywhere: it is said, another takes over, nothing is lost."""

import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from adk_tui.client import watch
from adk_tui.client.process import Launch, ProcessEngine
from adk_tui.core.commands import Reload, Restart, Say, Start, Stop
from adk_tui.core.records import EventRecord
from adk_tui.core.reports import Done, Failure, Notice, Record, Status
from adk_tui.core.session import SessionView
from tests.fakes.engine_records import Listener

FAKE = Path(__file__).parents[1] / "fakes" / "fake_engine_process.py"


@pytest.fixture
def listener(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Listener]:
    modes = getattr(request, "param", ())
    launch = Launch(Start(str(tmp_path)), command=(sys.executable, str(FAKE), *modes), grace=1.0)
    engine = ProcessEngine(launch)
    engine.start()
    yield Listener(engine)
    engine.close()


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Silence is told after two seconds."""
    monkeypatch.setattr(watch, "PING_EVERY", 0.5)
    monkeypatch.setattr(watch, "SLOW_PONG", 2.0)


def dozing(listener: Listener) -> int:
    """Let the idle process hear no more; the id of a message sent to it after that."""
    assert listener.done(listener.engine.submit(Say("doze"))).ok
    return listener.engine.submit(Say("hello"))


def goes_on(listener: Listener, asked: int) -> None:
    listener.phase("ready")
    (ended,) = [d for d in listener.of(Done) if d.command == asked]
    assert not ended.ok
    assert ended.stopped
    assert listener.done(listener.engine.submit(Say("again"))).ok
    said = [e.text for e in listener.of(EventRecord)]
    assert said[-4:] == ["doze", "did doze", "again", "did again"], "the session is the same"


def test_what_an_idle_process_does_not_take_up_is_shown_as_at_work_and_can_be_stopped(
    listener: Listener,
) -> None:
    asked = dozing(listener)
    listener.until(lambda r: r == Status("running", command=asked))
    listener.engine.submit(Stop())
    listener.until(lambda r: isinstance(r, Status) and r.phase == "stopping")
    assert listener.done(listener.engine.submit(Stop(force=True))).ok
    goes_on(listener, asked)


def test_a_run_that_freezes_is_shown_as_stopping_although_it_does_not_hear_the_stop(
    listener: Listener, impatient: None
) -> None:
    asked = listener.engine.submit(Say("freeze"))
    silent = listener.until(lambda r: isinstance(r, Status) and "no answer" in r.detail)
    assert isinstance(silent, Status)
    assert (silent.phase, silent.command) == ("running", asked)
    listener.engine.submit(Stop())
    listener.phase("stopping")
    assert listener.done(listener.engine.submit(Stop(force=True))).ok
    listener.phase("ready")


def test_a_reload_replaces_a_process_that_does_not_answer(
    listener: Listener, impatient: None
) -> None:
    asked = dozing(listener)
    told = listener.until(lambda r: isinstance(r, Notice) and "has not answered" in r.message)
    assert isinstance(told, Notice)
    assert "Loading it again" in told.message
    assert listener.done(listener.engine.submit(Reload())).ok
    goes_on(listener, asked)


@pytest.mark.parametrize("listener", [("slow",)], indirect=True)
def test_a_load_that_hangs_can_be_begun_again(listener: Listener, tmp_path: Path) -> None:
    listener.until(lambda r: isinstance(r, Status) and r.phase == "loading")
    again = listener.engine.submit(Reload())
    listener.until(lambda r: isinstance(r, Status) and r.phase == "starting")
    (tmp_path / "go").touch()
    assert listener.done(again).ok
    assert listener.done(listener.engine.submit(Say("hello"))).ok


TOLD = 2_800
"""Bytes that the fake says before the end of its second turn, at least."""


@pytest.mark.parametrize("how", ["cut", "hang"])
@pytest.mark.parametrize("seed", range(10))
def test_whatever_byte_is_its_last_another_process_goes_on_and_nothing_is_lost_or_told_twice(
    tmp_path: Path, how: str, seed: int
) -> None:
    at = random.Random(f"{how} {seed}").randrange(TOLD)
    modes = (f"{how}={at}", f"once={tmp_path / 'spent'}")
    command = (sys.executable, str(FAKE), *modes)
    engine = ProcessEngine(Launch(Start(str(tmp_path), storage="file"), command=command, grace=1.0))
    engine.start()
    try:
        listener = Listener(engine)
        asked = [engine.submit(Say("one")), engine.submit(Say("two"))]

        def last_byte(record: Record) -> bool:
            if how == "cut":
                return isinstance(record, Failure) and "exit code 9" in record.message
            return (tmp_path / "spent").exists()

        listener.until(last_byte)
        again = Restart() if how == "cut" else Stop(force=True)
        assert listener.done(engine.submit(again)).ok, at
        well = [listener.done(command_id).ok for command_id in asked]
        assert listener.done(engine.submit(Say("last"))).ok, at
        ends = [d.command for d in listener.of(Done)]
        assert len(set(ends)) == len(ends), (at, ends)
        view = SessionView()
        view.apply(listener.seen)
        told = [event.text for event in view.log.history()]
        rows = (tmp_path / "store.jsonl").read_text().splitlines()
        assert told == [json.loads(row)["content"]["parts"][0]["text"] for row in rows], at
        assert told[-2:] == ["last", "did last"]
        assert well.count(False) <= 1, "only what was at work can fail"
        for ok, said in zip(well, ("one", "two"), strict=True):
            assert told.count(f"did {said}") == 1 if ok else told.count(said) <= 1, (at, told)
    finally:
        engine.close()
