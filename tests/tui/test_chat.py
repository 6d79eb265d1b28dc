from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from textual import events

from adk_tui.core.chat_items import (
    AgentText,
    Attachments,
    ChatItem,
    CodeCard,
    ErrorCard,
    HumanAnswer,
    Line,
    OutputCard,
    Thought,
    TicketMark,
    ToolCard,
    TransferLine,
    UserTurn,
)
from adk_tui.core.records import Blob, Call, Code, Response
from adk_tui.core.transcript import Transcript
from adk_tui.tui.widgets.chat import ChatView
from adk_tui.tui.widgets.chat_blocks import folded, result_text
from adk_tui.tui.widgets.text_lines import plain, width_of, wrap
from tests.tui.hosts import Host, screen_of, until


def user(key: str, text: str, **more: Any) -> UserTurn:
    return UserTurn(key=key, event_id=f"e-{key}", text=text, **more)


def says(key: str, text: str, author: str = "agent", **more: Any) -> AgentText:
    more.setdefault("branch", "")
    return AgentText(key=key, event_id=f"e-{key}", author=author, text=text, **more)


def card(key: str, name: str = "lookup", **more: Any) -> ToolCard:
    more.setdefault("call", Call(key, name, {"symbol": "GOOG", "api_key": "sk-12345678"}))
    return ToolCard(key=key, event_id=f"e-{key}", author="agent", branch="", **more)


class Told(Transcript):
    """A transcript whose items the test sets itself."""

    items: list[ChatItem] = []  # noqa: RUF012


def transcript(*items: ChatItem) -> Told:
    made = Told()
    made.items = list(items)
    return made


def every_kind() -> list[ChatItem]:
    return [
        user("u1", "hello\nagain", attachments=(Blob("image/png", 1234, "a.png"),)),
        Thought(key="t", event_id="e-t", author="agent", branch="", text="I think\nso"),
        card("c1", state="done", started=1.0, ended=1.25, response=Response("c1", "x", {"p": 1})),
        card("c2", state="error", response=Response("c2", "x", {"error": "no such thing"})),
        card("c3", state="waiting", repeats=1, inner=3),
        says("a1", "# Title\n\nThe **answer**."),
        TransferLine(key="x", event_id="e-x", source="agent", target="billing", reason="money"),
        says("a2", "cut off", author="billing", branch="par.A", mark="cut"),
        TicketMark(key="m", event_id="e-m", ticket_call_id="c3", name="lookup"),
        HumanAnswer(
            key="h", event_id="e-h", call_id="c3", name="lookup", response={"confirmed": True}
        ),
        ErrorCard(
            key="err",
            event_id="e-err",
            author="billing",
            code="model.429",
            message="quota exceeded",
            hint="wait a minute",
            details="Traceback: line 3",
        ),
        Attachments(key="at", event_id="e-at", author="billing", blobs=(Blob("a/b", 5, "f.bin"),)),
        CodeCard(key="code", event_id="e-code", author="coder", code=Code("print(1)", "PYTHON")),
        OutputCard(key="out", event_id="e-out", author="node", text='{"total": 45}'),
        Line(key="line", event_id="e-line", text="a rewind happened", tone="warning"),
    ]


def app_of(size: tuple[int, int] = (80, 24)):
    chat = ChatView(id="chat")
    host = Host(chat)
    return chat, host, host.run_test(size=size, message_hook=host.heard.append)


async def test_every_kind_of_item_is_shown():
    chat, _, run = app_of((90, 70))
    async with run as pilot:
        chat.show(transcript(*every_kind()), 0)
        await pilot.pause()
        text = "\n".join(screen_of(chat))
        for part in (
            "hello",
            "a.png",
            "thought I think",
            '⚙ lookup(symbol="GOOG", api_key=••••) ✓ 250ms',
            "✗",
            "no such thing",
            "×2 ▸3",
            "The answer.",
            "agent → billing",
            "billing  par.A",
            "cut off at the token limit",
            "lookup waits for you",
            "✓ approved lookup",
            "model.429",
            "quota exceeded",
            "wait a minute",
            "f.bin",
            "print(1)",
            '"total": 45',
            "a rewind happened",
        ):
            assert part in text.replace("\xa0", " "), part
        assert "sk-12345678" not in text
        assert "Traceback" not in text


