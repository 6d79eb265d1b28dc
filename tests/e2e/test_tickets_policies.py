"""Approving without asking: as narrow as what was said, visible, and taken back by one key."""

from pathlib import Path

from tests.e2e.test_tickets_kinds import runs
from tests.e2e.ticket_app import Desk, copied, desk


async def permit(it: Desk, *keys: str) -> None:
    """Choose something of the list of permissions, for the marked ticket."""
    await it.pilot.press("p")
    await it.until(lambda: it.app.screen is not it.app.main, "the list of permissions")
    await it.pilot.press(*keys, "enter")
    await it.until(lambda: it.app.screen is it.app.main, "the main screen")


async def answered(it: Desk, count: int) -> None:
    await it.until(
        lambda: len(it.answers()) == count and it.view.status.phase == "ready",
        f"{count} answers",
    )
    await it.until(lambda: not it.open, "nothing open")


async def test_a_tool_approved_for_the_session_is_answered_and_marked_as_automatic(
    tmp_path: Path,
) -> None:
    log = tmp_path / "runs"
    async with desk(env={"TICKET_RUNS": str(log)}) as it:
        await it.order("wipe")
        await it.mark()
        await permit(it)
        await answered(it, 1)
        await it.order("wipe")
        await answered(it, 2)
        await it.tells("automatically approved wipe", "by your policy: approve wipe of desk")
        assert runs(log) == ["wipe", "wipe"]
        assert [a.policy for a in it.answers()] == ["", "approve wipe of desk"]
        await it.pilot.press("f4", "l")
        await it.says("automatically (approve wipe of desk)")


async def test_with_these_arguments_another_call_is_asked_for() -> None:
    async with desk() as it:
        await it.order("pay")
        await it.mark()
        await permit(it, "down")
        await answered(it, 1)
        await it.order("pay")
        await answered(it, 2)
        assert it.answers()[1].policy == 'approve pay of desk with {amount: 200, to: "Bo"}'
        await it.order("pay_more")
        await it.shows("1 waiting")
        assert len(it.answers()) == 2


async def test_a_permission_is_listed_and_revoked() -> None:
    async with desk() as it:
        await it.order("pay")
        await it.mark()
        await permit(it)
        await answered(it, 1)
        await it.order("pay")
        await answered(it, 2)
        await it.pilot.press("f4", "p")
        await it.shows("Revoke: approve pay of desk", "answered 1")
        await it.pilot.press("enter")
        await it.shows("Revoked: approve pay of desk.")
        await it.order("pay")
        await it.shows("1 waiting")
        assert len(it.answers()) == 2


async def test_credentials_questions_and_values_are_never_permitted() -> None:
    async with desk() as it:
        for word, reason in (
            ("weather", "Credentials are never given without asking"),
            ("ask", "A question always needs its answer from you"),
            ("brew", "asks for more than yes or no"),
        ):
            await it.order(word)
            await it.mark(len(it.open) - 1)
            await it.pilot.press("p")
            await it.until(lambda: it.app.screen is not it.app.main)
            await it.pilot.press("enter")
            await it.until(lambda reason=reason: reason in it.flat_screen, reason)
            await it.pilot.press("escape")
            await it.until(lambda: it.app.screen is it.app.main)
        assert it.answers() == []


async def test_silent_calls_of_one_turn_are_answered_in_one_message_or_held_for_the_human() -> None:
    async with desk() as it:
        await it.order("render")
        await it.mark()
        await permit(it)
        await answered(it, 1)
        await it.order("render ship")
        await it.until(lambda: "held" in it.rows, "the automatic answer is held")
        await it.says("Held by your policy (approve render of desk)")
        assert len(it.answers()) == 1


async def test_a_permission_ends_with_the_program_and_its_answers_stay_marked(
    tmp_path: Path,
) -> None:
    root = copied(tmp_path)
    async with desk(root=root) as it:
        await it.order("pay")
        await it.mark()
        await permit(it)
        await answered(it, 1)
        await it.order("pay")
        await answered(it, 2)
        assert it.view.session is not None
        session = it.view.session.id
    async with desk(root=root, session=session) as it:
        assert [a.policy for a in it.answers()] == ["", "approve pay of desk"]
        await it.order("pay")
        await it.shows("1 waiting")
        assert len(it.answers()) == 2
