import pytest

from tests.perf.lists import main


async def test_the_benchmark_of_the_lists_still_runs(capsys: pytest.CaptureFixture[str]):
    await main(quick=True)
    printed = capsys.readouterr().out
    for part in ("append and draw", "bulk load", "one paragraph: worst", "JSON"):
        assert part in printed
