from pathlib import Path

import pytest

from adk_tui.cli.targets import TargetError, complete_target, find_agents, resolve_target


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("stock", "travel", "café"):
        (tmp_path / "agents" / name).mkdir(parents=True)
        (tmp_path / "agents" / name / "agent.py").write_text("root_agent = None\n")
    (tmp_path / "agents" / "stock" / "tools").mkdir()
    yaml = tmp_path / "more" / "deep" / "from_yaml"
    yaml.mkdir(parents=True)
    (yaml / "root_agent.yaml").write_text("name: a\n")
    (tmp_path / "empty").mkdir()
    (tmp_path / "notes.txt").write_text("")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def complaint(text: str) -> TargetError:
    with pytest.raises(TargetError) as caught:
        resolve_target(text)
    return caught.value


def test_a_folder_becomes_an_absolute_path(project: Path) -> None:
    assert resolve_target("agents/stock/") == str(project / "agents" / "stock")


def test_a_python_file_and_a_module_are_taken_as_they_are(project: Path) -> None:
    file = project / "agents" / "stock" / "agent.py"
    assert resolve_target("agents/stock/agent.py") == str(file)
    assert resolve_target("agents.stock.agent:root_agent") == "agents.stock.agent:root_agent"


@pytest.mark.parametrize(
    "code",
    ["root_agent = x", "app: App = App()", "from .agent import root_agent", "from . import agent"],
)
def test_a_package_is_an_agent_when_it_defines_or_imports_one(project: Path, code: str) -> None:
    package = project / "packaged"
    package.mkdir()
    (package / "__init__.py").write_text(code + "\n")
    if code == "from . import agent":
        assert complaint("packaged").exit_code == 3
    else:
        assert resolve_target("packaged") == str(package)


def test_a_misspelled_name_gets_the_right_one(project: Path) -> None:
    error = complaint("agents/stok")
    assert str(error) == "There is no agents/stok. Did you mean agents/stock?"
    assert error.exit_code == 2


def test_a_missing_folder_lists_the_agents_near_it(project: Path) -> None:
    assert str(complaint("agents/zzzz")).endswith(
        "Agents near there: agents/café, agents/stock, agents/travel."
    )


def test_a_folder_of_agents_lists_them(project: Path) -> None:
    error = complaint("agents")
    assert error.exit_code == 3
    assert str(error).endswith("Agents in it: agents/café, agents/stock, agents/travel.")


def test_a_folder_inside_an_agent_points_to_it(project: Path) -> None:
    assert str(complaint("agents/stock/tools")).endswith("The folder above is one: agents/stock.")


def test_an_empty_folder_says_what_to_give(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project / "empty")
    assert "adk-tui run path/to/my_agent" in str(complaint("."))


def test_a_file_of_another_kind_is_refused(project: Path) -> None:
    assert "notes.txt is no agent" in str(complaint("notes.txt"))


def test_agents_are_found_level_by_level_and_not_inside_each_other(project: Path) -> None:
    hidden = project / ".venv" / "agent"
    hidden.mkdir(parents=True)
    (hidden / "agent.py").write_text("")
    names = [str(p.relative_to(project)) for p in find_agents(project)]
    assert names == ["agents/café", "agents/stock", "agents/travel", "more/deep/from_yaml"]


def test_completion_offers_agents_and_the_folders_that_hold_some(project: Path) -> None:
    assert complete_target("") == ["agents/", "more/"]
    assert complete_target("agents/s") == ["agents/stock"]
    assert complete_target("nowhere/x") == []
