"""Stop, cancel, ping, transfer and bad input, also while the agent blocks everything."""

import json
from pathlib import Path

import pytest

from adk_tui.core.commands import Cancel, EditState, ListSessions, Reload, Say, Stop, Transfer
from adk_tui.core.reports import Done, Failure, SessionList, SessionOpened, Status, ToolRun
from adk_tui.core.wire import Ping, Pong
from tests.engine.harness import EngineProcess, events, last_done, of, write_agent

TALK = "root_agent = LlmAgent(name='root', model=Scripted(say('Hi.')))"

BLOCKING = """
def nap() -> str:
    "Blocks the event loop until a file appears."
    print("napping", flush=True)
    while not os.path.exists(os.environ["WAKE"]):
        time.sleep(0.02)
    return "slept"

root_agent = LlmAgent(name="root", model=Scripted(call("nap"), say("Awake.")), tools=[nap])
"""

WAITING = """
async def wait_long() -> str:
    "Waits without blocking."
    print("waiting", flush=True)
    await asyncio.sleep(3600)

model = Scripted(call("wait_long"), say("Next."))
root_agent = LlmAgent(name="root", model=model, tools=[wait_long])
"""


def tool_began(record):
    return isinstance(record, ToolRun) and not record.ended


def test_stop_seals_the_turn_and_the_next_message_works(tmp_path):
    with EngineProcess(write_agent(tmp_path / "waiter", WAITING)) as engine:
        engine.ready()
        turn = engine.send(Say("go"))
        engine.until(tool_began)
        stop = engine.send(Stop())
        records = engine.done(turn)
        assert [d.command for d in of(Done, records)] == [stop, turn]
        stopping = next(s for s in of(Status, records) if s.phase == "stopping")
        assert stopping.command == turn
        assert [r.name for r in stopping.running] == ["wait_long"]
        assert "wait_long" in stopping.detail
        done = last_done(records)
        assert done.stopped
        assert done.ok
        sealed = events(records)[-1]
        assert sealed.aborted
        assert "error" in sealed.responses[0].response
        run = of(ToolRun, records)[-1]
        assert run.ended
        assert run.error == "stopped"
        assert events(engine.do(Say("again")))[-1].text == "Next."


def test_stop_and_ping_are_answered_while_a_tool_blocks_the_event_loop(tmp_path):
    wake = tmp_path / "wake"
    agent = write_agent(tmp_path / "napper", BLOCKING)
    with EngineProcess(agent, env={"WAKE": str(wake)}) as engine:
        engine.ready()
        turn = engine.send(Say("go"))
        engine.until(tool_began)
        lag = 0.0
        while lag < 1.0:
            engine.send(Ping(5))
            pong = engine.until(lambda r: isinstance(r, Pong))[-1]
            assert isinstance(pong, Pong)
            assert pong.token == 5
            lag = pong.lag
        waiting = engine.send(Say("later"))
        queued = engine.until(lambda r: isinstance(r, Status) and bool(r.queued))[-1]
        assert isinstance(queued, Status)
        assert queued.queued[0].summary == "later"
        assert queued.running[0].name == "nap"
        records = engine.do(Stop())
        detail = of(Status, records)[-1].detail
        assert "nap" in detail
        assert "blocks the agent's event loop" in detail
        engine.do(Cancel(waiting))
        wake.touch()
        records = engine.done(turn)
        assert last_done(records).stopped
        engine.send(Ping(6))
        assert of(Pong, engine.until(lambda r: isinstance(r, Pong)))[0].lag == 0.0


def test_a_queued_command_is_taken_back_and_the_one_at_work_is_not(tmp_path):
    with EngineProcess(write_agent(tmp_path / "waiter", WAITING)) as engine:
        engine.ready()
        turn = engine.send(Say("go"))
        engine.until(tool_began)
        later = engine.send(Say("later"))
        records = engine.do(Cancel(later))
        ends = {d.command: d for d in of(Done, records)}
        assert not ends[later].ok
        assert ends[later].note
        assert of(Status, engine.until(lambda r: isinstance(r, Status)))[-1].queued == ()
        failure = last_done(engine.do(Cancel(turn))).failure
        assert failure is not None
        assert "stop it" in failure.message
        unknown = last_done(engine.do(Cancel(999)))
        assert not unknown.ok
        engine.send(Stop())
        engine.done(turn)


