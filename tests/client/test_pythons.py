"""Which Python runs the agent, and that nothing of ours but core and engine is in it."""

import sys
import venv
from collections.abc import Iterator
from pathlib import Path

import pytest

from adk_tui.client.process import Launch, ProcessEngine
from adk_tui.client.pythons import NoPython, find_python
from adk_tui.core.commands import Say, Start
from adk_tui.core.records import EventRecord
from adk_tui.core.reports import Failure, Notice, Ready
from tests.client.agents import write_agent
from tests.fakes.engine_records import Listener
from tests.fakes.environments import make_environment

ANSWER = """tiny.WORD + " " + sys.prefix + " " + " ".join(sorted(
    n for n in ("textual", "prompt_toolkit", "adk_tui.client", "adk_tui.tui", "platformdirs")
    if found(n))) + " " + os.environ.get("PYTHONPATH", "no-path")"""
IMPORTS = """
import importlib.util, tiny
def found(name):
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:
        return False
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with an environment of its own: google-adk and a module ``tiny``."""
    folder = tmp_path_factory.mktemp("project")
    site = make_environment(folder / ".venv", "google-adk", "aiosqlite")
    (site / "tiny.py").write_text("WORD = 'from-the-project'\n")
    write_agent(folder / "src" / "helper", answer=ANSWER, imports=IMPORTS)
    (folder / ".git").mkdir()
    return folder


def bare(folder: Path) -> Path:
    venv.create(folder)
    return folder


def listen(target: Path, python: str = "") -> Iterator[Listener]:
    engine = ProcessEngine(Launch(Start(str(target), storage="memory"), python=python))
    engine.start()
    yield Listener(engine)
    engine.close()


def test_an_agent_runs_in_its_project_with_nothing_of_ours_but_core_and_engine(
    project: Path,
) -> None:
    for e in listen(project / "src" / "helper"):
        assert e.done(e.engine.submit(Say("hello"))).ok
        (ready,) = e.of(Ready)
        assert ready.python == str(project / ".venv" / "bin" / "python")
        said = next(r.text for r in reversed(e.of(EventRecord)) if r.author == "root")
        assert said.split() == ["from-the-project", str(project / ".venv"), "no-path"]
        assert not e.of(Notice)


def test_the_environment_beside_or_above_the_agent_is_found(project: Path) -> None:
    for target in ("src/helper", "src/helper/agent.py", "."):
        found = find_python(project / target)
        assert found.path == project / ".venv" / "bin" / "python"
        assert "project" in found.why


def test_an_active_environment_comes_first(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VIRTUAL_ENV", str(project / ".venv"))
    assert find_python(tmp_path).path == project / ".venv" / "bin" / "python"
    assert "active" in find_python(tmp_path).why
    monkeypatch.setenv("VIRTUAL_ENV", sys.prefix)
    assert find_python(project / "src").path == Path(sys.executable)


def test_an_environment_without_google_adk_is_passed_over_with_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VIRTUAL_ENV", str(bare(tmp_path / "active")))
    bare(tmp_path / "agent" / "venv")
    (tmp_path / "agent" / ".venv" / "bin").mkdir(parents=True)
    broken = tmp_path / "agent" / ".venv" / "bin" / "python"
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o755)
    found = find_python(tmp_path / "agent")
    assert found.path == Path(sys.executable)
    assert len(found.skipped) == 3
    assert "google-adk" in found.skipped[0]
    assert "no working Python" in found.skipped[1]
    assert all("not used" in sentence for sentence in found.skipped)


def test_an_environment_above_the_project_is_not_taken(tmp_path: Path) -> None:
    bare(tmp_path / ".venv")
    (tmp_path / "project" / ".git").mkdir(parents=True)
    assert find_python(tmp_path / "project").skipped == ()
    assert find_python(tmp_path).skipped != ()


def test_an_environment_of_another_user_is_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import os

    planted = bare(tmp_path / ".venv")
    marker = tmp_path / "ran"
    python = planted / "bin" / "python"
    python.unlink()
    python.write_text(f"#!/bin/sh\ntouch {marker}\n")
    python.chmod(0o755)
    monkeypatch.setattr(os, "getuid", lambda: 4242)
    monkeypatch.setattr(Path, "stat", _owned_by_somebody(Path.stat))
    found = find_python(tmp_path)
    assert "another user" in found.skipped[0]
    assert not marker.exists()


def _owned_by_somebody(real):  # type: ignore[no-untyped-def]
    import os

    def stat(self, **options):  # type: ignore[no-untyped-def]
        found = list(real(self, **options))
        found[4] = 31337
        return os.stat_result(found)

    return stat


@pytest.mark.parametrize(
    ("make", "code", "words"),
    [
        (lambda p: p / "nothing", "python.missing", "no Python at"),
        (lambda p: bare(p / "bare"), "python.unfit", "pip install google-adk"),
    ],
)
def test_an_explicit_python_that_cannot_do_it_fails_with_the_next_step(
    tmp_path: Path, make, code: str, words: str
) -> None:
    wanted = str(make(tmp_path))
    with pytest.raises(NoPython) as caught:
        find_python(tmp_path, wanted)
    failure = caught.value.failure
    assert failure.code == code
    assert words in failure.message + failure.hint
    for e in listen(tmp_path, wanted):
        e.phase("dead")
        assert e.of(Failure) == [failure]


def test_an_explicit_python_may_be_an_environment_a_path_or_a_name(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    python = project / ".venv" / "bin" / "python"
    assert find_python(tmp_path, str(project / ".venv")).path == python
    assert find_python(tmp_path, str(python)).path == python
    monkeypatch.setenv("PATH", str(python.parent))
    assert find_python(tmp_path, "python").path == python


def test_modules_in_the_current_folder_do_not_shadow_what_the_engine_needs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "json.py").write_text("raise SystemExit('shadowed')\n")
    (tmp_path / "adk_tui").mkdir()
    (tmp_path / "adk_tui" / "__init__.py").write_text("raise SystemExit('shadowed')\n")
    monkeypatch.chdir(tmp_path)
    for e in listen(write_agent(tmp_path / "agent")):
        assert e.done(e.engine.submit(Say("hello"))).ok


@pytest.mark.slow
def test_an_environment_that_pip_made_runs_an_agent(tmp_path: Path) -> None:
    import subprocess

    venv.create(tmp_path / ".venv", with_pip=True)
    python = tmp_path / ".venv" / "bin" / "python"
    install = [str(python), "-m", "pip", "install", "-q", "google-adk>=2.13,<3", "aiosqlite"]
    done = subprocess.run(install, capture_output=True, text=True, timeout=900, check=False)
    if done.returncode:
        pytest.skip(f"pip cannot install google-adk here: {done.stderr[-300:]}")
    site = next((tmp_path / ".venv").glob("lib/python*/site-packages"))
    (site / "tiny.py").write_text("WORD = 'from-the-project'\n")
    write_agent(tmp_path / "agent", answer=ANSWER, imports=IMPORTS)
    for e in listen(tmp_path / "agent"):
        assert e.done(e.engine.submit(Say("hello"))).ok
        said = next(r.text for r in reversed(e.of(EventRecord)) if r.author == "root")
        assert said.split() == ["from-the-project", str(tmp_path / ".venv"), "no-path"]
