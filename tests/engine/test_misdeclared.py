"""What an agent declares wrongly and only a run finds out is one sentence with the next step."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from google.adk.models.registry import LLMRegistry
from google.adk.tools import FunctionTool

from adk_tui.core.reports import Failure
from adk_tui.engine.failures import classify


def failure(act: Callable[[], object]) -> Failure:
    with pytest.raises(Exception) as caught:  # noqa: PT011 - which one is ADK's affair
        act()
    found = classify(caught.value, folder=Path("/nowhere"))
    assert "\n" not in found.message + found.hint
    return found


@pytest.mark.parametrize("name", ["foo/bar", "nosuch", "claude/x/y"])
def test_an_unknown_model_is_told_which_there_are_and_what_they_need(name: str) -> None:
    found = failure(lambda: LLMRegistry.resolve(name))
    assert (found.code, found.message) == ("model.unknown", f"google-adk knows no model {name}.")
    for part in ("gemini-…", f'{sys.executable} -m pip install "google-adk[openai]"', "--model"):
        assert part in found.hint


class Odd:
    """A type that JSON does not have."""


def takes_odd(x: Odd) -> str:
    """Takes what no model can give."""
    return str(x)


def test_a_tool_with_a_type_that_json_lacks_is_named_with_its_line() -> None:
    found = failure(FunctionTool(takes_odd)._get_declaration)
    line = takes_odd.__code__.co_firstlineno
    assert found.code == "tool.declaration"
    assert "tool takes_odd (" in found.message
    assert f"test_misdeclared.py:{line}) to the model: Pydantic" in found.message
    assert "types that JSON has" in found.hint
