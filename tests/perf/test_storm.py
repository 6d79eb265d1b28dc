"""Storms and endurance in small: nothing is lost, out of order or left behind; no times."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.perf import soak, storm
from tests.perf.common import clean_home


@pytest.fixture
def home() -> Iterator[dict[str, str]]:
    with clean_home() as env:
        yield env


def test_in_a_storm_every_event_arrives_in_order_and_keys_are_taken(home: dict[str, str]) -> None:
    told = storm.ride("ours", "events 2 300", 3, home)
    assert storm.missing(told, 600) == ""
    assert len(told.idle) == 3
    assert told.busy


def test_a_long_answer_arrives_whole_while_keys_are_taken(home: dict[str, str]) -> None:
    told = storm.ride("ours", "answer 8000 2000", 1, home)
    *pieces, answer, _ = (t for t in told.texts if t != "answer 8000 2000")
    assert len(answer) == 8_000
    assert "".join(pieces) == answer
    assert told.busy


def test_missing_events_and_a_wrong_order_are_noticed() -> None:
    def told(*numbers: int) -> storm.Told:
        return storm.Told([], [], [f"number {n}" for n in numbers], 0.0, 0.0, 0.0)

    assert storm.missing(told(0, 1, 2), 3) == ""
    assert storm.missing(told(0, 2, 1), 3) == "out of order"
    assert storm.missing(told(0, 2), 3) == "lost"


def test_turn_after_turn_leaves_no_thread_descriptor_or_task_behind(
    home: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if not Path("/proc/self/task").is_dir():
        pytest.skip("counts what processes hold in /proc")
    for name, value in home.items():
        monkeypatch.setenv(name, value)
    told = asyncio.run(soak.soak(turns=60, session=10, pieces=5))
    # Of each turn: the user's message, the pieces, the whole answer.
    assert told.events == 60 * 7
    assert len(told.seconds) == 60
    held = [(*s.app[1:], *s.engine[1:]) for s in told.samples]
    assert len(held) == 6
    early = [max(values) for values in zip(*held[:4], strict=True)]
    assert all(a <= b for a, b in zip(held[-1], early, strict=True)), held
