"""One registry: README, help, key bindings, full screen and line mode promise the same."""

import json
import re

import pytest

from adk_tui.console.chat_commands import COMMANDS, ChatCommands
from adk_tui.console.pipe_input import COMMANDS as PIPE_COMMANDS
from adk_tui.core.action_text import key_label, readme_table, usage
from adk_tui.core.actions import ACTIONS, BY_SLASH
from adk_tui.tui.actions import bindings
from tests.readme import README

TEXT = README.read_text(encoding="utf-8")
SLASH = [a for a in ACTIONS if a.slash]


@pytest.mark.parametrize("action", SLASH, ids=lambda a: a.slash)
def test_every_command_is_done_by_the_line_mode_or_marked_as_of_the_full_screen(action) -> None:
    done = callable(getattr(ChatCommands, action.name, None))
    assert done is not action.full_screen
    assert (action in COMMANDS) is not action.full_screen


def test_the_line_mode_has_no_command_of_its_own() -> None:
    own = {n for n in vars(ChatCommands) if not n.startswith("_")} - {"do", "situation"}
    assert own == {a.name for a in COMMANDS}


@pytest.mark.parametrize("action", ACTIONS, ids=lambda a: a.name)
def test_every_action_has_its_row_in_the_readme(action) -> None:
    rows = [row for row in TEXT.splitlines() if action.help in row]
    assert any(all(f"`{key_label(k)}`" in row for k in action.keys) for row in rows)
    if action.slash:
        assert any(f"`{usage(action)}`" in row for row in rows)
        assert any(("full screen only" in row) is action.full_screen for row in rows)


def test_every_key_of_the_registry_is_bound_where_it_says() -> None:
    for where in {a.where for a in ACTIONS}:
        bound = {b.key for b in bindings(where)}
        assert bound == {k for a in ACTIONS if a.where == where for k in a.keys}


def test_commands_are_found_by_their_word() -> None:
    assert {a.slash: a for a in SLASH} == BY_SLASH
    assert readme_table() in TEXT


def test_the_readme_tells_every_command_of_the_pipe_as_json() -> None:
    told = re.findall(r'^\| `(\{"cmd":"\w+".*?\})` \|', TEXT, re.M)
    assert {json.loads(t.replace("…", "0").replace("{0}", "{}"))["cmd"] for t in told} == set(
        PIPE_COMMANDS
    )


def test_the_readme_tells_every_line_that_the_pipe_writes() -> None:
    told = set(re.findall(r'^\| `\{"type":"(\w+)"', TEXT, re.M))
    assert told == {"ready", "event", "ticket", "session", "warning", "error", "idle"}
