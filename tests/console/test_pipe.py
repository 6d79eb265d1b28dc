"""``adk-tui pipe`` as programs see it: a real process, a real engine, real agents."""

import io
import json
import os
import signal
import subprocess
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from adk_tui.console.pipe import Pipe
from tests.console.programs import (
    AGENTS,
    PipeProgram,
    adk_tui,
    environment,
    run,
    started,
    write_agent,
)
from tests.fakes.fake_engine import FakeEngine

ASKS = """
def request(amount: int) -> dict:
    "Asks a person."
    return {"status": "pending", "amount": amount}

root_agent = LlmAgent(
    name="root",
    model=Scripted(call("request", amount=7), say("It is asked."), say("Thank you.")),
    tools=[LongRunningFunctionTool(request)],
)
"""

SLOW = """
import asyncio

async def wait_long() -> dict:
    "Waits."
    await asyncio.sleep(600)
    return {}

root_agent = LlmAgent(
    name="root", model=Scripted(call("wait_long"), say("Here again.")), tools=[wait_long]
)
"""


def pids_of(agent: Path) -> Path:
    return agent / "pid"


def test_a_turn_is_told_as_events_between_ready_and_idle() -> None:
    with PipeProgram(AGENTS / "stock") as program:
        program.send({"cmd": "say", "text": "stock price of GOOG", "id": "first"})
        program.end_input()
        assert program.exit_code() == 0
        ready, *middle, idle = program.lines
    assert {k: ready[k] for k in ("type", "protocol", "app", "agent", "user", "next_agent")} == {
        "type": "ready",
        "protocol": 1,
        "app": "stock",
        "agent": "stock",
        "user": "user",
        "next_agent": "stock",
    }
    assert ready["offline"] is True
    assert ready["resumable"] is False
    assert ready["session"]
    assert ready["model"]
    assert {line["type"] for line in middle} == {"event"}
    events = [line["event"] for line in middle]
    assert events[0]["author"] == "user"
    assert events[1]["content"]["parts"][0]["functionCall"]["args"] == {"symbol": "GOOG"}
    assert any(e.get("partial") for e in events)
    assert "Alphabet" in program.texts()[-1]
    assert idle == {"type": "idle", "id": "first", "next_agent": "stock", "open_tickets": []}


def test_a_ticket_is_told_on_every_change_and_answered_by_its_id(tmp_path: Path) -> None:
    with PipeProgram(write_agent(tmp_path, ASKS)) as program:
        program.send({"cmd": "say", "text": "hello", "id": 1})
        ticket = program.of_type("ticket")["ticket"]
        assert set(ticket) >= {
            "id", "call_id", "invocation_id", "kind", "state", "name", "author", "args",
            "message", "schema", "responses",
        }  # fmt: skip
        assert (ticket["name"], ticket["kind"], ticket["state"]) == (
            "request",
            "long_running",
            "open",
        )
        assert ticket["args"] == {"amount": 7}
        assert program.idle(1)["open_tickets"] == [ticket["id"]]
        progress = {"status": "in_progress", "percent": 50}
        program.send(
            {
                "cmd": "answer",
                "ticket": ticket["id"],
                "response": progress,
                "progress": True,
                "id": 2,
            }
        )
        updated = program.wait(
            lambda line: line["type"] == "ticket" and line["ticket"]["state"] == "updated"
        )
        assert updated["ticket"]["responses"][-1]["response"] == progress
        assert program.idle(2)["open_tickets"] == [ticket["id"]]
        program.send({"cmd": "answer", "ticket": "request", "response": {"status": "ok"}, "id": 3})
        assert program.of_type("ticket")["ticket"]["state"] == "final"
        assert program.idle(3)["open_tickets"] == []
        assert program.texts()[-1] == "Thank you."
        program.end_input()
        assert program.exit_code() == 0


