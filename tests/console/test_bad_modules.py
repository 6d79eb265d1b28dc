"""Modules that do not load, in the line modes: one sentence with the next step, and exit code 3."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY
from tests.console.programs import adk_tui, environment

CASES = REPOSITORY / "tests" / "cases" / "c30_bad_modules"


def variants() -> list[Path]:
    found = [p for p in CASES.iterdir() if p.is_dir() or p.suffix == ".py"]
    return sorted(p for p in found if not p.name.startswith(("__", ".")))


@pytest.mark.parametrize("path", variants(), ids=lambda p: p.name)
def test_a_bad_module_is_one_sentence_without_a_traceback(path: Path) -> None:
    done = subprocess.run(
        adk_tui("pipe", str(path), "--in-memory"),
        cwd=REPOSITORY,
        env=environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert "Traceback" not in done.stdout
    assert "adk_tui" not in done.stderr
    if done.returncode == 0:
        assert lines[0]["type"] == "ready"
        return
    assert done.returncode == 3
    if lines:
        (error,) = lines
        assert error["code"].startswith("load.")
        assert len(error["message"]) > 20
    else:
        # Nothing there looks like an agent, which is said before an engine is started.
        assert done.stderr.startswith("adk-tui: ")
        assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "code"),
    [(("ask", "hi"), 3), (("ask", "hi", "--debug"), 3), (("doctor",), 1)],
    ids=str,
)
def test_the_sentence_is_the_same_in_every_mode_and_a_traceback_comes_on_request(
    words: tuple[str, ...], code: int
) -> None:
    command, *rest = words
    done = subprocess.run(
        adk_tui(command, str(CASES / "syntax_error"), *rest),
        cwd=REPOSITORY,
        env=environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    told = done.stdout + done.stderr
    assert "agent.py:14: '(' was never closed" in told
    assert "Correct the line" in told
    assert ("Traceback" in told) is ("--debug" in words)
    assert done.returncode == code
