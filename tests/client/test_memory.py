"""How a new process is told to go on with the session."""

from adk_tui.client.memory import SessionMemory
from adk_tui.core.commands import Start
from adk_tui.core.records import read_event
from adk_tui.core.reports import SessionOpened

FIRST = Start("/agent", state={"k": 1})


def event(number: int, **more: object):  # type: ignore[no-untyped-def]
    return read_event({"id": f"e{number}", "author": "a", **more})


def told(start: Start) -> tuple[str, str, object, int, bool]:
    return (start.session_id, start.user, start.state, len(start.events), start.seal)


def test_before_any_session_the_first_start_is_repeated() -> None:
    assert SessionMemory(FIRST).start() == FIRST


def test_a_stored_session_is_opened_by_its_id_and_user() -> None:
    memory = SessionMemory(FIRST)
    memory.opened(SessionOpened("s", "test_user", "app", 3))
    memory.event(event(1))
    assert told(memory.start(seal=True)) == ("s", "test_user", {}, 0, True)


def test_a_session_in_memory_is_rebuilt_from_its_final_events_and_first_state() -> None:
    memory = SessionMemory(Start("/agent", storage="memory"))
    memory.opened(SessionOpened("s", "u", "app", 0, state={"k": 1}))
    memory.event(event(1))
    memory.event(event(2, partial=True))
    memory.event(event(2))
    memory.event(event(2))
    memory.event(read_event({"id": "inner", "author": "b"}, inner_of="c"))
    assert told(memory.start()) == ("s", "u", {"k": 1}, 2, False)
    memory.opened(SessionOpened("s", "u", "app", 2, "resync", state={"k": 2}))
    for number in (1, 2):
        memory.event(event(number))
    assert told(memory.start()) == ("s", "u", {"k": 1}, 2, False)
    memory.opened(SessionOpened("other", "u", "app", 0, "new", state={"x": 3}))
    assert told(memory.start()) == ("", "u", {"x": 3}, 0, False)


def test_the_service_uri_decides_where_a_session_lives() -> None:
    assert SessionMemory(Start("/a", storage="memory")).rebuilt
    assert SessionMemory(Start("/a", session_service_uri="memory://")).rebuilt
    uri = "sqlite:///x.db"
    assert not SessionMemory(Start("/a", storage="memory", session_service_uri=uri)).rebuilt