def test_the_exit_code_tells_that_a_ticket_is_open(tmp_path: Path) -> None:
    with PipeProgram(write_agent(tmp_path, ASKS)) as program:
        program.send({"cmd": "say", "text": "hello"})
        program.end_input()
        assert program.exit_code() == 2


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ({"ticket": "nobody", "response": {}}, "No ticket is open for 'nobody'. Open are "),
        ({"ticket": "request"}, "'answer' needs 'response'"),
        ({"ticket": "request", "response": {"status": "pending"}}, "more will follow"),
    ],
)
def test_an_answer_that_cannot_be_sent_is_refused_with_the_reason(
    tmp_path: Path, answer: dict[str, Any], told: str
) -> None:
    with PipeProgram(write_agent(tmp_path, ASKS)) as program:
        program.send({"cmd": "say", "text": "hello", "id": 1})
        program.idle(1)
        program.send({"cmd": "answer", **answer, "id": "a"})
        error = program.of_type("error")
        assert error["id"] == "a"
        assert error["code"] == "bad.command"
        assert told in error["message"]
        assert len(program.idle("a")["open_tickets"]) == 1


def test_an_answered_ticket_takes_another_answer_only_when_told_to(tmp_path: Path) -> None:
    with PipeProgram(write_agent(tmp_path, ASKS)) as program:
        program.send({"cmd": "say", "text": "hello", "id": 1})
        key = program.idle(1)["open_tickets"][0]
        program.send({"cmd": "answer", "ticket": key, "response": {"status": "ok"}, "id": 2})
        program.idle(2)
        again = {"cmd": "answer", "ticket": key, "response": {"status": "no"}}
        program.send({**again, "id": 3})
        assert "is final" in program.of_type("error")["message"]
        program.idle(3)
        program.send({**again, "again": True, "id": 4})
        program.idle(4)
        last = program.all("ticket")[-1]["ticket"]
        assert [r["response"]["status"] for r in last["responses"]][-2:] == ["ok", "no"]


def test_transfer_state_and_rewind_are_carried_out(tmp_path: Path) -> None:
    source = """
billing = LlmAgent(name="billing", model=Scripted(say("Billing here.")), description="Bills.")
root_agent = LlmAgent(name="root", model=Scripted(say("Root here.")), sub_agents=[billing])
"""
    with PipeProgram(write_agent(tmp_path, source)) as program:
        program.send({"cmd": "say", "text": "one", "id": 1})
        assert program.idle(1)["next_agent"] == "root"
        program.send({"cmd": "transfer", "agent": "billing", "id": 2})
        moved = program.idle(2)
        assert moved["next_agent"] == "billing"
        assert moved["note"]
        program.send({"cmd": "transfer", "agent": "nobody", "id": 3})
        assert program.of_type("error")["code"] == "transfer.unknown"
        program.idle(3)
        program.send({"cmd": "state", "delta": {"city": "Paris", "user:lang": "fr"}, "id": 4})
        program.idle(4)
        delta = program.all("event")[-1]["event"]["actions"]["stateDelta"]
        assert delta == {"city": "Paris", "user:lang": "fr"}
        program.send({"cmd": "say", "text": "two", "id": 5})
        program.idle(5)
        assert program.texts()[-2:] == ["two", "Billing here."]
        invocation = program.all("event")[-1]["event"]["invocationId"]
        program.send({"cmd": "rewind", "invocation": invocation, "id": 6})
        program.idle(6)
        actions = program.all("event")[-1]["event"]["actions"]
        assert actions["rewindBeforeInvocationId"] == invocation


def test_a_new_session_and_an_older_one_are_opened(tmp_path: Path) -> None:
    agent = write_agent(tmp_path, ASKS)
    with PipeProgram(agent, in_memory=False) as program:
        program.send({"cmd": "say", "text": "hello", "id": 1})
        key = program.idle(1)["open_tickets"][0]
        first = program.lines[0]["session"]
        program.send({"cmd": "new", "state": {"a": 1}, "id": 2})
        opened = program.of_type("session")
        assert opened["session"] != first
        assert (opened["reason"], opened["events"]) == ("new", 0)
        assert program.idle(2)["open_tickets"] == []
        program.send({"cmd": "open", "session": first, "id": 3})
        opened = program.of_type("session")
        assert (opened["session"], opened["reason"], opened["events"]) == (first, "open", 4)
        seen = len(program.all("event"))
        assert program.of_type("ticket")["ticket"]["id"] == key
        assert program.idle(3)["open_tickets"] == [key]
        assert len(program.all("event")) == seen + 4
        program.send({"cmd": "open", "session": "nowhere", "id": 4})
        assert program.of_type("error")["code"] == "session.unknown"
        program.end_input()
        assert program.exit_code() == 1
    with PipeProgram(agent, "--session", first, in_memory=False) as program:
        program.end_input()
        assert program.exit_code() == 2
        assert program.lines[0]["events"] == 4
        kinds = [line["type"] for line in program.lines]
        assert kinds == ["ready", "event", "event", "event", "event", "ticket"]


