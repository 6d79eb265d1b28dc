"""The whole application on a real terminal, as a person starts it."""

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from tests.conftest import REPOSITORY
from tests.e2e.terminal import Terminal

AGENTS = REPOSITORY / "agents"
IDLE = "● idle"
"""What the header shows while the agent waits for us."""
SLOW = 120.0
"""Seconds to wait for what imports google-adk on a busy machine."""


def workbench(
    agent: Path,
    *options: str,
    env: Mapping[str, str] | None = None,
    columns: int = 120,
    rows: int = 40,
    within: Sequence[str] = (),
) -> Terminal:
    """``adk-tui run`` on an agent, with sessions in memory unless ``options`` say otherwise.

    ``within`` are the words of a command line that the program is started by.
    """
    where = () if "--on-disk" in options else ("--in-memory",)
    python = sys.executable
    argv = [*within, python, "-m", "adk_tui", "run", str(agent), "--python", python]
    return Terminal([*argv, *where, *options], env=env, cwd=REPOSITORY, columns=columns, rows=rows)


def patched(code: str, agent: Path) -> Terminal:
    """The same after ``code`` has run in the user interface's process, in memory."""
    start = (
        f"{code}\nfrom adk_tui.cli import run_cli\n"
        f"sys.exit(run_cli(['run', {str(agent)!r}, '--in-memory', '--python', sys.executable]))"
    )
    return Terminal([sys.executable, "-c", "import os, sys\n" + start], cwd=REPOSITORY)


def loaded(terminal: Terminal) -> None:
    """Wait until the agent is loaded and waits for us; fail at once when it did not load."""
    terminal.wait(lambda: IDLE in terminal.text or "✗" in terminal.text, "the agent", SLOW)
    assert IDLE in terminal.text, terminal.text


def ask(terminal: Terminal, text: str) -> None:
    """Type a message and send it."""
    terminal.type(text)
    terminal.wait_for(text)
    terminal.press("enter")


def decide(terminal: Terminal, key: str, done: Callable[[], object]) -> None:
    """Press a key of the approvals until its effect is there, never twice for the same effect.

    The pane takes no key in its first moments, lest one meant for the prompt approve a thing.
    """
    refused = "only just come up"
    while True:
        terminal.press(key)
        terminal.wait(lambda: done() or refused in terminal.text, f"what {key} does")
        if done():
            return
        terminal.wait(lambda: refused not in terminal.text, "the end of the notice")


def leave(terminal: Terminal) -> None:
    """Quit by key and check how the terminal is left."""
    terminal.press("ctrl+q")
    assert terminal.wait_exit() == 0
    terminal.assert_clean()
