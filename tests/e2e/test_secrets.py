"""No view, file or line mode shows a secret before somebody asks for it; files are private."""

import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from adk_tui.client.process import Launch, ProcessEngine
from adk_tui.core.commands import Start
from adk_tui.core.masking import also_secret
from adk_tui.tui.app import TuiOptions, WorkbenchApp
from tests.conftest import REPOSITORY
from tests.e2e.case_app import Case
from tests.fakes.driving import rendered, until

LEAK = "hunter2LEAK"
NAMED = "kennwort"
VAULT = Path(__file__).parent / "agents" / "vault"


@pytest.fixture
def vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The agent, in a folder and a home of its own, run under the usual umask."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in ("CONFIG", "DATA", "STATE", "CACHE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / "home" / name.lower()))
    folder = tmp_path / "vault"
    folder.mkdir()
    for source in VAULT.glob("*.py"):
        (folder / source.name).write_bytes(source.read_bytes())
    before = os.umask(0o022)
    also_secret([NAMED])
    yield folder
    also_secret(())
    os.umask(before)


@contextmanager
def workbench(folder: Path, tmp_path: Path, *, reveal: bool = False) -> Iterator[WorkbenchApp]:
    start = Start(str(folder), storage="file", offline=True)
    log = tmp_path / "home" / "state" / "vault.log"
    engine = ProcessEngine(Launch(start, python=sys.executable, output_log=log, recall=True))
    history = tmp_path / "home" / "data" / "history"
    options = TuiOptions(title="vault", history_file=history, reveal=reveal)
    try:
        yield WorkbenchApp(engine, options)
    finally:
        engine.close()


async def talk(case: Case) -> None:
    await case.say("open_vault()")
    await case.say("break_in()")
    await case.say('ask_owner(api_key="hunter2LEAK")')


def written(*roots: Path) -> list[Path]:
    return [p for root in roots for p in root.rglob("*") if p.is_file() and p.suffix != ".pyc"]


async def test_no_view_shows_a_secret(vault: Path, tmp_path: Path) -> None:
    with workbench(vault, tmp_path) as app:
        async with app.run_test(notifications=True, size=(150, 50)) as pilot:
            case = Case(app, pilot)
            await case.until(lambda: app.view.status.phase == "ready", "the agent")
            await talk(case)
            seen: list[str] = []

            def look(where: str) -> None:
                screen = rendered(app)
                seen.append(screen)
                assert LEAK not in screen, f"{where}\n{screen}"
                assert not any(LEAK in n.message for n in app._notifications), where

            look("main")
            for row in range(2):
                await pilot.press("f4")
                await until(pilot, lambda: case.panel.has_focus_within)
                look(f"approvals {row}")
            await pilot.press("f10")
            await until(pilot, lambda: "Output of the agent" in rendered(app))
            await until(pilot, lambda: "password=••••" in rendered(app))
            await pilot.press("home")
            await until(pilot, lambda: "token=••••" in rendered(app), "the beginning")
            for _ in range(20):
                look("output")
                await pilot.press("pagedown")
            await pilot.press("f10")
            for key in ("f5", "f7", "f8"):
                await pilot.press(key)
                await until(pilot, lambda: app.screen is not app.main)
                await pilot.pause()
                look(key)
                for _ in range(12):
                    await pilot.press("down")
                    look(key)
                while app.screen is not app.main:
                    await pilot.press("escape")
                    await pilot.pause()
            for event in app.view.log.history():
                app.performer.inspect(event.id)
                await until(pilot, lambda: app.screen is not app.main)
                for tab in "123456":
                    await pilot.press(tab)
                    await pilot.pause()
                    look(f"inspector {event.id} {tab}")
                    await pilot.press("right", "down", "right")
                    await pilot.pause()
                    look(f"inspector {event.id} {tab}, unfolded")
                while app.screen is not app.main:
                    await pilot.press("escape")
                    await pilot.pause()
            assert sum("••••" in screen for screen in seen) > 10

            await pilot.press("f8")
            await until(pilot, lambda: app.screen is not app.main)
            await pilot.press("m")
            await until(pilot, lambda: LEAK in rendered(app), "the secret that was asked for")
            assert "SECRETS SHOWN" in rendered(app)
            await pilot.press("escape", "f8")
            await until(pilot, lambda: app.screen is not app.main and "•••" in rendered(app))
            assert "SECRETS SHOWN" not in rendered(app)
            look("the state again: nothing is revealed for longer than one view")


