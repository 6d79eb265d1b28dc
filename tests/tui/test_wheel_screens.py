"""What the screens of sessions, state, artifacts, settings and rewinds do with odd data."""

import base64

import pytest

from adk_tui.core.commands import Fork, Resend, Rewind, RunSettings
from adk_tui.core.reports import (
    ArtifactContent,
    ArtifactInfo,
    ArtifactList,
    ArtifactVersion,
    Done,
    Failure,
    SessionInfo,
    SessionList,
    Settings,
    Status,
)
from adk_tui.tui.app import WorkbenchApp
from tests.fakes.driving import rendered, shows, shows_no, tells, until, write
from tests.fakes.fake_engine import FakeEngine, event, said
from tests.fakes.playing import playing

WIDE = (130, 40)
BAD = "x\x1b]0;owned\x07\u202e[red]\n"
HOSTILE = {"\x1b", "\x07", "\u202e"}


@pytest.mark.parametrize("size", [WIDE, (80, 24), (40, 10)])
async def test_hostile_data_reaches_no_terminal_in_any_size(size: tuple[int, int]) -> None:
    async with playing(size=size) as (app, engine, pilot):
        engine.play(
            said("user", BAD, id="q"),
            event("root", [{"text": BAD}], id="e", actions={"stateDelta": {BAD: {BAD: BAD}}}),
            SessionList((SessionInfo(BAD, BAD, 1.0, BAD, parent=BAD, relatives=(BAD,)),)),
            ArtifactList("s-1", (ArtifactInfo(BAD, (ArtifactVersion(0, BAD, 1.0),)),)),
            ArtifactContent(BAD, 0, "text/plain", base64.b64encode(BAD.encode()).decode()),
            Settings(RunSettings(model=BAD, custom_metadata={BAD: BAD}), once=BAD),
        )
        await until(pilot, lambda: app.view.content is not None and len(app.view.log) == 2)
        for command in ("sessions", "state", "artifacts", "settings", "rewind"):
            app.performer.do(command)
            await until(pilot, lambda: app.screen is not app.main, command)
            await pilot.press("end", "tab", "down")
            await pilot.pause()
            assert not HOSTILE & set(rendered(app)), command
            await pilot.press("tab", "escape")
            await until(pilot, lambda: app.screen is app.main, f"{command} closed")


async def test_secrets_are_masked_in_the_state_in_comparisons_and_in_previews() -> None:
    secret = "sk-very-secret-1234567890"
    async with playing(size=WIDE) as (app, engine, pilot):
        delta = {"stateDelta": {"api_key": secret}}
        engine.play(said("user", "keep it"), event("root", [{"text": "ok"}], id="e", actions=delta))
        await until(pilot, lambda: len(app.view.log) == 2)
        await pilot.press("f8")
        await shows(pilot, "api_key")
        assert secret not in rendered(app)
        await pilot.press("c", "end", "enter")
        await shows(pilot, "+ api_key")
        assert secret not in rendered(app)
        await pilot.press("m")
        await shows(pilot, secret)
        await pilot.press("escape", "escape")
        app.performer.do("rewind")
        await shows(pilot, "api_key")
        assert secret not in rendered(app)


async def test_an_edited_message_that_fails_comes_back_marked() -> None:
    def refuse(command: object, number: int) -> list[object]:
        failed = Done(number, ok=False, failure=Failure("x", "Not now."))
        return [failed if isinstance(command, Resend) else Done(number)]

    engine = FakeEngine(refuse)  # pyright: ignore[reportArgumentType]
    app = WorkbenchApp(engine)
    async with app.run_test(notifications=True, size=WIDE) as pilot:
        engine.play(said("user", "first words"), said("root", "an answer"))
        await until(pilot, lambda: len(app.view.log) == 2)
        await write(pilot, "/edit")
        await pilot.press("escape", "enter")
        await shows(pilot, "Instead of “first words”")
        await write(pilot, " again")
        await pilot.press("enter")
        await until(pilot, lambda: engine.commands[-1] == Resend("inv-1", "first words again"))
        await shows(pilot, "Not now.")
        await shows(pilot, "Instead of “first words”")
        assert app.main.area.prompt.text == "first words again"
        await pilot.press("escape")
        await shows_no(pilot, "Instead of")
        assert app.main.area.prompt.text == ""


async def test_a_rewind_can_become_an_edit_or_a_fork_on_its_screen() -> None:
    async with playing(size=WIDE) as (app, engine, pilot):
        engine.play(
            said("user", "one", id="e1"),
            said("root", "1", id="e2"),
            said("user", "two", id="e3", invocationId="inv-2"),
            said("root", "2", id="e4", invocationId="inv-2"),
        )
        await until(pilot, lambda: len(app.view.log) == 4)
        app.performer.do("rewind")
        await shows(pilot, "Undone: 1 message, 2 events.")
        await pilot.press("f")
        await until(pilot, lambda: Fork(event_id="e2") in engine.commands)
        assert app.main.area.prompt.text == "two"
        app.performer.do("rewind")
        await shows(pilot, "Rewind to before")
        await pilot.press("home", "f")
        await tells(pilot, "Nothing comes before the first message.")
        app.performer.do("rewind")
        await shows(pilot, "Rewind to before")
        await pilot.press("home", "m")
        await shows(pilot, "Instead of “one”")
        app.performer.do("rewind")
        await shows(pilot, "Rewind to before")
        await pilot.press("k", "enter")
        await until(pilot, lambda: Rewind("inv-1") in engine.commands)


async def test_what_a_stop_waits_for_stands_there_until_it_has_ended() -> None:
    engine = FakeEngine(lambda command, number: ())
    app = WorkbenchApp(engine)
    async with app.run_test(notifications=True, size=WIDE) as pilot:
        await until(pilot, lambda: app.view.ready)
        engine.play(Status("stopping", "waits for slow (3 s)", command=1))
        await shows(pilot, "■ Stopping: waits for slow (3 s).")
        await shows(pilot, "Esc again ends its process")
        engine.play(Status("ready"))
        await shows_no(pilot, "■ Stopping")


@pytest.mark.parametrize("key", ["d", "t", "enter"])
async def test_no_key_of_an_empty_list_is_dead(key: str) -> None:
    async with playing(size=WIDE) as (app, engine, pilot):
        await until(pilot, lambda: app.view.ready)
        await pilot.press("f7")
        engine.play(SessionList(()))
        await shows(pilot, "No session is stored yet.")
        await pilot.press(key)
        if key != "enter":
            await tells(pilot, "There is no session to")
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is app.main)
