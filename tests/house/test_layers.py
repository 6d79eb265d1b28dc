"""Deferred imports stay deferred and rooms stay apart: proved on ``sys.modules``, not on paper.

The contracts in pyproject.toml see imports that are written down; these tests
see what is really loaded, through others too.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY

_IMPORT_ALL = """
import importlib, json, pkgutil, sys
sys.path.insert(0, {repository!r})
before = set(sys.modules)
package = importlib.import_module({package!r})
names = [m.name for m in pkgutil.walk_packages(package.__path__, package.__name__ + ".")]
for name in names:
    if not name.endswith("__main__"):
        importlib.import_module(name)
print(json.dumps({{"imported": names, "loaded": sorted(set(sys.modules) - before)}}))
"""


def loaded_by(package: str, *flags: str) -> set[str]:
    """Names of all modules loaded by importing every module of the package."""
    done = subprocess.run(
        [
            sys.executable,
            *flags,
            "-c",
            _IMPORT_ALL.format(repository=str(REPOSITORY), package=package),
        ],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        cwd=Path("/"),
    )
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert len(report["imported"]) > 3
    return set(report["loaded"])


def rooms(modules: set[str]) -> set[str]:
    """The rooms of our own house among the modules."""
    return {m.split(".")[1] for m in modules if m.startswith("adk_tui.")}


def packages(modules: set[str]) -> set[str]:
    return {m.split(".")[0] for m in modules}


def test_core_runs_on_a_python_with_nothing_installed() -> None:
    modules = loaded_by("adk_tui.core", "-I", "-S")
    assert packages(modules) <= set(sys.stdlib_module_names) | {"adk_tui"}
    assert rooms(modules) == {"core"}


def test_core_does_no_input_or_output_of_its_own() -> None:
    modules = loaded_by("adk_tui.core", "-I", "-S")
    assert packages(modules).isdisjoint({"socket", "subprocess", "threading", "asyncio", "sqlite3"})


def test_the_engine_loads_no_front_end_and_none_of_our_dependencies() -> None:
    modules = loaded_by("adk_tui.engine")
    assert rooms(modules) == {"core", "engine"}
    assert packages(modules).isdisjoint({"textual", "prompt_toolkit", "platformdirs"})


@pytest.mark.parametrize(
    ("package", "ours", "absent"),
    [
        ("adk_tui.client", {"core", "client"}, {"google", "textual", "rich", "pydantic", "typer"}),
        ("adk_tui.tui", {"core", "client", "tui"}, {"google", "pydantic", "typer"}),
    ],
)
def test_the_user_interface_never_loads_google(
    package: str, ours: set[str], absent: set[str]
) -> None:
    modules = loaded_by(package)
    assert rooms(modules) <= ours
    assert packages(modules).isdisjoint(absent)


def test_sample_agents_know_nothing_of_us() -> None:
    sources = [p for p in (REPOSITORY / "agents").rglob("*.py") if ".adk" not in p.parts]
    assert sources
    for source in sources:
        assert "adk_tui" not in source.read_text(encoding="utf-8"), source


def test_the_import_contracts_hold(tmp_path: Path) -> None:
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "from importlinter.cli import lint_imports_command; lint_imports_command()",
            "--cache-dir",
            str(tmp_path),
        ],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert "0 broken" in done.stdout
