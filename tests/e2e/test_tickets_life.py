"""What becomes of tickets when something goes wrong, and what is kept through it."""

import os
import signal
import sqlite3
import time
from pathlib import Path

from textual.widgets import TextArea

from adk_tui.core.commands import Answer, NewSession, Rewind, ToolAnswer
from tests.e2e.test_tickets_kinds import runs
from tests.e2e.ticket_app import SLOW, Desk, copied, desk


async def draft(it: Desk, text: str) -> None:
    """Write this into the JSON editor of the first ticket, and leave it there."""
    await it.mark()
    await it.pilot.press("e")
    await it.until(lambda: isinstance(it.app.focused, TextArea), "the editor")
    area = it.app.focused
    assert isinstance(area, TextArea)
    area.load_text(text)


async def test_a_stuck_ticket_says_so_and_is_rewound_by_a_key_pressed_twice() -> None:
    async with desk("editor") as it:
        await it.order("go")
        ticket = it.ticket()
        bad = ToolAnswer(ticket.call_id, ticket.function_name, {"accept": "perhaps"})
        ended = len(it.view.done)
        it.app.submit(Answer(ticket.invocation_id, (bad,)))
        await it.idle(ended)
        assert it.ticket().state == "stuck"
        await it.says("stuck: an answer broke the schema", "undo this turn and all after it")
        await it.pilot.press("f4", "home")
        await it.until(lambda: it.panel.marked is not None)
        await it.until(lambda: time.monotonic() >= it.panel._armed_at)
        await it.pilot.press("a")
        assert not it.answers()[1:]
        pressed_at = time.monotonic()
        it.panel._clock = lambda: pressed_at
        await it.pilot.press("w", "w")
        await it.says("Press w again")
        assert it.ticket().state == "stuck"
        it.panel._clock = time.monotonic
        await it.until(lambda: time.monotonic() >= it.panel.work(it.ticket()).again_at)
        await it.pilot.press("w")
        await it.until(lambda: it.ticket().state == "withdrawn", "the rewind")
        await it.shows("Nothing waits for you.")
        await it.order("go")
        await it.form()
        await it.pilot.press("right")
        await it.send()
        await it.tells("Filed: accepted")


async def test_a_ticket_that_is_rewound_leaves_the_panel_and_its_form() -> None:
    async with desk() as it:
        await it.order("pay")
        await it.order("ship")
        await draft(it, '{"half": ')
        ended = len(it.view.done)
        it.app.submit(Rewind(it.ticket(0).invocation_id))
        await it.until(lambda: len(it.view.done) > ended)
        await it.shows("Nothing waits for you.")
        assert not isinstance(it.app.focused, TextArea)
        await it.says("pay: undone by a rewind")
        await it.pilot.press("a", "r")
        await it.pilot.pause()
        assert it.answers() == []


