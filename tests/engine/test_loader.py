"""Every form an agent comes in loads, under the name and the folder that ADK would use."""

import os
import sys
from pathlib import Path

import pytest
from google.adk.agents import LlmAgent
from google.adk.apps.app import App
from google.adk.cli.utils.agent_loader import AgentLoader
from google.adk.workflow import Workflow
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adk_tui.core.reports import Failure
from adk_tui.engine.loader import LoadError, load
from tests.engine.loading import AGENT, CASES, isolated_imports, write

__all__ = ["isolated_imports"]
pytestmark = pytest.mark.usefixtures("isolated_imports")


def test_a_folder_its_agent_file_and_a_relative_path_are_the_same_agent(tmp_path: Path) -> None:
    write(tmp_path, shop__agent=AGENT.format(name="seller"))
    targets = (str(tmp_path / "shop"), str(tmp_path / "shop" / "agent.py"), "shop", "shop/agent.py")
    for target in targets:
        loaded = load(target)
        assert loaded.folder == tmp_path / "shop"
        assert (loaded.app_name, loaded.name) == ("shop", "shop")
        assert loaded.app.root_agent is not None
        assert loaded.app.root_agent.name == "seller"


def test_an_agent_may_be_defined_in_the_package_itself(tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "__init__.py").write_text(AGENT.format(name="in_init"))
    for target in ("shop", "shop/__init__.py"):
        assert load(target).app.root_agent.name == "in_init"


def test_relative_imports_work_in_a_folder_without_init(tmp_path: Path) -> None:
    write(
        tmp_path,
        shop__agent="from .tools.price import NAME\n" + AGENT.replace("{name!r}", "NAME"),
        shop__tools__price="NAME = 'from_tools'\n",
    )
    assert load("shop").app.root_agent.name == "from_tools"


def test_absolute_imports_start_at_the_folder_above_as_under_adk_run(tmp_path: Path) -> None:
    write(
        tmp_path,
        shop__agent="from shop.price import NAME\nfrom other.b import B\n"
        + AGENT.replace("{name!r}", "NAME + B"),
        shop__price="NAME = 'abs'\n",
        other__b="B = 'olute'\n",
    )
    assert load("shop").app.root_agent.name == "absolute"


def test_any_python_file_can_hold_the_agent(tmp_path: Path) -> None:
    write(tmp_path, flat=AGENT.format(name="flat_agent"))
    loaded = load("flat.py")
    assert (loaded.folder, loaded.app_name, loaded.name) == (tmp_path, "flat", "flat")


def test_a_file_with_relative_imports_is_loaded_as_part_of_its_folder(tmp_path: Path) -> None:
    write(
        tmp_path,
        shop__second="from .price import NAME\n" + AGENT.replace("{name!r}", "NAME"),
        shop__price="NAME = 'beside'\n",
    )
    loaded = load("shop/second.py")
    assert loaded.app.root_agent.name == "beside"
    assert (loaded.folder, loaded.app_name) == (tmp_path / "shop", "second")


def test_a_file_that_cannot_be_a_module_name_is_loaded_too(tmp_path: Path) -> None:
    (tmp_path / "my-agent.v2.py").write_text(AGENT.format(name="dashed"))
    loaded = load("my-agent.v2.py")
    assert (loaded.app_name, loaded.name) == ("my-agent_v2", "my-agent.v2")


def test_a_yaml_agent_is_loaded_from_its_folder_or_its_file() -> None:
    folder = CASES / "c30_bad_modules" / "yaml_ok"
    for target in (folder, folder / "root_agent.yaml"):
        assert load(str(target)).app.root_agent.name == "yaml_ok"


def test_a_module_and_attribute_are_found_from_the_current_directory(tmp_path: Path) -> None:
    source = AGENT.format(name="root_one") + "second = LlmAgent(name='second', model='m')\n"
    write(tmp_path, project__agents__agent=source, project__flat=source)
    loaded = load("project.agents.agent:second")
    assert (loaded.folder, loaded.app_name) == (tmp_path / "project" / "agents", "agents")
    assert loaded.app.root_agent.name == "second"
    assert load("project.flat:root_agent").app_name == "flat"


def test_app_wins_over_root_agent_and_its_name_is_the_app_name(tmp_path: Path) -> None:
    source = AGENT.format(name="alone") + (
        "from google.adk.apps.app import App\n"
        "app = App(name='billing-prod', root_agent=LlmAgent(name='in_app', model='m'))\n"
    )
    write(tmp_path, shop__agent=source)
    loaded = load("shop")
    assert (loaded.app_name, loaded.name) == ("billing-prod", "shop")
    assert loaded.app.root_agent.name == "in_app"


def test_something_else_called_app_is_no_reason_to_ignore_root_agent(tmp_path: Path) -> None:
    write(tmp_path, shop__agent="app = object()\n" + AGENT.format(name="root_one"))
    assert load("shop").app.root_agent.name == "root_one"