def test_stop_acts_at_once_and_what_waited_goes_on(tmp_path: Path) -> None:
    with PipeProgram(write_agent(tmp_path, SLOW)) as program:
        program.send(
            {"cmd": "say", "text": "wait", "id": 1},
            {"cmd": "say", "text": "and then", "id": 2},
        )
        program.wait(lambda line: "functionCall" in json.dumps(line))
        program.send({"cmd": "stop", "id": 3})
        assert program.idle(1)["stopped"] is True
        program.idle(2)
        assert program.texts()[-1] == "Here again."
        program.end_input()
        assert program.exit_code() == 0
        assert {line["id"] for line in program.all("idle")} == {1, 2, 3}


def test_stop_with_force_replaces_a_process_that_hears_nothing(tmp_path: Path) -> None:
    source = """
def hang() -> dict:
    "Never returns."
    while True:
        time.sleep(600)

root_agent = LlmAgent(
    name="root", model=Scripted(call("hang"), say("unheard")), tools=[hang]
)
"""
    with PipeProgram(write_agent(tmp_path, source)) as program:
        program.send({"cmd": "say", "text": "go", "id": 1})
        program.wait(lambda line: "functionCall" in json.dumps(line))
        program.send({"cmd": "stop", "force": True, "id": 2})
        assert program.idle(1)["stopped"] is True
        program.idle(2)
        program.send({"cmd": "state", "delta": {"a": 1}, "id": 3})
        program.idle(3)
        assert not program.all("error")


def test_reload_brings_the_new_code_and_repeats_no_event_and_no_ticket(tmp_path: Path) -> None:
    agent = write_agent(tmp_path, ASKS)
    with PipeProgram(agent) as program:
        program.send({"cmd": "say", "text": "hello", "id": 1})
        program.idle(1)
        events, tickets = len(program.all("event")), len(program.all("ticket"))
        source = (
            (agent / "agent.py").read_text().replace("Scripted(call", "Scripted(say('New.'), call")
        )
        (agent / "agent.py").write_text(source)
        program.send({"cmd": "reload", "id": 2})
        assert program.of_type("session")["reason"] == "reload"
        assert len(program.idle(2)["open_tickets"]) == 1
        assert (len(program.all("event")), len(program.all("ticket"))) == (events, tickets)
        program.send({"cmd": "say", "text": "again", "id": 3})
        program.idle(3)
        assert program.texts()[-1] == "New."


def test_a_reload_that_fails_leaves_the_old_agent_at_work(tmp_path: Path) -> None:
    agent = write_agent(tmp_path, "root_agent = LlmAgent(name='root', model=Scripted(say('Old.')))")
    with PipeProgram(agent) as program:
        program.of_type("ready")
        (agent / "agent.py").write_text("def broken(:\n")
        program.send({"cmd": "reload", "id": 1}, {"cmd": "say", "text": "hello", "id": 2})
        error = program.of_type("error")
        assert error["code"].startswith("reload.")
        program.idle(2)
        assert program.texts()[-1] == "Old."
        assert len(program.all("error")) == 1


DIES = """
def die(how: str) -> dict:
    "Ends the process."
    if os.path.exists(os.path.join(os.path.dirname(__file__), "calm")):
        return {"calm": True}
    os._exit(7)

root_agent = LlmAgent(
    name="root", model=Scripted(call("die", how="now"), say("Alive.")), tools=[die]
)
"""


