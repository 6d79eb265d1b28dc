"""What is drawn is drawn once, handed out again until it changes, and never left as garbage."""

import gc
import weakref

import pytest
from rich.segment import Segment
from textual.geometry import Region
from textual.scroll_view import ScrollView
from textual.scrollbar import ScrollBar

from adk_tui.core.chat_items import AgentText, ChatItem
from adk_tui.core.transcript import Transcript
from adk_tui.tui.widgets.chat import ChatView
from adk_tui.tui.widgets.drawn_rows import DrawnLine
from adk_tui.tui.widgets.recent import Recent
from tests.tui.hosts import Host, until
from tests.tui.test_line_view import Rows, names


class Told(Transcript):
    """A transcript whose items are set from outside."""

    items: list[ChatItem] = []  # noqa: RUF012


def test_a_value_that_is_set_again_replaces_the_one_before():
    recent: Recent[str, int] = Recent(2)
    recent["a"] = 1
    recent["b"] = 2
    recent["a"] = 3
    assert recent.get("a") == 3
    recent["c"] = 4
    assert recent.get("b") is None
    assert recent.get("a") == 3
    assert len(recent) == 2


def test_a_line_that_is_not_cut_goes_without_a_search_for_garbage():
    line = DrawnLine([Segment("hello")], 5)
    assert line.divide([5, 9]) == [line]
    pieces = line.divide([2, 5])
    assert [piece.text for piece in pieces] == ["he", "llo"]
    gone = weakref.ref(line)
    gc.disable()
    try:
        del line
        assert gone() is None
    finally:
        gc.enable()


def growing(text: str) -> Told:
    told = Told()
    told.items = [
        AgentText(key="a", event_id="e", author="agent", branch="", text=text, streaming=True)
    ]
    return told


async def test_a_growing_answer_keeps_its_place_while_its_next_layout_waits():
    chat = ChatView()
    host = Host(chat)
    async with host.run_test(size=(40, 10)) as pilot:
        told = growing("word\n\n")
        chat.show(told)
        for lines in range(2, 40):
            chat._layouts.throttle.not_before = 0.0
            told.items = growing("word\n\n" * lines).items
            chat.show(told)
        await pilot.pause()
        height = chat.total_height()
        assert height > 60
        chat._layouts.throttle.not_before = float("inf")
        told.items = growing("word\n\n" * 41).items
        chat.show(told)
        assert chat.total_height() == height


async def test_what_was_painted_is_handed_out_again_until_something_changes():
    view = Rows(names(50))
    host = Host(view)
    async with host.run_test(size=(40, 10)) as pilot:
        await pilot.pause()
        region = Region(0, 0, *view.size)
        first = view.render_lines(region)
        assert view.render_lines(region) is first
        view.add("row 000050")
        assert view.render_lines(region)[-1].text.rstrip() == "row 000050"


async def test_a_picture_may_wait_until_keys_had_their_turn():
    view = Rows(names(50))
    host = Host(view)
    async with host.run_test(size=(40, 10)) as pilot:
        await pilot.pause()
        region = Region(0, 0, *view.size)
        first = view.render_lines(region)
        with view.changing(paint_after=0.01):
            view.names.append("row 000050")
        assert view.render_lines(region) is first
        await until(pilot, lambda: view.render_lines(region) is not first)
        assert view.render_lines(region)[-1].text.rstrip() == "row 000050"


async def test_only_lines_that_look_otherwise_are_painted_again(monkeypatch: pytest.MonkeyPatch):
    view = Rows(names(5))
    host = Host(view)
    async with host.run_test(size=(40, 10)) as pilot:
        await pilot.pause()
        view.render_lines(Region(0, 0, *view.size))
        asked: list[Region] = []
        monkeypatch.setattr(ScrollView, "refresh", lambda _, *regions, **__: asked.extend(regions))
        view.add("row 000005")
        # The cursor goes on to the new line.
        assert asked == [Region(0, 4, 40, 1), Region(0, 5, 40, 1)]


async def test_the_scroll_bar_is_painted_again_only_if_it_looks_otherwise(
    monkeypatch: pytest.MonkeyPatch,
):
    view = Rows(names(10_000))
    host = Host(view)
    async with host.run_test(size=(40, 10)) as pilot:
        await pilot.pause()
        asked: list[object] = []
        monkeypatch.setattr(ScrollBar, "refresh", lambda *_, **__: asked.append(view))
        view.add("row 010000")
        await pilot.pause()
        assert asked == []
        view.action_first()
        await until(pilot, lambda: bool(asked))
