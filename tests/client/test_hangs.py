"""A process that hears nothing any more: it is said, and can be stopped or loaded again."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from adk_tui.client import watch
from adk_tui.client.process import Launch, ProcessEngine
from adk_tui.core.commands import Reload, Say, Start, Stop
from adk_tui.core.records import EventRecord
from adk_tui.core.reports import Done, Notice, Status
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
