import random
from collections.abc import Hashable, Sequence

import pytest
from textual import events

from adk_tui.tui.widgets.heights import Heights
from adk_tui.tui.widgets.line_view import LineView
from adk_tui.tui.widgets.text_lines import (
    Line,
    cut,
    cut_text,
    mark_match,
    pad,
    plain,
    width_of,
    wrap,
    wrap_code,
)
from tests.tui.hosts import Host, screen_of, until


class Rows(LineView):
    """A list of names, each one line; counts how often a row is drawn."""

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__()
        self.names = list(names)
        self.drawn: list[str] = []

    def add(self, *names: str) -> None:
        with self.changing():
            self.names += names

    def keep(self, names: Sequence[str]) -> None:
        with self.changing(keep_new=True):
            self.names = list(names)

    def row_count(self) -> int:
        return len(self.names)

    def row_key(self, row: int) -> Hashable:
        return self.names[row]

    def find_row(self, key: Hashable) -> int | None:
        wanted = str(key)
        for row, name in enumerate(self.names):
            if name >= wanted:
                return row
        return len(self.names) - 1 if self.names else None

    def row_token(self, row: int) -> Hashable:
        return self.names[row]

    def row_lines(self, row: int, width: int) -> Sequence[Line]:
        self.drawn.append(self.names[row])
        return [[(self.names[row], "line--muted")]]


def names(count: int, start: int = 0) -> list[str]:
    return [f"row {n:06d}" for n in range(start, start + count)]


async def test_only_visible_rows_are_drawn_and_each_once():
    view = Rows(names(100_000))
    host = Host(view)
    async with host.run_test(size=(40, 10)) as pilot:
        await pilot.pause()
        first = len(set(view.drawn))
        assert first <= 20
        view.drawn.clear()
        await pilot.press("up", "up", "up")
        assert view.drawn == []


async def test_it_follows_its_end_until_the_reader_goes_up():
    view = Rows(names(50))
    host = Host(view)
    async with host.run_test(size=(40, 10)) as pilot:
        await pilot.pause()
        view.add("row 000050")
        await pilot.pause()
        assert screen_of(view)[-1] == "row 000050"
        await pilot.press("up")
        assert view.follow is False
        top = screen_of(view)[0]
        view.add(*names(5, 51))
        await pilot.pause()
        assert screen_of(view)[0] == top
        assert screen_of(view)[-1].endswith("↓ 5 new")
        await pilot.press("end")
        assert view.follow is True
        assert view.unseen == 0
        assert screen_of(view)[-1] == "row 000055"


async def test_a_wheel_tick_while_rows_stream_in_stops_following_for_good():
    view = Rows(names(50))
    host = Host(view)
    async with host.run_test(size=(40, 10)) as pilot:
        await pilot.pause()
        await pilot._post_mouse_events([events.MouseScrollUp], view, offset=(2, 2))
        await pilot.pause()
        assert view.follow is False
        top = screen_of(view)[0]
        for n in range(20):
            view.add(f"row 1{n:05d}")
        await pilot.pause()
        assert screen_of(view)[0] == top


async def test_following_begins_again_when_the_wheel_reaches_the_end():
    view = Rows(names(14))
    host = Host(view)
    async with host.run_test(size=(40, 10)) as pilot:
        await pilot.pause()
        await pilot._post_mouse_events([events.MouseScrollUp], view, offset=(2, 2))
        await pilot.pause()
        assert view.follow is False
        await pilot._post_mouse_events([events.MouseScrollDown] * 3, view, offset=(2, 2))
        await pilot.pause()
        assert view.follow is True


async def test_the_cursor_row_keeps_its_screen_line_when_rows_above_it_vanish():
    view = Rows(names(200))
    host = Host(view)
    async with host.run_test(size=(40, 10)) as pilot:
        await pilot.pause()
        view.move_cursor(120, center=True)
        await pilot.pause()
        line = screen_of(view).index("row 000120")
        view.keep([n for n in names(200) if int(n[4:]) % 2 == 0])
        await pilot.pause()
        assert screen_of(view).index("row 000120") == line
        assert view.cursor_key == "row 000120"
        view.keep(names(200))
        await pilot.pause()
        assert screen_of(view).index("row 000120") == line


async def test_the_reader_s_place_holds_on_resize():
    view = Rows(names(200))
    host = Host(view)
    async with host.run_test(size=(40, 10)) as pilot:
        await pilot.pause()
        view.move_cursor(100, center=True)
        await pilot.pause()
        await pilot.resize_terminal(60, 20)
        await pilot.pause()
        assert "row 000100" in screen_of(view)
        assert view.cursor == 100


async def test_keys_move_the_cursor_and_say_so():
    view = Rows(names(100))
    host = Host(view)
    async with host.run_test(size=(40, 10), message_hook=host.heard.append) as pilot:
        await pilot.pause()
        await pilot.press("home")
        assert view.cursor == 0
        await pilot.press("down", "down", "enter")
        await pilot.pause()
        assert host.last(LineView.RowHighlighted).row == 2
        assert host.last(LineView.RowSelected).key == "row 000002"
        await pilot.press("pagedown")
        assert view.cursor > 8
        await pilot.press("pageup")
        assert view.cursor == 0
        await pilot.press("G")
        assert view.follow is True
        assert view.cursor == 99


