"""Sessions that their store has lost, by a real engine: made again from what came up, or said."""

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from adk_tui.client.process import Launch, ProcessEngine
from adk_tui.core.commands import (
    Command,
    ListSessions,
    NewSession,
    Reload,
    RenameSession,
    Restart,
    Say,
    Start,
    Stop,
)
from adk_tui.core.records import EventRecord
from adk_tui.core.reports import (
    Done,
    Failure,
    Notice,
    SessionList,
    SessionOpened,
    Status,
    ToolRun,
)
from adk_tui.core.state import initial_state, state_at
from tests.fakes.engine_records import Listener

AGENT = '''
import os, pathlib, shutil, time
from google.adk.agents import LlmAgent
from google.adk.models import BaseLlm, LlmResponse
from google.adk.tools import ToolContext
from google.genai import types

STORE = pathlib.Path(__file__).parent / ".adk"

async def act(words: str, tool_context: ToolContext) -> str:
    """Does what the words say."""
    name, *rest = words.split()
    match name:
        case "write":
            tool_context.state[rest[0]] = rest[1]
        case "save":
            part = types.Part(inline_data=types.Blob(data=b"x", mime_type="text/plain"))
            await tool_context.save_artifact(rest[0], part)
        case "learn":
            await tool_context.add_session_to_memory()
        case "drop":
            shutil.rmtree(STORE) if rest[0] == "folder" else (STORE / "session.db").unlink()
            if rest[1] == "die":
                os._exit(7)
            time.sleep(3600)
    return "done"

class Words(BaseLlm):
    async def generate_content_async(self, llm_request, stream=False):
        last = llm_request.contents[-1].parts[-1]
        if last.text and last.text.startswith("act "):
            call = types.FunctionCall(name="act", args={"words": last.text[4:]})
            part = types.Part(function_call=call)
        else:
            part = types.Part(text=f"heard {len(llm_request.contents)}")
        yield LlmResponse(content=types.Content(role="model", parts=[part]))

root_agent = LlmAgent(name="root", model=Words(model="words"), tools=[act])
'''


class Lost(Listener):
    """An engine on the agent, and what the store of its sessions holds."""

    def __init__(self, folder: Path, **start: Any) -> None:
        self.store = folder / ".adk"
        super().__init__(ProcessEngine(Launch(Start(str(folder), **start), grace=2.0)))
        self.engine.start()

    def ask(self, command: Command) -> Done:
        return self.done(self.engine.submit(command))

    def say(self, text: str) -> None:
        done = self.ask(Say(text))
        assert done.ok, done

    @property
    def opened(self) -> SessionOpened:
        return self.of(SessionOpened)[-1]

    @property
    def session(self) -> list[EventRecord]:
        """The events of the session as it was told last."""
        last = max(i for i, r in enumerate(self.seen) if isinstance(r, SessionOpened))
        found = {r.id: r for r in self.seen[last:] if isinstance(r, EventRecord) and not r.partial}
        return list(found.values())

    @property
    def state(self) -> dict[str, Any]:
        events = self.session
        first = initial_state(self.opened.state, events[: self.opened.count])
        return state_at(events, len(events) - 1, first)

    def stored(self) -> int:
        """Events in the file."""
        with closing(sqlite3.connect(self.store / "session.db")) as db:
            return db.execute("SELECT COUNT(*) FROM events").fetchone()[0]

    def lose(self, what: str) -> None:
        if what == "folder":
            shutil.rmtree(self.store)
        else:
            (self.store / "session.db").unlink()

    def notices(self) -> str:
        return "\n".join(n.message for n in self.of(Notice))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "helper"
    folder.mkdir()
    (folder / "agent.py").write_text(AGENT)
    return folder


@pytest.fixture
def e(folder: Path) -> Iterator[Lost]:
    listener = Lost(folder, storage="file", state={"first": 1, "user:seen": "yes"})
    yield listener
    listener.engine.close()


@pytest.mark.parametrize(
    ("what", "command"),
    [("folder", Reload()), ("file", Reload()), ("folder", Restart()), ("file", Stop(force=True))],
)
def test_a_session_whose_store_was_deleted_while_idle_is_made_again_there_whole(
    e: Lost, what: str, command: Command
) -> None:
    e.phase("ready")
    e.say("one")
    e.say("act write app:k v")
    e.say("act save plan.txt")
    e.ask(RenameSession(e.opened.id, "", "The plan"))
    before, state, opened = [r.id for r in e.session], e.state, e.opened
    assert (state["first"], state["user:seen"], state["app:k"]) == (1, "yes", "v")
    e.lose(what)

    failed = e.ask(Say("lost")).failure
    assert failed is not None
    assert "F9" in failed.hint
    assert [r.id for r in e.session] == before, "nothing is taken from the screen"

    assert e.ask(command).ok
    assert e.opened is not opened
    assert (e.opened.id, e.opened.user) == (opened.id, opened.user)
    assert (e.opened.title, e.opened.named) == ("The plan", True)
    assert [r.id for r in e.session] == before
    assert e.state == state
    assert f"The session The plan ({opened.id}) was no longer in its store" in e.notices()
    assert str(e.store / "session.db") in e.notices()
    assert (" Its artifacts are gone: plan.txt." in e.notices()) == (what == "folder")
    assert e.of(Failure) == [], "what could be mended is told as a notice only"
    assert not [s for s in e.of(Status) if s.phase in ("failed", "dead")]

    e.say("two")
    assert e.stored() == len(e.session) == len(before) + 2
    assert e.ask(Reload()).ok
    assert e.stored() == len(e.session)
    assert e.notices().count("was no longer in its store") == 1


