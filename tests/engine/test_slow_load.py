"""An agent that takes long to load says where it is."""

import threading
from pathlib import Path

import pytest

from adk_tui.core.reports import Notice
from adk_tui.engine.loader import load
from adk_tui.engine.slow_load import told_if_slow
from tests.engine.loading import AGENT, isolated_imports, write

__all__ = ["isolated_imports"]
WAITS = "import threading\nimport gate\ngate.OPEN.wait(60)\n"


def test_the_line_that_does_not_return_is_named(
    isolated_imports: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(isolated_imports, shop__agent=WAITS + AGENT.format(name="a"), gate="")
    monkeypatch.syspath_prepend(isolated_imports)
    import gate  # pyright: ignore[reportMissingImports]

    gate.OPEN = threading.Event()
    told: list[Notice] = []

    def hear(notice: Notice) -> None:
        told.append(notice)
        gate.OPEN.set()

    with told_if_slow(hear, after=0.2):
        assert load("shop").app.root_agent.name == "a"
    (notice,) = told
    assert "it is at shop/agent.py:3." in notice.message
    assert notice.level == "warning"


def test_an_agent_that_loads_in_time_says_nothing() -> None:
    told: list[Notice] = []
    before = threading.active_count()
    with told_if_slow(told.append, after=60.0):
        pass
    for thread in threading.enumerate():
        if thread.name == "slow-load":
            thread.join(60)
    assert threading.active_count() == before
    assert told == []