def test_an_app_of_another_name_keeps_it_and_its_plugins() -> None:
    loaded = load(str(CASES / "c27_app_other_name"))
    assert (loaded.app_name, loaded.name) == ("billing-prod", "c27_app_other_name")
    assert [plugin.name for plugin in loaded.app.plugins] == ["upper"]


def test_the_root_may_be_a_workflow(tmp_path: Path) -> None:
    source = (
        "from google.adk.workflow import Workflow, START\n"
        "def greet(node_input: str) -> str:\n    return 'hello'\n"
        "root_agent = Workflow(name='flow', edges=[(START, greet)])\n"
    )
    write(tmp_path, flow__agent=source)
    assert isinstance(load("flow").app.root_agent, Workflow)


@pytest.mark.parametrize(
    ("folder", "app_name"),
    [
        ("my-dashed-agent", "my-dashed-agent"),
        ("v1.2", "v1_2"),
        ("01_digits", "agent_01_digits"),
        ("calendar", "calendar"),
        ("email", "email"),
        ("json", "json"),
        ("httpx", "httpx"),
        ("google", "google"),
        ("user", "agent_user"),
        ("with space", "with_space"),
        ("für", "f_r"),
    ],
)
def test_folder_names_that_cannot_be_imported_load_all_the_same(
    tmp_path: Path, folder: str, app_name: str
) -> None:
    write(
        tmp_path / folder,
        agent="from .price import NAME\n" + AGENT.replace("{name!r}", "NAME"),
        price="NAME = 'odd'\n",
    )
    loaded = load(folder)
    assert loaded.app.root_agent.name == "odd"
    assert (loaded.app_name, loaded.name) == (app_name, folder)
    assert isinstance(App(name=loaded.app_name, root_agent=LlmAgent(name="x")), App)


def test_a_folder_named_like_a_standard_module_does_not_hide_that_module(tmp_path: Path) -> None:
    source = "import calendar\nDAYS = calendar.monthrange(2024, 2)[1]\n"
    write(tmp_path, calendar__agent=source + AGENT.replace("{name!r}", "f'days{{DAYS}}'"))
    text = (tmp_path / "calendar" / "agent.py").read_text().replace("{{", "{").replace("}}", "}")
    (tmp_path / "calendar" / "agent.py").write_text(text)
    assert load("calendar").app.root_agent.name == "days29"


def test_an_agent_beside_another_agents_file_is_still_found(tmp_path: Path) -> None:
    write(tmp_path, agent=AGENT.format(name="outer"), inner__agent=AGENT.format(name="inner"))
    assert load("inner").app.root_agent.name == "inner"


def test_env_is_the_nearest_one_upwards_and_set_variables_win(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, shop__agent="import os\nSEEN = dict(os.environ)\n" + AGENT.format(name="a"))
    (tmp_path / ".env").write_text("ADK_TUI_TEST_NEW=from_file\nHOME=/wrong\n")
    monkeypatch.delenv("ADK_TUI_TEST_NEW", raising=False)
    home = os.environ["HOME"]
    load("shop")
    seen = sys.modules["shop.agent"].SEEN
    assert seen["ADK_TUI_TEST_NEW"] == "from_file"
    assert seen["HOME"] == home


def test_what_adks_own_loader_takes_is_loaded_as_it_loads_it(tmp_path: Path) -> None:
    write(
        tmp_path,
        one__agent=AGENT.format(name="first"),
        three=AGENT.format(name="third"),
    )
    (tmp_path / "two").mkdir()
    (tmp_path / "two" / "__init__.py").write_text(AGENT.format(name="second"))
    theirs = AgentLoader(str(tmp_path))
    assert theirs.agents_dir == str(tmp_path)
    assert theirs._is_single_agent is False
    for name, target in (("one", "one"), ("two", "two"), ("three", "three.py")):
        expected = theirs.load_agent(name)
        theirs.remove_agent_from_cache(name)
        assert load(target).app.root_agent.name == expected.name


def test_a_slow_import_that_prints_is_waited_for(capfd: pytest.CaptureFixture[str]) -> None:
    assert load(str(CASES / "c25_slow_import")).app.root_agent.name == "sleepy"
    assert capfd.readouterr().out.count("[slow import]") == 4


@settings(
    max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.text(max_size=60) | st.from_regex(r"[a-z_.]{1,20}:[a-z_.]{1,20}", fullmatch=True))
def test_a_target_that_is_nothing_is_always_a_plain_sentence(target: str) -> None:
    try:
        failure = Failure("load.ok", "loaded") if load(target) else None
    except LoadError as error:
        failure = error.failure
    assert failure is not None
    assert failure.message
    assert "Traceback" not in failure.message
    assert failure.code.startswith("load.")
