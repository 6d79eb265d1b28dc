"""An agent that does not load gets one plain sentence, its place and the next step."""

import asyncio
import sys
from pathlib import Path

import pytest

from adk_tui.core.reports import Failure
from adk_tui.engine import __main__ as process
from adk_tui.engine.loader import LoadError, load
from tests.engine.loading import AGENT, CASES, isolated_imports, write

__all__ = ["isolated_imports"]
pytestmark = pytest.mark.usefixtures("isolated_imports")
BAD = CASES / "c30_bad_modules"


def failure(target: Path | str) -> Failure:
    with pytest.raises(LoadError) as caught:
        load(str(target))
    found = caught.value.failure
    assert "\n" not in found.message
    assert "Traceback" not in found.message + found.hint
    assert found.message.endswith(".")
    assert found.hint.endswith(".")
    return found


@pytest.mark.parametrize(
    ("variant", "code", "line", "sentence", "hint"),
    [
        ("abs_import", "load.import", 1, "imports abs_import_project", "package.module:root_agent"),
        ("bad_agent_name", "load.config", 14, "'My Helper' must be a valid", "Correct the field"),
        ("coroutine_root", "load.type", 18, "is a coroutine, not an agent", "asyncio.run"),
        ("env_bad", "load.env", 4, ".env:4 is not UTF-8 text", "UTF-8"),
        ("function_root", "load.type", 14, "is a function, not an agent", "root_agent = make"),
        (
            "missing_dep",
            "load.import",
            1,
            "imports yfinance_that_is_not",
            "-m pip install yfinance",
        ),
        ("old_field", "load.config", 14, "flow: there is no such field", "Correct the field"),
        ("other_name", "load.no_root", 15, "but support_agent (line 15)", "root_agent = support"),
        (
            "syntax_error",
            "load.syntax",
            14,
            "agent.py:14: '(' was never closed",
            "Correct the line",
        ),
        ("sys_exit", "load.exit", 17, "ends the program", "__main__"),
    ],
)
def test_each_bad_module_is_explained_with_its_line(
    variant: str, code: str, line: int, sentence: str, hint: str
) -> None:
    found = failure(BAD / variant)
    assert (found.code, found.line) == (code, line)
    assert sentence in found.message
    assert hint in found.hint
    assert Path(found.file).parent == BAD / variant
    if code not in ("load.env", "load.no_root"):
        assert f"{variant}/agent.py:{line}" in found.message


@pytest.mark.parametrize(
    "variant",
    ["01_digits_first", "email", "flat_module.py", "init_only", "my-dashed-agent", "nested_pkg"],
)
def test_the_other_variants_load(variant: str) -> None:
    assert load(str(BAD / variant)).app.root_agent is not None


def test_a_folder_without_an_agent_names_those_found_nearby(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, agents__stock__agent=AGENT.format(name="a"))
    found = failure(BAD / "empty_dir")
    assert found.code == "load.no_agent"
    assert "holds no agent" in found.message
    assert "adk-tui run" in found.hint
    monkeypatch.chdir(tmp_path)
    assert failure("agents").hint == "Try adk-tui run agents/stock."
    assert failure(".").hint == "Try adk-tui run agents/stock."


def test_a_misspelt_name_is_told_the_one_it_is_like(tmp_path: Path) -> None:
    write(tmp_path, agents__abc__agent="", agents__stock__agent="", agents__travel__agent="")
    found = failure("agents/stok")
    assert found.code == "load.missing"
    assert found.message == "There is no file or folder agents/stok."
    assert found.hint.startswith("Try adk-tui run agents/stock,")


def test_a_path_far_from_any_agent_says_what_an_agent_is(tmp_path: Path) -> None:
    assert "agent.py" in failure("nowhere/at/all").hint


def test_a_file_of_another_kind_points_at_the_agent_beside_it(tmp_path: Path) -> None:
    write(tmp_path, shop__agent=AGENT.format(name="a"))
    (tmp_path / "shop" / "README.md").write_text("# shop")
    assert failure("shop/README.md").hint == "Try adk-tui run shop."


def test_a_package_without_an_agent_is_a_folder_without_one(tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "__init__.py").write_text("VALUE = 1\n")
    assert failure("lib").code == "load.no_agent"


