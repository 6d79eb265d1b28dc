"""The worst names and values in every place that a person reads, edits or copies from."""

import asyncio
import base64
import re
import shutil
from pathlib import Path

from google.adk.events.event import Event
from google.adk.sessions.sqlite_session_service import SqliteSessionService
from google.genai import types

from adk_tui.core.sanitize import clean
from adk_tui.engine.titles import Titles
from tests.e2e.terminal import Terminal
from tests.e2e.workbench import IDLE, ask, leave, loaded, workbench
from tests.hostile.audit import kinds, longest_cluster, odd_characters
from tests.hostile.speaking.corpus import CORPUS
from tests.hostile.tour import SIZE, tour

HERE = Path(__file__).parent
MINE = CORPUS["title"] + CORPUS["bidi"] + CORPUS["c1"]


def prepared(folder: Path) -> Path:
    """The agent, with sessions that somebody else has stored under the worst names."""
    shutil.copytree(HERE / "naming", folder)
    shutil.copy(HERE / "speaking" / "corpus.py", folder)
    store = folder / ".adk"
    store.mkdir()
    asyncio.run(_fill(SqliteSessionService(db_path=str(store / "session.db"))))
    titles = Titles(store / "adk-tui.db", folder.name)
    for text in list(CORPUS.values())[::2]:
        titles.set("user", text[:200], title=text[:500])
    titles.set("user", MINE, title=MINE)
    return folder


async def _fill(service: SqliteSessionService) -> None:
    for text in [*CORPUS.values(), MINE]:
        for user in ("user", text[:200]):
            session = await service.create_session(
                app_name="naming", user_id=user, session_id=text[:200], state={text[:200]: text}
            )
            for author in ("user", text[:500]):
                content = types.Content(role=author[:4], parts=[types.Part(text=text[:2_000])])
                event = Event(author=author, invocation_id=text[:200], content=content)
                event.branch = text[:200]
                await service.append_event(session=session, event=event)


def opened(terminal: Terminal, key: str, word: str, *inside: str) -> None:
    """Open a screen, press keys in it, and leave it."""
    terminal.press(key)
    terminal.wait_for(word)
    for each in inside:
        terminal.press(each)
        terminal.read(0.3)
    left(terminal, word)


def left(terminal: Terminal, word: str) -> None:
    """Leave the screen that shows the word. Escape right before a key would be Alt with it."""
    terminal.press_until("escape", lambda: word not in terminal.text, again=20.0, timeout=60.0)
    settle(terminal)


def settle(terminal: Terminal) -> None:
    """Wait until nothing more is drawn: a screen may go in one frame and its footer in the next."""
    while terminal.read(0.4):
        pass


def to_prompt(terminal: Terminal) -> None:
    """Go to the prompt; its key leaves it again."""
    settle(terminal)
    if "Enter send" not in terminal.text:
        terminal.press("f2")
        terminal.wait_for("Enter send")


def command(terminal: Terminal, text: str) -> None:
    """Give a slash command."""
    to_prompt(terminal)
    if "Message the agent" not in terminal.text:
        terminal.press("end", "ctrl+u")
        terminal.wait_for("Message the agent")
    terminal.type(text + " ")
    terminal.wait_for(text)
    terminal.press("enter")
    terminal.read(0.5)


def test_no_name_and_no_value_acts_on_the_terminal(tmp_path: Path, usual: set[str]) -> None:
    folder = prepared(tmp_path / "naming")
    with workbench(folder, "--on-disk", "--session", MINE, **SIZE) as terminal:
        loaded(terminal)
        for word in ("tool", "text"):
            ask(terminal, word)
            terminal.wait_for(f"▌ {word}")
            terminal.wait_for(IDLE)
        command(terminal, "/copy")
        terminal.wait_raw(b"\x1b]52;c;")
        for count, word in enumerate(("wait", "form"), 1):
            terminal.type(word)
            terminal.wait_for(f"▎ {word}")
            terminal.write(b"\r\x1b[O")  # sent, and nobody looks any more
            terminal.wait_for(f"{count} waiting")
            terminal.wait_for(IDLE)
        terminal.wait_raw(b"\x1b]9;adk-tui: ")
        terminal.write(b"\x1b[I")
        opened(terminal, "f7", "Sessions", *["down"] * 12, "end", "up", "up")
        opened(terminal, "f8", "State", *["down"] * 3)
        opened(terminal, "f3", "x export", "x")
        tour(terminal)
        leave(terminal)
        raw = bytes(terminal.raw)
    found = kinds(raw) - usual
    told = {text for text in found if re.match(r"\x1b\](?:9;adk-tui: |777;notify;adk-tui;)", text)}
    copied = {text for text in found if text.startswith("\x1b]52;c;")}
    assert found - told - copied == set()
    # The bell that calls for a person rings before the notification, and nowhere else.
    assert odd_characters(raw.replace(b"\a\x1b]9;adk-tui", b"\x1b]9;adk-tui")) == set()
    assert longest_cluster(raw) < 20
    assert told
    for text in told:
        inner = text[1:].removesuffix("\x1b\\")
        assert clean(inner) == inner
    for text in copied:
        inner = base64.b64decode(text[7:].rstrip("\x07\x1b\\")).decode()
        assert "owned" in inner
        assert clean(inner) == inner
