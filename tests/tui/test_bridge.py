"""Much at once is brought onto the screen in slices, whole and in order."""

import gc
from collections.abc import Iterator
from itertools import pairwise

import pytest
from textual.app import App

from adk_tui.core.commands import Command
from adk_tui.core.event_reader import read_event
from adk_tui.core.reports import Record, SessionOpened, Status
from adk_tui.core.session import SessionView
from adk_tui.tui import bridge as module
from adk_tui.tui.bridge import Bridge


class Source:
    """An engine that hands out what it was given, all at once."""

    capabilities: frozenset[str] = frozenset()

    def __init__(self, records: list[Record]) -> None:
        self._records = records

    def start(self) -> None: ...

    def submit(self, command: Command) -> int:
        raise NotImplementedError

    def records(self, timeout: float = 0.0) -> list[Record]:
        taken, self._records = self._records, []
        return taken

    def close(self) -> None: ...


@pytest.fixture(autouse=True)
def _unfrozen() -> Iterator[None]:
    yield
    gc.unfreeze()


def told(count: int) -> list[Record]:
    opened = SessionOpened("s", "user", "app", count=count)
    texts = (
        read_event(
            {
                "id": f"e{n}",
                "author": "user" if n % 2 else "agent",
                "invocationId": f"i{n // 2}",
                "timestamp": float(n + 1),
                "content": {"parts": [{"text": f"text {n}"}]},
            }
        )
        for n in range(count)
    )
    return [opened, *texts, Status("ready")]


async def test_a_long_session_comes_in_slices_whole_and_in_order(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "BUDGET", 0.0)
    monkeypatch.setattr(module, "SHOWN", 0.0)
    view, shown = SessionView(), list[tuple[int, frozenset[str]]]()
    app: App[int] = App()
    bridge = Bridge(app, Source(told(1_000)), view, lambda c: shown.append((len(view.log), c)))
    async with app.run_test() as pilot:
        bridge.start()
        while view.status.phase != "ready":
            await pilot.pause(0.01)
        bridge.close()
    counts = [count for count, _ in shown]
    assert counts == sorted(counts)
    assert len(counts) == 11
    assert max(b - a for a, b in pairwise(counts)) <= module.PIECE
    assert "session" in shown[0][1]
    assert all("session" not in changed for _, changed in shown[1:])
    assert [e.id for e in view.log] == [f"e{n}" for n in range(1_000)]


async def test_between_two_pictures_of_a_long_session_many_slices_are_taken_in(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(module, "BUDGET", 0.0)
    monkeypatch.setattr(module, "SHOWN", float("inf"))
    view, shown = SessionView(), list[tuple[int, int, frozenset[str]]]()
    view.apply(told(10))
    app: App[int] = App()
    bridge = Bridge(
        app,
        Source([*told(1_000)[11:], Status("ready")]),
        view,
        lambda c: shown.append((len(view.log), view.first_changed, c)),
    )
    async with app.run_test() as pilot:
        bridge.start()
        while not shown:
            await pilot.pause(0.01)
        bridge.close()
    assert shown == [(1_000, 10, frozenset({"events", "transcript", "status"}))]


async def test_the_first_item_that_changed_is_that_of_all_pieces_of_a_tick():
    view, firsts = SessionView(), list[int]()
    view.apply(told(10))
    app: App[int] = App()
    more = told(500)[21:501]
    bridge = Bridge(app, Source(more), view, lambda _: firsts.append(view.first_changed))
    before = len(view.transcript.items)
    async with app.run_test() as pilot:
        bridge.start()
        while len(view.log) < 490:
            await pilot.pause(0.01)
        bridge.close()
    assert firsts[0] == before


class Fed(Source):
    """An engine that hands out what it is fed."""

    def feed(self, records: list[Record]) -> None:
        self._records += records


async def test_records_wait_until_a_key_has_shown(monkeypatch: pytest.MonkeyPatch):
    view, shown, source = SessionView(), list[frozenset[str]](), Fed([])
    app: App[int] = App()
    bridge = Bridge(app, source, view, shown.append)
    put_off: list[float] = []
    ask = bridge._set_timer
    monkeypatch.setattr(bridge, "_set_timer", lambda delay: (put_off.append(delay), ask(0.01)))
    async with app.run_test() as pilot:
        bridge.start()
        await pilot.press("a")
        monkeypatch.setattr(module, "SHOWS", 1e6)
        monkeypatch.setattr(module, "YIELDS", 1e6)
        source.feed(told(4))
        put_off.clear()
        while len(put_off) < 5:
            await pilot.pause(0.01)
        assert shown == []
        # Whoever never stops typing sees what arrives all the same.
        monkeypatch.setattr(module, "YIELDS", 0.0)
        while not shown:
            await pilot.pause(0.01)
        bridge.close()
    assert [e.id for e in view.log] == [f"e{n}" for n in range(4)]


async def test_while_records_pour_in_the_chat_and_the_events_take_turns():
    view, shown, source = SessionView(), list[frozenset[str]](), Fed([])
    view.apply(told(10))
    app: App[int] = App()
    bridge = Bridge(app, source, view, shown.append)
    async with app.run_test() as pilot:
        bridge.start()
        for first in range(10, 70, 20):
            source.feed(told(first + 20)[first + 1 : first + 21])
            seen = len(shown)
            while len(shown) < seen + 2:
                await pilot.pause(0.01)
        source.feed(told(71)[71:72])
        while len(shown) < 7:
            await pilot.pause(0.01)
        bridge.close()
    turns = [frozenset({"transcript"}), frozenset({"events"})]
    assert shown == [*turns, *turns, *turns, frozenset({"transcript", "events"})]
    assert [e.id for e in view.log] == [f"e{n}" for n in range(71)]


async def test_what_ends_a_run_is_told_after_everything_before_it():
    view, shown, source = SessionView(), list[tuple[frozenset[str], int]](), Fed([])
    view.apply(told(10))
    app: App[int] = App()
    bridge = Bridge(app, source, view, lambda changed: shown.append((changed, len(view.log))))
    async with app.run_test() as pilot:
        bridge.start()
        source.feed(told(30)[11:31])
        while not shown:
            await pilot.pause(0.01)
        source.feed([Status("running"), *told(40)[31:41], Status("ready")])
        while view.status.phase != "ready" or len(shown) < 3:
            await pilot.pause(0.01)
        bridge.close()
    assert shown[1] == (frozenset({"events"}), 30)
    assert shown[2][0] >= {"status", "events", "transcript"}
