import json
from pathlib import Path

from textual.widgets import Input, TextArea

from tests.e2e.wheel_app import STORES, Wheel, sailing, ship


async def at_the_state(wheel: Wheel) -> None:
    await wheel.pilot.press("f8")
    await wheel.over("StateScreen")


async def save(wheel: Wheel, text: str) -> None:
    """Put a text into the editor of a value and save it."""
    await wheel.over("EditValue")
    wheel.app.screen.query_one(TextArea).load_text(text)
    await wheel.pilot.press("ctrl+s")


@STORES
async def test_a_key_is_edited_as_json_by_one_event_and_the_edit_undone(
    tmp_path: Path, storage: str
) -> None:
    async with sailing(ship(tmp_path, storage), storage) as wheel:
        await wheel.say("remember course north")
        before = len(wheel.view.log.history())
        await at_the_state(wheel)
        await wheel.mark_row("course")
        await wheel.shows("1×, last by captain")
        await wheel.pilot.press("enter")
        await save(wheel, '{"to": "south", "knots": 7}')
        await wheel.until(lambda: wheel.state.get("course") == {"to": "south", "knots": 7})
        assert len(wheel.view.log.history()) == before + 1
        await wheel.shows('"knots": 7', "2×, last by user")
        await wheel.pilot.press("u")
        await wheel.until(lambda: wheel.state.get("course") == "north", "the state of before")
        assert len(wheel.view.log.history()) == before + 2
        await wheel.pilot.press("escape")
        await wheel.say("how many")
        await wheel.tells("captain: how many (2 said)")


@STORES
async def test_keys_of_every_reach_are_added_and_shown_by_it(tmp_path: Path, storage: str) -> None:
    async with sailing(ship(tmp_path, storage), storage) as wheel:
        await wheel.say("ahoy")
        await at_the_state(wheel)
        await wheel.shows("The state is empty.")
        for key in ("mine", "user:name", "app:fleet"):
            await wheel.pilot.press("n")
            await wheel.over("EditValue")
            wheel.app.screen.query_one(Input).value = key
            await save(wheel, json.dumps({"of": key}))
            await wheel.until(lambda key=key: wheel.state.get(key) == {"of": key}, key)
        await wheel.shows("this session", "this user, all sessions", "all users of this app")
        await wheel.pilot.press("escape")
        await wheel.command("/new")
        await wheel.until(lambda: set(wheel.state) == {"user:name", "app:fleet"}, "what reaches on")


@STORES
async def test_null_unsets_and_the_screen_says_that_adk_cannot_delete(
    tmp_path: Path, storage: str
) -> None:
    async with sailing(ship(tmp_path, storage), storage) as wheel:
        await wheel.say("remember course north")
        await at_the_state(wheel)
        await wheel.mark_row("course")
        await wheel.pilot.press("d")
        await wheel.told("course is set to null. ADK cannot delete a key.")
        await wheel.until(lambda: "course" in wheel.state and wheel.state["course"] is None)
        await wheel.pilot.press("enter")
        await wheel.over("EditValue")
        await wheel.shows("null unsets: ADK cannot delete a key.")


@STORES
async def test_what_cannot_be_stored_is_refused_before_it_is_sent(
    tmp_path: Path, storage: str
) -> None:
    async with sailing(ship(tmp_path, storage), storage) as wheel:
        await wheel.say("remember course north")
        before = len(wheel.view.log.history())
        await at_the_state(wheel)
        await wheel.mark_row("course")
        await wheel.pilot.press("enter")
        for text, told in (
            ('{"a": ', "This is not JSON"),
            ('{"a": NaN}', "NaN is no JSON number"),
            ('"\\ud800"', "half a character"),
            ('"\\u0000"', "NUL character"),
        ):
            await save(wheel, text)
            await wheel.shows(told)
            await wheel.over("EditValue")
        await wheel.pilot.press("escape", "n")
        await save(wheel, "1")
        await wheel.shows("A key needs a name.")
        wheel.app.screen.query_one(Input).value = "temp:x"
        await wheel.pilot.press("ctrl+s")
        await wheel.shows("ADK does not store temp: keys")
        await wheel.pilot.press("escape", "escape")
        await wheel.back()
        await wheel.command("/state =1")
        await wheel.told("Write /state KEY=VALUE")
        assert len(wheel.view.log.history()) == before


@STORES
async def test_the_state_is_compared_with_what_it_was_at_any_event(
    tmp_path: Path, storage: str
) -> None:
    async with sailing(ship(tmp_path, storage), storage) as wheel:
        await wheel.say("remember course north")
        await wheel.say("remember course south")
        await wheel.say("remember speed 7")
        await at_the_state(wheel)
        await wheel.pilot.press("c")
        await wheel.over("Choose")
        await wheel.pilot.press("end", "enter")
        await wheel.shows("compared with the beginning: 2 differ", "+ course", "+ speed")
        await wheel.pilot.press("escape", "c")
        await wheel.over("Choose")
        await wheel.pilot.press("end", *["up"] * 3, "enter")
        await wheel.shows("compared with event 3", "~ course", '"north" → "south"')
        await wheel.pilot.press("escape")
        await wheel.shows("2 keys")
