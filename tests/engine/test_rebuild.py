"""An engine that takes over the sessions of a process whose memory they lived in."""

import json

import pytest

from adk_tui.core.commands import ListSessions, OpenSession, RestoreSession, Rewind, Say
from adk_tui.core.reports import Notice, SessionList, SessionOpened, Settings
from adk_tui.core.state import state_at
from tests.engine.harness import EngineProcess, events, last_done, of, write_agent

AGENT = """
leaf = LlmAgent(name="leaf", model=Scripted(say("leaf here")))
root_agent = LlmAgent(name="root", model=Scripted(say("root here")), sub_agents=[leaf])
"""


@pytest.fixture
def agent(tmp_path):
    return write_agent(tmp_path / "agent", AGENT)


def said(text: str, number: int, **more: object) -> bytes:
    return json.dumps(
        {
            "id": f"e{number}",
            "author": "user",
            "invocationId": f"i{number}",
            "timestamp": float(number),
            "content": {"role": "user", "parts": [{"text": text}]},
            **more,
        }
    ).encode()


def wrote(number: int, **delta: object) -> bytes:
    return said("write", number, actions={"stateDelta": delta})


def notices(records: list) -> list[str]:
    return [n.message for n in of(Notice, records)]


def test_all_sessions_are_there_again_and_the_open_one_is_told(agent):
    kept = (
        RestoreSession("a", "user", "First", "", {"k": 1}, (said("one", 1), wrote(2, k=2))),
        RestoreSession("b", "other", "", "a", {}, (said("two", 3),)),
        RestoreSession("empty", "user"),
    )
    with EngineProcess(agent, storage="memory", session_id="a", sessions=kept) as engine:
        records = engine.ready()
        opened = of(SessionOpened, records)[-1]
        assert (opened.id, opened.user, opened.title, opened.named) == ("a", "user", "First", True)
        assert [e.id for e in events(records)] == ["e1", "e2"]
        rows = of(SessionList, engine.do(ListSessions()))[-1].sessions
        assert {(r.id, r.user, r.parent, r.events) for r in rows} == {
            ("a", "user", "", 2),
            ("b", "other", "a", 1),
            ("empty", "user", "", 0),
        }
        assert last_done(engine.do(Rewind("i2"))).ok
        opened = of(SessionOpened, engine.do(OpenSession("a", "user")))[-1]
        assert opened.state["k"] == 1, "the state it was made with is known after a rewind"


def test_what_sessions_share_is_as_it_was_whoever_is_made_first(agent):
    kept = (
        RestoreSession("a", "user", events=(wrote(1, **{"user:n": 1, "app:m": 1}),)),
        RestoreSession("b", "user", events=(wrote(2, **{"user:n": 2}),)),
    )
    shared = {"user": {"user:n": 2, "app:m": 7}}
    for name in ("a", "b"):
        with EngineProcess(
            agent, storage="memory", session_id=name, sessions=kept, shared=shared
        ) as engine:
            records = engine.ready()
            assert of(SessionOpened, records)[-1].state == {"user:n": 2, "app:m": 7}
            log = events(records)
            assert state_at(log, 0)["user:n"] == (1 if name == "a" else 2), "history is whole"
            assert len(of(SessionList, engine.do(ListSessions()))[-1].sessions) == 2


def test_what_cannot_be_made_again_is_named_and_the_rest_serves(agent):
    strange = said("from another version", 2, content={"parts": "nonsense"})
    kept = (
        RestoreSession("a", "user", "Mine", events=(said("one", 1), strange, b"{")),
        RestoreSession("b", "user"),
        RestoreSession("b", "user", "Twice"),
    )
    with EngineProcess(agent, storage="memory", session_id="a", sessions=kept) as engine:
        records = engine.ready()
        assert notices(records) == [
            "The session Mine (a) is here without 2 events this google-adk cannot read.",
            "The session Twice (b) could not be made again: There is a session b already.",
        ]
        assert [e.id for e in events(records)] == ["e1"]
        assert last_done(engine.do(Say("on"))).ok


def test_the_session_of_another_user_is_opened_without_becoming_them(agent):
    kept = (RestoreSession("a", "other", events=(said("one", 1),)),)
    with EngineProcess(
        agent, storage="memory", session_id="a", session_user="other", sessions=kept
    ) as engine:
        records = engine.ready()
        assert of(SessionOpened, records)[-1].user == "other"
        assert notices(records) == []


def test_a_forced_turn_is_taken_over_or_said_to_be_gone(agent):
    with EngineProcess(agent, storage="memory", once="leaf") as engine:
        assert of(Settings, engine.ready())[-1].once == "leaf"
        assert events(engine.do(Say("hi")))[-1].author == "leaf"
    with EngineProcess(agent, storage="memory", once="vanished") as engine:
        records = engine.ready()
        assert of(Settings, records)[-1].once == ""
        assert notices(records) == [
            "vanished is no longer forced to answer the next message: There is no agent vanished."
        ]
