"""Stores that others use too, that are servers, or that are not what they should be."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from adk_tui.core.reports import SessionInfo
from tests.conftest import REPOSITORY
from tests.e2e.case_app import Case, opened
from tests.e2e.wheel_app import Wheel, sailing, ship
from tests.engine.harness import write_agent
from tests.fakes.driving import write
from tests.fakes.postgres import PostgresServer

DRAFT = "not yet sent"

PIER = """
from pathlib import Path

async def wait() -> str:
    "Waits for the file that lets it go."
    while not Path(__file__).with_name("wake").exists():
        await asyncio.sleep(0.02)
    return "ok"

def reply(request):
    last = request.contents[-1].parts[-1]
    if last.function_response:
        return say("the tide is in")
    return call("wait") if last.text == "wait" else say("heard " + last.text)

root_agent = LlmAgent(name="captain", model=Scripted(reply), tools=[wait])
"""
"""An agent whose tool ends when the test lets it."""


def database_of(agent: Path) -> Path:
    return agent / ".adk" / "session.db"


def stored_ids(agent: Path) -> list[str]:
    """The ids of all events in the file, as somebody who knows nothing of the app reads them."""
    with closing(sqlite3.connect(database_of(agent))) as database:
        return [row[0] for row in database.execute("select id from events order by timestamp")]


def shown_ids(wheel: Wheel) -> list[str]:
    return [e.id for e in wheel.view.log.history()]


def texts(wheel: Wheel) -> list[str]:
    return [e.text for e in wheel.view.log.history()]


def session_of(wheel: Wheel) -> str:
    assert wheel.view.session is not None
    return wheel.view.session.id


def rows(wheel: Wheel) -> Sequence[SessionInfo]:
    return wheel.view.sessions.sessions if wheel.view.sessions else ()


def sound(wheel: Wheel, agent: Path) -> None:
    """The screen's events are the file's, each once."""
    kept = stored_ids(agent)
    assert len(set(kept)) == len(kept)
    assert sorted(shown_ids(wheel)) == sorted(kept)


async def test_two_apps_on_one_file_see_each_other_and_lose_nothing(tmp_path: Path) -> None:
    agent = ship(tmp_path, "file")
    async with sailing(agent, "file") as one:
        await one.say("first")
        async with sailing(agent, "file", session_id=session_of(one)) as two:
            await two.tells("captain: first (1 said)")
            await two.say("second")
            await two.tells("captain: second (2 said)")
            await one.say("third")
            await one.tells("captain: second (2 said)", "captain: third (3 said)")
            assert any("Another process has added" in n.message for n in one.view.notices)
            await one.say("remember course north")
            await two.say("fourth")
            await two.tells("captain: third (3 said)", "captain: fourth (5 said)")
            assert two.state["course"] == "north"
            sound(two, agent)
            await one.say("fifth")
            sound(one, agent)


async def test_a_run_that_another_app_overtook_is_told_and_its_message_is_kept(
    tmp_path: Path,
) -> None:
    agent = write_agent(tmp_path / "pier", PIER)
    async with sailing(agent, "file") as one:
        await one.say("first")
        async with sailing(agent, "file", session_id=session_of(one)) as two:
            ended = len(one.view.done)
            await one.begin("wait")
            await one.shows("▶ wait")
            await two.say("overtaking")
            await two.tells("heard overtaking")
            (agent / "wake").touch()
            await one.idle(ended)
            failure = one.view.done[-1].failure
            assert failure is not None
            assert failure.code == "session.stale"
            await one.shows("Another process changed this session during the run")
            await one.shows("check it and send again", "Ctrl+R send again")
            await one.tells("heard overtaking")
            assert "Traceback" not in one.screen
            assert texts(one).count("wait") == 1
            sound(one, agent)
            ended = len(one.view.done)
            await one.pilot.press("ctrl+r")
            await one.idle(ended)
            await one.tells("the tide is in")
            assert texts(one).count("wait") == 2
            sound(one, agent)
            await two.say("bye")
            await two.tells("the tide is in", "heard bye")
            sound(two, agent)


async def test_an_answer_given_in_one_app_closes_the_ticket_in_the_other(tmp_path: Path) -> None:
    agent = ship(tmp_path, "file")
    async with sailing(agent, "file") as one:
        await one.say("pay 20")
        await one.say("pay 30")
        async with sailing(agent, "file", session_id=session_of(one)) as two:
            await two.until(lambda: len(two.open) == 2, "both tickets")
            assert [t.key for t in two.open] == [t.key for t in one.open]
            await one.press("a", 0)
            assert [t.args["amount"] for t in one.open] == ["30"]
            # The other does not know yet, and answers the same one.
            await two.mark(0)
            ended = len(two.view.done)
            await two.pilot.press("r")
            await two.until(lambda: len(two.view.done) > ended, "the end of the answer")
            failure = two.view.done[-1].failure
            assert failure is not None
            assert failure.code == "ticket.closed"
            await two.until(lambda: [t.args["amount"] for t in two.open] == ["30"], "one ticket")
            await two.shows("1 waiting")
            assert "Traceback" not in two.screen
            sound(two, agent)
            await two.press("a", 0)
            assert not two.open
            await one.say("ahoy")
            await one.until(lambda: not one.open, "no ticket")
            tickets = one.view.tickets.tickets
            assert [(t.args["amount"], t.state) for t in tickets] == [
                ("20", "final"),
                ("30", "final"),
            ]
            assert [[r.author for r in t.replies].count("user") for t in tickets] == [1, 1]
            sound(one, agent)


async def test_sessions_on_a_server_are_listed_opened_and_handed_over(
    tmp_path: Path, postgres: PostgresServer
) -> None:
    uri = postgres.database()
    agent = ship(tmp_path, "file")
    async with sailing(agent, "file", session_service_uri=uri) as wheel:
        await wheel.say("ahoy")
        first = session_of(wheel)
        await wheel.command("/transfer mate")
        await wheel.until(lambda: wheel.route == "mate", "the mate")
        await wheel.shows("next → mate")
        await wheel.say("who is there")
        await wheel.tells("mate: who is there")
        await wheel.command("/new course=west")
        await wheel.until(lambda: session_of(wheel) != first, "another session")
        await wheel.until(lambda: wheel.state == {"course": "west"}, "its state")
        await wheel.say("second voyage")
        await wheel.pilot.press("f7")
        await wheel.over("SessionsScreen")
        await wheel.until(lambda: len(rows(wheel)) == 2, "two sessions")
        await wheel.mark_row("ahoy")
        await wheel.pilot.press("enter")
        await wheel.until(lambda: session_of(wheel) == first, "the first one open")
        await wheel.until(lambda: wheel.route == "mate", "the mate still there")
        await wheel.tells("mate: who is there")
        await wheel.command("/transfer cook")
        await wheel.until(lambda: wheel.route == "cook", "the cook")
        await wheel.say("still there")
        await wheel.tells("cook: still there")
        assert not database_of(agent).exists()


def garbage(database: Path) -> None:
    database.write_bytes(b"no database at all" * 100)


def torn(database: Path) -> None:
    """As a full disk leaves it: the head is right, the rest is not."""
    with closing(sqlite3.connect(database)) as db, db:
        db.execute("create table events (id text)")
    database.write_bytes(database.read_bytes()[:100] + b"\0\xff" * 4000)


def old(database: Path) -> None:
    """The tables of google-adk before it kept whole events."""
    with closing(sqlite3.connect(database)) as db, db:
        db.execute("create table sessions (app_name, user_id, id, state, create_time, update_time)")
        db.execute("create table events (id, app_name, user_id, session_id, content, actions)")


async def card_tells(case: Case, *words: str) -> None:
    """Wait until the card of a failure says it, wherever its lines are broken."""
    for word in words:
        await case.until(lambda w=word: w in " ".join(case.screen.replace("▎", " ").split()), word)


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (garbage, ("cannot be read", "session.db", "--in-memory")),
        (torn, ("session.db", "--in-memory")),
        (old, ("written by an older google-adk", "migrate", "--in-memory")),
    ],
    ids=["garbage", "torn", "old"],
)
async def test_a_file_that_cannot_be_used_says_so_and_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spoil: object, words: tuple[str, ...]
) -> None:
    agent = ship(tmp_path, "file")
    database_of(agent).parent.mkdir()
    assert callable(spoil)
    spoil(database_of(agent))
    before = database_of(agent).read_bytes()
    monkeypatch.setenv("PYTHONPATH", str(REPOSITORY))
    async with opened(agent, storage="file", loaded=False) as case:
        await write(case.pilot, DRAFT)
        await case.until(lambda: case.view.status.phase == "failed", "the failure", 60.0)
        await card_tells(case, *words)
        assert "Traceback" not in case.screen
        assert case.app.main.area.prompt.text == DRAFT
        assert database_of(agent).read_bytes() == before
        # Moved away as it says, one key goes on, with the draft still there.
        database_of(agent).rename(tmp_path / "aside.db")
        await case.pilot.press("f9")
        await case.until(lambda: case.view.status.phase == "ready", "the agent", 60.0)
        assert case.app.main.area.prompt.text == DRAFT
        ended = len(case.view.done)
        await case.pilot.press("enter")
        await case.idle(ended)
        await case.tells("captain: not yet sent (1 said)")


async def test_a_session_that_vanished_is_told_and_the_message_goes_to_another(
    tmp_path: Path,
) -> None:
    agent = ship(tmp_path, "file")
    async with sailing(agent, "file") as wheel:
        await wheel.say("ahoy")
        gone = session_of(wheel)
        with closing(sqlite3.connect(database_of(agent))) as db, db:
            db.execute("delete from events")
            db.execute("delete from sessions")
        ended = len(wheel.view.done)
        await wheel.begin(DRAFT)
        await wheel.until(lambda: len(wheel.view.done) > ended, "the end")
        await card_tells(wheel, f"The session {gone} is no longer in its store.")
        await card_tells(wheel, "Reload the agent (F9)", "Or open another one.")
        assert "Traceback" not in wheel.screen
        assert wheel.app.main.area.prompt.text == DRAFT
        await wheel.pilot.press("f7")
        await wheel.over("SessionsScreen")
        await wheel.pilot.press("n")
        await wheel.back()
        await wheel.until(lambda: session_of(wheel) != gone, "another session")
        assert wheel.app.main.area.prompt.text == DRAFT
        ended = len(wheel.view.done)
        await wheel.pilot.press("enter")
        await wheel.idle(ended)
        await wheel.tells("captain: not yet sent (1 said)")
        sound(wheel, agent)
