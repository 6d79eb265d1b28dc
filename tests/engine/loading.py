"""Agent folders made on the spot, and a process that is as before after loading them."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

CASES = Path(__file__).parent.parent / "cases"
AGENT = "from google.adk.agents import LlmAgent\nroot_agent = LlmAgent(name={name!r}, model='m')\n"


def write(folder: Path, **files: str) -> Path:
    """Write files below a folder: ``a__agent`` is ``a/agent.py``."""
    for name, text in files.items():
        file = folder / (name.replace("__", "/") + ".py")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return folder


def _places(name: str) -> list[str]:
    module = sys.modules[name]
    return [str(getattr(module, "__file__", None)), *map(str, getattr(module, "__path__", ()))]


@pytest.fixture
def isolated_imports(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """An empty working directory; modules, paths and variables that loading added go away."""
    before = set(sys.modules)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.chdir(tmp_path)
    environment = dict(os.environ)
    yield tmp_path
    os.environ.clear()
    os.environ.update(environment)
    roots = (str(tmp_path), str(CASES))
    added = set(sys.modules) - before
    for name in [n for n in added if any(p.startswith(roots) for p in _places(n))]:
        del sys.modules[name]
