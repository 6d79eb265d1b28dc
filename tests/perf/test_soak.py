"""A short soak: every turn is heard whole, and nothing that can be counted is leaked."""

import pytest

from tests.perf import soak
from tests.perf.common import clean_home
from tests.perf.soak import Sample, grown, leaked

TURNS, SESSION, PIECES = 40, 10, 5


async def test_turn_after_turn_leaks_no_thread_no_descriptor_and_no_task(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with clean_home() as env:
        for name, value in env.items():
            monkeypatch.setenv(name, value)
        told = await soak.soak(TURNS, SESSION, PIECES)
    # What was said, the pieces, and the whole answer.
    assert told.events == TURNS * (PIECES + 2)
    assert len(told.seconds) == TURNS
    assert [s.turns for s in told.samples] == [10, 20, 30, 40]
    assert leaked(told.samples[1:]) == {}


def test_growth_is_told_of_tenths_and_leaks_by_name() -> None:
    assert grown([100] * 10 + [105] * 79 + [300] + [110] * 10) == pytest.approx(0.1)
    before = Sample(1, (1, 7, 16, 49), (1, 3, 9))
    assert leaked([before, before]) == {}
    assert leaked([before, Sample(2, (9, 7, 17, 50), (9, 4, 9))]) == {
        "threads": 1,
        "descriptors": 1,
        "tasks": 1,
    }
