"""A home folder that nobody has ends no program, wherever a path is typed."""

from pathlib import Path

import pytest

from adk_tui.cli.targets import TargetError, complete_target, resolve_target
from adk_tui.client.attach import AttachError, attach
from adk_tui.client.completion import complete
from adk_tui.client.paths import typed_path
from adk_tui.client.pythons import NoPython, find_python

NOBODY = "~nobody-has-this-name"


def test_home_is_the_home_folder_and_a_strange_one_stays_as_it_is() -> None:
    assert typed_path("~/x") == Path.home() / "x"
    assert typed_path(f"{NOBODY}/x") == Path(f"{NOBODY}/x")


def test_a_home_that_nobody_has_is_a_path_that_is_not_there() -> None:
    with pytest.raises(TargetError, match=f"There is no {NOBODY}"):
        resolve_target(NOBODY)
    assert complete_target(f"{NOBODY}/a") == []
    with pytest.raises(AttachError, match="No such file"):
        attach((f"{NOBODY}/x.txt",))
    assert complete(f"look at @{NOBODY}/x", True, lambda _: ()) == ()
    with pytest.raises(NoPython, match="There is no Python"):
        find_python(Path(), NOBODY)
