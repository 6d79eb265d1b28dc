"""All sessions are deleted under the full screen: it stays as it was, and goes on."""

import shutil
from pathlib import Path

from tests.e2e.wheel_app import sailing, ship


async def test_a_reload_after_the_store_was_deleted_goes_on_with_chat_ticket_and_message(
    tmp_path: Path,
) -> None:
    target = ship(tmp_path, "file")
    async with sailing(target, "file") as wheel:
        await wheel.say("remember course north")
        await wheel.say("pay 20")
        await wheel.until(lambda: len(wheel.open) == 1, "the ticket")
        before = [event.id for event in wheel.view.log.history()]
        shutil.rmtree(target / ".adk")

        await wheel.say("still afloat")
        failure = wheel.view.done[-1].failure
        assert failure is not None
        assert "F9" in failure.hint
        await wheel.until(
            lambda: wheel.app.main.area.prompt.text == "still afloat", "what was not stored"
        )
        await wheel.tells("remember course north", "captain: pay is done.")
        assert [event.id for event in wheel.view.log.history()] == before

        await wheel.pilot.press("f9")
        await wheel.told("was no longer in its store")
        await wheel.until(lambda: wheel.view.session and wheel.view.session.reason == "reload")
        await wheel.until(lambda: wheel.view.status.phase == "ready", "ready again")
        await wheel.until(lambda: len(wheel.view.log.history()) == len(before), "all events")
        assert [event.id for event in wheel.view.log.history()] == before
        assert len(wheel.open) == 1
        assert wheel.state == {"course": "north"}
        assert not wheel.view.failures

        ended = len(wheel.view.done)
        if wheel.app.main.region_name != "prompt":
            await wheel.pilot.press("f2")
            await wheel.until(lambda: wheel.app.main.region_name == "prompt", "the prompt")
        await wheel.pilot.press("enter")
        await wheel.idle(ended)
        await wheel.tells("captain: still afloat (3 said)")