def test_a_death_in_a_run_is_an_error_and_restart_goes_on(tmp_path: Path) -> None:
    agent = write_agent(tmp_path, DIES)
    with PipeProgram(agent) as program:
        program.send(
            {"cmd": "say", "text": "die", "id": 1},
            {"cmd": "say", "text": "lost", "id": 2},
            {"cmd": "restart", "id": 3},
        )
        error = program.of_type("error")
        assert error["code"] == "process.died"
        assert "exit code 7" in error["message"]
        assert error["id"] == 1
        program.idle(1)
        refused = program.wait(lambda line: line["type"] == "error" and line.get("id") == 2)
        assert refused["code"] == "process.dead"
        program.idle(2)
        program.idle(3)
        (agent / "calm").touch()
        program.send({"cmd": "say", "text": "again", "id": 4})
        program.idle(4)
        assert program.texts()[-1] == "Alive."
        program.end_input()
        assert program.exit_code() == 1
        assert [e["code"] for e in program.all("error")] == ["process.died", "process.dead"]


def test_after_a_death_the_end_of_the_input_ends_the_pipe(tmp_path: Path) -> None:
    with PipeProgram(write_agent(tmp_path, DIES)) as program:
        program.send(
            {"cmd": "say", "text": "die", "id": 1}, {"cmd": "say", "text": "lost", "id": 2}
        )
        program.end_input()
        assert program.exit_code() == 1
        assert [line["id"] for line in program.all("idle")] == [1, 2]


def test_a_bad_line_is_told_with_its_number_and_costs_nothing_else(tmp_path: Path) -> None:
    agent = write_agent(tmp_path, "root_agent = LlmAgent(name='root', model=Scripted(say('Yes.')))")
    bad: list[tuple[bytes, str]] = [
        (b"no json", "Line 1 is not JSON"),
        (b'{"cmd": "say", "text": "cut', "Line 2 is not JSON"),
        (b"[1, 2]", "Line 3 is a JSON array"),
        (b"7", "Line 4 is a number"),
        (b"null", "Line 5 is null"),
        (b'{"text": "no cmd"}', "Line 6 has no 'cmd'"),
        (b'{"cmd": "dance", "id": 77}', "Line 7 has unknown 'cmd' 'dance'"),
        (b'{"cmd": ["say"]}', "Line 8 has unknown 'cmd'"),
        (b'{"cmd": "say", "text": NaN}', "NaN is no JSON number"),
        (b"\xff\xfe", "Line 10 is not UTF-8"),
        (b"[" * 100_000, "Line 11 is not JSON"),
        (b'{"cmd": "say"}', "'say' needs 'text'"),
        (b'{"cmd": "say", "text": 5}', "'say' needs 'text'"),
        (b'{"cmd": "say", "text": "\\ud800"}', "half a character"),
        (b'{"cmd": "state", "delta": []}', "'state' needs 'delta'"),
        (b'{"cmd": "rewind"}', "'rewind' needs 'invocation'"),
        (b'{"cmd": "transfer", "agent": ""}', "'transfer' needs 'agent'"),
    ]
    with PipeProgram(agent) as program:
        program.send(*(line for line, _ in bad))
        program.send(b"", b"   ", {"cmd": "say", "text": "still there?", "id": "last"})
        program.idle("last")
        program.end_input()
        assert program.exit_code() == 1
        errors = program.all("error")
        assert len(errors) == len(bad)
        for (_, told), error in zip(bad, errors, strict=True):
            assert told in error["message"]
            assert error["code"] in ("bad.line", "bad.command")
        assert errors[6]["id"] == 77
        assert program.texts() == ["still there?", "Yes."]


def test_any_json_is_echoed_as_id(tmp_path: Path) -> None:
    agent = write_agent(tmp_path, "root_agent = LlmAgent(name='root', model=Scripted(say('Yes.')))")
    ids: list[Any] = [{"deep": [1, None]}, "é💡", 2.5, False, "sk-proj-1234567890abcdefghij"]
    with PipeProgram(agent) as program:
        for asked in ids:
            program.send({"cmd": "state", "delta": {"a": 1}, "id": asked})
        program.end_input()
        assert program.exit_code() == 0
        assert [line["id"] for line in program.all("idle")] == ids


def test_unicode_goes_through_unharmed(tmp_path: Path) -> None:
    text = "naïve 日本語 👩‍👩‍👧 \u202e \x1b[31m \u2028 ё"
    source = f"root_agent = LlmAgent(name='root', model=Scripted(say({text!r})))"
    with PipeProgram(write_agent(tmp_path, source), env={"LC_ALL": "C"}) as program:
        program.send(json.dumps({"cmd": "say", "text": text}, ensure_ascii=False).encode())
        program.end_input()
        assert program.exit_code() == 0
        assert program.texts() == [text, text]