def test_stop_while_nothing_runs_says_so(tmp_path):
    with EngineProcess(write_agent(tmp_path / "talker", TALK)) as engine:
        engine.ready()
        assert last_done(engine.do(Stop())).note == "Nothing is running."


def test_a_parallel_root_is_stopped_once_its_tools_are_done_and_the_status_says_so(tmp_path):
    source = """
async def wait_for_file() -> str:
    "Waits for a file."
    while not os.path.exists(os.environ["WAKE"]):
        await asyncio.sleep(0.02)
    return "ok"

def part(name):
    model = Scripted(call("wait_for_file"), say("x"))
    return LlmAgent(name=name, model=model, tools=[wait_for_file])

root_agent = ParallelAgent(name="both", sub_agents=[part("a"), part("b")])
"""
    wake = tmp_path / "wake"
    agent = write_agent(tmp_path / "both", source)
    with EngineProcess(agent, env={"WAKE": str(wake)}) as engine:
        engine.ready()
        turn = engine.send(Say("go"))
        engine.until(tool_began)
        engine.until(tool_began)
        records = engine.do(Stop())
        assert of(Status, records)[-1].detail.count("wait_for_file") == 2
        wake.touch()
        records = engine.done(turn)
        assert last_done(records).stopped
        told = [s for s in of(Status, records) if s.phase == "stopping"]
        assert len(told[0].running) == 1
        assert any(e.aborted for e in events(records))


TREE = """
leaf = LlmAgent(name="leaf", model=Scripted(say("leaf here")))
left = LlmAgent(name="left", model=Scripted(say("left here")), sub_agents=[leaf])
right = LlmAgent(name="right", model=Scripted(say("right here")), disallow_transfer_to_parent=True)
root_agent = LlmAgent(name="root", model=Scripted(say("root here")), sub_agents=[left, right])
"""


@pytest.mark.parametrize("storage", ["memory", "file"])
def test_a_forced_transfer_goes_hop_by_hop_and_is_verified(tmp_path, storage):
    with EngineProcess(write_agent(tmp_path / "tree", TREE), storage=storage) as engine:
        engine.ready()
        engine.do(Say("hello"))
        records = engine.do(Transfer("leaf"))
        assert last_done(records).ok, last_done(records)
        hops = [(e.author, e.actions.transfer_to_agent) for e in events(records)]
        assert hops[-1] == ("left", "leaf")
        done = last_done(records)
        assert done.ok, done
        assert done.note.startswith("leaf answers next")
        assert events(engine.do(Say("who?")))[-1].text == "leaf here"
        back = last_done(engine.do(Transfer("leaf")))
        assert back.ok
        assert "already" in back.note


def test_an_impossible_transfer_changes_nothing_and_says_why(tmp_path):
    with EngineProcess(write_agent(tmp_path / "tree", TREE)) as engine:
        engine.ready()
        engine.do(Say("hello"))
        for name, code in (("right", "transfer.unreachable"), ("nobody", "transfer.unknown")):
            records = engine.do(Transfer(name))
            failure = last_done(records).failure
            assert failure is not None
            assert failure.code == code
            assert name in failure.message
            assert failure.hint
            assert events(records) == []
        assert events(engine.do(Say("who?")))[-1].text == "root here"


