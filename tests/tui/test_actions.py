import pytest

from adk_tui.core.wire import COMMAND_NAMES
from adk_tui.tui.actions import (
    ACTIONS,
    BY_NAME,
    Situation,
    bindings,
    key_label,
    readme_table,
    usage,
    why_not,
)
from adk_tui.tui.performer import Performer

READY = Situation(
    phase="ready",
    capabilities=COMMAND_NAMES,
    loaded=True,
    waiting=1,
    answers=1,
    turns=1,
    tickets=1,
    undoable=1,
)


def test_no_key_means_two_things_in_one_place() -> None:
    for where in ("everywhere", "prompt", "lists", "approvals"):
        keys = [k for a in ACTIONS if a.where == where for k in a.keys]
        assert len(keys) == len(set(keys))


def test_names_and_slash_commands_are_unique() -> None:
    names = [a.name for a in ACTIONS]
    slashes = [a.slash for a in ACTIONS if a.slash]
    assert len(names) == len(set(names))
    assert len(slashes) == len(set(slashes))


def test_the_commands_that_were_promised_exist() -> None:
    promised = ["help", "new", "quit", "stop", "transfer", "reload", "sessions", "state", "rewind"]
    assert set(promised) <= {a.slash for a in ACTIONS}


def test_every_needed_capability_is_a_command_of_the_wire() -> None:
    assert {a.needs for a in ACTIONS if a.needs} <= COMMAND_NAMES


def test_every_action_of_everywhere_and_the_lists_is_performed() -> None:
    for action in ACTIONS:
        if action.where in ("everywhere", "lists"):
            assert callable(getattr(Performer, action.name)), action.name


def test_every_action_is_in_the_readme_table_with_its_keys_and_command() -> None:
    table = readme_table()
    for action in ACTIONS:
        assert action.help in table
        for key in action.keys:
            assert f"`{key_label(key)}`" in table
        if action.slash:
            assert f"`{usage(action)}`" in table


def test_function_keys_come_before_the_focused_widget_and_letters_after() -> None:
    found = {b.key: b.priority for b in bindings("everywhere")}
    assert all(found[key] for key in ("f6", "f7", "ctrl+p"))
    assert not any(found[key] for key in ("escape", "question_mark"))


@pytest.mark.parametrize(
    ("name", "situation", "reason"),
    [
        ("stop", Situation(phase="ready"), "Nothing is running"),
        ("stop", Situation(phase="reloading"), "cannot be stopped"),
        ("unqueue", Situation(phase="ready"), "Nothing waits"),
        ("copy", Situation(phase="ready"), "not said anything"),
        ("transfer", Situation(phase="loading"), "still being loaded"),
        ("transfer", Situation(phase="failed"), "press F9"),
        ("transfer", Situation(phase="dead"), "Press F9"),
        ("approve", Situation(phase="ready"), "Nothing waits for you"),
        (
            "transfer",
            Situation(phase="ready", loaded=True, capabilities=frozenset({"say"})),
            "this engine cannot",
        ),
    ],
)
def test_a_key_that_cannot_work_now_says_why(name: str, situation: Situation, reason: str) -> None:
    assert reason in why_not(BY_NAME[name], situation)


def test_everything_but_stopping_and_trying_again_is_possible_when_idle() -> None:
    impossible = {a.name for a in ACTIONS if why_not(a, READY)}
    assert impossible == {"stop", "retry"}


@pytest.mark.parametrize(
    ("key", "label"),
    [("ctrl+j", "Ctrl+J"), ("f1", "F1"), ("question_mark", "?"), ("a", "a"), ("alt+up", "Alt+↑")],
)
def test_keys_are_written_as_people_write_them(key: str, label: str) -> None:
    assert key_label(key) == label
