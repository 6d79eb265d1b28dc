"""Public reports about agents that load badly, block, change and hide, on the whole app."""

import shutil
from pathlib import Path

import pytest

from tests.e2e.case_app import CASES, SLOW, opened


def copied(name: str, tmp_path: Path) -> Path:
    """A case where it may be edited and may store its sessions."""
    return Path(shutil.copytree(CASES / name, tmp_path / name))


async def test_c14_a_transfer_to_nobody_is_told_and_the_real_agent_stays_active() -> None:
    async with opened(CASES / "c14_ghost_transfer") as case:
        await case.say("goto tenor")
        await case.tells("conductor ✗ tenor did not take over")
        await case.shows("Transfer target agent 'tenor' not found", "next → conductor")
        await case.say("goto soprano")
        await case.tells("conductor ✗ soprano did not take over")
        await case.shows("unrelated agent 'soprano'", "next → conductor")
        await case.pilot.press("f6")
        await case.shows("Who answers next?", "hermit", "It may not transfer to its parent")
        await case.pilot.press("escape")
        for name in ("choir", "alto"):
            await case.say(f"goto {name}")
            await case.shows(f"next → {name}")
        await case.say("goto soprano")
        await case.shows("next → alto")
        await case.tells("alto ✗ soprano did not take over")


async def test_c21_secrets_are_masked_and_state_that_is_no_json_is_shown(tmp_path: Path) -> None:
    folder = copied("c21_state_secrets", tmp_path)
    (folder / ".env").write_text("C21_SECRET_TOKEN=tok_live_not_real_123\n")
    secrets = (
        "not-a-real-key", "pretend-fake", "1//fake", "hunter2", "correct horse",
        "s3cret!", "fake-jwt", "4111 1111 1111 1111", "not_real_123",
    )  # fmt: skip
    async with opened(folder) as case:
        await case.say("log me in")
        await case.tells("logged in: ok", "password=••••")
        await case.pilot.press("f8")
        await case.shows("api_key", "callback", "ratio", "raw", "user:oauth_token", "app:db_url")
        seen = case.screen
        await case.pilot.press("escape", "f3", "end", "up", "enter")
        await case.shows("Summary")
        seen += case.screen
        for secret in secrets:
            assert secret not in seen, secret


async def test_c21_a_value_that_cannot_be_stored_is_named(tmp_path: Path) -> None:
    async with opened(copied("c21_state_secrets", tmp_path), storage="file") as case:
        await case.say("log me in")
        await case.shows("raw")
        await case.until(lambda: not case.view.done[-1].ok, "the refusal")
        failure = case.view.done[-1].failure
        assert failure is not None
        assert "raw" in failure.message + failure.hint, failure
        assert "not-a-real-key" not in failure.message + failure.hint + failure.details


async def test_c22_a_blocking_tool_leaves_the_screen_alive_and_can_be_ended(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(CASES / "c22_blocking_tool", tmp_path / "c22_blocking_tool"))
    gate, code = tmp_path / "gate", folder / "agent.py"
    wait = f"\n    while not __import__('os').path.exists({str(gate)!r}):\n        time.sleep(0.05)"
    code.write_text(code.read_text().replace("\n    time.sleep(seconds)", wait))
    async with opened(folder) as case:
        await case.begin("query")
        await case.shows("slow_query(seconds=4.0) …", "▶ slow_query")
        await case.pilot.press(*"typed meanwhile".replace(" ", "_"))
        await case.shows("typed_meanwhile")
        assert "finished" not in case.screen
        before = next(w for w in case.screen.split("▶ slow_query", 1)[1].split() if w[0].isdigit())
        await case.until(
            lambda: f"▶ slow_query {before}" not in case.screen and "▶ slow_query" in case.screen,
            "a running timer",
        )
        await case.pilot.press("escape")
        await case.shows("stopping")
        gate.touch()
        await case.until(lambda: case.view.status.phase == "ready", "the end of the stop")
        await case.tells("Stopped.")


async def test_c23_asyncio_run_works_at_import_and_is_explained_in_a_tool() -> None:
    async with opened(CASES / "c23_asyncio_run_inside") as case:
        await case.say("convert")
        await case.tells("The tool convert raised RuntimeError: asyncio.run()")
        await case.tells("asyncio.run() inside a tool cannot work", "`async def`")


