"""Keys that are pressed while ``adk-tui chat`` shows no prompt, on a pseudo terminal."""

import os
import signal
import sys
from pathlib import Path

import pytest

from tests.console.chats import Chat
from tests.console.programs import write_agent

WAITS = """
import asyncio, pathlib

async def wait() -> dict:
    "Waits for a file."
    while not pathlib.Path(__file__).with_name("go").exists():
        await asyncio.sleep(0.02)
    return {}

def reply(request):
    part = request.contents[-1].parts[0]
    return say("HEARD " + repr(part.text)) if part.text != "wait" else call("wait")

def after_wait(request):
    part = request.contents[-1].parts[0]
    return say("It is over.") if part.function_response else reply(request)

root_agent = LlmAgent(name="root", model=Scripted(after_wait), tools=[wait])
"""

SHELL = """
import os, signal, sys, termios

signal.signal(signal.SIGTTOU, signal.SIG_IGN)
before = termios.tcgetattr(0)
if not (job := os.fork()):
    os.setpgid(0, 0)
    os.tcsetpgrp(0, os.getpid())
    signal.signal(signal.SIGTTOU, signal.SIG_DFL)
    os.execv(sys.argv[1], sys.argv[1:])
os.waitpid(job, os.WUNTRACED)
print("SUSPENDED", termios.tcgetattr(0) == before, flush=True)
os.tcsetpgrp(0, os.getpgrp())
input()
os.tcsetpgrp(0, job)
os.kill(job, signal.SIGCONT)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(job, 0)[1]))
"""
"""As much of a shell as it takes to suspend a program and to go on with it."""


def _waiting(chat: Chat) -> None:
    """Begin a run that goes on until there is a file."""
    chat.wait_prompt()
    chat.send("wait")
    chat.wait_for("→ wait")


def test_ctrl_d_that_is_pressed_during_a_run_leaves_after_it(tmp_path: Path) -> None:
    agent = write_agent(tmp_path, WAITS)
    with Chat(agent, home=tmp_path) as chat:
        _waiting(chat)
        chat.press("ctrl+d")
        (agent / "go").touch()
        assert chat.wait_exit() == 0
        assert "It is over." in chat.text
        chat.assert_clean()


def test_ctrl_d_right_behind_a_command_leaves_after_it(tmp_path: Path) -> None:
    with Chat(write_agent(tmp_path, WAITS), home=tmp_path) as chat:
        chat.wait_prompt()
        chat.type("/undo")
        chat.wait_for("/undo")
        chat.press("enter")
        chat.wait_for("There is nothing to undo")
        chat.press("ctrl+d")
        assert chat.wait_exit() == 0
        chat.assert_clean()


def test_what_is_typed_during_a_run_is_in_the_next_prompt_and_not_in_the_answer(
    tmp_path: Path,
) -> None:
    agent = write_agent(tmp_path, WAITS)
    with Chat(agent, home=tmp_path) as chat:
        _waiting(chat)
        chat.type("and then")
        (agent / "go").touch()
        chat.wait_for("root> and then")
        assert "and then" not in chat.text.partition("It is over.")[0]
        chat.press("enter")
        chat.wait_for("HEARD 'and then'")
        chat.leave()


def test_enter_during_a_run_sends_nothing(tmp_path: Path) -> None:
    agent = write_agent(tmp_path, WAITS)
    with Chat(agent, home=tmp_path) as chat:
        _waiting(chat)
        chat.type("one\rtwo")
        (agent / "go").touch()
        chat.wait_for("two")
        chat.press("enter")
        chat.wait_for(r"HEARD 'one\ntwo'")
        chat.leave()


def test_ctrl_c_stops_a_run_behind_keys_that_were_typed(tmp_path: Path) -> None:
    with Chat(write_agent(tmp_path, WAITS), home=tmp_path) as chat:
        _waiting(chat)
        chat.type("half a thought")
        chat.press("ctrl+c")
        chat.wait_for("Stopped.")
        chat.say("again")
        chat.wait_for("HEARD 'again'")
        chat.leave()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT])
def test_a_request_to_end_during_a_run_leaves_a_clean_terminal(tmp_path: Path, number: int) -> None:
    with Chat(write_agent(tmp_path, WAITS), home=tmp_path) as chat:
        _waiting(chat)
        os.kill(chat.process.pid, number)
        assert chat.wait_exit() == 128 + number
        chat.assert_clean()


def test_a_suspended_chat_gives_the_terminal_back_and_goes_on_as_before(tmp_path: Path) -> None:
    agent = write_agent(tmp_path, WAITS)
    with Chat(agent, home=tmp_path, within=(sys.executable, "-c", SHELL)) as chat:
        _waiting(chat)
        chat.press("ctrl+z")
        chat.wait_for("SUSPENDED True")
        chat.press("enter")
        chat.type("and then")
        (agent / "go").touch()
        chat.wait_for("root> and then")
        chat.press("ctrl+c")
        chat.leave()
