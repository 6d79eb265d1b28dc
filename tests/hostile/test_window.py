"""What happens to the window: its size, a suspension, its end; and to the process behind it."""

import contextlib
import json
import os
import shutil
import signal
import sqlite3
import sys
import time
from pathlib import Path

import pytest

from tests.e2e.terminal import Terminal
from tests.e2e.test_wheel_screen_end import alive, below
from tests.e2e.workbench import AGENTS, IDLE, SLOW, ask, leave, loaded, workbench

linux = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


def rows(terminal: Terminal) -> list[str]:
    return terminal.text.split("\n")


def test_the_window_may_be_tiny_and_huge_and_small_again() -> None:
    with workbench(AGENTS / "stock") as terminal:
        loaded(terminal)
        ask(terminal, "stock price of GOOG")
        terminal.wait_for("get_stock_price returned")
        terminal.wait_for(IDLE)
        typed = ""
        for columns, height in ((20, 5), (500, 200), (20, 5), (80, 24), (120, 40)):
            terminal.resize(columns, height)
            if columns > 20:
                terminal.wait(
                    lambda n=columns: any("─" * (n // 2) in row for row in rows(terminal)[-6:]),
                    "the rule above the prompt, over the whole width",
                )
                terminal.wait(lambda: "Enter send" in rows(terminal)[-1], "the keys below all")
                terminal.wait_for("get_stock_price returned")
            typed += "x"
            terminal.type("x")
            terminal.wait_for(f"▎ {typed} " if columns == 20 else f"▎ {typed}")
        leave(terminal)


@linux
def test_a_suspended_app_gives_the_terminal_back_and_draws_everything_anew_on_its_return() -> None:
    with workbench(AGENTS / "stock") as terminal:
        loaded(terminal)
        ask(terminal, "stock price of GOOG")
        terminal.wait_for("get_stock_price returned")
        terminal.type("half a thou")
        terminal.wait_for("half a thou")
        terminal.wait_for(IDLE)
        for typed in ("ght", " more"):
            os.kill(terminal.process.pid, signal.SIGTSTP)
            terminal.wait(lambda: _state(terminal.process.pid) == "T", "the stop")
            while terminal.read(0):
                pass
            terminal.assert_clean()
            assert "half a thou" not in terminal.text, "the shell's own screen is back"
            terminal.type(typed)
            os.kill(terminal.process.pid, signal.SIGCONT)
            for shown in ("half a thou", typed, "get_stock_price returned", IDLE, "F7 sessions"):
                terminal.wait_for(shown)
        leave(terminal)


def _state(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


@linux
def test_a_terminal_that_is_gone_costs_neither_the_session_nor_the_draft(tmp_path: Path) -> None:
    agent = Path(shutil.copytree(AGENTS / "stock", tmp_path / "stock"))
    home = tmp_path / "data"
    with workbench(agent, "--on-disk", env={"XDG_DATA_HOME": str(home)}) as terminal:
        loaded(terminal)
        ask(terminal, "stock price of GOOG")
        terminal.wait_for("get_stock_price returned")
        terminal.wait_for(IDLE)
        terminal.type("half a thought")
        terminal.wait_for("half a thought")
        started = below(terminal.process.pid)
        assert started
        terminal.hang_up()
        assert terminal.process.wait(SLOW) == 128 + signal.SIGHUP
        end = time.monotonic() + SLOW
        while left := [pid for pid in started if alive(pid)]:
            assert time.monotonic() < end, left
            os.sched_yield()
    assert "half a thought" in "".join(p.read_text() for p in home.rglob("*") if p.is_file())
    with contextlib.closing(sqlite3.connect(agent / ".adk" / "session.db")) as store:
        events = [json.loads(row[0]) for row in store.execute("select event_data from events")]
    assert "get_stock_price" in json.dumps(events)


@linux
def test_an_engine_that_freezes_can_be_stopped_and_its_session_goes_on() -> None:
    with workbench(AGENTS / "stock") as terminal:
        loaded(terminal)
        ask(terminal, "stock price of GOOG")
        terminal.wait_for("get_stock_price returned")
        terminal.wait_for(IDLE)
        for pid in below(terminal.process.pid):
            command = Path(f"/proc/{pid}/cmdline").read_bytes()
            if b"adk_tui.engine" in command and b"keeper" not in command:
                os.kill(pid, signal.SIGSTOP)
        ask(terminal, "stock price of MSFT")
        terminal.wait_for("▶")
        terminal.type("draft")
        terminal.press("escape")
        terminal.wait_for("Esc again ends its process")
        terminal.press_until("escape", lambda: "was replaced" in terminal.text, again=2.0)
        terminal.wait_for(IDLE, SLOW)
        terminal.wait_for("draft")
        terminal.wait_for("get_stock_price returned")
        terminal.press("ctrl+u")
        terminal.wait_gone("draft")
        ask(terminal, "stock price of AAPL")
        terminal.wait_for("Apple")
        terminal.wait_for(IDLE)
        leave(terminal)
