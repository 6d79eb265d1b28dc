"""Every event of difficult agents, looked at on every tab of the inspector, on real engines."""

import re

import pytest

from adk_tui.core.requests import call_of
from adk_tui.tui.screens.inspector import Inspector
from tests.e2e.case_app import CASES, Case, opened

CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
MOST = 16
"""Events of one case that are looked at: the first, the last, and some between."""


async def look_at_all(case: Case) -> Inspector:
    """Open the inspector and go through the events and tabs; it stays open."""
    log = case.view.log
    step = max(len(log) // MOST, 1)
    case.app.performer.inspect(log[0].id, 0)
    await case.until(lambda: isinstance(case.app.screen, Inspector) and case.app.screen.focused)
    screen = case.app.screen
    assert isinstance(screen, Inspector)
    for index in sorted({*range(0, len(log), step), len(log) - 1}):
        screen._move(index)
        for key in "123456":
            await case.pilot.press(key)
            await case.pilot.pause()
            shown = case.screen
            assert not CONTROL.search(shown.replace("\n", "")), (index, key)
            assert screen.place in shown
    return screen


@pytest.mark.parametrize(
    "name",
    [
        "c17_escape_codes",
        "c19_big_and_binary",
        "c20_thoughts_and_chunks",
        "c32_parallel_interleave",
        "c37_odd_events",
    ],
)
async def test_every_event_can_be_looked_at_from_all_sides(name: str) -> None:
    async with opened(CASES / name, size=(100, 30)) as case:
        await case.say("go")
        await case.until(lambda: len(case.view.log) > 1)
        await look_at_all(case)


async def test_c33_the_calls_inside_an_agent_tool_are_seen_with_their_requests() -> None:
    async with opened(CASES / "c33_agent_tool_blackbox", size=(120, 40)) as case:
        await case.say("count all")
        log, calls = case.view.log, case.view.calls.values()
        inner = [i for i, e in enumerate(log) if e.inner_of and e.text]
        assert len(inner) == 2
        for index in inner:
            found = call_of(log[index], calls)
            assert found is not None
            assert found.link == "made"
            assert found.call.parent_call_id == log[index].inner_of
        screen = await look_at_all(case)
        screen._move(inner[0])
        await case.pilot.press("1")
        await case.shows("inside the tool call librarian of coordinator")
        await case.pilot.press("3")
        await case.shows("scripted-specialist", "2 new messages, nothing else", "scan(shelf)")
        await case.pilot.press("6")
        rows = [r for r in case.screen.split("\n") if "█" in r]
        assert sum("⚙ scan" in r for r in rows) == 2
        assert sum("▣ librarian" in r for r in rows) == 2


async def test_c12_a_failed_call_shows_what_was_asked() -> None:
    async with opened(CASES / "c12_model_429", size=(120, 40)) as case:
        await case.begin("why is the sky blue")
        await case.until(lambda: any(e.error_code for e in case.view.log), "the error", 30)
        log = case.view.log
        index = next(i for i, e in enumerate(log) if e.error_code)
        case.app.performer.inspect(log[index].id, index)
        await case.until(lambda: isinstance(case.app.screen, Inspector))
        await case.pilot.press("3")
        await case.shows("This request failed", "why is the sky blue", "RESOURCE_EXHAUSTED")
