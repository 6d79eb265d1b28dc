"""What reaches a real terminal when an agent prints, misbehaves and says the worst there is."""

import shutil
from pathlib import Path

from tests.e2e.workbench import IDLE, SLOW, ask, leave, loaded, workbench
from tests.hostile.audit import kinds, longest_cluster, odd_characters
from tests.hostile.stage import ACTING
from tests.hostile.tour import SIZE, tour

HERE = Path(__file__).parent


def test_nothing_an_agent_says_reaches_the_terminal_as_it_is(usual: set[str]) -> None:
    with workbench(HERE / "speaking", **SIZE) as terminal:
        loaded(terminal)
        for word in ("text", "thought", "tell", "error", "fails", "nobody", "code", "long"):
            ask(terminal, word)
            terminal.wait(lambda: IDLE in terminal.text, word)
            terminal.read(0.2)
        for count, word in enumerate(("ask", "gated"), 1):
            ask(terminal, word)
            terminal.wait_for(f"{count} waiting")
            terminal.wait_for(IDLE)
        terminal.press("f4")
        terminal.wait_for("approve")
        terminal.press("down", "e")
        terminal.read(0.3)
        terminal.press("escape", "escape", "f2")
        tour(terminal)
        leave(terminal)
        raw = bytes(terminal.raw)
    assert kinds(raw) - usual == set()
    assert odd_characters(raw) == set()
    assert longest_cluster(raw) < 20
    assert b"owned" in raw, "what it said was shown, in letters"


def test_nothing_an_agent_does_reaches_the_terminal_and_its_end_is_clean(usual: set[str]) -> None:
    acts = (
        "do 11 print print_err fd1 fd2 child shell puts logs redrawn big bytes terminal daemon",
        "do 22 setlocale chdir handlers fork_print faulthandler garbage",
        "do 33 getpass",
        "do 44 close0 close1 close2 print fd1",
    )
    with workbench(ACTING, **SIZE) as terminal:
        loaded(terminal)
        for act in acts:
            ask(terminal, act)
            terminal.wait(lambda: IDLE in terminal.text, act)
            terminal.read(0.3)
        assert b"<print:11>" not in terminal.raw
        terminal.press("f10")
        terminal.wait_for("Output of the agent")
        terminal.read(0.3)
        terminal.press("f10")
        terminal.wait_gone("Output of the agent")
        terminal.wait_for("Enter send")
        ask(terminal, "do 55 segfault")
        terminal.wait_for("engine ended", SLOW)
        terminal.wait_for("SIGSEGV")
        terminal.type("draft")
        terminal.press("f9")
        terminal.wait_for(IDLE, SLOW)
        terminal.wait_for("draft")
        terminal.press("ctrl+q")
        assert terminal.wait_exit() == 0
        terminal.assert_clean()
        raw = bytes(terminal.raw)
    assert kinds(raw) - usual == set()
    assert odd_characters(raw) == set()


def test_c16_a_noisy_agent_is_heard_in_the_log_pane_alone(tmp_path: Path, usual: set[str]) -> None:
    folder = Path(shutil.copytree(HERE.parent / "cases" / "c16_noisy_agent", tmp_path / "warm"))
    with workbench(folder, **SIZE) as terminal:
        loaded(terminal)
        # While an agent takes long to load, the last line that it printed is shown.
        start = len(terminal.raw)
        ask(terminal, "how warm is it")
        terminal.wait_for("It is 21 degrees.")
        terminal.wait_for(IDLE)
        assert terminal.raw.find(b"[noisy]", start) < 0
        assert b"DEBUG" not in terminal.raw
        terminal.press("f10")
        terminal.wait_for("Output of the agent")
        terminal.press("home")
        terminal.wait_for("out │ [noisy] importing ...")
        terminal.wait_for("err │ ␛[31m[noisy] red from import␛[0m")
        terminal.press("end")
        fd2 = "err measure │ [noisy] fd 2 from the tool"
        terminal.press_until("up", lambda: fd2 in terminal.text, again=0.1)
        terminal.press("f10")
        leave(terminal)
        raw = bytes(terminal.raw)
        assert "goodbye" not in terminal.text
    assert kinds(raw) - usual == set()
    assert odd_characters(raw) == set()


def test_c17_escape_codes_are_shown_in_letters(usual: set[str]) -> None:
    with workbench(HERE.parent / "cases" / "c17_escape_codes", **SIZE) as terminal:
        loaded(terminal)
        for word in ("tool clear", "tool markup", "error", "clipboard", "title", "all"):
            ask(terminal, word)
            terminal.wait(lambda: IDLE in terminal.text, word)
            terminal.read(0.2)
        terminal.wait_for("[@click=app.quit]quit[/]")
        tour(terminal)
        leave(terminal)
        raw = bytes(terminal.raw)
    assert kinds(raw) - usual == set()
    assert odd_characters(raw) == set()


def test_what_draws_on_terminals_draws_in_the_log_pane_in_letters(usual: set[str]) -> None:
    ways = ["rich_progress", "rich_screen", "rich_logging", "warned", "cleared", "cursed", "paged"]
    with workbench(HERE / "drawing", **SIZE) as terminal:
        loaded(terminal)
        for count, way in enumerate(ways, 1):
            ask(terminal, f"draw {way}")
            terminal.wait(lambda n=count: terminal.text.count(" done\n") >= n, way)
            terminal.wait_for(IDLE)
            assert "✗" not in terminal.text, terminal.text
        terminal.press("f10")
        terminal.wait_for("Output of the agent")
        for way in ways:
            terminal.press("home")
            terminal.press_until("down", lambda w=way: f"drawn-{w}" in terminal.text, again=0.05)
        terminal.press("f10")
        leave(terminal)
        raw = bytes(terminal.raw)
    assert kinds(raw) - usual == set()
    assert odd_characters(raw) == set()