@pytest.mark.parametrize("width", [4, 9, 20, 41, 80, 200])
async def test_no_line_is_wider_than_the_chat(width: int):
    chat, _, run = app_of()
    async with run as pilot:
        chat.show(transcript(*every_kind()), 0)
        await pilot.pause()
        for row in range(chat.row_count()):
            for line in chat.row_lines(row, width):
                assert width_of(line) <= width, plain(line)


async def test_nothing_hostile_reaches_the_terminal():
    bad = "\x1b]0;owned\x07\u202e [b]x[/b]"
    chat, _, run = app_of((90, 60))
    async with run as pilot:
        chat.show(
            transcript(
                user("u", bad, attachments=(Blob(bad, 1, bad),)),
                says("a", bad, author=bad, branch=bad),
                card("c", call=Call("c", bad, {bad: bad}), response=Response("c", bad, {bad: bad})),
                ErrorCard(key="e", event_id="", author=bad, code=bad, message=bad, hint=bad),
                CodeCard(key="k", event_id="", author=bad, code=Code(bad, bad)),
                OutputCard(key="o", event_id="", author=bad, text=bad),
                TransferLine(key="t", event_id="", source=bad, target=bad, reason=bad),
                TicketMark(key="m", event_id="", ticket_call_id=bad, name=bad),
                HumanAnswer(key="h", event_id="", call_id=bad, name=bad, response={bad: bad}),
                Line(key="l", event_id="", text=bad),
                Thought(key="th", event_id="", author=bad, branch="", text=bad),
            ),
            0,
        )
        await pilot.pause()
        text = "\n".join(screen_of(chat))
        assert not any(c in text for c in "\x1b\x07\u202e")
        assert "[b]x[/b]" in text


async def test_a_streamed_answer_grows_in_place_and_is_followed():
    chat, _, run = app_of((60, 12))
    async with run as pilot:
        shown = transcript(*(user(f"u{n}", f"turn {n}") for n in range(30)))
        chat.show(shown, 0)
        await pilot.pause()
        text = ""
        shown.items = [*shown.items, says("a", "", streaming=True)]
        for n in range(60):
            text += f"word{n} "
            shown.items[-1] = says("a", text, streaming=True)
            chat.show(shown, len(shown.items) - 1)
        await until(pilot, lambda: "word59" in "\n".join(screen_of(chat)))
        assert screen_of(chat)[-1].endswith("▍")
        shown.items[-1] = says("a", text + "end.")
        chat.show(shown, len(shown.items) - 1)
        await pilot.pause()
        assert screen_of(chat)[-1].endswith("end.")
        assert chat.follow is True


async def test_a_reader_who_scrolled_up_is_left_where_he_is():
    chat, _host, run = app_of((60, 12))
    async with run as pilot:
        shown = transcript(*(says(f"a{n}", f"Para {n}\n\nmore of {n}") for n in range(40)))
        chat.show(shown, 0)
        await pilot.pause()
        await pilot._post_mouse_events([events.MouseScrollUp] * 4, chat, offset=(5, 5))
        await pilot.pause()
        before = screen_of(chat)
        shown.items = [*shown.items, says("new", "New text", streaming=True)]
        for n in range(20):
            shown.items[-1] = says("new", "New text\n\n" * n, streaming=True)
            chat.show(shown, len(shown.items) - 1)
        await pilot.pause()
        assert screen_of(chat)[:-1] == before[:-1]
        assert screen_of(chat)[-1].endswith("↓ 1 new")


async def test_the_place_holds_when_the_width_changes():
    words = "several words that have to be wrapped somewhere " * 6
    chat, _, run = app_of((80, 20))
    async with run as pilot:
        chat.show(transcript(*(says(f"a{n}", f"Item {n}: {words}") for n in range(60))), 0)
        await pilot.pause()
        chat.move_cursor(30, center=True)
        await pilot.pause()
        await pilot.resize_terminal(45, 20)
        await until(pilot, lambda: all(chat._rows.measured))
        assert "Item 30" in "\n".join(screen_of(chat))
        assert chat.cursor == 30
        assert chat.total_height() == sum(
            len(chat.row_lines(row, chat.text_width)) for row in range(chat.row_count())
        )


