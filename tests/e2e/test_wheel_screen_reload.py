from pathlib import Path

from tests.e2e.wheel_app import STORES, Wheel, sailing, ship
from tests.fakes.driving import write


def code(folder: Path, storage: str) -> Path:
    """The agent as a copy, whatever keeps its sessions: its code is changed."""
    ship(folder, "file")
    return folder / "ship"


def edit(target: Path, old: str, new: str) -> None:
    source = target / "agent.py"
    text = source.read_text()
    assert old in text
    source.write_text(text.replace(old, new))


async def long_talk(wheel: Wheel) -> None:
    for number in range(12):
        await wheel.say(f"message {number}")


@STORES
async def test_new_code_takes_over_and_session_ticket_draft_and_scroll_stay(
    tmp_path: Path, storage: str
) -> None:
    target = code(tmp_path, storage)
    async with sailing(target, storage, size=(120, 30)) as wheel:
        await long_talk(wheel)
        await wheel.say("pay 20")
        await wheel.until(lambda: len(wheel.open) == 1, "the ticket")
        await write(wheel.pilot, "my draft")
        chat, events = wheel.app.main._chat, wheel.app.main._events.stream
        chat.focus()
        await wheel.pilot.press("home", "down", "down")
        events.focus()
        await wheel.pilot.press("home", "down", "down", "down")
        await wheel.until(lambda: chat.scroll_y < 3 and events.scroll_y < 3, "the top")
        cursors = (chat.cursor, events.cursor)
        edit(target, "is done.", "is DONE, new code.")
        ended = len(wheel.view.done)
        await wheel.pilot.press("f9")
        await wheel.until(lambda: wheel.view.session and wheel.view.session.reason == "reload")
        await wheel.until(lambda: len(wheel.view.done) > ended, "the reload")
        await wheel.until(lambda: len(wheel.view.log.history()) == 28, "the session")
        await wheel.shows("message 0")
        assert (chat.cursor, events.cursor) == cursors
        assert chat.scroll_y < 3
        assert events.scroll_y < 3
        assert wheel.app.main.area.prompt.text == "my draft"
        await wheel.press("a")
        items = wheel.view.transcript.items
        assert any(getattr(i, "text", "") == "captain: pay is DONE, new code." for i in items)
        assert wheel.app.main.area.prompt.text == "my draft"


@STORES
async def test_code_that_does_not_load_is_told_with_its_line_while_the_old_agent_serves(
    tmp_path: Path, storage: str
) -> None:
    target = code(tmp_path, storage)
    async with sailing(target, storage) as wheel:
        await wheel.say("ahoy")
        await write(wheel.pilot, "draft")
        edit(target, "def remember(", "def remember(((")
        code_lines = (target / "agent.py").read_text().splitlines()
        broken = next(i for i, row in enumerate(code_lines, 1) if "def remember(((" in row)
        await wheel.pilot.press("f9")
        await wheel.shows(f"agent.py:{broken}", "The old agent goes on serving")
        assert wheel.app.main.area.prompt.text == "draft"
        await wheel.say(" goes on")
        await wheel.tells("captain: draft goes on (2 said)")
        edit(target, "def remember(((", "def remember(")
        edit(target, "({len(said)} said)", "({len(said)} heard)")
        ended = len(wheel.view.done)
        await wheel.pilot.press("f9")
        await wheel.idle(ended)
        await wheel.until(lambda: "agent.py:" not in wheel.screen, "the card is gone")
        await wheel.say("again")
        await wheel.tells("captain: again (3 heard)")


async def test_a_message_sent_while_the_code_is_loaded_is_answered_once(tmp_path: Path) -> None:
    target = code(tmp_path, "file")
    async with sailing(target, "file") as wheel:
        await wheel.say("ahoy")
        await wheel.pilot.press("f9")
        await wheel.shows("Loading the code again; the old agent serves until then.")
        await wheel.begin("in between")
        await wheel.tells("captain: in between (2 said)")
        await wheel.until(lambda: wheel.view.session and wheel.view.session.reason == "reload")
        await wheel.until(lambda: wheel.view.status.phase == "ready")
        await wheel.until(lambda: len(wheel.view.log.history()) == 4, "two turns")


@STORES
async def test_a_saved_file_loads_the_code_again_by_itself(tmp_path: Path, storage: str) -> None:
    target = code(tmp_path, storage)
    async with sailing(target, storage, reload=True) as wheel:
        await wheel.say("ahoy")
        await write(wheel.pilot, "my draft")
        edit(target, "({len(said)} said)", "({len(said)} heard)")
        await wheel.until(lambda: wheel.view.session and wheel.view.session.reason == "reload")
        await wheel.until(lambda: wheel.view.status.phase == "ready", "the new code")
        assert wheel.app.main.area.prompt.text == "my draft"
        await wheel.say(" goes on")
        await wheel.tells("captain: my draft goes on (2 heard)")
        edit(target, "def obeys(", "def obeys(((")
        await wheel.shows("The old agent goes on serving")
        await wheel.say("still there")
        await wheel.tells("captain: still there (3 heard)")
