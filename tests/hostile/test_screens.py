"""The worst words in every dialog, editor, menu and form, and in the line mode."""

import base64
import re
import shutil
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from adk_tui.core.sanitize import clean
from tests.console.chats import SLOW, Chat
from tests.e2e.terminal import Terminal
from tests.e2e.workbench import IDLE, ask, leave, loaded, workbench
from tests.hostile.audit import kinds, longest_cluster, odd_characters
from tests.hostile.speaking.corpus import CORPUS
from tests.hostile.test_names import MINE, command, left, opened, prepared, to_prompt
from tests.hostile.tour import SIZE

HERE = Path(__file__).parent
TYPED = "typed" + CORPUS["bidi"] + CORPUS["invisible"] + CORPUS["tags"] + CORPUS["c1"][2:] + "typed"
"""What a paste can hold: a terminal takes escapes out of it."""
REPORTS = r"\x1b\]52;c;|\x1b\](?:9;adk-tui: |777;notify;adk-tui;)"
LINE_MODE = re.compile(
    r"\x1b\[\??[0-9;]*[hlmnABCDGJKX]|\x1b\[[0-9]* q|\x1b\[>?[0-9;]*[mu]|\x1b\[\?[0-9]+\$p"
)
"""What prompt-toolkit itself writes; never a title, a link, a clipboard, a report or a reset."""


def paste(terminal: Terminal, text: str) -> None:
    """Paste a text where the cursor is, and take in what comes of it."""
    terminal.write(b"\x1b[200~" + text.encode() + b"\x1b[201~")
    terminal.read(0.8)


def files_of(folder: Path) -> Path:
    """A folder with files of the worst names that this file system takes."""
    files = folder / "files"
    files.mkdir()
    for text in CORPUS.values():
        # Not every name can be had: too long, with a zero byte, not to be encoded.
        with suppress(OSError, ValueError):
            (files / f"worst{text.replace('/', '')[:50]}").touch()
    assert len(list(files.iterdir())) > 5
    return files


def audited(raw: bytes, usual: set[str]) -> list[str]:
    """Assert that nothing unusual was received; what was copied to the clipboard."""
    found = {k for k in kinds(raw) - usual if not re.match(REPORTS, k)}
    assert found == set()
    # The bell that calls for a person rings before a notification, and nowhere else.
    assert odd_characters(raw.replace(b"\a\x1b]9;adk-tui", b"\x1b]9;adk-tui")) == set()
    assert longest_cluster(raw) < 20
    assert b"typed" in raw, "what was pasted was shown, in letters"
    data = re.findall(rb"\x1b\]52;c;([A-Za-z0-9+/=]*)", raw)
    return [base64.b64decode(text).decode() for text in data]


@pytest.mark.timeout(600)
def test_no_dialog_and_no_menu_acts_on_the_terminal(tmp_path: Path, usual: set[str]) -> None:
    folder = prepared(tmp_path / "naming")
    with workbench(folder, "--on-disk", "--session", MINE, **SIZE) as terminal:
        loaded(terminal)
        ask(terminal, "tool")
        terminal.wait_for("▌ tool")
        terminal.wait_for(IDLE)

        # Menus of what can follow a command.
        for begun in ("/open ", "/transfer ", "/events author:"):
            to_prompt(terminal)
            terminal.type(begun)
            terminal.wait_for(begun[-20:].strip())
            terminal.read(0.5)
            terminal.press("tab")
            terminal.read(0.3)
            terminal.press("escape")
            terminal.read(0.3)
            terminal.press("end", "ctrl+u")
            terminal.wait_for("Message the agent")

        # The menu of files, under a path that is short enough to see their names.
        to_prompt(terminal)
        with TemporaryDirectory() as short:
            terminal.type(f"@{files_of(Path(short))}/")
            terminal.wait_for("/worst")
            terminal.press("down", "down", "tab")
            terminal.read(0.3)
        terminal.press("end", "ctrl+u")
        terminal.wait_for("Message the agent")

        # Dialogs.
        command(terminal, "/rewind")
        terminal.wait_for("Rewind to before")
        terminal.press("down", "up")
        terminal.read(0.3)
        left(terminal, "Rewind to before")
        command(terminal, "/rename")
        terminal.wait_for("Title of this session")
        paste(terminal, TYPED)
        terminal.press("enter")
        terminal.wait_gone("Title of this session")
        command(terminal, "/artifacts")
        terminal.wait_for("1 file")
        terminal.press("s")
        terminal.wait_for("Save to")
        paste(terminal, TYPED)
        left(terminal, "Save to")
        left(terminal, "Artifacts  ")
        terminal.press("f7")
        terminal.wait_for("Sessions")
        terminal.press("down", "t")
        terminal.wait_for("Enter saves")
        left(terminal, "Enter saves")
        terminal.press("/")
        paste(terminal, TYPED)
        terminal.press("escape")
        terminal.read(0.5)
        left(terminal, "Sessions  ")
        terminal.press("f8")
        terminal.wait_for("State")
        terminal.press("end", "e")
        terminal.wait_for("Ctrl+S saves")
        paste(terminal, TYPED)
        left(terminal, "Ctrl+S saves")
        terminal.press("c")
        terminal.wait_for("Compare with the state")
        terminal.press("down", "enter")
        terminal.wait_gone("Compare with the state")
        left(terminal, "compared with")
        left(terminal, "State  ")
        leave(terminal)
        audited(bytes(terminal.raw), usual)


