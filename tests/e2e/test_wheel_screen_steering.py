from pathlib import Path

from adk_tui.core.chat_items import UserTurn
from adk_tui.tui.performer import DOUBLE_PRESS
from tests.e2e.wheel_app import STORES, sailing, ship


@STORES
async def test_the_conversation_is_handed_over_kept_there_and_taken_back(
    tmp_path: Path, storage: str
) -> None:
    async with sailing(ship(tmp_path, storage), storage) as wheel:
        await wheel.say("ahoy")
        await wheel.mark_agent("hermit")
        await wheel.shows("Cannot take over", "It may not transfer to its parent")
        await wheel.pilot.press("enter")
        await wheel.told("hermit cannot take over")
        await wheel.mark_row("cook")
        await wheel.shows("cook answers next, and stays")
        await wheel.pilot.press("enter")
        await wheel.until(lambda: wheel.route == "cook", "cook")
        await wheel.shows("next → cook")
        await wheel.say("who is there")
        await wheel.tells("cook: who is there")
        await wheel.say("and now")
        await wheel.tells("cook: and now")
        await wheel.command("/undo")
        await wheel.until(lambda: wheel.route == "captain", "the captain")
        await wheel.say("back again")
        await wheel.tells("captain: back again")


@STORES
async def test_an_agent_that_cannot_hold_the_conversation_takes_one_message(
    tmp_path: Path, storage: str
) -> None:
    async with sailing(ship(tmp_path, storage), storage) as wheel:
        await wheel.say("ahoy")
        for _ in range(2):
            await wheel.mark_agent("hermit")
            await wheel.shows("hermit answers the next message only")
            await wheel.pilot.press("o")
            await wheel.back()
            await wheel.shows("hermit answers the next message, once.")
            await wheel.mark_agent("hermit")
            await wheel.pilot.press("o", "escape")
            await wheel.until(lambda: not wheel.view.settings or not wheel.view.settings.once)
        await wheel.mark_agent("hermit")
        await wheel.pilot.press("o")
        await wheel.shows("hermit answers the next message, once.")
        await wheel.say("alone at last")
        await wheel.tells("captain → hermit", "hermit:")
        await wheel.say("who is there")
        await wheel.tells("captain: who is there")


@STORES
async def test_an_open_ticket_that_pulls_the_conversation_back_is_told_before(
    tmp_path: Path, storage: str
) -> None:
    async with sailing(ship(tmp_path, storage), storage) as wheel:
        await wheel.say("pay 20")
        await wheel.until(lambda: len(wheel.open) == 1, "the ticket")
        await wheel.mark_agent("mate")
        await wheel.shows("Answering pay brings captain back")
        await wheel.pilot.press("enter")
        await wheel.until(lambda: wheel.route == "mate", "the mate")
        await wheel.press("a")
        await wheel.until(lambda: wheel.route == "captain", "the captain again")


@STORES
async def test_a_transfer_to_a_name_that_does_not_exist_is_told(
    tmp_path: Path, storage: str
) -> None:
    async with sailing(ship(tmp_path, storage), storage) as wheel:
        await wheel.command("/transfer davy")
        await wheel.told("There is no agent davy. F6 lists them.")
        await wheel.command("/transfer runner")
        await wheel.told("runner cannot be reached")
        assert not wheel.view.log.history()


@STORES
async def test_a_rewind_shows_what_it_takes_back_and_does_that(
    tmp_path: Path, storage: str
) -> None:
    async with sailing(ship(tmp_path, storage), storage) as wheel:
        await wheel.say("ahoy")
        await wheel.say("remember course north")
        await wheel.say("paint map here be dragons")
        await wheel.say("pay 20")
        await wheel.until(lambda: len(wheel.open) == 1, "the ticket")
        stored = len(wheel.view.log.history())
        await wheel.mark_in_chat("remember course north")
        await wheel.pilot.press("w")
        await wheel.over("RewindScreen")
        await wheel.shows("Undone: 3 messages", 'course  "north" → null', "map  version 0")
        await wheel.shows("tickets that wait no more")
        await wheel.pilot.press("enter")
        await wheel.until(lambda: wheel.state.get("course") is None, "the state of before")
        await wheel.until(lambda: not wheel.open, "no ticket")
        assert wheel.app.main.area.prompt.text == "remember course north"
        assert len(wheel.view.log.history()) > stored, "nothing is deleted"
        gone = [i.text for i in wheel.view.transcript.items if isinstance(i, UserTurn)]
        assert "pay 20" in gone
        await wheel.pilot.press(*["backspace"] * 40)
        await wheel.say("who is there")
        await wheel.tells("captain: who is there (2 said)")


