"""Taking back, going beside and setting up in ``adk-tui chat``, on a pseudo terminal."""

import re
from pathlib import Path

from tests.console.chats import Chat, chatting

COUNTS = """
def reply(request):
    said = [p.text for c in request.contents if c.role == "user" for p in c.parts]
    return say("HEARD " + repr(said))

billing = LlmAgent(name="billing", model=Scripted(say("Billing here.")), description="Bills.")
root_agent = LlmAgent(name="root", model=Scripted(reply), sub_agents=[billing])
"""


def _wait_row(chat: Chat, pattern: str, count: int = 1) -> None:
    """Wait for rows that fit from their beginning: no line that was typed does."""
    wanted = re.compile(pattern, re.M)
    chat.wait(lambda: len(wanted.findall(chat.text)) >= count, pattern)


def test_titles_state_edits_and_transfers_are_taken_back_newest_first(tmp_path: Path) -> None:
    with chatting(tmp_path, COUNTS, rows=80) as chat:
        chat.say("/undo")
        chat.wait_for("There is nothing to undo")
        chat.say("/rename Trip to Paris")
        chat.wait_for("Called 'Trip to Paris'.")
        chat.say("/sessions")
        _wait_row(chat, r"^▸ .* Trip to Paris")
        chat.say("/state city=Rome")
        chat.say("/state city=Oslo")
        chat.say("/transfer billing")
        chat.wait_for("billing>")
        chat.say("/undo")
        chat.wait_for("Undone: a transfer.")
        chat.say("/undo")
        chat.wait_for("Undone: a state edit.")
        chat.say("/state")
        _wait_row(chat, r'^ *city = "Rome"')
        chat.say("/undo")
        chat.wait(lambda: chat.text.count("Undone: a state edit.") == 2, "the other edit")
        chat.say("/undo")
        chat.wait_for("Undone: the title Trip to Paris.")
        chat.say("/sessions")
        _wait_row(chat, r"^▸ ", 2)
        assert len(re.findall(r"^▸ .* Trip to Paris", chat.text, re.M)) == 1
        chat.say("/undo")
        chat.wait(lambda: chat.text.count("There is nothing to undo") == 2, "no step left")


def test_a_title_is_asked_for_where_none_is_given(tmp_path: Path) -> None:
    with chatting(tmp_path, COUNTS) as chat:
        chat.say("/rename")
        chat.wait_for("Ctrl+C: as it is):")
        chat.send("Trip to Oslo")
        chat.wait_for("Called 'Trip to Oslo'.")


def test_an_edited_message_takes_the_place_of_the_old_one(tmp_path: Path) -> None:
    with chatting(tmp_path, COUNTS) as chat:
        chat.say("one")
        chat.wait_for("HEARD ['one']")
        chat.say("/edit")
        chat.wait_for("In the place of this message")
        chat.press("ctrl+c")
        chat.say("two")
        chat.wait_for("HEARD ['one', 'two']")
        chat.say("/edit")
        chat.wait(lambda: chat.text.count("In the place of this") == 2, "the question")
        chat.wait(lambda: re.search(r"^two$", chat.text, re.M), "the old words")
        chat.type(" and a half")
        chat.wait_for("two and a half")
        chat.press("enter")
        chat.wait_for("HEARD ['one', 'two and a half']")


def test_a_fork_goes_on_in_another_session_with_all_that_was_said(tmp_path: Path) -> None:
    with chatting(tmp_path, COUNTS) as chat:
        chat.say("one")
        chat.wait_for("HEARD ['one']")
        chat.say("/fork Beside")
        _wait_row(chat, r"^Session ", 2)
        chat.wait_for("you: one")
        first, second = re.findall(r"^Session (\S+)\.", chat.text, re.M)
        assert first != second
        chat.say("/sessions")
        _wait_row(chat, rf"^▸ {re.escape(second)} .* Beside")
        _wait_row(chat, rf"^ *{re.escape(first)} ")


def test_a_file_goes_in_as_an_artifact_and_out_again(tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text("Words of a file.\n")
    with chatting(tmp_path, COUNTS, rows=60) as chat:
        chat.say("/artifacts")
        chat.wait_for("This session has no artifacts.")
        chat.wait_for("Enter: none)")
        chat.send("+")
        chat.wait_for("Add which file?")
        chat.type(str(tmp_path / "in.txt") + "\r")
        chat.wait_for("Added in.txt")
        chat.say("/artifacts")
        _wait_row(chat, r"^ *1 +in\.txt +version 0 +text/plain")
        chat.wait(lambda: chat.text.count("Look at which?") == 2, "the question")
        chat.send("1")
        _wait_row(chat, r"^Words of a file\.")
        chat.wait_for("Save to which file?")
        chat.press("ctrl+u")
        chat.type(str(tmp_path / "out.txt") + "\r")
        chat.wait_for("Saved ")
        assert (tmp_path / "out.txt").read_text() == "Words of a file.\n"


def test_run_settings_are_shown_changed_and_checked(tmp_path: Path) -> None:
    with chatting(tmp_path, COUNTS, rows=80) as chat:
        chat.say("/settings")
        chat.wait_for("Change which?")
        chat.send("1")
        _wait_row(chat, r"^● 1 +Streaming +off")
        chat.wait(lambda: chat.text.count("Change which?") == 2, "the next choice")
        chat.send("3")
        chat.wait_for("-1: no limit):")
        chat.send("many")
        chat.wait_for("is no whole number")
        chat.wait(lambda: chat.text.count("Change which?") == 3, "the next choice")
        chat.send("3")
        chat.wait(lambda: chat.text.count("-1: no limit):") == 2, "the question again")
        chat.send("12")
        _wait_row(chat, r"^● 3 +Model calls a turn +12")
        chat.wait(lambda: chat.text.count("Change which?") == 4, "the next choice")
        chat.press("enter")
        chat.say("one")
        chat.wait_for("HEARD ['one']")


def test_no_command_is_offered_that_needs_the_full_screen(tmp_path: Path) -> None:
    with chatting(tmp_path, COUNTS) as chat:
        for typed, offered, never in (("/t", "/transfer", "/theme"), ("/u", "/undo", "/unqueue")):
            chat.type(typed)
            chat.wait_for(offered)
            assert never not in chat.text
            chat.press("ctrl+c")


def test_a_state_that_no_store_takes_is_refused_before_it_is_sent(tmp_path: Path) -> None:
    with chatting(tmp_path, COUNTS, rows=80) as chat:
        chat.say(f"/state count={1 << 70}")
        chat.wait_for("Nothing was written. count: the value is too large a number.")
        chat.say("/state user:=1")
        chat.wait_for("Nothing was written. user:: a key needs a name.")
        chat.say(f"/new count={1 << 70}")
        chat.wait_for("No session was made. count: the value is too large a number.")
        chat.say("/new nonsense")
        chat.wait_for("'nonsense' is not KEY=VALUE.")
        chat.say("/events author:user")
        chat.wait_for("No event fits.")