@pytest.mark.timeout(600)
def test_no_filter_no_copy_and_no_form_acts_on_the_terminal(
    tmp_path: Path, usual: set[str]
) -> None:
    folder = prepared(tmp_path / "naming")
    with workbench(folder, "--on-disk", "--session", MINE, **SIZE) as terminal:
        loaded(terminal)
        ask(terminal, "huge")
        terminal.wait_for("▌ huge")
        terminal.wait_for(IDLE)

        # The event list: filter, search, copies, an export.
        terminal.press("f3")
        terminal.wait_for("Enter inspect")
        for key in "yYCP":
            terminal.press("end", "up", key)
            terminal.read(0.3)
        terminal.press("/")
        terminal.wait_for("Enter next match")
        paste(terminal, TYPED)
        left(terminal, "Enter next match")
        terminal.wait_for("Enter inspect")
        terminal.press("F")
        terminal.wait_gone("Enter inspect")
        paste(terminal, TYPED)
        terminal.press_until("escape", lambda: "Enter inspect" in terminal.text, again=20.0)
        opened(terminal, "x", "Values that look like secrets", "end")

        # A form, and its answer as JSON.
        to_prompt(terminal)
        ask(terminal, "form")
        terminal.wait_for("1 waiting")
        terminal.wait_for(IDLE)
        terminal.press("f4")
        terminal.wait_for("Enter open")
        terminal.press("enter")
        terminal.read(0.5)
        paste(terminal, TYPED)
        terminal.press("tab", "down", "tab", "down")
        terminal.read(0.3)
        terminal.press("escape")
        terminal.read(0.3)
        terminal.press("e")
        terminal.read(0.3)
        paste(terminal, TYPED)
        terminal.press("escape")
        terminal.read(0.3)
        for key in "lp":
            terminal.press(key)
            terminal.read(0.3)
        terminal.press("escape")
        terminal.read(0.3)

        # A message of somebody else's comes back into the prompt.
        terminal.press_until("f3", lambda: "Enter inspect" in terminal.text, again=5.0)
        terminal.press("home", "m")
        terminal.read(0.5)
        leave(terminal)
        copied = audited(bytes(terminal.raw), usual)
    assert len(copied) >= 4
    for text in copied:
        assert clean(text) == text


def test_no_word_acts_on_the_terminal_of_the_line_mode(tmp_path: Path) -> None:
    shutil.copytree(HERE / "speaking", tmp_path / "speaking")
    with Chat(tmp_path / "speaking", home=tmp_path) as chat:
        chat.wait_prompt()
        for word in ("text", "thought", "tell", "error", "fails", "nobody", "code"):
            chat.say(word)
            chat.wait_prompt()
        for line in ("/state", "/agents", "/events", "/sessions", "/output", "/rename"):
            chat.say(line)
            chat.read(0.3)
            if line == "/rename":
                chat.press("ctrl+c")
            chat.wait_prompt()
        chat.say("gated")
        chat.wait_for("later", SLOW)
        chat.press("enter")
        chat.leave()
        raw = bytes(chat.raw)
    assert {k for k in kinds(raw) if not LINE_MODE.fullmatch(k)} == set()
    assert odd_characters(raw) == set()
    assert longest_cluster(raw) < 20
    assert b"owned" in raw