@STORES
async def test_a_message_is_edited_in_the_prompt_and_sent_in_its_place(
    tmp_path: Path, storage: str
) -> None:
    async with sailing(ship(tmp_path, storage), storage) as wheel:
        await wheel.say("ahoy")
        await wheel.say("remember course north")
        await wheel.say("later")
        await wheel.pilot.press(*"draft")
        await wheel.mark_in_chat("remember course north")
        await wheel.pilot.press("m")
        await wheel.shows("Instead of “remember course north”", "1 later", "1 state key")
        prompt = wheel.app.main.area.prompt
        assert prompt.text == "remember course north"
        await wheel.pilot.press("escape")
        await wheel.until(lambda: prompt.text == "draft", "the draft that was there")
        assert wheel.app.sending.editing is None
        await wheel.mark_in_chat("remember course north")
        await wheel.pilot.press("m")
        await wheel.until(lambda: prompt.has_focus, "the prompt")
        await wheel.pilot.press(*["backspace"] * 5)
        await wheel.say("south")
        await wheel.until(lambda: wheel.state.get("course") == "south", "the new course")
        await wheel.say("how many")
        await wheel.tells("captain: how many (3 said)")


@STORES
async def test_a_fork_goes_on_from_an_event_and_the_original_stays(
    tmp_path: Path, storage: str
) -> None:
    async with sailing(ship(tmp_path, storage), storage) as wheel:
        await wheel.say("ahoy")
        await wheel.say("remember course north")
        await wheel.say("too far")
        assert wheel.view.session is not None
        first = wheel.view.session.id
        await wheel.mark_in_chat("remember course north")
        await wheel.pilot.press("f")
        await wheel.until(lambda: wheel.view.session and wheel.view.session.id != first, "a fork")
        await wheel.until(lambda: len(wheel.view.log.history()) == 3, "what is before the event")
        await wheel.say("another way")
        second = wheel.view.session.id
        await wheel.command("/fork")
        await wheel.until(lambda: wheel.view.session and wheel.view.session.id != second, "another")
        await wheel.pilot.press("f7")
        await wheel.over("SessionsScreen")
        await wheel.until(lambda: wheel.view.sessions and len(wheel.view.sessions.sessions) == 3)
        await wheel.shows("relatives", "forked from")
        assert wheel.view.sessions is not None
        original = next(s for s in wheel.view.sessions.sessions if s.id == first)
        assert original.turns == 3
        assert len(original.relatives) == 2


@STORES
async def test_a_blocking_tool_is_named_killed_and_the_session_goes_on(
    tmp_path: Path, storage: str
) -> None:
    async with sailing(ship(tmp_path, storage), storage) as wheel:
        await wheel.say("remember course north")
        await wheel.begin("sleep 600")
        await wheel.shows("▶ sleep")
        await wheel.pilot.press("escape")
        await wheel.shows("■ Stopping: waits for sleep", "Esc again ends its process")
        wheel.app.performer._stopped_at -= DOUBLE_PRESS
        await wheel.pilot.press("escape")
        await wheel.until(lambda: wheel.view.status.phase == "ready", "another process")
        await wheel.shows("Stopped by replacing the agent's process")
        assert wheel.state["course"] == "north"
        await wheel.say("still afloat")
        await wheel.tells("captain: still afloat (3 said)")
        await wheel.until(lambda: "Stopped by replacing" not in wheel.screen, "the card is gone")


@STORES
async def test_a_stop_ends_the_turn_and_the_next_message_works(
    tmp_path: Path, storage: str
) -> None:
    async with sailing(ship(tmp_path, storage), storage) as wheel:
        await wheel.begin("wait 600")
        await wheel.shows("▶ wait")
        await wheel.pilot.press("escape")
        await wheel.until(lambda: wheel.view.status.phase == "ready", "the end of the turn")
        await wheel.say("still afloat")
        await wheel.tells("captain: still afloat (2 said)")