async def test_enter_unfolds_a_thought_and_opens_everything_else():
    chat, host, run = app_of((80, 30))
    async with run as pilot:
        chat.show(transcript(*every_kind()), 0)
        await pilot.pause()
        await pilot.press("home", "down", "enter")
        await pilot.pause()
        assert "▾ thought" in "\n".join(screen_of(chat))
        await pilot.press("down", "enter")
        await pilot.pause()
        assert host.last(ChatView.OpenEvent).event_id == "e-c1"
        await pilot.press("up", "space")
        assert "▸ thought" in "\n".join(screen_of(chat))
        assert chat.go_to_event("e-m") is True
        await pilot.press("enter")
        await pilot.pause()
        assert host.last(ChatView.OpenTicket).call_id == "c3"
        assert chat.go_to_event("e-err") is True
        await pilot.press("enter")
        await pilot.pause()
        assert "Traceback: line 3" in "\n".join(screen_of(chat))
        await pilot.press("o")
        await pilot.pause()
        assert host.last(ChatView.OpenEvent).event_id == "e-err"


async def test_a_click_on_a_card_opens_it_and_one_on_text_does_not():
    chat, host, run = app_of((80, 30))
    async with run as pilot:
        chat.show(transcript(says("a", "text"), card("c1", state="done")), 0)
        await pilot.pause()
        lines = screen_of(chat)
        await pilot.click(chat, offset=(5, next(n for n, t in enumerate(lines) if "text" in t)))
        await pilot.pause()
        assert not host.all_of(ChatView.OpenEvent)
        await pilot.click(chat, offset=(5, next(n for n, t in enumerate(lines) if "lookup" in t)))
        await pilot.pause()
        assert host.last(ChatView.OpenEvent).event_id == "e-c1"


async def test_a_card_that_ends_later_changes_where_it_stands():
    chat, _, run = app_of()
    async with run as pilot:
        shown = transcript(user("u", "hi"), card("c1"), says("a", "later"))
        chat.show(shown, 0)
        await pilot.pause()
        assert "lookup" in "\n".join(screen_of(chat))
        shown.items[1] = card("c1", state="done", started=1.0, ended=3.0)
        chat.show(shown, 1)
        await pilot.pause()
        line = next(t for t in screen_of(chat) if "lookup" in t)
        assert "✓ 2.0s" in line


async def test_items_that_vanish_are_gone_and_a_new_transcript_replaces_all():
    chat, _, run = app_of()
    async with run as pilot:
        first = transcript(user("u1", "one"), says("a1", "two"))
        chat.show(first, 0)
        first.items = first.items[:1]
        chat.show(first, 1)
        await pilot.pause()
        assert chat.row_count() == 1
        chat.show(transcript(user("x1", "three"), says("x2", "four")), 0)
        await pilot.pause()
        text = "\n".join(screen_of(chat))
        assert "three" in text
        assert "one" not in text
        chat.clear()
        await pilot.pause()
        assert set(screen_of(chat)) == {""}


async def test_showing_the_same_again_does_nothing():
    chat, _, run = app_of()
    async with run as pilot:
        shown = transcript(*every_kind())
        chat.show(shown, 0)
        await pilot.pause()
        stamp = chat._layouts._stamp
        for _ in range(50):
            chat.show(shown, len(shown.items))
            chat.show(shown, 0)
        await pilot.pause()
        assert chat._layouts._stamp == stamp


async def test_only_what_is_near_the_screen_is_laid_out_at_first():
    chat, _, run = app_of()
    async with run as pilot:
        await pilot.pause()
        chat.show(transcript(*(says(f"a{n}", "text\n\n" * 5) for n in range(2_000))), 0)
        assert sum(chat._rows.measured) < 20
        assert "text" in screen_of(chat)[-1]
        await until(pilot, lambda: all(chat._rows.measured))
        assert chat.max_scroll_y == chat.scroll_y


async def test_rewound_items_are_one_struck_line_each_until_they_are_unfolded():
    chat, host, run = app_of()
    async with run as pilot:
        said = says("a", "first words\n\nsecond words\n\nthird words")
        chat.show(transcript(*(replace(i, withdrawn=True) for i in (user("u", "q"), said))), 0)
        await pilot.pause()
        assert [t.strip() for t in screen_of(chat) if t.strip()] == ["▌ q", "▎ first words …"]
        host.widget.focus()
        await pilot.press("end", "enter")
        await until(pilot, lambda: "third words" in "".join(screen_of(chat)))
        await pilot.press("enter")
        await until(pilot, lambda: "third words" not in "".join(screen_of(chat)))


@pytest.mark.parametrize(
    ("text", "shown"),
    [("one", "one"), ("one\ntwo", "one …"), ("123456789 next", "1234567…"), ("o" * 10, "o" * 10)],
)
def test_an_undone_turn_in_one_line_says_once_that_there_is_more(text: str, shown: str):
    (line,) = folded(wrap([(text, "")], 10), 10)
    assert plain(line).strip() == shown


