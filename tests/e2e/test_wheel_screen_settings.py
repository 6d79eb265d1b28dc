from pathlib import Path

from adk_tui.core.commands import RunSettings
from tests.e2e.wheel_app import STORES, Wheel, sailing, ship
from tests.fakes.driving import write


async def at_the_settings(wheel: Wheel) -> None:
    await wheel.pilot.press("ctrl+p")
    await wheel.over("CommandPalette")
    await write(wheel.pilot, "run settings")
    await wheel.shows("How the next turns run")
    await wheel.pilot.press("enter")
    await wheel.over("SettingsScreen")


async def answer(wheel: Wheel, row: str, text: str) -> None:
    await wheel.mark_row(row)
    await wheel.pilot.press("enter")
    await wheel.over("Ask")
    await wheel.pilot.press("end", "ctrl+u", *text)
    await wheel.pilot.press("enter")
    await wheel.over("SettingsScreen")


def settings(wheel: Wheel) -> RunSettings:
    return wheel.view.settings.run if wheel.view.settings else RunSettings()


@STORES
async def test_settings_changed_from_the_palette_hold_for_the_next_turn_and_are_seen(
    tmp_path: Path, storage: str
) -> None:
    async with sailing(ship(tmp_path, storage), storage) as wheel:
        assert "⚙" not in wheel.screen.split("\n")[0]
        await at_the_settings(wheel)
        await answer(wheel, "Model calls a turn", "1")
        await wheel.pilot.press("escape")
        await wheel.until(lambda: settings(wheel).max_llm_calls == 1, "the setting")
        await wheel.shows("⚙ model calls a turn: 1")
        await wheel.begin("remember course north")
        await wheel.until(lambda: any(not d.ok for d in wheel.view.done), "the limit")
        await wheel.until(lambda: wheel.view.status.phase == "ready")
        await at_the_settings(wheel)
        await wheel.mark_row("Model calls a turn")
        await wheel.pilot.press("x", "escape")
        await wheel.until(lambda: settings(wheel) == RunSettings(), "the default")
        await wheel.until(lambda: "⚙" not in wheel.screen.split("\n")[0], "a plain header")


@STORES
async def test_metadata_threads_and_streaming_reach_the_turn(tmp_path: Path, storage: str) -> None:
    async with sailing(ship(tmp_path, storage), storage) as wheel:
        await at_the_settings(wheel)
        await answer(wheel, "Metadata", "{nonsense")
        await wheel.told("Metadata: This is not JSON")
        await answer(wheel, "Metadata", '{"run": "a"}')
        await answer(wheel, "Threads for tools", "99")
        await wheel.told("Between 0 and 64 threads.")
        await answer(wheel, "Threads for tools", "2")
        await wheel.mark_row("Streaming")
        await wheel.pilot.press("enter", "escape")
        await wheel.shows("⚙ 3 set")
        await wheel.say("ahoy")
        told = wheel.view.log.history()[-1].raw
        assert b'"run"' in told
        await wheel.begin("sleep 600")
        await wheel.shows("▶ sleep")
        # The tool blocks a thread, not the agent: the stop need not wait for it.
        await wheel.pilot.press("escape")
        await wheel.until(lambda: wheel.view.status.phase != "running", "the stop")


@STORES
async def test_settings_that_adk_refuses_change_nothing(tmp_path: Path, storage: str) -> None:
    async with sailing(ship(tmp_path, storage), storage) as wheel:
        await at_the_settings(wheel)
        await answer(wheel, "Kinds of answer", "smell")
        await wheel.pilot.press("escape")
        await wheel.shows("google-adk does not take these settings")
        assert settings(wheel) == RunSettings()
        await wheel.say("ahoy")
        await wheel.tells("captain: ahoy (1 said)")


@STORES
async def test_settings_outlive_a_new_session_and_a_reload(tmp_path: Path, storage: str) -> None:
    async with sailing(ship(tmp_path, storage), storage) as wheel:
        await at_the_settings(wheel)
        await answer(wheel, "Model calls a turn", "7")
        await wheel.pilot.press("escape")
        await wheel.shows("⚙ model calls a turn: 7")
        await wheel.command("/new")
        await wheel.until(lambda: wheel.view.session and wheel.view.session.reason == "new")
        ended = len(wheel.view.done)
        await wheel.pilot.press("f9")
        await wheel.idle(ended)
        assert settings(wheel).max_llm_calls == 7
        await wheel.shows("⚙ model calls a turn: 7")
