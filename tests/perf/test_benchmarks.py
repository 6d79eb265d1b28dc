"""The benchmarks run and measure what they say: counts are checked, times are not."""

from tests.perf import engine_overhead, first_frame, key_echo
from tests.perf.common import percentile, table


def test_first_frame_measures_three_programs_in_turns() -> None:
    seconds = first_frame.measure(runs=1)
    assert {name: len(values) for name, values in seconds.items()} == {
        "minimal Textual": 1,
        "adk-tui run": 1,
        "adk run": 1,
    }


def test_key_echo_sees_every_key_in_every_situation() -> None:
    seconds = key_echo.measure(keys=3)
    assert set(seconds) == {
        key_echo.IDLE,
        key_echo.BLOCKED,
        key_echo.LOADING,
        key_echo.STREAMING,
    }
    assert all(len(values) == 3 for values in seconds.values())


def test_engine_overhead_measures_the_same_turns_on_runner_engine_and_screen() -> None:
    seconds = engine_overhead.measure(turns=2, partials=20)
    counts = {where: {k: len(v) for k, v in kinds.items()} for where, kinds in seconds.items()}
    assert counts == {
        "bare": {"first": 2, "turn": 2},
        "engine": {"first": 2, "turn": 2},
        "screen": {"first": 2},
    }


def test_a_percentile_is_a_value_that_was_measured() -> None:
    assert percentile([3.0, 1.0, 2.0, 4.0], 50) == 2.0
    assert percentile([3.0, 1.0, 2.0, 4.0], 95) == 4.0
    assert percentile([1.0], 50) == 1.0


def test_a_table_is_aligned() -> None:
    assert table("t", [["a", "bb"], ["ccc", ""]]).splitlines() == ["t", "a    bb", "---  --", "ccc"]
