import stat
from pathlib import Path

import pytest
from textual.widgets import Input

from tests.e2e.wheel_app import STORES, Wheel, sailing, ship
from tests.fakes.driving import write


async def at_the_artifacts(wheel: Wheel) -> None:
    await wheel.command("/artifacts")
    await wheel.over("ArtifactsScreen")


async def answer(wheel: Wheel, text: str) -> None:
    await wheel.over("Ask")
    wheel.app.screen.query_one(Input).value = text
    await wheel.pilot.press("enter")


@STORES
async def test_every_version_is_listed_looked_at_and_saved_to_a_private_file(
    tmp_path: Path, storage: str
) -> None:
    async with sailing(ship(tmp_path, storage), storage) as wheel:
        await wheel.say("paint map here be dragons")
        await wheel.say("paint map here be gold")
        await at_the_artifacts(wheel)
        await wheel.shows("1 file", "version 1", "version 0", "here be gold")
        await wheel.pilot.press("down")
        await wheel.shows("here be dragons")
        await wheel.pilot.press("s")
        target = tmp_path / "out" / "map.txt"
        await answer(wheel, str(target))
        await wheel.until(target.exists, "the file")
        assert target.read_text() == "here be dragons"
        assert stat.S_IMODE(target.stat().st_mode) == 0o600
        await wheel.pilot.press("up", "enter")
        await answer(wheel, str(target))
        second = target.with_name("map-1.txt")
        await wheel.until(second.exists, "another file")
        assert target.read_text() == "here be dragons", "no file is replaced"
        assert second.read_text() == "here be gold"


@STORES
async def test_a_hostile_name_offers_a_safe_file_name(tmp_path: Path, storage: str) -> None:
    async with sailing(ship(tmp_path, storage), storage) as wheel:
        await wheel.say("paint ..%2F.\x1b[2Jmap.txt x")
        await at_the_artifacts(wheel)
        await wheel.shows("1 file")
        assert "\x1b" not in wheel.screen
        await wheel.pilot.press("s")
        await wheel.over("Ask")
        offered = wheel.app.screen.query_one(Input).value
        assert offered
        assert not set(offered) & set("/\x1b\\")
        assert not offered.startswith(".")


@STORES
async def test_a_file_is_added_and_one_that_cannot_be_read_is_told(
    tmp_path: Path, storage: str
) -> None:
    chart = tmp_path / "chart.txt"
    chart.write_text("rocks ahead")
    async with sailing(ship(tmp_path, storage), storage) as wheel:
        await wheel.say("ahoy")
        await at_the_artifacts(wheel)
        await wheel.shows("This session has no artifacts.")
        await wheel.pilot.press("a")
        await answer(wheel, str(tmp_path / "nothing.txt"))
        await wheel.told("cannot be attached")
        await wheel.pilot.press("a")
        await answer(wheel, str(chart))
        await wheel.shows("chart.txt", "rocks ahead")
        await wheel.pilot.press("s")
        await answer(wheel, "/proc/nowhere/chart.txt")
        await wheel.told("cannot be written")


@STORES
@pytest.mark.parametrize("kept", [False, True])
async def test_an_attached_file_is_sent_along_or_kept_as_an_artifact(
    tmp_path: Path, storage: str, kept: bool
) -> None:
    chart = tmp_path / "chart.txt"
    chart.write_text("rocks ahead")
    async with sailing(ship(tmp_path, storage), storage) as wheel:
        if kept:
            await wheel.command("/settings")
            await wheel.over("SettingsScreen")
            await wheel.mark_row("@file becomes an artifact")
            await wheel.pilot.press("enter")
            await wheel.shows("yes")
            await wheel.pilot.press("escape")
            await wheel.shows("⚙ @file becomes an artifact: yes")
        await write(wheel.pilot, f"look at @{chart}")
        ended = len(wheel.view.done)
        await wheel.pilot.press("escape", "enter")
        await wheel.idle(ended)
        sent = wheel.view.log.history()[0]
        assert (b"inlineData" in sent.raw) is not kept
        await at_the_artifacts(wheel)
        await wheel.shows("rocks ahead" if kept else "This session has no artifacts.")
