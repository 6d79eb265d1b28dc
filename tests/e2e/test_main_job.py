"""What a stranger does first, on a real terminal, without a key and without a network."""

import json
import os
import signal
from pathlib import Path

import pytest

from tests.e2e.workbench import (
    AGENTS,
    IDLE,
    SLOW,
    ask,
    decide,
    leave,
    loaded,
    patched,
    workbench,
)


def test_a_price_is_asked_for_and_the_call_is_seen() -> None:
    with workbench(AGENTS / "stock") as terminal:
        loaded(terminal)
        terminal.wait_for("OFFLINE MODEL")
        ask(terminal, "stock price of GOOG")
        terminal.wait(
            lambda: terminal.text.count("get_stock_price") >= 3 and IDLE in terminal.text,
            "the call in the chat and the call and the response in the events",
        )
        assert terminal.text.count("GOOG") >= 3
        leave(terminal)


def test_what_is_typed_and_sent_before_the_agent_is_loaded_is_answered() -> None:
    with workbench(AGENTS / "stock") as terminal:
        terminal.wait_for("the agent")
        assert IDLE not in terminal.text
        ask(terminal, "stock price of GOOG")
        terminal.type("half a thought")
        terminal.wait_for("get_stock_price returned", SLOW)
        terminal.wait_for(IDLE)
        assert "half a thought" in terminal.text
        leave(terminal)


def test_a_reimbursement_waits_for_approval_and_goes_on_after_it() -> None:
    with workbench(AGENTS / "reimbursement") as terminal:
        loaded(terminal)
        ask(terminal, "reimburse 200 for the conference")
        terminal.wait_for("1 waiting")
        terminal.press("f4")
        terminal.wait_for("a approve")
        decide(terminal, "a", lambda: "1 waiting" not in terminal.text)
        terminal.wait_for(IDLE)
        terminal.wait_for("approved")
        leave(terminal)


def test_another_agent_is_made_to_answer_next() -> None:
    with workbench(AGENTS / "coffee_shop") as terminal:
        terminal.wait_for("next → ", SLOW)
        terminal.wait_for(IDLE)
        first = _next_agent(terminal.text)
        terminal.press("f6")
        terminal.wait_for("Who answers next?")
        terminal.press("down", "enter")
        terminal.wait(
            lambda: _next_agent(terminal.text) not in ("", first), "another agent to answer next"
        )
        leave(terminal)


def _next_agent(screen: str) -> str:
    _, arrow, rest = screen.partition("next → ")
    return rest.split()[0] if arrow and rest.split() else ""


def copy_of_stock(folder: Path) -> Path:
    """The stock agent where it may write."""
    agent = folder / "stock"
    agent.mkdir()
    for source in (AGENTS / "stock").glob("*.py"):
        (agent / source.name).write_bytes(source.read_bytes())
    return agent


def test_a_session_is_found_again_after_a_restart(tmp_path: Path) -> None:
    agent = copy_of_stock(tmp_path)
    with workbench(agent, "--on-disk") as terminal:
        loaded(terminal)
        ask(terminal, "stock price of GOOG")
        terminal.wait_for("get_stock_price returned")
        terminal.wait_for(IDLE)
        leave(terminal)
    import sqlite3

    with sqlite3.connect(agent / ".adk" / "session.db") as database:
        ((session,),) = database.execute("select id from sessions").fetchall()
    with workbench(agent, "--on-disk", "--session", session) as terminal:
        terminal.wait_for("get_stock_price returned", SLOW)
        terminal.wait_for(IDLE)
        leave(terminal)


def test_a_small_terminal_shows_the_same_after_a_resize() -> None:
    with workbench(AGENTS / "stock") as terminal:
        loaded(terminal)
        ask(terminal, "stock price of GOOG")
        terminal.wait_for("get_stock_price returned")
        terminal.resize(80, 24)
        terminal.wait(
            lambda: "Events" in terminal.text and "get_stock_price" in terminal.text,
            "tabs and chat on a small screen",
        )
        leave(terminal)


def test_ctrl_c_leaves_only_when_pressed_twice() -> None:
    with workbench(AGENTS / "stock") as terminal:
        loaded(terminal)
        terminal.press("ctrl+c")
        ask(terminal, "stock price of GOOG")
        terminal.wait_for("get_stock_price returned")
        terminal.wait_for(IDLE)
        terminal.press("ctrl+c", "ctrl+c")
        assert terminal.wait_exit() in (0, 130)
        terminal.assert_clean()


