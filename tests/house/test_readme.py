import re
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY
from tests.readme import README, rendered

TEXT = README.read_text(encoding="utf-8")


def test_the_tables_of_keys_and_options_are_those_of_the_code() -> None:
    assert rendered(TEXT) == TEXT, "run: python -m tests.readme"


def test_the_first_two_code_blocks_are_one_command_each() -> None:
    blocks = re.findall(r"```sh\n(.*?)```", TEXT, re.S)
    assert len(blocks) == 2
    run, test = (block.strip() for block in blocks)
    assert "\n" not in run + test
    assert run.endswith("adk-tui run agents/stock")
    assert test.endswith("-m pytest -n 2")
    assert TEXT.index(run) < TEXT.index(test) < 1000


def test_ci_runs_the_same_test_command() -> None:
    script = (REPOSITORY / ".ci" / "run").read_text(encoding="utf-8")
    assert "-m pytest -n 2" in script
    assert '-e ".[dev]"' in script


def agents() -> list[Path]:
    return sorted(p.parent for p in (REPOSITORY / "agents").glob("*/agent.py"))


@pytest.mark.parametrize("agent", agents(), ids=lambda a: a.name)
def test_every_sample_agent_has_a_line(agent: Path) -> None:
    assert f"| `agents/{agent.name}` |" in TEXT


def test_no_line_is_about_an_agent_that_is_not_there() -> None:
    named = set(re.findall(r"^\| `agents/(\w+)` \|", TEXT, re.M))
    assert named == {a.name for a in agents()}


def test_every_picture_and_linked_file_is_there() -> None:
    links = [t for t in re.findall(r"\]\(([^)#]+)\)", TEXT) if "://" not in t]
    assert links
    missing = [t for t in links if not (REPOSITORY / t).is_file()]
    assert missing == []


def test_every_module_named_as_a_command_exists() -> None:
    for module in re.findall(r"`(?:python -m )?(tests\.[\w.]+)`", TEXT):
        assert (REPOSITORY / (module.replace(".", "/") + ".py")).is_file(), module