async def test_rewound_items_are_struck():
    chat, _, run = app_of()
    async with run as pilot:
        items = [replace(item, withdrawn=True) for item in every_kind()]
        chat.show(transcript(*items), 0)
        await pilot.pause()
        for row in range(chat.row_count()):
            for line in chat.row_lines(row, 80):
                assert all("line--withdrawn" in look for _, look in line)


async def test_text_is_selected_with_the_mouse_and_copied_with_a_key():
    chat, host, run = app_of((60, 10))
    async with run as pilot:
        chat.show(transcript(user("u", "select these words"), says("a", "and **this** too")), 0)
        await pilot.pause()
        lines = screen_of(chat)
        row = next(n for n, t in enumerate(lines) if "select" in t)
        await pilot.mouse_down(chat, offset=(2, row))
        await pilot.hover(chat, offset=(12, row))
        await pilot.mouse_up(chat, offset=(12, row))
        await pilot.pause()
        assert (host.screen.get_selected_text() or "").strip().startswith("select the")
        await pilot.press("end", "y")
        await pilot.pause()
        assert host.clipboard == "and **this** too"


async def test_an_outputs_words_are_whole_and_its_json_is_as_it_is():
    said = "the weather in Reykjavik is unsettled but improving"
    chat, _, run = app_of()
    async with run as pilot:
        chat.show(
            transcript(
                OutputCard(key="w", event_id="", author="n", text=said),
                OutputCard(key="j", event_id="", author="n", text='{"total": 45}'),
            ),
            0,
        )
        await pilot.pause()
        rows = [plain(line).strip() for line in chat.row_lines(0, 24)]
        assert " ".join(rows[rows.index("⇥ output") + 1 :]).split() == said.split()
        assert '{"total": 45}' in "".join(plain(line) for line in chat.row_lines(1, 24))


async def test_what_is_too_long_for_the_chat_says_so_and_shows_its_beginning():
    huge = "word " * 2_000_000
    chat, _, run = app_of()
    async with run as pilot:
        chat.show(
            transcript(
                user("u", huge),
                says("a", huge),
                OutputCard(key="o", event_id="", author="n", text=huge),
                ErrorCard(key="e", event_id="", author="n", code="x", message=huge),
            ),
            0,
        )
        await pilot.pause()
        for row in (0, 1, 3):
            text = "".join(plain(line) for line in chat.row_lines(row, 70))
            assert "9,880,000 more characters" in text
            assert len(text) < 200_000


async def test_the_cursor_of_a_streamed_answer_is_nowhere_once_it_has_ended():
    whole = "`look_up` returned:\n\n- **a**: 1\n- b:\n  - c: 2\n\n1. one\n2. two\n\nThe end."
    view = ChatView()
    told = transcript(says("m", "`", streaming=True))
    async with Host(view).run_test(size=(60, 24)) as pilot:
        for length in range(1, len(whole) + 1):
            told.items[0] = says("m", whole[:length], streaming=True)
            view.show(told, 0)
            await until(pilot, lambda: sum("▍" in line for line in screen_of(view)) <= 1)
        told.items[0] = says("m", whole)
        view.show(told, 0)
        await pilot.pause()
        assert not [line for line in screen_of(view) if "▍" in line]


async def test_an_empty_chat_welcomes_and_makes_way_for_the_first_message():
    view = ChatView()
    async with Host(view).run_test(size=(60, 10)) as pilot:
        view.welcome("**stock** is ready.\n\n- tools: `get_price`")
        await until(pilot, lambda: any("stock is ready." in line for line in screen_of(view)))
        view.show(transcript(user("u", "hello")), 0)
        await until(pilot, lambda: any("hello" in line for line in screen_of(view)))
        assert not [line for line in screen_of(view) if "is ready" in line]
        view.clear()
        await until(pilot, lambda: any("stock is ready." in line for line in screen_of(view)))


class _Watched(list[object]):
    """A list that counts how many of its items were read."""

    read = 0

    def __iter__(self) -> Iterator[object]:
        for item in super().__iter__():
            self.read += 1
            yield item


def test_a_huge_result_is_read_only_as_far_as_it_is_shown() -> None:
    rows = _Watched({"id": n, "values": list(range(12))} for n in range(40_000))
    text = result_text({"rows": rows})
    assert text.startswith("{rows: [{id: 0, values: [0, 1, 2")
    assert len(text) <= 200
    assert rows.read < 50
