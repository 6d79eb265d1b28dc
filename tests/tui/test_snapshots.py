"""How it looks, in the two sizes people use, dark and light."""

import time
from collections.abc import Callable, Iterator

import pytest
from textual.pilot import Pilot

from adk_tui.tui.app import TuiOptions, WorkbenchApp
from adk_tui.tui.widgets.approvals import Approvals
from adk_tui.tui.widgets.chat import ChatView
from adk_tui.tui.widgets.event_stream import EventStream
from tests.fakes.driving import shows, until
from tests.fakes.fake_engine import FakeEngine, called, responded, said

NOON = 1_760_000_000.0
ANSWER = """GOOG costs **279.70 USD** (sample data).

| day | price |
|-----|------:|
| Mon | 277.10 |
| Tue | 279.70 |

```python
price = get_stock_price("GOOG")
```
"""


@pytest.fixture(autouse=True)
def _utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def workbench(theme: str) -> tuple[WorkbenchApp, Callable[[Pilot[int]], object]]:
    engine = FakeEngine()
    app = WorkbenchApp(engine, TuiOptions(theme=theme))
    turn = {"invocationId": "inv-2"}
    records = [
        said("user", "What does GOOG cost?", id="u1"),
        called("root", "get_stock_price", {"symbol": "GOOG"}, call_id="c1"),
        responded("root", "get_stock_price", {"price": 279.7}, call_id="c1"),
        said("root", ANSWER, id="m1"),
        said("user", "Reimburse 200 for the conference.", id="u2", **turn),
        called(
            "root",
            "reimburse",
            {"amount": 200, "purpose": "conference"},
            call_id="c2",
            waits=True,
            **turn,
        ),
        responded(
            "root", "reimburse", {"status": "pending", "ticket_id": "T-1"}, call_id="c2", **turn
        ),
        said("root", "Your request waits for an approval.", id="m2", **turn),
    ]

    async def before(pilot: Pilot[int]) -> None:
        await until(pilot, lambda: app.view.ready)
        app.main.area.prompt.cursor_blink = False
        app.main.query_one(Approvals)._wall = lambda: NOON + 300
        engine.play(*records)
        await shows(pilot, "1 waiting")
        await shows(pilot, "Your request waits")
        # The panes are told by turns, and what is off the screen is laid out in a quiet moment.
        panes = [*app.main.query(ChatView), *app.main.query(EventStream)]
        await until(
            pilot,
            lambda: (
                not app.bridge._untold
                and all(p._to_paint is None for p in panes)
                and app.main.query_one(ChatView)._later is None
            ),
            "everything drawn",
        )
        await pilot.pause()

    return app, before


@pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids=["80x24", "120x40"])
def test_the_screen_in_the_dark(snap_compare: Callable[..., bool], size: tuple[int, int]) -> None:
    app, before = workbench("adk-dark")
    assert snap_compare(app, terminal_size=size, run_before=before)


def test_the_screen_in_the_light(snap_compare: Callable[..., bool]) -> None:
    app, before = workbench("adk-light")
    assert snap_compare(app, terminal_size=(120, 40), run_before=before)


def test_the_approvals_on_a_small_screen(snap_compare: Callable[..., bool]) -> None:
    app, before = workbench("adk-dark")

    async def go(pilot: Pilot[int]) -> None:
        await before(pilot)  # type: ignore[misc]
        await pilot.press("f4")
        await until(pilot, lambda: app.main.query_one(Approvals).has_focus_within)
        await pilot.press("e")
        await shows(pilot, "Ctrl+S send as final")
        await until(pilot, lambda: app.main.region_name == "approvals")
        areas = app.main.query("TicketForm TextArea")
        await until(pilot, lambda: any(area.has_focus for area in areas))
        for area in areas:
            area.cursor_blink = False
        await pilot.pause()

    assert snap_compare(app, terminal_size=(80, 24), run_before=go)
