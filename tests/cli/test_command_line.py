import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from adk_tui import __version__
from adk_tui.cli import run_cli
from adk_tui.cli.complaints import CliError
from adk_tui.cli.plan import parse_state
from adk_tui.cli.running import theme_name
from tests.conftest import REPOSITORY
from tests.perf.help_time import measure


def call(*arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "adk_tui", *arguments],
        cwd=REPOSITORY,
        env={**os.environ, **env},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def sentence(capsys: pytest.CaptureFixture[str]) -> str:
    """What was said: one line on stderr, nothing on stdout."""
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("adk-tui: ")
    assert err.count("\n") == 1
    assert "Traceback" not in err
    return err.strip()


@pytest.fixture
def agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "agent.py").write_text("root_agent = None\n")
    monkeypatch.chdir(tmp_path)
    return "mine"


def test_version_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_cli(["--version"]) == 0
    assert capsys.readouterr().out == f"adk-tui {__version__}\n"


def test_no_arguments_show_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_cli([]) == 0
    assert "Usage: adk-tui" in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["run", "--help"],
        ["chat", "--help"],
        ["ask", "--help"],
        ["tickets", "--help"],
        ["--version"],
        ["run", "nowhere"],
        [],
    ],
)
def test_nothing_heavy_is_imported_before_a_front_end_is_needed(arguments: list[str]) -> None:
    heavy = ("textual", "google", "prompt_toolkit", "jsonschema", "sqlite3")
    code = (
        "import sys\n"
        "from adk_tui.cli import run_cli\n"
        f"run_cli({arguments!r})\n"
        f"print(sorted(m for m in sys.modules if m.split('.')[0] in {heavy!r}), file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stderr.splitlines()[-1] == "[]"


def completed(words: str, **env: str) -> subprocess.CompletedProcess[str]:
    """What the shell offers behind ``words``, and on stderr the modules that were imported."""
    code = (
        "import sys\n"
        "from adk_tui.cli import run_cli\n"
        "try: run_cli([])\n"
        "finally: print(sorted({m.split('.')[0] for m in sys.modules}), file=sys.stderr)\n"
    )
    return subprocess.run(
        [sys.executable, "-c", code],
        env={
            **os.environ,
            **env,
            "PYTHONPATH": str(REPOSITORY),
            "_ADK_TUI_COMPLETE": "complete_bash",
            "COMP_WORDS": words,
            "COMP_CWORD": str(len(words.split()) - 1),
        },
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )


def test_shell_completion_of_agents_imports_nothing_heavy(agent: str) -> None:
    done = completed("adk-tui run m")
    assert done.stdout.split() == ["mine"]
    modules = done.stderr.splitlines()[-1]
    assert "'typer'" in modules
    assert "'textual'" not in modules
    assert "'google'" not in modules


def test_an_unknown_option_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_cli(["run", "--streeming"]) == 2
    said = sentence(capsys)
    assert "--streeming" in said
    assert said.endswith("See adk-tui run --help.")


def test_an_unknown_command_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_cli(["walk"]) == 2
    assert "walk" in sentence(capsys)


def test_a_missing_folder_is_a_usage_error(agent: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_cli(["run", "mien"]) == 2
    assert "Did you mean mine?" in sentence(capsys)


def test_a_folder_without_an_agent_has_the_exit_code_of_an_agent_that_does_not_load(
    agent: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_cli(["run", "."]) == 3
    assert "Agents in it: mine." in sentence(capsys)


def test_hostile_names_do_not_reach_the_terminal(
    agent: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_cli(["run", "\x1b]0;title\x07"]) == 2
    assert "\x1b" not in sentence(capsys)


@pytest.mark.parametrize("pair", ["city", "=Paris", " =x", ""])
def test_a_state_without_key_or_value_is_a_usage_error(
    agent: str, capsys: pytest.CaptureFixture[str], pair: str
) -> None:
    assert run_cli(["run", agent, "--state", pair]) == 2
    assert "is not KEY=VALUE" in sentence(capsys)


def test_state_for_a_stored_session_is_refused(
    agent: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_cli(["run", agent, "--state", "a=1", "--session", "s1"]) == 2
    assert "leave one of them out" in sentence(capsys)


def test_a_bad_setting_names_its_source(
    agent: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ADK_TUI_STREAMING", "perhaps")
    assert run_cli(["run", agent]) == 2
    assert "ADK_TUI_STREAMING is 'perhaps'" in sentence(capsys)


def test_without_a_terminal_and_without_a_message_the_person_is_told() -> None:
    done = call("run", "agents/stock")
    assert done.returncode == 2
    assert done.stdout == ""
    assert "there was no message on it" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("arguments", [["chat", "agents/stock"]])
def test_what_needs_a_terminal_says_so_and_what_does_not(arguments: list[str]) -> None:
    done = call(*arguments)
    assert done.returncode == 2
    assert "standard input and output are none" in done.stderr
    assert "use adk-tui ask" in done.stderr


def test_the_module_and_the_exit_code_work_from_a_shell() -> None:
    done = call("run", "no/such/folder")
    assert done.returncode == 2
    assert done.stderr.startswith("adk-tui: There is no no/such/folder.")


def test_an_error_of_our_own_shows_a_traceback_only_on_request(
    agent: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("by accident")

    monkeypatch.setattr("adk_tui.cli.plan.resolve_target", broken)
    assert run_cli(["run", agent]) == 1
    assert "ZeroDivisionError: by accident" in sentence(capsys)
    assert run_cli(["run", agent, "--debug"]) == 1
    assert "Traceback (most recent call last)" in capsys.readouterr().err


def test_state_values_are_json_where_they_can_be_and_text_otherwise() -> None:
    pairs = ["n=3", "flag=true", "name=Ann", 'list=["a"]', "url=a=b", "none=null", "x=NaN", "e="]
    assert parse_state(pairs) == {
        "n": 3,
        "flag": True,
        "name": "Ann",
        "list": ["a"],
        "url": "a=b",
        "none": None,
        "x": "NaN",
        "e": "",
    }


def test_state_that_no_store_can_hold_is_refused() -> None:
    with pytest.raises(CliError, match="not valid UTF-8"):
        parse_state(["a=\udcff"])


def test_an_unknown_theme_is_refused_with_the_known_ones() -> None:
    with pytest.raises(CliError, match=r"no theme 'pink'\. Themes: .*adk-dark, adk-light"):
        theme_name("pink")
    assert theme_name("") == "adk-dark"
    assert theme_name("nord") == "nord"


def test_shell_completion_of_session_ids_reads_the_file_and_imports_nothing_heavy(
    agent: str, tmp_path: Path
) -> None:
    folder = tmp_path / agent / ".adk"
    folder.mkdir()
    with sqlite3.connect(folder / "session.db") as db:
        db.execute("CREATE TABLE sessions (app_name, user_id, id, state, create_time, update_time)")
        db.execute("CREATE TABLE events (id, app_name, user_id, session_id, timestamp, event_data)")
        for number, session in enumerate(("s-old", "s-new", "other")):
            row = ("mine", "user", session, "{}", 0.0, float(number))
            db.execute("INSERT INTO sessions VALUES (?, ?, ?, ?, ?, ?)", row)
    db.close()
    done = completed("adk-tui ask mine --session s-")
    assert done.stdout.split() == ["s-new", "s-old"]
    modules = done.stderr.splitlines()[-1]
    for heavy in ("textual", "google", "prompt_toolkit", "jsonschema"):
        assert f"'{heavy}'" not in modules
    # What another store holds only google-adk can tell, and this file's ids would be wrong.
    elsewhere = "sqlite:///elsewhere.db"
    named = f"adk-tui ask mine --session-service-uri {elsewhere} --session s-"
    assert completed(named).stdout.split() == []
    by_variable = completed("adk-tui ask mine --session s-", ADK_TUI_SESSION_SERVICE_URI=elsewhere)
    assert by_variable.stdout.split() == []


def test_the_benchmark_of_help_and_completion_still_runs() -> None:
    found = measure(1)
    assert [len(times) for times in found.values()] == [1, 1, 1, 1]