@pytest.mark.parametrize(
    ("source", "code", "line", "sentence", "hint"),
    [
        ("x = 1 / 0", "load.error", 1, "raised ZeroDivisionError", "Correct the code"),
        ("import os\nos.environ['MY_KEY_X']", "load.error", 2, "KeyError", "Set MY_KEY_X in"),
        ("raise EOFError('no input')", "load.error", 1, "EOFError", "do not call input()"),
        ("class Odd(BaseException): pass\nraise Odd", "load.error", 2, "raised Odd", "Correct"),
        ("import sys\nsys.exit('bye')", "load.exit", 2, "SystemExit: bye", "__main__"),
        ("from os import nothing_there", "load.import", 1, "cannot import name", "version"),
        ("import google.adk.nothing", "load.import", 1, "google.adk.nothing", "google-adk"),
        ("from helper import x", "load.import", 1, "imports helper", "from .helper import"),
        ("async def root_agent(): pass", "load.type", 1, "an async function", "asyncio.run"),
        ("class Root: pass\nroot_agent = Root", "load.type", 2, "the class Root", "Root(…)"),
        ("root_agent = None", "load.type", 1, "is None", "Assign an agent"),
        ("root_agent = {'a': 1}", "load.type", 1, "of type dict", "Assign an agent"),
        ("def f(): return f()\nf()", "load.error", 1, "RecursionError", "Correct the code"),
        ("x = 'a\n", "load.syntax", 1, "unterminated string", "Correct the line"),
        ("if True:\nx = 1", "load.syntax", 2, "expected an indented block", "Correct the line"),
        ("VALUE = 1", "load.no_root", 0, "defines neither root_agent nor app", "root_agent"),
        ("raise ValueError('bad value')", "load.error", 1, "ValueError", "Correct the code"),
    ],
)
def test_the_kin_of_the_bad_modules_are_explained_too(
    tmp_path: Path, source: str, code: str, line: int, sentence: str, hint: str
) -> None:
    for folder in ("bad_one", "bad-two"):
        write(tmp_path / folder, agent=source, helper="x = 1\n")
        found = failure(folder)
        assert (found.code, found.line) == (code, line)
        assert sentence in found.message
        assert hint in found.hint
        assert Path(found.file) == tmp_path / folder / "agent.py"


def test_an_app_under_the_name_root_agent_is_told_its_name(tmp_path: Path) -> None:
    source = AGENT.format(name="a") + (
        "from google.adk.apps.app import App\nroot_agent = App(name='x', root_agent=root_agent)\n"
    )
    write(tmp_path, shop__agent=source)
    found = failure("shop")
    assert (found.code, found.line) == ("load.type", 4)
    assert "rename root_agent to app" in found.hint


def test_an_error_in_an_imported_module_names_that_module(tmp_path: Path) -> None:
    write(
        tmp_path,
        shop__agent="from .tools import x\n",
        shop__tools="def f(:\n    pass\n",
    )
    found = failure("shop")
    assert (found.code, found.line) == ("load.syntax", 1)
    assert found.file == str(tmp_path / "shop" / "tools.py")


def test_a_module_that_lies_further_up_is_told_where_to_start(tmp_path: Path) -> None:
    write(
        tmp_path,
        project__agents__shop__agent="from common.config import X\n",
        project__common__config="X = 1\n",
    )
    (tmp_path / "project" / "common" / "__init__.py").write_text("")
    found = failure("project/agents/shop")
    assert str(tmp_path / "project") in found.hint
    assert "adk-tui run agents.shop.agent:root_agent" in found.hint


def test_asyncio_run_inside_a_loop_is_explained(tmp_path: Path) -> None:
    write(
        tmp_path,
        shop__agent="import asyncio\nasync def f(): pass\nc = f()\n"
        "try:\n  asyncio.run(c)\nfinally:\n  c.close()\n",
    )

    async def inside() -> None:
        found = failure("shop")
        assert "event loop" in found.message
        assert "no asyncio.run" in found.hint

    asyncio.run(inside())


def test_a_missing_attribute_of_a_module_is_named(tmp_path: Path) -> None:
    write(tmp_path, project__flat=AGENT.format(name="a"))
    found = failure("project.flat:support")
    assert found.message == "The module project.flat has no attribute support."
    for name in ("project.nothing", "project.flat.deeper", "nothing.at.all"):
        found = failure(f"{name}:root_agent")
        assert found.code == "load.missing"
        assert found.message.startswith(f"There is no module {name} in {tmp_path}")
    write(tmp_path, project__needy="import nothing_like_it\n")
    found = failure("project.needy:root_agent")
    assert (found.code, found.line) == ("load.import", 1)
    write(tmp_path, project__factory="def make():\n    return 1\n")
    assert failure("project.factory:make").line == 1


HEAD = "agent_class: LlmAgent\nname: x\nmodel: gemini-2.5-flash\ninstruction: hi\n"


