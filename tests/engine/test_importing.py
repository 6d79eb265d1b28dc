"""Whatever a log of a session holds, what can be read of it becomes a session again."""

import json
from typing import Any

from google.adk.events.event import Event
from google.adk.sessions.in_memory_session_service import InMemorySessionService
from hypothesis import example, given, settings
from hypothesis import strategies as st

from adk_tui.core.event_reader import read_event
from adk_tui.engine.copies import replay
from adk_tui.engine.dump import dump_event
from adk_tui.engine.rebuild import read_events
from tests.fakes.event_json import EVENT_LIKE, JSON, WHOLE


def changed(change: tuple[list[int], Any]) -> dict[str, Any]:
    """A whole event of which one part is something else; the numbers lead to it."""
    path, value = change
    event = json.loads(json.dumps({**WHOLE, "partial": False}))
    place: Any = event
    for number in path:
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        if not keys:
            break
        key = keys[number % len(keys)]
        if not isinstance(place[key], (dict, list)):
            place[key] = value
            break
        place = place[key]
    else:
        key = next(iter(place), None) if isinstance(place, dict) else None
        if key is not None:
            place[key] = value
    return event


NEAR = st.tuples(st.lists(st.integers(0, 30), min_size=1, max_size=5), JSON).map(changed)
ROWS = st.lists(
    st.one_of(
        st.one_of(NEAR, EVENT_LIKE, JSON).map(lambda value: json.dumps(value).encode()),
        st.binary(max_size=40),
    ),
    max_size=5,
)


@settings(deadline=None)
@given(ROWS)
@example([b"1", b"null", b"[]", b'"x"', b"{}", b"", b"\xff", b"[" * 3_000, b"NaN"])
@example([json.dumps(WHOLE).encode(), json.dumps({**WHOLE, "partial": False}).encode()])
def test_any_log_is_read_and_every_row_is_an_event_a_partial_or_counted(rows: list[bytes]) -> None:
    events, unreadable = read_events(rows)
    assert all(isinstance(event, Event) and not event.partial for event in events)
    partial = sum(_is_partial(row) for row in rows)
    assert len(events) + unreadable + partial == len(rows)


def _is_partial(row: bytes) -> bool:
    try:
        value = json.loads(row)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and value.get("partial") is True


@settings(deadline=None, max_examples=60)
@given(ROWS)
async def test_what_was_read_is_stored_in_order_and_comes_up_as_it_was(rows: list[bytes]) -> None:
    events, _ = read_events(rows)
    told = [read_event(dump_event(event)) for event in events]
    service = InMemorySessionService()
    session = await service.create_session(app_name="a", user_id="u")
    await replay(service, session, events, whole=True)
    kept = await service.get_session(app_name="a", user_id="u", session_id=session.id)
    assert kept is not None
    again = [read_event(dump_event(event)) for event in kept.events]
    assert [e.id for e in again] == [e.id for e in told]
    assert [(e.author, e.text, e.calls) for e in again] == [
        (e.author, e.text, e.calls) for e in told
    ]