def test_an_exception_of_a_model_is_shown_once(tmp_path):
    source = """
model = Scripted(fail(ValueError("no such thing"), "half "), say("ok"))
root_agent = LlmAgent(name="root", model=model)
"""
    with EngineProcess(write_agent(tmp_path / "failing", source)) as engine:
        engine.ready()
        records = engine.do(Say("go"))
        done = last_done(records)
        assert not done.ok
        assert done.failure is not None
        assert done.failure.code == "run.error"
        assert "no such thing" in done.failure.message
        assert "ValueError" in done.failure.details
        shown = [e for e in events(records) if e.error_code]
        assert [e.id for e in shown] == [done.event_id]
        assert events(engine.do(Say("again")))[-1].text == "ok"


def test_an_exception_of_a_tool_points_into_the_users_code(tmp_path):
    source = """
def broken() -> str:
    "Breaks."
    raise RuntimeError("the disk is on fire")

root_agent = LlmAgent(name="root", model=Scripted(call("broken"), say("ok")), tools=[broken])
"""
    agent = write_agent(tmp_path / "failing", source)
    with EngineProcess(agent) as engine:
        engine.ready()
        records = engine.do(Say("go"))
        failure = last_done(records).failure
        assert failure is not None
        assert failure.code == "tool.error"
        assert "broken raised RuntimeError: the disk is on fire" in failure.message
        assert failure.file == str(agent / "agent.py")
        line = (agent / "agent.py").read_text().splitlines()[failure.line - 1]
        assert "on fire" in line
        first = failure.details.splitlines()
        assert first[0] == "In your code:"
        assert "agent.py" in first[1]
        run = of(ToolRun, records)[-1]
        assert run.error == "RuntimeError: the disk is on fire"
        last = last_done(engine.do(Say("again")))
        assert last.ok


def test_input_in_agent_code_gets_a_clear_error_and_reading_stdin_finds_it_empty(tmp_path):
    source = """
def ask() -> str:
    "Asks on the keyboard."
    print("stdin has", repr(sys.stdin.read()), flush=True)
    return input("name? ")

root_agent = LlmAgent(name="root", model=Scripted(call("ask")), tools=[ask])
"""
    with EngineProcess(write_agent(tmp_path / "asking", source)) as engine:
        engine.ready()
        failure = last_done(engine.do(Say("go"))).failure
        assert failure is not None
        assert "keyboard" in failure.message
        engine.wait_for_output("stdout", "stdin has ''")


def test_children_and_forks_of_the_agent_have_no_way_to_the_protocol(tmp_path):
    source = """
import subprocess
def spy() -> dict:
    "Lists descriptors."
    here = {f: os.readlink(f"/proc/self/fd/{f}") for f in os.listdir("/proc/self/fd")
            if os.path.exists(f"/proc/self/fd/{f}")}
    child = subprocess.run(["ls", "/proc/self/fd"], close_fds=False, capture_output=True, text=True)
    pid = os.fork()
    if pid == 0:
        high = [f for f in os.listdir("/proc/self/fd") if int(f) >= 100]
        os._exit(len(high))
    return {"zero": here["0"], "child": [f for f in child.stdout.split() if int(f) >= 100],
            "fork": os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]),
            "own": [f for f in here if int(f) >= 100]}

root_agent = LlmAgent(name="root", model=Scripted(call("spy"), say("ok")), tools=[spy])
"""
    if not Path("/proc/self/fd").is_dir():
        pytest.skip("needs /proc")
    with EngineProcess(write_agent(tmp_path / "spy", source)) as engine:
        engine.ready()
        seen = events(engine.do(Say("go")))[2].responses[0].response
        assert seen["zero"] == "/dev/null"
        assert seen["child"] == []
        assert seen["fork"] == 0
        assert len(seen["own"]) == 2


def test_a_tool_that_exits_the_process_does_not_look_like_a_good_end(tmp_path):
    source = """
def leave() -> str:
    "Leaves."
    sys.exit(0)

root_agent = LlmAgent(name="root", model=Scripted(call("leave")), tools=[leave])
"""
    with EngineProcess(write_agent(tmp_path / "leaving", source)) as engine:
        engine.ready()
        engine.send(Say("go"))
        engine.end()
        assert engine.process.returncode == 1
        assert "SystemExit" in engine.output("stderr")