async def test_down_on_the_last_row_follows():
    view = Rows(names(5))
    host = Host(view)
    async with host.run_test(size=(40, 10)) as pilot:
        await pilot.pause()
        await pilot.press("up", "down")
        assert view.follow is False
        await pilot.press("down")
        assert view.follow is True


async def test_a_click_selects_the_row_and_a_click_on_the_badge_goes_to_the_end():
    view = Rows(names(100))
    host = Host(view)
    async with host.run_test(size=(40, 10), message_hook=host.heard.append) as pilot:
        await pilot.pause()
        await pilot.press("home")
        await pilot.click(view, offset=(3, 4))
        await pilot.pause()
        assert host.last(LineView.RowSelected).row == 4
        view.add("row 100000")
        await pilot.pause()
        await pilot.click(view, offset=(view.text_width - 3, 9))
        await pilot.pause()
        assert view.follow is True


async def test_strips_are_dropped_when_the_theme_changes():
    view = Rows(names(5))
    host = Host(view)
    async with host.run_test(size=(40, 10)) as pilot:
        await pilot.pause()
        before = view.render_line(0)
        host.theme = "adk-light"
        await until(pilot, lambda: view.render_line(0) != before)
        color = next(s for s in view.render_line(0) if s.text.strip()).style.color
        assert sum(color.get_truecolor()) < 3 * 160


async def test_an_empty_list_takes_every_key():
    view = Rows([])
    host = Host(view)
    async with host.run_test(size=(40, 10)) as pilot:
        await pilot.pause()
        for key in ("up", "down", "pageup", "pagedown", "home", "end", "enter"):
            await pilot.press(key)
        assert view.cursor is None
        assert set(screen_of(view)) == {""}


def test_heights_agree_with_plain_sums_whatever_happens():
    chance = random.Random(7)
    heights, plain_list = Heights(), []
    for _ in range(3000):
        choice = chance.random()
        if choice < 0.5 or not plain_list:
            heights.append(h := chance.randint(1, 9))
            plain_list.append(h)
        elif choice < 0.9:
            row = chance.randrange(len(plain_list))
            heights.set(row, h := chance.randint(1, 9))
            plain_list[row] = h
        elif choice < 0.95:
            keep = chance.randint(0, len(plain_list))
            heights.truncate(keep)
            del plain_list[keep:]
        assert heights.total == sum(plain_list)
        if plain_list:
            line = chance.randrange(sum(plain_list))
            row, rest = heights.locate(line)
            assert sum(plain_list[:row]) + rest == line
            assert 0 <= rest < plain_list[row]
            assert heights.top(row) == sum(plain_list[:row])
    assert heights.locate(heights.total + 5) == (len(plain_list), 5)


@pytest.mark.parametrize("width", [1, 2, 7, 20, 80])
def test_wrapping_keeps_every_letter_and_no_line_is_too_wide(width: int):
    text = "The quick   brown fox, 你好世界你好世界 supercalifragilistic\nnew  e\u0301 accents"
    lines = wrap([(text[:30], "a"), (text[30:], "b")], width)
    assert all(width_of(line) <= max(width, 2) for line in lines)
    joined = "".join(plain(line) for line in lines)
    assert joined.replace(" ", "") == text.replace(" ", "").replace("\n", "")


def test_wrapping_in_pieces_is_wrapping_at_once():
    text = "one two three four five six seven eight nine ten " * 5
    whole = [plain(line).rstrip() for line in wrap([(text, "")], 17)]
    for at in (4, 8, 49, 100):
        first = wrap([(text[:at], "")], 17)
        rest = wrap([(text[at:], "")], 17, first[-1])
        pieces = [plain(line).rstrip() for line in [*first[:-1], *rest]]
        assert pieces == whole


def test_what_is_cut_off_leaves_an_ellipsis():
    assert cut_text("abcdef", 4) == "abc…"
    assert cut_text("abcd", 4) == "abcd"
    assert width_of([(cut_text("你好世界", 5), "")]) <= 5
    line = cut([("abc", "x"), ("defgh", "y")], 5)
    assert plain(line) == "abcd…"
    assert plain(cut([("abc", "x"), ("def", "y")], 3)).endswith("…")
    assert width_of(pad([("ab", "")], 9)) == 9


def test_code_is_broken_at_the_edge_and_nothing_is_lost():
    lines = wrap_code([[("abcdefghij", "k"), ("klm", "s")]], 4)
    assert "".join(plain(line) for line in lines) == "abcdefghijklm"
    assert all(width_of(line) <= 4 for line in lines)


def test_a_match_is_marked_in_any_case():
    line = mark_match([("Say Hello hello", "x")], "hello")
    assert [text for text, look in line if "line--match" in look] == ["Hello", "hello"]