async def test_an_answer_during_a_run_waits_visibly_and_can_be_taken_back(tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    async with desk(env={"TICKET_GATE": str(gate)}) as it:
        await it.order("pay")
        it.app.say("nap")
        await it.until(lambda: it.view.status.phase == "running", "the run")
        await it.mark()
        await it.pilot.press("a", "a")
        await it.until(lambda: "queued" in it.rows, "the word in the list")
        await it.pilot.press("alt+up")
        await it.says("Not sent, the draft is kept.")
        await it.until(lambda: "queued" not in it.rows)
        assert it.ticket().state == "open"
        await it.pilot.press("r", "r")
        await it.until(lambda: "queued" in it.rows)
        gate.touch()
        await it.until(lambda: it.ticket().state == "final", "the answer")
        await it.tells("awake", 'pay said {"status": "rejected", "ticket_id": "T-1"}')
        assert len(it.answers()) == 1


async def test_a_draft_survives_a_reload_and_the_death_of_the_engine(tmp_path: Path) -> None:
    async with desk(env={"TICKET_PID": str(tmp_path / "pid")}) as it:
        await it.order("ship")
        await it.order("pay")
        await it.mark(1)
        await it.pilot.press("e")
        await it.until(lambda: isinstance(it.app.focused, TextArea))
        area = it.app.focused
        assert isinstance(area, TextArea)
        area.load_text('{"half": ')
        ended = len(it.view.done)
        await it.pilot.press("f9")
        await it.until(lambda: len(it.view.done) > ended, "the reload", SLOW)
        await it.until(lambda: it.view.status.phase == "ready", "the new engine", SLOW)
        await it.shows('{"half":')
        assert it.panel.marked is not None
        assert it.panel.marked.name == "pay"
        kill(tmp_path / "pid")
        await it.until(lambda: it.view.status.phase == "dead", "the death", SLOW)
        await it.shows('{"half":')
        ended = len(it.view.done)
        await it.pilot.press("f9")
        await it.until(lambda: it.view.status.phase == "ready", "the new engine", SLOW)
        assert [t.name for t in it.open] == ["ship", "pay"]
        await it.mark(1)
        await it.shows('{"half":')
        assert it.answers() == []


def kill(pid: Path) -> None:
    """Kill the engine process."""
    os.kill(int(pid.read_text()), signal.SIGKILL)


async def test_an_answer_cut_by_the_engines_death_is_neither_lost_nor_given_twice(
    tmp_path: Path,
) -> None:
    log, gate = tmp_path / "runs", tmp_path / "gate"
    root = copied(tmp_path)
    env = {"TICKET_RUNS": str(log), "TICKET_GATE": str(gate), "TICKET_PID": str(tmp_path / "pid")}
    async with desk(root=root, env=env) as it:
        await it.order("dig")
        await it.mark()
        await it.pilot.press("a")
        await it.until(lambda: runs(log) == ["dig"], "the tool at work")
        kill(tmp_path / "pid")
        await it.until(lambda: it.view.status.phase == "dead", "the death", SLOW)
        await it.says("the answer was stored; the run after it failed")
        await it.pilot.press("f9")
        await it.until(lambda: it.view.status.phase == "ready", "the new engine", SLOW)
        assert len(it.answers()) == 1
        assert it.ticket().state == "final"
        assert runs(log) == ["dig"], "nothing ran a second time by itself"
        await it.shows("Nothing waits for you.")


async def test_a_session_changed_by_another_process_is_told_and_the_ticket_is_right(
    tmp_path: Path,
) -> None:
    log, gate = tmp_path / "runs", tmp_path / "gate"
    root = copied(tmp_path)
    env = {"TICKET_RUNS": str(log), "TICKET_GATE": str(gate)}
    async with desk(root=root, env=env) as it:
        await it.order("pay")
        await it.order("dig")
        log.write_text("")
        await draft(it, '{"half": ')
        await it.pilot.press("escape")
        await it.mark(1)
        await it.pilot.press("a")
        await it.until(lambda: runs(log) == ["dig"], "the tool at work")
        touch(root / "desk" / ".adk" / "session.db")
        gate.touch()
        await it.says("the answer was stored; the run after it failed")
        assert "Another process changed this session during the run" in it.flat_screen
        assert [t.state for t in it.view.tickets.tickets] == ["open", "final"]
        assert len(it.answers()) == 1
        await it.mark(0)
        await it.shows('{"half":')


def touch(store: Path) -> None:
    """Change the session as another process would: its time of change in the store."""
    with sqlite3.connect(store) as database:
        database.execute("UPDATE sessions SET update_time = update_time + 5")


async def test_an_answer_to_an_id_that_is_gone_is_refused_with_the_reason() -> None:
    async with desk() as it:
        await it.order("pay")
        ended = len(it.view.done)
        it.app.submit(Answer(it.ticket().invocation_id, (ToolAnswer("gone", "pay", {}),)))
        await it.until(lambda: len(it.view.done) > ended, "the refusal")
        done = it.view.done[-1]
        assert not done.ok
        assert done.failure is not None
        assert "gone" in done.failure.message + done.failure.details
        assert it.ticket().state == "open"
        await it.press("a")
        assert it.ticket().state == "final"


async def test_a_ticket_that_arrives_takes_neither_the_focus_nor_a_key() -> None:
    async with desk() as it:
        await it.begin("pay")
        await it.pilot.press(*"array")
        await it.until(lambda: it.open, "the ticket")
        await it.pilot.press(*"rau")
        assert it.app.main.region_name == "prompt"
        assert it.app.main.area.prompt.text == "arrayrau"
        await it.shows("● idle")
        assert it.answers() == []


async def test_waiting_tickets_of_other_sessions_and_users_are_listed_and_open_on_enter(
    tmp_path: Path,
) -> None:
    root = copied(tmp_path)
    for user, words in (("user", "pay"), ("test_user", "render ship"), ("user", "hello")):
        async with desk(root=root, user=user) as it:
            await it.order(words)
    async with desk(root=root) as it:
        await it.shows("Nothing waits for you.", "In other sessions")
        await it.shows("↗ 1 waiting", "↗ 2 waiting", "test_user  render ship")
        assert "hello" not in it.rows
        await it.pilot.press("f4")
        await it.until(lambda: it.panel.has_focus_within)
        while it.panel.marked is None and "test_user" not in it.panel._marked:
            await it.pilot.press("down")
        await it.says("2 tickets wait in another session", "user test_user")
        await it.until(lambda: time.monotonic() >= it.panel._armed_at)
        await it.pilot.press("enter")
        await it.until(lambda: len(it.open) == 2, "the other session")
        assert [t.name for t in it.open] == ["render", "ship"]
        assert it.view.session is not None
        assert it.view.session.user == "test_user"
        await it.shows("In other sessions")


async def test_an_answer_that_waited_while_another_session_was_opened_goes_nowhere(
    tmp_path: Path,
) -> None:
    gate = tmp_path / "gate"
    async with desk(env={"TICKET_GATE": str(gate)}) as it:
        await it.order("pay")
        first = it.view.session
        it.app.say("nap")
        await it.until(lambda: it.view.status.phase == "running", "the run")
        it.app.submit(NewSession())
        await it.mark()
        await it.pilot.press("a")
        await it.until(lambda: "queued" in it.rows)
        gate.touch()
        await it.until(
            lambda: any(d.failure and d.failure.code == "ticket.elsewhere" for d in it.view.done),
            "the refusal",
        )
        assert it.view.session is not None
        assert it.view.session != first
        assert it.answers() == []