def test_a_hang_up_and_a_request_to_end_leave_a_clean_terminal() -> None:
    for number in (signal.SIGTERM, signal.SIGHUP):
        with workbench(AGENTS / "stock") as terminal:
            loaded(terminal)
            os.kill(terminal.process.pid, number)
            assert terminal.wait_exit() == 128 + number
            terminal.assert_clean()


def test_an_interrupt_from_outside_leaves_a_clean_terminal() -> None:
    with workbench(AGENTS / "stock") as terminal:
        loaded(terminal)
        os.kill(terminal.process.pid, signal.SIGINT)
        assert terminal.wait_exit() == 130
        terminal.assert_clean()


ALTERNATE = b"\x1b[?1049h"
"""What a program writes first when it takes the whole screen."""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("moment", [ALTERNATE, b"Message the agent", b"starting"])
def test_a_signal_in_the_first_moments_leaves_a_clean_terminal(
    number: signal.Signals, moment: bytes
) -> None:
    with workbench(AGENTS / "stock") as terminal:
        terminal.wait_raw(moment)
        os.kill(terminal.process.pid, number)
        assert terminal.wait_exit() == 128 + number
        terminal.assert_clean()
        assert b"Traceback" not in terminal.raw


def test_a_session_that_does_not_exist_is_told_and_told_again_at_the_end(tmp_path: Path) -> None:
    agent = copy_of_stock(tmp_path)
    with workbench(agent, "--on-disk", "--session", "nowhere") as terminal:
        terminal.wait_for("There is no session nowhere.", SLOW)
        terminal.press("ctrl+q")
        assert terminal.wait_exit() == 1
        terminal.assert_clean()
        assert "adk-tui: There is no session nowhere. There are none yet" in terminal.text


def test_an_agent_that_does_not_load_is_told_again_at_the_end(tmp_path: Path) -> None:
    agent = tmp_path / "broken"
    agent.mkdir()
    (agent / "agent.py").write_text("root_agent = (\n")
    with workbench(agent) as terminal:
        terminal.wait_for("not loaded", SLOW)
        terminal.press("ctrl+q")
        assert terminal.wait_exit() == 3
        terminal.assert_clean()
        told = terminal.text.strip().splitlines()
        assert told[0].startswith("adk-tui: ")
        assert "agent.py" in "".join(told)
        assert "Traceback" not in terminal.text


BROKEN_BRIDGE = """
from adk_tui.core.session import SessionView
def apply(self, records):
    raise ZeroDivisionError("by accident")
SessionView.apply = apply
"""


def test_an_exception_of_our_own_leaves_a_clean_terminal_and_a_trace() -> None:
    with patched(BROKEN_BRIDGE, AGENTS / "stock") as terminal:
        assert terminal.wait_exit(SLOW) == 1
        terminal.assert_clean()
        assert "ZeroDivisionError: by accident" in terminal.text
        assert "This is a bug in adk-tui" in terminal.text


def test_errors_kept_in_a_file_leave_the_screen_alone(tmp_path: Path) -> None:
    errors = tmp_path / "errors"
    code = f"os.dup2(os.open({str(errors)!r}, os.O_WRONLY | os.O_CREAT), 2)"
    with patched(code, AGENTS / "stock") as terminal:
        loaded(terminal)
        leave(terminal)
    assert errors.read_bytes() == b""


def test_the_user_interface_never_loads_google(tmp_path: Path) -> None:
    report = tmp_path / "modules.json"
    code = (
        "import atexit, json\n"
        f"atexit.register(lambda: open({str(report)!r}, 'w').write(json.dumps(list(sys.modules))))"
    )
    with patched(code, AGENTS / "stock") as terminal:
        loaded(terminal)
        ask(terminal, "stock price of GOOG")
        terminal.wait_for("get_stock_price returned")
        terminal.wait_for(IDLE)
        leave(terminal)
    modules = json.loads(report.read_text())
    assert "adk_tui.tui.app" in modules
    assert [m for m in modules if m.split(".")[0] == "google"] == []
    assert [m for m in modules if m.startswith("adk_tui.engine")] == []
