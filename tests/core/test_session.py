"""The one fold that all front ends read."""

from adk_tui.core.chat_items import AgentText
from adk_tui.core.event_reader import read_event
from adk_tui.core.records import Usage
from adk_tui.core.reports import (
    AgentNode,
    Done,
    Ready,
    SessionDeleted,
    SessionOpened,
    Status,
    ToolRun,
)
from adk_tui.core.session import DELETED_ROOM, SessionView


def text(event_id: str, words: str, *, partial: bool = False, author: str = "root"):
    return read_event(
        {
            "id": event_id,
            "invocationId": "e-1",
            "author": author,
            "partial": partial,
            "content": {"role": "model", "parts": [{"text": words}]},
            "usageMetadata": {"promptTokenCount": 3, "totalTokenCount": 5},
            "timestamp": 1.0,
        }
    )


def call(event_id: str, call_id: str):
    return read_event(
        {
            "id": event_id,
            "invocationId": "e-1",
            "author": "root",
            "content": {"parts": [{"functionCall": {"id": call_id, "name": "pay", "args": {}}}]},
            "longRunningToolIds": [call_id],
            "timestamp": 2.0,
        }
    )


READY = Ready(app="a", root=AgentNode("root"), folder="/a", user="user", store="memory")
OPENED = SessionOpened("s1", "user", "a")


def test_what_changed_is_named_and_nothing_else():
    view = SessionView()
    assert view.apply([Status("loading")]) == {"status"}
    assert view.apply([READY, OPENED]) >= {"ready", "session"}
    assert view.apply([text("1", "hi")]) == {"events", "transcript"}
    assert view.apply([call("2", "c")]) >= {"events", "tickets"}
    assert view.apply([Done(1)]) == {"done"}


def test_the_route_is_unknown_until_the_agent_is_loaded():
    view = SessionView()
    assert view.route() is None
    view.apply([READY, OPENED])
    route = view.route()
    assert route is not None
    assert route.agent == "root"


def test_a_new_session_starts_empty_and_the_same_one_told_again_keeps_its_runs():
    view = SessionView()
    run = ToolRun("c", "pay", "root", "e-1", started=1.0)
    view.apply([READY, OPENED, text("1", "hi"), run])
    view.apply([SessionOpened("s1", "user", "a", reason="reload"), text("1", "hi")])
    assert [len(view.log), len(view.runs), len(view.transcript.items)] == [1, 1, 1]
    view.apply([SessionOpened("s2", "user", "a", reason="new")])
    assert [len(view.log), len(view.runs), len(view.transcript.items)] == [0, 0, 0]


def test_tokens_are_counted_once_for_a_streamed_answer():
    view = SessionView()
    view.apply([READY, OPENED, text("1", "h", partial=True), text("1", "hi")])
    assert view.usage == Usage(prompt=3, total=5)


def test_half_a_sentence_is_marked_as_soon_as_nothing_runs_any_more():
    view = SessionView()
    view.apply([READY, OPENED, Status("running"), text("1", "hal", partial=True)])
    (item,) = view.transcript.items
    assert isinstance(item, AgentText)
    assert item.streaming
    assert "transcript" in view.apply([Status("ready")])
    (item,) = view.transcript.items
    assert isinstance(item, AgentText)
    assert item.mark == "interrupted"


def test_of_deleted_sessions_the_newest_are_kept_whole_and_as_many_as_there_is_room_for():
    view = SessionView()
    quarter = (b"e" * (DELETED_ROOM // 4),)
    for number in range(6):
        assert view.apply([SessionDeleted(f"s{number}", "me", "a", events=quarter)]) == {"deleted"}
    assert [d.id for d in view.deleted] == ["s2", "s3", "s4", "s5"]
    assert view.deletions == 6
    view.apply([SessionDeleted("huge", "me", "a", events=quarter * 9)])
    assert [(d.id, len(d.events)) for d in view.deleted] == [("huge", 9)]
    view.apply([SessionDeleted("last", "me", "a", events=quarter)])
    assert [d.id for d in view.deleted] == ["last"]
