"""The queue between an engine's threads and a front end."""

import threading

from adk_tui.client.outbox import OUTPUT_ROOM, ROOM, Outbox
from adk_tui.core.event_reader import read_event
from adk_tui.core.reports import Notice, Output


def test_records_come_out_once_and_in_order() -> None:
    box = Outbox()
    box.put([Notice("1"), Notice("2")])
    box.put([Notice("3")])
    assert [n.message for n in box.take(0.0) if isinstance(n, Notice)] == ["1", "2", "3"]
    assert list(box.take(0.0)) == []


def test_a_reader_waits_until_the_front_end_has_taken_what_is_there() -> None:
    box = Outbox()
    big = read_event(b'{"id": "1", "x": "' + b"x" * ROOM + b'"}')
    box.put([big])
    assert box.crowded
    waited = threading.Event()

    def wait() -> None:
        box.wait_for_room()
        waited.set()

    threading.Thread(target=wait, daemon=True).start()
    assert not waited.is_set()
    assert list(box.take(0.0)) == [big]
    assert waited.wait(30)


def test_close_lets_nobody_wait() -> None:
    box = Outbox()
    box.put([read_event(b'{"id": "1", "x": "' + b"x" * ROOM + b'"}')])
    box.close()
    box.wait_for_room()
    assert len(box.take(30.0)) == 1
    assert list(box.take(30.0)) == []


def test_output_that_nobody_takes_is_refused_and_then_taken_again() -> None:
    box = Outbox()
    piece = Output("stdout", "x" * (OUTPUT_ROOM // 2))
    assert [box.put_output(piece) for _ in range(3)] == [True, True, False]
    box.put([Notice("still room for records")])
    assert len(box.take(0.0)) == 3
    assert box.put_output(piece)
