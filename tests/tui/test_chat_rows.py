"""What the chat knows of its items without a screen: where they are, and how they stand."""

from dataclasses import replace
from random import Random

import pytest

from adk_tui.core.chat_items import AgentText, ChatItem, UserTurn
from adk_tui.tui.widgets import chat_rows
from adk_tui.tui.widgets.chat_blocks import Frame, frame
from adk_tui.tui.widgets.chat_rows import ChatRows

WIDTH = 40


def item(key: str, number: int) -> ChatItem:
    if number % 3:
        return AgentText(key=key, event_id=key, author=f"a{number % 2}", branch="", text="words")
    return UserTurn(key=key, event_id=key, text="question")


def items(count: int) -> list[ChatItem]:
    return [item(f"k{n}", n) for n in range(count)]


def agrees(rows: ChatRows, wanted: list[ChatItem]) -> None:
    assert rows.items == wanted
    assert [rows.find(i.key) for i in wanted] == list(range(len(wanted)))
    assert len(rows.measured) == len(rows.heights) == len(wanted)


@pytest.mark.parametrize("seed", range(20))
def test_items_are_found_by_their_keys_whatever_comes_changes_and_goes(seed: int):
    random, rows = Random(seed), ChatRows()
    wanted: list[ChatItem] = []
    for step in range(60):
        first = random.randint(0, len(wanted))
        match random.randrange(4):
            case 0:
                new = wanted[:first] + wanted[first + 1 :]
            case 1:
                new = [*wanted[:first], item(f"new{step}", step), *wanted[first:]]
            case 2:
                new = wanted[:first] + [replace(i, withdrawn=True) for i in wanted[first:]]
            case _:
                new = [*wanted, item(f"end{step}", step)]
        rows.take(new, rows.same(new, min(first, len(new))), WIDTH)
        wanted = new
        agrees(rows, wanted)
    assert rows.find("of nothing") == (len(wanted) - 1 if wanted else None)


def test_what_changed_is_laid_out_anew_and_so_is_the_row_below_it():
    rows, old = ChatRows(), items(9)
    rows.take(old, 0, WIDTH)
    rows.measured[:] = b"\1" * 9
    new = list(old)
    new[3] = replace(old[3], withdrawn=True)
    new[5] = replace(old[5], withdrawn=True)
    rows.take(new, rows.same(new, 0), WIDTH)
    assert list(rows.measured) == [1, 1, 1, 0, 0, 0, 0, 1, 1]
    assert rows.frame(4) == frame(new, 4, False)


def test_of_thousands_of_items_that_change_only_those_asked_for_are_looked_at(
    monkeypatch: pytest.MonkeyPatch,
):
    rows, old = ChatRows(), items(5_000)
    rows.take(old, 0, WIDTH)
    asked: list[int] = []

    def noting(of: list[ChatItem], row: int, is_open: bool) -> Frame:
        asked.append(row)
        return frame(of, row, is_open)

    monkeypatch.setattr(chat_rows, "frame", noting)
    new = [replace(i, withdrawn=True) for i in old]
    rows.take(new, 0, WIDTH)
    assert asked == []
    assert rows.frame(4_990) == rows.frame(4_990) == frame(new, 4_990, False)
    assert asked == [4_990]
    rows.toggle(4_990)
    assert rows.frame(4_990).open
    assert asked == [4_990, 4_990]