def test_lines_that_are_no_commands_are_refused_and_do_no_harm(tmp_path):
    with EngineProcess(write_agent(tmp_path / "talker", TALK)) as engine:
        engine.ready()
        engine.send_raw(b"this is no JSON\n")
        failure = of(Failure, engine.until(lambda r: isinstance(r, Failure)))[0]
        assert failure.code == "bad.command"
        engine.send_raw(json.dumps({"cmd": "fly", "id": 77}).encode() + b"\n")
        done = last_done(engine.until(lambda r: isinstance(r, Done)))
        assert done.command == 77
        assert done.failure is not None
        assert "fly" in done.failure.message
        assert not last_done(engine.do(Reload())).ok
        empty = last_done(engine.do(Say(""))).failure
        assert empty is not None
        assert empty.code == "bad.command"
        assert last_done(engine.do(Say("hi"))).ok


def test_every_command_ends_in_exactly_one_done(tmp_path):
    with EngineProcess(write_agent(tmp_path / "talker", TALK)) as engine:
        engine.ready()
        wanted = [
            engine.send(c)
            for c in (
                Say("a"),
                Stop(),
                EditState({"a": 1}),
                Transfer("x"),
                ListSessions(),
                Say("b"),
            )
        ]
        engine.done(wanted[-1])
        engine.quit()
        ended = sorted(d.command for d in of(Done, engine.records))
        assert ended == [*wanted, wanted[-1] + 1]


def test_an_agent_that_does_not_load_is_a_failure_and_exit_code_3(tmp_path):
    with EngineProcess(write_agent(tmp_path / "broken", "root_agent = 1 / 0")) as engine:
        records = engine.end()
        failure = of(Failure, records)[0]
        assert failure.code.startswith("load.")
        assert of(Status, records)[-1].phase == "failed"
        assert engine.process.returncode == 3


def test_sessions_are_listed_while_a_turn_runs(tmp_path):
    with EngineProcess(write_agent(tmp_path / "waiter", WAITING)) as engine:
        engine.ready()
        turn = engine.send(Say("go"))
        engine.until(tool_began)
        records = engine.do(ListSessions())
        assert len(of(SessionList, records)[0].sessions) == 1
        assert turn not in [d.command for d in of(Done, records)]
        engine.send(Stop())
        engine.done(turn)


def test_quit_stops_the_turn_drops_what_waits_and_leaves_the_session_sound(tmp_path):
    agent = write_agent(tmp_path / "waiter", WAITING)
    with EngineProcess(agent, storage="file") as engine:
        opened = of(SessionOpened, engine.ready())[0]
        turn = engine.send(Say("go"))
        engine.until(tool_began)
        waiting = engine.send(Say("later"))
        assert engine.quit() == 0
        ends = {d.command: d for d in of(Done, engine.records)}
        assert ends[turn].stopped
        assert not ends[waiting].ok
    with EngineProcess(agent, storage="file", session_id=opened.id) as engine:
        assert events(engine.ready())[-1].aborted


def test_a_client_that_is_gone_stops_the_turn_too(tmp_path):
    agent = write_agent(tmp_path / "waiter", WAITING)
    with EngineProcess(agent, storage="file") as engine:
        engine.ready()
        turn = engine.send(Say("go"))
        engine.until(tool_began)
        assert engine.process.stdin is not None
        engine.process.stdin.close()
        records = engine.end()
        assert next(d for d in of(Done, records) if d.command == turn).stopped
        assert engine.process.returncode == 0


def test_a_python_without_google_adk_says_what_to_install(tmp_path):
    (tmp_path / "google").mkdir()
    (tmp_path / "google" / "__init__.py").write_text("")
    agent = write_agent(tmp_path / "talker", TALK)
    with EngineProcess(agent, env={"PYTHONPATH": str(tmp_path)}) as engine:
        records = engine.end()
        failure = of(Failure, records)[0]
        assert failure.code == "load.adk"
        assert "google-adk>=2.13" in failure.hint
        assert engine.process.returncode == 3