def test_quit_ends_the_pipe_after_what_came_before_it(tmp_path: Path) -> None:
    agent = write_agent(tmp_path, "root_agent = LlmAgent(name='root', model=Scripted(say('Yes.')))")
    with PipeProgram(agent) as program:
        program.send({"cmd": "say", "text": "one", "id": 1}, {"cmd": "quit", "id": 2})
        program.send({"cmd": "say", "text": "never", "id": 3})
        assert program.exit_code() == 0
        assert [line["id"] for line in program.all("idle")] == [1, 2]
        assert "Fatal Python error" not in program.stderr


def test_quit_does_not_wait_for_an_agent_that_loads_for_ever(tmp_path: Path) -> None:
    agent = write_agent(tmp_path, "time.sleep(600)\n")
    with PipeProgram(agent) as program:
        program.send(b"what?", {"cmd": "quit", "id": 1})
        assert program.exit_code() == 1
        assert [line["type"] for line in program.lines] == ["error", "idle"]


@pytest.mark.parametrize(
    ("source", "code"),
    [("import no_such_module_anywhere\n", "load."), ("import os; os._exit(9)\n", "process.died")],
)
def test_an_agent_that_does_not_load_is_one_error_line_and_exit_code_3(
    tmp_path: Path, source: str, code: str
) -> None:
    with PipeProgram(write_agent(tmp_path, source)) as program:
        program.send({"cmd": "say", "text": "hello"})
        assert program.exit_code() == 3
        (line,) = program.lines
        assert line["type"] == "error"
        assert line["code"].startswith(code)
        assert "Traceback" not in program.stderr


def test_tracebacks_go_to_stderr_when_asked_for(tmp_path: Path) -> None:
    agent = write_agent(tmp_path, "import no_such_module_anywhere\n")
    with PipeProgram(agent, "--debug") as program:
        assert program.exit_code() == 3
        assert [line["type"] for line in program.lines if line["type"] != "warning"] == ["error"]
        assert "error: Traceback (most recent call last)" in program.stderr


def test_an_unknown_session_is_an_error_line(tmp_path: Path) -> None:
    with PipeProgram(write_agent(tmp_path, ASKS), "--session", "nope") as program:
        assert program.exit_code() == 1
        (line,) = program.lines
        assert (line["type"], line["code"]) == ("error", "session.unknown")


def test_what_the_agent_prints_goes_to_stderr_however_it_prints(tmp_path: Path) -> None:
    source = """
import logging, subprocess, warnings

def shout() -> dict:
    "Prints in every way."
    print("by print")
    sys.stderr.write("by stderr\\n")
    os.write(1, b"by descriptor\\n")
    subprocess.run(["echo", "by child"])
    logging.getLogger("x").error("by log")
    warnings.warn("by warning")
    sys.__stdout__.flush()
    return {"api_key": "hunter2hunter2"}

print("at import")
root_agent = LlmAgent(
    name="root", model=Scripted(call("shout"), say("Done.")), tools=[shout]
)
"""
    with PipeProgram(write_agent(tmp_path, source)) as program:
        program.send({"cmd": "say", "text": "hello"})
        program.end_input()
        assert program.exit_code() == 0
        assert {line["type"] for line in program.lines} == {"ready", "event", "idle"}
        for way in ("print", "stderr", "descriptor", "child", "log", "warning"):
            assert f"by {way}" in program.stderr
        assert "at import" in program.stderr
        assert "hunter2" not in json.dumps(program.lines)


SECRETS = """
KEY = "sk-proj-abcdefghij1234567890"

def look(password: str) -> dict:
    "Looks."
    print("token=" + KEY)
    return {"api_key": "plain-words-key", "note": "the key is " + KEY}

root_agent = LlmAgent(
    name="root",
    model=Scripted(call("look", password="open sesame"), say("It is " + KEY)),
    tools=[look],
)
"""


def test_secrets_are_masked_everywhere(tmp_path: Path) -> None:
    with PipeProgram(write_agent(tmp_path, SECRETS)) as program:
        program.send({"cmd": "say", "text": "hello"})
        program.send({"cmd": "state", "delta": {"db_password": "swordfish"}})
        program.end_input()
        assert program.exit_code() == 0
        told = json.dumps(program.lines) + program.stderr
    for secret in ("abcdefghij1234567890", "plain-words-key", "open sesame", "swordfish"):
        assert secret not in told


