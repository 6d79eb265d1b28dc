import dataclasses
import typing

import pytest

from adk_tui.core import commands
from adk_tui.core.commands import Answer, Command, Rewind, Say, ToolAnswer
from adk_tui.core.wire import COMMAND_NAMES, command_name


def test_every_command_has_a_name_of_its_own_that_capabilities_list() -> None:
    classes = typing.get_args(Command)
    assert len(COMMAND_NAMES) == len(classes)
    assert "edit_state" in COMMAND_NAMES
    assert "start" not in COMMAND_NAMES


def test_commands_are_frozen_so_that_a_queued_one_cannot_change() -> None:
    say = Say("hello")
    with pytest.raises(dataclasses.FrozenInstanceError):
        say.text = "bye"  # type: ignore[misc]
    assert not hasattr(say, "__dict__")


def test_equal_wishes_are_equal() -> None:
    answer = ToolAnswer("c1", "pay", {"ok": True})
    assert Answer("i1", (answer,)) == Answer("i1", (ToolAnswer("c1", "pay", {"ok": True}),))
    assert command_name(Rewind("i1")) == "rewind"


def test_every_command_says_what_it_is_for() -> None:
    for cls in typing.get_args(Command):
        assert cls.__doc__
        assert not cls.__doc__.startswith(cls.__name__ + "(")
        assert cls.__module__ == commands.__name__
