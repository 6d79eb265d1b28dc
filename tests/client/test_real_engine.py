"""The real engine, on google-adk, killed, hung, crashed and reloaded."""

import itertools
import json
import os
import random
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from adk_tui.client.process import Launch, ProcessEngine
from adk_tui.core.commands import Reload, Restart, Say, Start, Stop
from adk_tui.core.records import EventRecord
from adk_tui.core.reports import Done, Failure, Output, SessionOpened, Status, ToolRun
from tests.client.agents import write_agent
from tests.fakes.engine_records import Listener


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_agent(tmp_path / "helper")


@pytest.fixture(params=["memory", "file"])
def e(request: pytest.FixtureRequest, folder: Path) -> Iterator[Listener]:
    engine = ProcessEngine(Launch(Start(str(folder), storage=request.param), grace=2.0))
    engine.start()
    yield Listener(engine)
    engine.close()


def session(e: Listener) -> list[EventRecord]:
    """The events of the session as it was told last."""
    last = max(i for i, r in enumerate(e.seen) if isinstance(r, SessionOpened))
    found = {r.id: r for r in e.seen[last:] if isinstance(r, EventRecord) and not r.partial}
    return list(found.values())


def texts(e: Listener) -> list[str]:
    return [r.text for r in session(e) if r.text]


def test_a_crash_in_a_tool_is_told_and_the_session_goes_on_after_a_restart(e: Listener) -> None:
    e.done(e.engine.submit(Say("one")))
    crashed = e.done(e.engine.submit(Say("act segfault")))
    assert not crashed.ok
    e.phase("dead")
    (failure,) = e.of(Failure)
    assert "SIGSEGV" in failure.message
    assert "act" in failure.details
    opened = e.of(SessionOpened)[0]
    assert e.done(e.engine.submit(Restart())).ok
    again = e.of(SessionOpened)[-1]
    assert (again.id, again.reason) == (opened.id, "restart")
    assert texts(e)[:3] == ["one", "heard", "act segfault"]
    assert e.done(e.engine.submit(Say("two"))).ok
    assert texts(e)[-2:] == ["two", "heard"]


def test_a_blocked_tool_is_stopped_by_force_and_its_call_is_sealed(e: Listener) -> None:
    e.done(e.engine.submit(Say("one")))
    blocked = e.engine.submit(Say("act block"))
    e.until(lambda r: isinstance(r, ToolRun) and not r.ended)
    force = e.engine.submit(Stop(force=True))
    assert e.done(blocked).stopped
    assert e.done(force).ok
    calls = [c.id for r in session(e) for c in r.calls]
    answered = [a.id for r in session(e) if r.aborted for a in r.responses]
    assert calls
    assert answered == calls
    assert e.done(e.engine.submit(Say("two"))).ok
    assert texts(e)[-2:] == ["two", "heard"]


def test_a_reload_brings_new_code_and_keeps_the_session(e: Listener, folder: Path) -> None:
    e.done(e.engine.submit(Say("one")))
    write_agent(folder, answer='"heard anew"')
    reload = e.engine.submit(Reload())
    meanwhile = e.engine.submit(Say("two"))
    assert e.done(reload).ok
    assert e.done(meanwhile).ok
    assert e.done(e.engine.submit(Say("three"))).ok
    told = texts(e)
    assert told[:3] == ["one", "heard", "two"]
    assert told[-2:] == ["three", "heard anew"]
    assert [s.reason for s in e.of(SessionOpened)] == ["start", "reload"]


def test_a_broken_edit_leaves_the_old_agent_in_service(e: Listener, folder: Path) -> None:
    e.phase("ready")
    whole = (folder / "agent.py").read_text()
    (folder / "agent.py").write_text(whole + "\ndef broken(:\n")
    done = e.done(e.engine.submit(Reload()))
    assert done.failure is not None
    assert done.failure.code.startswith("reload.")
    assert done.failure.file.endswith("agent.py")
    assert done.failure.line == len(whole.splitlines()) + 2
    assert e.done(e.engine.submit(Say("still there"))).ok


def test_what_the_agent_prints_comes_up_with_the_tool_that_printed_it(e: Listener) -> None:
    said = e.engine.submit(Say("act nothing"))
    # What is printed and what is done come by two ways, in either order.
    printed = e.until(lambda r: isinstance(r, Output) and "acting nothing" in r.text)
    assert e.done(said).ok
    assert isinstance(printed, Output)
    assert printed.stream == "stdout"


def test_killed_at_any_moment_nothing_is_lost_doubled_or_left_unanswered(
    e: Listener, folder: Path
) -> None:
    chance = random.Random(7)
    kept: list[str] = []
    for round_ in range(6):
        asked = [e.engine.submit(Say(f"say {round_}.{n}")) for n in range(3)]
        wanted = chance.randrange(1, 12)
        seen = itertools.count(1)
        e.until(lambda r, seen=seen, wanted=wanted: next(seen) >= wanted)
        pid = _engine_pid(folder)
        if pid:
            os.kill(pid, signal.SIGKILL)
            e.until(lambda r: isinstance(r, Status) and r.phase == "dead")
            assert e.done(e.engine.submit(Restart())).ok
        for one in asked:
            e.done(one)
        told = [r.text for r in session(e) if r.author == "user" and r.text]
        assert len(told) == len(set(told))
        assert [t for t in told if t in kept] == kept
        kept = told
        for one, text in zip(asked, (f"say {round_}.{n}" for n in range(3)), strict=True):
            ends = [d for d in e.of(Done) if d.command == one]
            assert len(ends) == 1
            assert not ends[0].ok or text in told
    assert json.dumps(kept)


def _is_keeper(pid: int) -> bool:
    try:
        return b"keeper.py" in Path("/proc", str(pid), "cmdline").read_bytes()
    except OSError:
        return False


def _engine_pid(folder: Path) -> int:
    """The engine process that runs the agent in ``folder``, found by its parent chain."""
    me = os.getpid()
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if fields[0] != "Z":
                parents[int(entry.name)] = int(fields[1])
    # Other tests in this process may have children too, a database server for one.
    keepers = [p for p, parent in parents.items() if parent == me and _is_keeper(p)]
    return next((p for p, parent in parents.items() if parent in keepers), 0)
