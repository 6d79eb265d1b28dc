"""The whole app on real engine processes and the sample agents, driven by keys."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from adk_tui.client.process import Launch, ProcessEngine
from adk_tui.core.commands import Start
from adk_tui.tui.app import TuiOptions, WorkbenchApp
from adk_tui.tui.widgets.approvals import ARM, Approvals
from tests.fakes.driving import rendered, shows, shows_no, until, write

AGENTS = Path(__file__).parents[2] / "agents"
WIDE = (140, 44)


@contextmanager
def workbench(target: Path) -> Iterator[WorkbenchApp]:
    start = Start(str(target), storage="memory", offline=True)
    engine = ProcessEngine(Launch(start, python=sys.executable))
    try:
        yield WorkbenchApp(engine, TuiOptions(title=target.name))
    finally:
        engine.close()


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    folder = tmp_path / "broken"
    folder.mkdir()
    (folder / "agent.py").write_text("root_agent = (\n")
    return folder


GOOD = """
import os
from google.adk.agents import Agent

def die() -> str:
    "End the process."
    os._exit(3)

root_agent = Agent(name="mended", model="gemini-2.5-flash", instruction="x", tools=[die])
"""


async def test_a_question_typed_before_the_agent_is_loaded_is_answered() -> None:
    with workbench(AGENTS / "stock") as app:
        async with app.run_test(notifications=True, size=WIDE) as pilot:
            await write(pilot, "stock price of GOOG")
            await pilot.press("enter")
            await shows(pilot, "stock price of GOOG")
            await shows(pilot, "get_stock_price returned", seconds=60)
            await shows(pilot, "next → stock")
            await shows(pilot, "● idle")


async def test_a_reimbursement_is_approved_and_paid() -> None:
    with workbench(AGENTS / "reimbursement") as app:
        async with app.run_test(notifications=True, size=WIDE) as pilot:
            await write(pilot, "reimburse 200 for the conference")
            await pilot.press("enter")
            await shows(pilot, "1 waiting", seconds=60)
            await shows(pilot, "● idle")
            panel = app.main.query_one(Approvals)
            await pilot.press("f4")
            await until(pilot, lambda: panel.has_focus_within)
            panel._armed_at -= ARM
            await pilot.press("a")
            await shows(pilot, "Paid 200")
            await shows(pilot, "Nothing waits for you.")
            assert app.view.tickets.tickets[0].state == "final"


async def test_the_conversation_is_handed_to_another_agent() -> None:
    with workbench(AGENTS / "coffee_shop") as app:
        async with app.run_test(notifications=True, size=WIDE) as pilot:
            await until(pilot, lambda: app.view.ready, seconds=60)
            assert app.view.ready is not None
            child = app.view.ready.root.children[0].name
            await write(pilot, f"/transfer {child}")
            await pilot.press("escape", "enter")
            await shows(pilot, f"next → {child}")


async def test_an_agent_that_does_not_load_is_told_and_loads_after_it_is_mended(
    broken: Path,
) -> None:
    with workbench(broken) as app:
        async with app.run_test(notifications=True, size=WIDE) as pilot:
            await write(pilot, "my draft")
            await shows(pilot, "not loaded", seconds=60)
            await shows(pilot, "agent.py")
            (broken / "agent.py").write_text(GOOD)
            await pilot.press("f9")
            await shows(pilot, "next → mended", seconds=60)
            await shows_no(pilot, "not loaded")
            assert app.main.area.prompt.text == "my draft"


async def test_a_process_that_ends_is_started_again_by_one_key_with_draft_and_session(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "mended"
    folder.mkdir()
    (folder / "agent.py").write_text(GOOD)
    with workbench(folder) as app:
        async with app.run_test(notifications=True, size=WIDE) as pilot:
            await until(pilot, lambda: app.view.ready, seconds=60)
            await write(pilot, "die()")
            await pilot.press("enter")
            await shows(pilot, "engine ended")
            await write(pilot, "still here")
            await pilot.press("f9")
            await shows(pilot, "● idle", seconds=60)
            assert "still here" in app.main.area.prompt.text
            assert "die()" in rendered(app)