@pytest.mark.parametrize(
    ("text", "line", "sentence", "hint"),
    [
        (b"name: x\n  model: [\n", 2, "root_agent.yaml:2 is no YAML: mapping values", "the line"),
        (b"name: 'x\nmodel: [", 2, "is no YAML", "Correct the line"),
        (b"# ok\nname: caf\xe9\n", 2, "root_agent.yaml:2 is not UTF-8 text", "UTF-8"),
        (b"", 0, "root_agent.yaml cannot be loaded: Invalid agent config", "Correct"),
        (b"- a\n- b\n", 0, "root_agent.yaml", "Correct"),
        (HEAD.encode() + b"flow: auto\n", 0, "LlmAgentConfig, flow: there is no", "the field"),
        (HEAD.encode() + b"tools:\n- name: nosuch.tool\n", 0, "names nosuch, which", "package"),
        (HEAD.encode() + b"tools:\n- name: nosuch\n", 0, "no attribute 'nosuch'", "Correct"),
        (
            HEAD.encode() + b"sub_agents:\n- config_path: 'a/b.yaml'\n",
            6,
            "shop/root_agent.yaml:6 names a/b.yaml, which is not there",
            "as seen from",
        ),
    ],
)
def test_a_yaml_agent_that_is_wrong_is_explained(
    tmp_path: Path, text: bytes, line: int, sentence: str, hint: str
) -> None:
    (tmp_path / "shop").mkdir()
    file = tmp_path / "shop" / "root_agent.yaml"
    file.write_bytes(text)
    found = failure("shop")
    assert (found.code, found.file, found.line) == ("load.config", str(file), line)
    assert sentence in found.message
    assert hint in found.hint


@pytest.mark.parametrize(
    ("source", "line", "hint"),
    [
        (b"x = 1\ny = '\0'\n", 2, "UTF-8"),
        ("x = 'é'\n".encode("utf-16"), 1, "UTF-8"),
        (b"x = 1\ny = 'caf\xe9 '\n", 2, "UTF-8"),
    ],
)
def test_a_source_that_is_no_text_is_named_with_its_line(
    tmp_path: Path, source: bytes, line: int, hint: str
) -> None:
    write(tmp_path, shop__agent="")
    (tmp_path / "shop" / "__init__.py").write_text("from . import agent\n")
    (tmp_path / "shop" / "agent.py").write_bytes(source)
    found = failure("shop")
    assert (found.code, found.line) == ("load.syntax", line)
    assert found.message.startswith(f"Syntax error in shop/agent.py:{line}: ")
    assert hint in found.hint


@pytest.mark.parametrize("other", ["from .agent import x\n", "from . import agent\nagent.x\n"])
def test_modules_that_import_each_other_are_told_how_to_part(tmp_path: Path, other: str) -> None:
    write(tmp_path, shop__agent="from . import other\nx = 1\n", shop__other=other)
    found = failure("shop")
    assert found.file == str(tmp_path / "shop" / "other.py")
    assert "import each other" in found.hint


def test_an_extra_of_google_adk_that_is_missing_is_told_by_its_own_name(tmp_path: Path) -> None:
    said = "Needs more. Please install with: pip install 'google-adk[extensions]'"
    write(tmp_path, shop__agent=f'raise ImportError("{said}")\n')
    step = '-m pip install "google-adk[extensions]".'
    assert failure("shop").hint.endswith(f"{sys.executable} {step}")


def test_a_tool_that_is_none_is_said_once(tmp_path: Path) -> None:
    source = AGENT.format(name="a").replace("model='m'", "model='m', tools=[3]")
    write(tmp_path, shop__agent=source)
    found = failure("shop")
    assert "tools.0: Input should be callable, or an instance of BaseTool" in found.message
    assert found.message.count("tools.0") == 1


def test_a_file_that_may_not_be_read_is_named(tmp_path: Path) -> None:
    write(tmp_path, shop__agent="raise PermissionError(13, 'Permission denied', 'key.json')\n")
    assert "Make key.json readable" in failure("shop").hint


def test_what_adk_says_on_the_way_is_not_printed_beside_the_sentence(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, recwarn: pytest.WarningsRecorder
) -> None:
    write(tmp_path, shop__agent="root_agent = 'hello'\n")
    assert failure("shop").code == "load.type"
    assert caplog.records == []
    assert [str(w.message) for w in recwarn] == []


def test_details_begin_with_the_users_own_frames(tmp_path: Path) -> None:
    write(tmp_path, shop__agent="def f():\n    raise OSError('gone')\nf()\n")
    first, _, rest = failure("shop").details.partition("\n\n")
    assert first.count("agent.py") == 2
    assert "google/adk" not in first
    assert "agent_loader" in rest
    assert "OSError" in rest


def test_the_interpreter_named_in_the_hint_is_the_one_that_runs(tmp_path: Path) -> None:
    assert sys.executable in failure(BAD / "missing_dep").hint


@pytest.mark.parametrize(
    ("version", "fits"),
    [("2.13.0", True), ("2.20.1", True), ("dev", True), ("2.12.9", False), ("1.30.0", False)],
)
def test_a_google_adk_of_another_version_is_named_with_the_one_that_fits(
    monkeypatch: pytest.MonkeyPatch, version: str, fits: bool
) -> None:
    monkeypatch.setattr(process, "_adk_version", lambda: version)
    found = process._unforeseen(AttributeError("module 'x' has no attribute 'y'"))
    assert (found.code == "load.adk") is not fits
    if not fits:
        assert f"google-adk {version} in {sys.executable} does not fit: " in found.message
        assert found.message.endswith(".")
        assert '"google-adk>=2.13,<3"' in found.hint
