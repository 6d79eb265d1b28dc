from pathlib import Path

from textual.widgets import Input

from adk_tui.core.reports import SessionInfo
from tests.e2e.wheel_app import STORES, Wheel, sailing, ship
from tests.fakes.driving import write


def rows(wheel: Wheel) -> tuple[SessionInfo, ...]:
    return wheel.view.sessions.sessions if wheel.view.sessions else ()


async def listed(wheel: Wheel, count: int) -> None:
    await wheel.pilot.press("f7")
    await wheel.over("SessionsScreen")
    await wheel.until(lambda: len(rows(wheel)) == count, f"{count} sessions")


async def clear(wheel: Wheel) -> None:
    field = wheel.app.focused
    assert isinstance(field, Input)
    await wheel.pilot.press("end", "ctrl+u")
    assert field.value == ""


@STORES
async def test_a_session_is_named_searched_opened_deleted_and_brought_back(
    tmp_path: Path, storage: str
) -> None:
    async with sailing(ship(tmp_path, storage), storage) as wheel:
        await wheel.say("remember course north")
        await wheel.say("pay 20")
        assert wheel.view.session is not None
        first = wheel.view.session.id
        await wheel.command("/rename The first voyage")
        await wheel.shows("The first voyage")
        await wheel.command("/new")
        await wheel.until(lambda: wheel.view.session and wheel.view.session.id != first, "another")
        await wheel.say("second")
        await listed(wheel, 2)
        await wheel.mark_row("The first voyage")
        await wheel.shows("turns      2", "tickets    1 open")
        await wheel.pilot.press("slash")
        await write(wheel.pilot, "voyage")
        await wheel.shows("1 of 2")
        await wheel.pilot.press("enter", "d")
        await wheel.over("Confirm")
        await wheel.shows("Delete “The first voyage”?", "u brings it back")
        await wheel.pilot.press("down", "enter")
        await wheel.until(lambda: len(rows(wheel)) == 1, "the deletion")
        await wheel.pilot.press("u")
        await wheel.until(lambda: len(rows(wheel)) == 2, "the session is back")
        await wheel.mark_row("The first voyage")
        await wheel.pilot.press("enter")
        await wheel.until(lambda: wheel.view.session and wheel.view.session.id == first, "it open")
        await wheel.until(lambda: wheel.state.get("course") == "north", "its state")
        await wheel.until(lambda: len(wheel.open) == 1, "its ticket")
        await wheel.say("still afloat")
        await wheel.tells("captain: still afloat (3 said)")


@STORES
async def test_the_open_session_cannot_be_deleted_and_says_so(tmp_path: Path, storage: str) -> None:
    async with sailing(ship(tmp_path, storage), storage) as wheel:
        await wheel.say("ahoy")
        await listed(wheel, 1)
        await wheel.pilot.press("d")
        await wheel.told("The open session cannot be deleted")
        assert len(rows(wheel)) == 1


@STORES
async def test_a_title_is_given_taken_away_and_undone(tmp_path: Path, storage: str) -> None:
    async with sailing(ship(tmp_path, storage), storage) as wheel:
        await wheel.say("ahoy")
        await listed(wheel, 1)
        await wheel.pilot.press("t")
        await wheel.over("Ask")
        await write(wheel.pilot, "Calm sea")
        await wheel.pilot.press("enter")
        await wheel.until(lambda: rows(wheel)[0].title == "Calm sea", "the title")
        await wheel.pilot.press("t")
        await wheel.over("Ask")
        await clear(wheel)
        await write(wheel.pilot, "Storm")
        await wheel.pilot.press("enter")
        await wheel.until(lambda: rows(wheel)[0].title == "Storm", "the other title")
        await wheel.pilot.press("u")
        await wheel.until(lambda: rows(wheel)[0].title == "Calm sea", "the title before")
        await wheel.pilot.press("ctrl+z")
        await wheel.until(lambda: rows(wheel)[0].title == "ahoy", "the first message")
        await wheel.pilot.press("u")
        await wheel.told("There is nothing to undo")


@STORES
async def test_a_session_begins_with_a_state_and_refuses_what_is_none(
    tmp_path: Path, storage: str
) -> None:
    async with sailing(ship(tmp_path, storage), storage) as wheel:
        await wheel.command("/new course=west speed=7")
        await wheel.until(lambda: wheel.state == {"course": "west", "speed": 7}, "the state")
        await wheel.pilot.press("f7")
        await wheel.over("SessionsScreen")
        await wheel.pilot.press("N")
        await wheel.over("Ask")
        await write(wheel.pilot, "nonsense")
        await wheel.pilot.press("enter")
        await wheel.told("No session was made.")
        await wheel.over("SessionsScreen")
        await wheel.pilot.press("N")
        await wheel.over("Ask")
        await write(wheel.pilot, "course=east")
        await wheel.pilot.press("enter")
        await wheel.back()
        await wheel.until(lambda: wheel.state == {"course": "east"}, "the other state")


async def test_sessions_of_all_users_are_listed_marked_and_opened(tmp_path: Path) -> None:
    target = ship(tmp_path, "file")
    async with sailing(target, "file", user="test_user") as wheel:
        await wheel.say("from adk run")
    async with sailing(target, "file", user="user") as wheel:
        await wheel.say("from adk web")
        await listed(wheel, 2)
        await wheel.mark_row("from adk run")
        await wheel.shows("test_user  from adk run")
        await wheel.pilot.press("enter")
        await wheel.until(lambda: wheel.view.session and wheel.view.session.user == "test_user")
        await wheel.tells("captain: from adk run (1 said)")


@STORES
async def test_an_unknown_session_and_one_that_vanished_are_told(
    tmp_path: Path, storage: str
) -> None:
    async with sailing(ship(tmp_path, storage), storage) as wheel:
        await wheel.say("ahoy")
        await wheel.command("/open nowhere")
        await wheel.shows("nowhere")
        await wheel.until(lambda: not wheel.view.done[-1].ok, "a refusal")
        await wheel.say("still here")
        await wheel.tells("captain: still here (2 said)")