def test_secrets_are_shown_on_request(tmp_path: Path) -> None:
    with PipeProgram(write_agent(tmp_path, SECRETS), "--reveal") as program:
        program.send({"cmd": "say", "text": "hello"})
        program.end_input()
        assert program.exit_code() == 0
        told = json.dumps(program.lines)
    for secret in ("abcdefghij1234567890", "plain-words-key", "open sesame"):
        assert secret in told
    assert "token=sk-proj-abcdefghij1234567890" in program.stderr


MANY = 10_000


def test_ten_thousand_events_go_through_in_order(tmp_path: Path) -> None:
    source = f"""
root_agent = LlmAgent(
    name="root", model=Scripted(stream(*(f"{{n}} " for n in range({MANY}))))
)
"""
    with PipeProgram(write_agent(tmp_path, source)) as program:
        program.send({"cmd": "say", "text": "count", "id": 1})
        program.idle(1)
        program.end_input()
        assert program.exit_code() == 0
        events = [line["event"] for line in program.all("event")]
        pieces = [e["content"]["parts"][0]["text"] for e in events if e.get("partial")]
        assert pieces == [f"{n} " for n in range(MANY)]
        assert program.texts()[-1] == "".join(pieces)


def test_a_reader_that_goes_away_ends_the_pipe_and_the_engine(tmp_path: Path) -> None:
    source = """
open(os.path.join(os.path.dirname(__file__), "pid"), "w").write(str(os.getpid()))
root_agent = LlmAgent(name="root", model=Scripted(stream(*("x " for _ in range(3_000)))))
"""
    agent = write_agent(tmp_path, source)
    with started("pipe", str(agent), "--in-memory") as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        assert b'"ready"' in process.stdout.readline()
        process.stdin.write(b'{"cmd":"say","text":"go"}\n')
        process.stdin.flush()
        process.stdout.readline()
        process.stdout.close()
        assert process.wait(60) == 1
        errors = process.stderr.read().decode()
    assert "Traceback" not in errors
    assert "BrokenPipe" not in errors
    pid = int((agent / "pid").read_text())
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_a_closed_input_and_output_from_the_start_hang_nothing(tmp_path: Path) -> None:
    agent = write_agent(tmp_path, "root_agent = LlmAgent(name='root', model=Scripted(say('Yes.')))")
    command = " ".join(adk_tui("pipe", str(agent), "--in-memory"))
    for redirections, expected in (("<&-", 0), (">&-", 1)):
        done = subprocess.run(
            ["sh", "-c", f"{command} {redirections}"],
            env=environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode in (expected, 1), done.stderr
        assert "Traceback" not in done.stderr


def test_ctrl_c_ends_the_pipe_with_130(tmp_path: Path) -> None:
    with PipeProgram(write_agent(tmp_path, SLOW)) as program:
        program.send({"cmd": "say", "text": "wait"})
        program.wait(lambda line: "functionCall" in json.dumps(line))
        program.process.send_signal(signal.SIGINT)
        assert program.exit_code() == 130
        assert "Traceback" not in program.stderr


def test_a_ctrl_c_that_python_drops_ends_the_pipe_all_the_same() -> None:
    dropped = threading.Event()

    class Dropping(FakeEngine):
        """Interrupts where Python drops exceptions: in a finalizer."""

        def start(self) -> None:
            super().start()
            with suppress(KeyboardInterrupt):
                served.interrupt()
            dropped.set()

    served = Pipe(Dropping(), io.BytesIO(), warn=lambda _: None)
    assert served.run(io.BytesIO()) == 130
    assert dropped.is_set()


def test_pipe_works_in_a_shell_pipeline() -> None:
    line = json.dumps({"cmd": "say", "text": "stock price of GOOG", "id": 1})
    done = run("pipe", str(AGENTS / "stock"), "--in-memory", stdin=line + "\n")
    assert done.returncode == 0
    assert [json.loads(text)["type"] for text in done.stdout.splitlines()][::1000] == ["ready"]
    assert json.loads(done.stdout.splitlines()[-1])["type"] == "idle"
