"""Sessions that live in the engine's memory only outlive its process."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from adk_tui.core.reports import SessionInfo
from adk_tui.tui.performer import DOUBLE_PRESS
from tests.e2e.wheel_app import STORES, Wheel, sailing, ship


def rows(wheel: Wheel) -> tuple[SessionInfo, ...]:
    return wheel.view.sessions.sessions if wheel.view.sessions else ()


async def another(wheel: Wheel, command: str) -> str:
    """Open another session by a slash command; returns its id."""
    before = wheel.view.session
    assert before is not None
    await wheel.command(command)
    await wheel.until(lambda: wheel.view.session and wheel.view.session.id != before.id, "another")
    assert wheel.view.session is not None
    return wheel.view.session.id


async def told_again(wheel: Wheel, reason: str) -> None:
    await wheel.until(lambda: wheel.view.session and wheel.view.session.reason == reason, reason)
    await wheel.until(lambda: wheel.view.status.phase == "ready", "ready again")


async def reload(wheel: Wheel) -> None:
    await wheel.pilot.press("f9")
    await told_again(wheel, "reload")


async def second_escape(wheel: Wheel) -> None:
    await wheel.begin("sleep 600")
    await wheel.shows("▶ sleep")
    await wheel.pilot.press("escape")
    await wheel.shows("Esc again ends its process")
    wheel.app.performer._stopped_at -= DOUBLE_PRESS
    await wheel.pilot.press("escape")
    await told_again(wheel, "restart")


async def death(wheel: Wheel) -> None:
    await wheel.begin("sink 7")
    await wheel.until(lambda: wheel.view.status.phase == "dead", "dead")
    await wheel.pilot.press("f9")
    await told_again(wheel, "restart")
    assert wheel.app.main.area.prompt.text == "sink 7", "what was typed is kept"
    await wheel.pilot.press("ctrl+u")


@pytest.mark.parametrize("replaced", [reload, second_escape, death])
async def test_all_sessions_in_memory_outlive_their_process(
    tmp_path: Path, replaced: Callable[[Wheel], Awaitable[None]]
) -> None:
    async with sailing(ship(tmp_path, "memory"), "memory") as wheel:
        assert wheel.view.session is not None
        first = wheel.view.session.id
        await wheel.say("remember course north")
        await wheel.say("pay 20")
        fork = await another(wheel, "/fork The other way")
        await wheel.say("remember user:rank admiral")
        empty = await another(wheel, "/new speed=7")
        await replaced(wheel)
        assert wheel.view.session.id == empty
        assert wheel.state["speed"] == 7
        assert wheel.state["user:rank"] == "admiral"

        await wheel.pilot.press("f7")
        await wheel.over("SessionsScreen")
        await wheel.until(lambda: {r.id for r in rows(wheel)} == {first, fork, empty}, "all three")
        named = {r.id: (r.title, r.named, r.parent) for r in rows(wheel)}
        assert named[fork] == ("The other way", True, first)
        await wheel.mark_row("remember course north")
        await wheel.pilot.press("enter")
        await wheel.back()
        await wheel.until(lambda: wheel.view.session and wheel.view.session.id == first, "it open")
        await wheel.until(lambda: len(wheel.open) == 1, "its ticket")
        assert wheel.state == {"course": "north", "user:rank": "admiral"}
        await wheel.say("still afloat")
        await wheel.tells("captain: still afloat (3 said)")


async def test_artifacts_that_went_with_the_process_are_named(tmp_path: Path) -> None:
    async with sailing(ship(tmp_path, "memory"), "memory") as wheel:
        await wheel.say("paint chart.txt here be dragons")
        await reload(wheel)
        await wheel.told("Gone with the agent's process: artifacts (chart.txt).")


async def test_a_session_deleted_while_the_code_is_loaded_stays_deleted(tmp_path: Path) -> None:
    async with sailing(ship(tmp_path, "memory"), "memory") as wheel:
        await wheel.say("ahoy")
        second = await another(wheel, "/new")
        await wheel.pilot.press("f9", "f7")
        await wheel.over("SessionsScreen")
        await wheel.until(lambda: len(rows(wheel)) == 2, "both")
        await wheel.mark_row("ahoy")
        await wheel.pilot.press("d")
        await wheel.over("Confirm")
        await wheel.pilot.press("down", "enter")
        await wheel.until(lambda: [r.id for r in rows(wheel)] == [second], "the deletion")
        await told_again(wheel, "reload")
        await wheel.pilot.press("escape")
        await wheel.back()
        await wheel.pilot.press("f7")
        await wheel.over("SessionsScreen")
        await wheel.until(lambda: [r.id for r in rows(wheel)] == [second], "still deleted")


@STORES
async def test_an_agent_forced_for_one_message_is_still_forced_after_a_reload(
    tmp_path: Path, storage: str
) -> None:
    async with sailing(ship(tmp_path, storage), storage) as wheel:
        await wheel.say("ahoy")
        await wheel.mark_agent("hermit")
        await wheel.pilot.press("o")
        await wheel.shows("hermit answers the next message, once.")
        await reload(wheel)
        await wheel.until(lambda: wheel.view.settings and wheel.view.settings.once == "hermit")
        await wheel.shows("hermit answers the next message, once.")
        await wheel.say("who is it")
        await wheel.tells("captain → hermit", "hermit:")
        await wheel.until(lambda: wheel.view.settings and not wheel.view.settings.once, "no more")


async def test_an_agent_forced_for_a_message_that_was_killed_is_said_to_be_free(
    tmp_path: Path,
) -> None:
    async with sailing(ship(tmp_path, "memory"), "memory") as wheel:
        await wheel.say("ahoy")
        await wheel.mark_agent("hermit")
        await wheel.pilot.press("o")
        await wheel.shows("hermit answers the next message, once.")
        await second_escape(wheel)
        await wheel.told("hermit is no longer forced to answer: the turn it was for was cut short.")
        assert wheel.view.settings is not None
        assert wheel.view.settings.once == ""
