"""``adk-tui doctor``: one line for each thing, with the next step."""

import io
from pathlib import Path

import pytest

from adk_tui.console.doctor import check_credentials, check_store, check_terminal, failed
from tests.console.programs import AGENTS, run, write_agent
from tests.fakes.gemini_server import serve, text


class Screen(io.StringIO):
    """An output that says it is a terminal."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


def test_every_line_has_a_mark_and_all_is_well_with_a_sample_agent() -> None:
    done = run("doctor", str(AGENTS / "stock"))
    assert done.returncode == 0, done.stdout
    lines = done.stdout.splitlines()
    assert all(line[0] in "✓✗–" for line in lines)
    assert any("stock loads: 1 agent, 2 tools" in line for line in lines)
    assert any("google-adk 2." in line for line in lines)


def test_an_agent_that_does_not_load_has_a_next_step(tmp_path: Path) -> None:
    done = run("doctor", str(write_agent(tmp_path, "import no_such_module_anywhere\n")))
    assert done.returncode == 1
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("✗")]
    assert "no_such_module_anywhere" in line
    assert " → " in line


def test_a_look_leaves_no_session_behind(tmp_path: Path) -> None:
    agent = write_agent(tmp_path, "root_agent = LlmAgent(name='root', model=Scripted(say('x')))")
    assert run("doctor", str(agent)).returncode == 0
    assert not (agent / ".adk").exists()


def test_credentials_are_named_and_never_shown(tmp_path: Path) -> None:
    agent = write_agent(tmp_path, "root_agent = LlmAgent(name='root', model=Scripted(say('x')))")
    (agent / ".env").write_text("export GOOGLE_API_KEY='hush hush'\nOPENAI_API_KEY=\nOTHER=1\n")
    done = run("doctor", str(agent), env={"ANTHROPIC_API_KEY": "whisper"})
    assert "ANTHROPIC_API_KEY (environment)" in done.stdout
    assert f"GOOGLE_API_KEY ({agent / '.env'})" in done.stdout
    assert "OPENAI_API_KEY" not in done.stdout
    assert "hush" not in done.stdout
    assert "whisper" not in done.stdout


def test_without_credentials_the_offline_model_is_named() -> None:
    check = check_credentials({}, None)
    assert check.ok is None
    assert "offline model" in check.step


@pytest.mark.parametrize(
    ("environment", "ok", "told"),
    [
        ({"TERM": "xterm-256color", "COLORTERM": "truecolor"}, True, "truecolor"),
        ({"TERM": "xterm-256color"}, True, "256"),
        ({"TERM": "dumb"}, False, "adk-tui ask"),
        ({}, False, "Set TERM"),
    ],
)
def test_the_terminal_is_judged_by_what_it_says(
    environment: dict[str, str], ok: bool, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("LINES", "40")
    check = check_terminal(Screen(), environment)
    assert check.ok is ok
    assert told in str(check)


def test_a_small_terminal_and_a_narrow_encoding_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setenv("LINES", "20")
    screen = Screen()
    screen.encoding = "ascii"
    check = check_terminal(screen, {"TERM": "xterm"})
    assert "UTF-8" in check.step
    assert "80×24" in check.step


def test_a_broken_store_is_a_failure_with_a_step(tmp_path: Path) -> None:
    (tmp_path / "session.db").write_bytes(b"garbage" * 1000)
    check = check_store(tmp_path / "session.db")
    assert failed([check])
    assert "move it away" in str(check)


AGENT = """
from google.adk.agents import LlmAgent
root_agent = LlmAgent(name="asked", model="gemini-2.5-flash")
"""


def test_online_asks_the_agents_own_model_for_a_word(tmp_path: Path) -> None:
    (tmp_path / "asked").mkdir()
    (tmp_path / "asked" / "agent.py").write_text(AGENT)
    with serve(text("ok")) as server:
        done = run("doctor", str(tmp_path / "asked"), "--online", env=server.environment)
        assert len(server.requests) == 1
    assert "✓ model gemini-2.5-flash answers" in done.stdout
    assert done.returncode == 0


def test_a_model_that_cannot_be_reached_is_told_with_a_step(tmp_path: Path) -> None:
    (tmp_path / "asked").mkdir()
    (tmp_path / "asked" / "agent.py").write_text(AGENT)
    env = {"GOOGLE_API_KEY": "fake", "GOOGLE_GEMINI_BASE_URL": "http://127.0.0.1:1"}
    done = run("doctor", str(tmp_path / "asked"), "--online", env=env)
    assert done.returncode == 1
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("✗")]
    assert "model gemini-2.5-flash does not answer" in line
    assert " → " in line