async def test_c24_keyboard_input_fails_at_once_with_what_to_use_instead() -> None:
    async with opened(CASES / "c24_input_call") as case:
        for said, tool in (("ask", "ask_operator"), ("pin", "ask_pin")):
            await case.say(said)
            await case.tells(f"The tool {tool} raised EOFError", "LongRunningFunctionTool")
            await case.tells("request_input")
        await case.say("line")
        await case.tells("operator gave {'line': ''}")
        await case.pilot.press(*"keys")
        await case.shows("keys")


async def test_c25_a_slow_import_is_told_with_its_last_line_and_can_be_left() -> None:
    async with opened(CASES / "c25_slow_import", loaded=False) as case:
        await case.shows("loading")
        await case.shows("[slow import] reading the index")
        await case.pilot.press(*"early")
        await case.shows("early")
        await case.shows("[slow import] loading tables")
        await case.pilot.press("ctrl+q")
        await case.until(lambda: case.app.return_value == 0, "the end")
        assert case.view.ready is None


async def test_c27_the_apps_own_name_and_the_stored_message_are_shown(tmp_path: Path) -> None:
    folder = copied("c27_app_other_name", tmp_path)
    async with opened(folder, storage="file") as case:
        await case.say("hello")
        await case.tells("HELLO", "heard: HELLO")
        await case.shows("billing-prod", "next → echo_bot")
        assert "Session not found" not in case.screen
        session = case.view.session
        assert session is not None
        assert session.app == "billing-prod"
        await case.pilot.press("f5")
        await case.shows("echo_bot", "c27_app_other_name")


async def test_c28_edits_in_any_file_are_loaded_and_a_broken_one_keeps_the_old(
    tmp_path: Path,
) -> None:
    folder = copied("c28_hot_reload", tmp_path)
    menu = folder / "kitchen" / "menu.py"
    async with opened(folder) as case:
        await case.say("menu")
        await case.tells("Serve politely. Today: soup")
        menu.write_text(menu.read_text().replace("soup", "stew"))
        (folder / "prompt.txt").write_text("Serve fast.")
        await reload(case, ok=True)
        await case.say("menu again")
        await case.tells("Serve fast. Today: stew", "Serve politely. Today: soup")
        menu.write_text("def dish(:\n")
        await reload(case, ok=False)
        await case.shows("menu.py:1")
        await case.say("still there")
        assert case.flat.count("Serve fast. Today: stew") == 2


async def reload(case: object, *, ok: bool) -> None:
    """Press F9 and wait for what comes of it."""
    from tests.e2e.case_app import Case

    assert isinstance(case, Case)
    ended = len(case.view.done)
    await case.pilot.press("f9")
    await case.until(lambda: len(case.view.done) > ended, "the end of the reload", SLOW)
    assert case.view.done[-1].ok is ok
    await case.until(lambda: case.view.status.phase == "ready", "a free agent")


async def test_c29_a_session_changed_by_another_is_read_again_and_can_be_sent_again(
    tmp_path: Path,
) -> None:
    async with opened(copied("c29_stale_session", tmp_path), storage="file") as case:
        await case.say("mail")
        await case.shows("Another process changed this session during the run")
        await case.shows("mail_bridge", "state {inbox: 3}", "Ctrl+R send again")
        assert [e.author for e in case.view.log.history()].count("mail_bridge") == 1
        ended = len(case.view.done)
        await case.pilot.press("ctrl+r")
        await case.idle(ended)
        assert [e.text for e in case.view.log.history()].count("mail") == 2


@pytest.mark.parametrize(
    ("variant", "words"),
    [
        ("sys_exit", "agent.py:"),
        ("syntax_error", "agent.py:"),
        ("missing_dep", "pip install"),
        ("email", "email"),
        ("empty_dir", "empty_dir"),
    ],
)
async def test_c30_an_agent_that_does_not_load_is_told_in_place_and_the_app_lives(
    variant: str, words: str
) -> None:
    async with opened(CASES / "c30_bad_modules" / variant, loaded=False) as case:
        await case.until(lambda: case.view.status.phase in ("failed", "ready"), "an outcome", SLOW)
        if variant == "email":
            assert case.view.status.phase == "ready", "ADK's loader is hidden by the std module"
            return
        await case.shows("not loaded", words)
        assert "Traceback" not in case.screen
        assert "no root_agent" not in case.screen or variant == "empty_dir"
        await case.pilot.press(*"alive")
        await case.shows("alive")
