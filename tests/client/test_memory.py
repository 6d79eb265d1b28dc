"""How a new process is told to go on with the sessions."""

from typing import Any

from adk_tui.client.memory import SessionMemory
from adk_tui.core.commands import RestoreSession, RunSettings, Start
from adk_tui.core.event_reader import read_event
from adk_tui.core.records import EventRecord
from adk_tui.core.reports import (
    AgentNode,
    Ready,
    SessionDeleted,
    SessionInfo,
    SessionList,
    SessionOpened,
    SessionRenamed,
    Settings,
)

FIRST = Start("/agent", user="me", state={"k": 1})


def event(number: int, **more: object) -> EventRecord:
    return read_event({"id": f"e{number}", "author": "a", **more})


def wrote(number: int, **delta: object) -> EventRecord:
    return event(
        number, actions={"stateDelta": {k.replace("__", ":"): v for k, v in delta.items()}}
    )


def remembering(*fleeting: str) -> SessionMemory:
    memory = SessionMemory(FIRST)
    memory.loaded(Ready("a", AgentNode("root"), "/agent", "me", "", fleeting=frozenset(fleeting)))
    return memory


def opened(name: str, count: int = 0, **more: Any) -> SessionOpened:
    return SessionOpened(name, more.pop("user", "me"), "app", count, **more)


def kept(memory: SessionMemory) -> dict[str, tuple[str, ...]]:
    return {
        s.session_id: tuple(read_event(raw).id for raw in s.events) for s in memory.start().sessions
    }


def test_before_any_session_the_first_start_is_repeated() -> None:
    assert SessionMemory(FIRST).start() == FIRST


def test_a_stored_session_is_opened_by_its_id_and_owner() -> None:
    memory = remembering()
    memory.opened(opened("s", 3, user="other"))
    memory.event(event(1))
    start = memory.start(seal=True)
    assert (start.session_id, start.session_user, start.user) == ("s", "other", "me")
    assert (start.state, start.sessions, start.seal) == ({}, (), True)


def test_a_session_in_memory_is_made_again_from_its_final_events_and_first_state() -> None:
    memory = remembering("sessions")
    memory.opened(opened("s", state={"k": 1}))
    memory.event(event(1))
    memory.event(event(2, partial=True))
    memory.event(event(2))
    memory.event(event(2))
    memory.event(read_event({"id": "inner", "author": "b"}, inner_of="c"))
    assert kept(memory) == {"s": ("e1", "e2")}
    memory.opened(opened("s", 2, reason="resync", state={"k": 2}))
    assert kept(memory) == {"s": ("e1", "e2")}, "its process may die before they came again"
    memory.event(event(1))
    memory.event(event(2))
    assert kept(memory) == {"s": ("e1", "e2")}
    assert memory.start().sessions[0].state == {"k": 1}
    assert memory.start().session_id == "s"


def test_every_session_in_memory_that_was_open_or_restored_is_made_again() -> None:
    memory = remembering("sessions")
    memory.opened(opened("first"))
    memory.event(event(1))
    memory.opened(opened("gone", reason="new"))
    memory.event(event(2))
    memory.opened(opened("empty", reason="new", state={"x": 3}))
    memory.deleted(SessionDeleted("gone", "me", "app"))
    memory.restored(RestoreSession("back", "me", "Title", "first", {"y": 4}, (event(3).raw,)))
    assert kept(memory) == {"first": ("e1",), "empty": (), "back": ("e3",)}
    states = {s.session_id: s.state for s in memory.start().sessions}
    assert states == {"first": {}, "empty": {"x": 3}, "back": {"y": 4}}
    assert memory.start().session_id == "empty"


def test_titles_and_kinship_of_sessions_in_memory_are_kept() -> None:
    memory = remembering("sessions")
    memory.opened(opened("a", title="its first words"))
    memory.opened(opened("b", 1, reason="fork", title="given", named=True, parent="a"))
    memory.event(event(1))
    assert [(s.title, s.parent) for s in memory.start().sessions] == [("", ""), ("given", "a")]
    memory.renamed(SessionRenamed("a", "me", "new"))
    memory.renamed(SessionRenamed("b", "me", "its first words", named=False))
    assert [(s.title, s.parent) for s in memory.start().sessions] == [("new", ""), ("", "a")]


def test_what_sessions_share_is_what_it_was_last() -> None:
    memory = remembering("sessions")
    memory.opened(opened("a", state={"user:n": 1, "app:m": 1, "own": 1}))
    memory.event(wrote(1, user__n=2))
    memory.opened(opened("b", reason="new", state={"user:n": 2, "app:m": 1}))
    memory.event(wrote(2, user__n=3, app__m=5))
    memory.opened(opened("c", reason="open", user="other", state={"app:m": 5, "user:n": 9}))
    memory.opened(opened("a", 1, reason="open", state={"user:n": 3, "app:m": 5, "own": 1}))
    assert memory.start().shared == {
        "me": {"user:n": 3, "app:m": 5},
        "other": {"user:n": 9, "app:m": 5},
    }


def test_the_first_state_of_a_session_met_late_is_what_its_events_did_not_write() -> None:
    memory = remembering("sessions")
    memory.opened(opened("late", 1, reason="open", state={"made": 1, "written": 2}))
    memory.event(wrote(1, written=2))
    memory.event(wrote(2, made=7))
    assert memory.start().sessions[0].state == {"made": 1}


def test_settings_and_a_forced_turn_go_on_in_the_next_process() -> None:
    memory = remembering()
    memory.opened(opened("s"))
    before = memory.setup
    memory.configured(Settings(RunSettings(max_llm_calls=3), "desk"))
    assert memory.setup != before
    assert memory.start().settings == RunSettings(max_llm_calls=3)
    assert memory.start().once == "desk"
    assert memory.turn_cut() == "desk"
    assert memory.start().once == ""


def test_what_cannot_be_made_again_is_named_once() -> None:
    memory = remembering("sessions", "artifacts")
    memory.opened(opened("s"))
    memory.event(event(1, actions={"artifactDelta": {"plan.txt": 0}}))
    rows = (SessionInfo("s", "me"), SessionInfo("never-open", "me", title="Strange"))
    memory.listed(SessionList(rows))
    assert memory.gone() == (
        "Gone with the agent's process: sessions that were never open here (Strange)"
        " and artifacts (plan.txt)."
    )
    assert memory.gone() == ""


def test_what_the_memory_service_held_is_named_once_each_time_it_is_emptied() -> None:
    memory = remembering("artifacts", "memory")
    memory.opened(opened("s"))
    memory.event(event(1, actions={"artifactDelta": {"plan.txt": 0}}))
    assert memory.gone() == (
        "Gone with the agent's process: artifacts (plan.txt)"
        " and what was put into ADK's memory service."
    )
    assert memory.gone() == "", "the next process has put nothing there yet"


def test_nothing_is_gone_where_it_is_stored() -> None:
    memory = remembering()
    memory.opened(opened("s"))
    memory.event(event(1, actions={"artifactDelta": {"plan.txt": 0}}))
    memory.listed(SessionList((SessionInfo("never-open", "me"),)))
    assert memory.gone() == ""