async def test_reveal_is_for_the_inspector_and_the_state_alone_and_stands_in_the_header(
    vault: Path, tmp_path: Path
) -> None:
    with workbench(vault, tmp_path, reveal=True) as app:
        async with app.run_test(notifications=True, size=(150, 50)) as pilot:
            case = Case(app, pilot)
            await case.until(lambda: app.view.status.phase == "ready", "the agent")
            await talk(case)
            await case.shows(" REVEAL ")
            assert LEAK not in case.screen, "chat, events, approvals"
            await pilot.press("f10")
            await case.shows("Output of the agent", "password=••••")
            assert LEAK not in case.screen
            await pilot.press("f10", "f8")
            await case.shows("SECRETS SHOWN", LEAK)
            await pilot.press("escape")
            called = next(e for e in app.view.log.history() if LEAK in e.raw.decode())
            app.performer.inspect(called.id)
            await case.shows("SECRETS SHOWN")
            await pilot.press("2")
            await case.shows(LEAK)
            await pilot.press("escape")
            await case.until(lambda: app.screen is app.main, "the main screen")
            await pilot.press("f3", "x")
            await case.shows("look like secrets are masked")


async def test_what_is_written_is_for_its_owner_alone_and_logs_hold_no_secret(
    vault: Path, tmp_path: Path
) -> None:
    with workbench(vault, tmp_path) as app:
        async with app.run_test(notifications=True, size=(150, 50)) as pilot:
            case = Case(app, pilot)
            await case.until(lambda: app.view.status.phase == "ready", "the agent")
            await talk(case)
            await case.say("/rename my title")
            await case.until(lambda: any(f.suffix == ".log" for f in written(tmp_path / "home")))
    files = written(tmp_path / "home", vault / ".adk")
    assert {"session.db", "history", "vault.log"} <= {f.name for f in files}
    loose = [
        f
        for f in files
        if stat.S_IMODE(f.stat().st_mode) & 0o077
        and not any(stat.S_IMODE(p.stat().st_mode) & 0o077 == 0 for p in f.parents)
    ]
    assert loose == []
    assert stat.S_IMODE((vault / ".adk" / "session.db").stat().st_mode) == 0o600
    log = next(f for f in files if f.name == "vault.log").read_text()
    assert "token=••••" in log
    assert LEAK not in log


@pytest.mark.parametrize(
    "arguments",
    [
        ("ask", "open_vault()", "--jsonl"),
        ("ask", "open_vault()"),
        ("ask", "break_in()"),
        ("ask", "break_in()", "--debug"),
        ("tickets", "--json"),
        ("tickets",),
        ("sessions", "--json"),
        ("doctor",),
    ],
    ids=" ".join,
)
def test_no_line_mode_shows_a_secret(vault: Path, arguments: tuple[str, ...]) -> None:
    environment = os.environ | {"ADK_TUI_SECRET_KEYS": NAMED, "VAULT_SECRET": LEAK}

    def run(command: str, *rest: str) -> subprocess.CompletedProcess[str]:
        words = [sys.executable, "-m", "adk_tui", command, str(vault), *rest]
        return subprocess.run(
            words,
            cwd=REPOSITORY,
            env=environment,
            capture_output=True,
            text=True,
            timeout=100,
            stdin=subprocess.DEVNULL,
            check=False,
        )

    if arguments[0] in ("tickets", "sessions"):
        # It becomes the session's title, too.
        assert run("ask", f'ask_owner(api_key="{LEAK}")').returncode in (0, 2)
    command, *rest = arguments
    done = run(command, *rest)
    assert done.stdout + done.stderr != ""
    assert LEAK not in done.stdout + done.stderr