@pytest.mark.parametrize("what", ["file", "folder"])
def test_a_store_deleted_in_a_run_that_is_then_killed_costs_nothing_of_the_session(
    e: Lost, what: str
) -> None:
    e.phase("ready")
    e.say("one")
    run = e.engine.submit(Say(f"act drop {what} block"))
    e.until(lambda r: isinstance(r, ToolRun) and not r.ended)
    e.until(lambda _: not (e.store / "session.db").exists())
    before = [r.id for r in e.session]
    force = e.engine.submit(Stop(force=True))
    assert e.done(run).stopped
    assert e.done(force).ok
    sealed = e.session
    assert [r.id for r in sealed][: len(before)] == before
    calls = {c.id for r in sealed for c in r.calls}
    assert {a.id for r in sealed if r.aborted for a in r.responses} == calls != set()
    e.say("two")
    assert e.stored() == len(e.session)


def test_a_store_that_its_own_agent_took_along_into_death_is_made_again(e: Lost) -> None:
    e.phase("ready")
    e.say("one")
    assert not e.ask(Say("act drop folder die")).ok
    e.phase("dead")
    before = [r.id for r in e.session]
    assert len(before) == 4, "the message and the call that it died of are kept"
    assert e.ask(Restart()).ok
    assert [r.id for r in e.session] == before
    e.say("two")
    assert e.stored() == len(e.session)


def test_what_other_sessions_share_stays_as_the_store_has_it(e: Lost, folder: Path) -> None:
    e.phase("ready")
    e.say("act write user:rank captain")
    first = e.opened
    other = Lost(folder, storage="file")
    try:
        other.phase("ready")
        other.say("act write user:rank admiral")
        with closing(sqlite3.connect(e.store / "session.db")) as db, db:
            db.execute("DELETE FROM events WHERE session_id = ?", (first.id,))
            db.execute("DELETE FROM sessions WHERE id = ?", (first.id,))
        assert e.ask(Reload()).ok
        assert e.opened.id == first.id
        assert e.opened.state["user:rank"] == "admiral"
        listed = e.engine.submit(ListSessions())
        assert e.done(listed).ok
        assert {s.id for s in e.of(SessionList)[-1].sessions} == {first.id, other.opened.id}
    finally:
        other.engine.close()


def test_a_session_that_was_never_here_is_still_said_to_be_unknown(folder: Path) -> None:
    e = Lost(folder, storage="file", session_id="nowhere")
    try:
        e.phase("failed")
        assert [f.code for f in e.of(Failure)] == ["session.unknown"]
    finally:
        e.engine.close()


def test_where_a_lost_store_cannot_be_made_again_the_session_goes_on_in_memory(e: Lost) -> None:
    e.phase("ready")
    e.say("one")
    before = [r.id for r in e.session]
    shutil.rmtree(e.store)
    e.store.write_text("a file where the folder was")
    assert e.ask(Reload()).ok
    assert "sessions are kept in memory only" in e.notices()
    assert [r.id for r in e.session] == before
    e.say("two")
    e.store.unlink()
    before = [r.id for r in e.session]
    assert e.ask(Reload()).ok
    assert [r.id for r in e.session] == before
    assert e.stored() == len(before), "back in its file as soon as there can be one"


def test_a_database_in_memory_outlives_its_process_like_any_memory(folder: Path) -> None:
    pytest.importorskip("sqlalchemy", reason="the db extra is not installed")
    pytest.importorskip("aiosqlite", reason="the db extra is not installed")
    e = Lost(folder, session_service_uri="sqlite+aiosqlite:///:memory:")
    try:
        e.phase("ready")
        e.say("one")
        assert e.ask(NewSession({"k": 1})).ok
        e.say("two")
        before, opened = [r.id for r in e.session], e.opened
        assert e.ask(Reload()).ok
        assert e.opened.id == opened.id
        assert [r.id for r in e.session] == before
        assert e.state == {"k": 1}
        assert "no longer in its store" not in e.notices()
        e.done(e.engine.submit(ListSessions()))
        assert len(e.of(SessionList)[-1].sessions) == 2
    finally:
        e.engine.close()


def test_a_memory_service_that_a_reload_empties_is_named_if_anything_was_in_it(e: Lost) -> None:
    e.phase("ready")
    e.say("one")
    assert e.ask(Reload()).ok
    assert "Gone with" not in e.notices()
    e.say("act learn")
    assert e.ask(Reload()).ok
    gone = "Gone with the agent's process: what was put into ADK's memory service."
    assert e.notices().count(gone) == 1
    assert e.ask(Reload()).ok
    assert e.notices().count(gone) == 1
