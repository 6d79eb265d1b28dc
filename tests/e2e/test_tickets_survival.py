"""The whole program is killed without warning, and started again on the same session."""

import json
import os
import signal
import sqlite3
import time
from pathlib import Path

from tests.e2e.terminal import Terminal
from tests.e2e.ticket_app import copied
from tests.e2e.workbench import IDLE, SLOW, ask, decide, leave, loaded, workbench


def the_session(agent: Path) -> str:
    with sqlite3.connect(agent / ".adk" / "session.db") as database:
        ((session,),) = database.execute("select id from sessions").fetchall()
    return str(session)


def stored(agent: Path) -> list[dict[str, object]]:
    with sqlite3.connect(agent / ".adk" / "session.db") as database:
        rows = database.execute("select event_data from events order by timestamp").fetchall()
    return [json.loads(row[0]) for row in rows]


def answers(agent: Path) -> list[str]:
    found = []
    for event in stored(agent):
        content = event.get("content")
        for part in content.get("parts", []) if isinstance(content, dict) else []:
            answer = part.get("function_response") or part.get("functionResponse")
            if answer and event.get("author") == "user":
                found.append(answer["name"])
    return found


def murder(terminal: Terminal, pid: Path) -> None:
    """Kill the program and its engine at once, and wait until both are gone."""
    engine = int(pid.read_text())
    os.kill(terminal.process.pid, signal.SIGKILL)
    os.kill(engine, signal.SIGKILL)
    terminal.wait_exit()
    deadline = time.monotonic() + SLOW
    while Path(f"/proc/{engine}").exists():
        assert time.monotonic() < deadline, "the engine outlived its murder"
        terminal.read(0.02)


def test_open_tickets_are_all_there_again_with_their_histories(tmp_path: Path) -> None:
    agent, pid = copied(tmp_path) / "desk", tmp_path / "pid"
    env = {"TICKET_PID": str(pid)}
    with workbench(agent, "--on-disk", env=env, columns=150, rows=50) as terminal:
        loaded(terminal)
        ask(terminal, "pay wipe")
        terminal.wait_for("2 waiting")
        terminal.wait_for(IDLE)
        terminal.press("f4")
        terminal.wait_for("u progress")
        decide(terminal, "u", lambda: "in progress" in terminal.text)
        terminal.wait_for(IDLE)
        murder(terminal, pid)
    session = the_session(agent)
    before = answers(agent)
    options = ("--on-disk", "--session", session)
    with workbench(agent, *options, env=env, columns=150, rows=50) as terminal:
        terminal.wait_for("2 waiting", SLOW)
        terminal.wait_for("wipe")
        terminal.press("f4")
        terminal.wait_for('progress: {"status": "in_progress"}')
        assert answers(agent) == before == ["pay"]
        decide(terminal, "a", lambda: "1 waiting" in terminal.text)
        terminal.wait_for(IDLE)
        assert answers(agent) == ["pay", "pay"]
        leave(terminal)


def test_an_answer_that_was_on_its_way_is_there_once_and_its_tool_does_not_run_by_itself(
    tmp_path: Path,
) -> None:
    agent, pid, log = copied(tmp_path) / "desk", tmp_path / "pid", tmp_path / "runs"
    env = {
        "TICKET_PID": str(pid),
        "TICKET_RUNS": str(log),
        "TICKET_GATE": str(tmp_path / "gate"),
    }
    with workbench(agent, "--on-disk", env=env, columns=150, rows=50) as terminal:
        loaded(terminal)
        ask(terminal, "dig")
        terminal.wait_for("1 waiting")
        terminal.wait_for(IDLE)
        terminal.press("f4")
        terminal.wait_for("dig is told no")
        decide(terminal, "a", log.exists)
        murder(terminal, pid)
    assert answers(agent) == ["adk_request_confirmation"]
    options = ("--on-disk", "--session", the_session(agent))
    with workbench(agent, *options, env=env, columns=150, rows=50) as terminal:
        terminal.wait_for("approved dig", SLOW)
        terminal.wait_for(IDLE)
        terminal.wait_for("Nothing waits for you.")
        assert answers(agent) == ["adk_request_confirmation"]
        assert log.read_text().split() == ["dig"]
        leave(terminal)


def test_a_new_session_shows_what_the_murdered_one_left_open(tmp_path: Path) -> None:
    agent, pid = copied(tmp_path) / "desk", tmp_path / "pid"
    env = {"TICKET_PID": str(pid)}
    with workbench(agent, "--on-disk", env=env, columns=150, rows=50) as terminal:
        loaded(terminal)
        ask(terminal, "pay")
        terminal.wait_for("1 waiting")
        murder(terminal, pid)
    with workbench(agent, "--on-disk", env=env, columns=150, rows=50) as terminal:
        loaded(terminal)
        terminal.wait_for("In other sessions")
        terminal.wait_for("↗ 1 waiting")
        terminal.press("f4")
        terminal.press_until("down", lambda: "1 ticket waits in another session" in terminal.text)
        terminal.press_until("enter", lambda: "⚑ 1 waiting" in terminal.text)
        terminal.wait_for("T-1")
        terminal.wait_for("asked by desk")
        leave(terminal)
