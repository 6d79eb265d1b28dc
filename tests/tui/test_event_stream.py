import json
from typing import Any

from textual.events import MouseMove

from adk_tui.core.event_log import EventLog
from adk_tui.core.event_reader import read_event
from adk_tui.core.export import event_json
from adk_tui.core.filters import parse
from adk_tui.core.records import EventRecord
from adk_tui.tui.widgets.event_stream import EventStream
from adk_tui.tui.widgets.event_window import EventWindow
from adk_tui.tui.widgets.text_lines import plain, width_of
from tests.tui.hosts import Host, screen_of, until


class Events:
    """Makes events one after the other."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, *parts: dict[str, Any], **fields: Any) -> EventRecord:
        self.count += 1
        inner_of = fields.pop("inner_of", "")
        event = {
            "id": f"event-{self.count}",
            "invocationId": "i1",
            "author": "agent",
            "timestamp": 1_790_000_000.0 + self.count,
            "content": {"role": "model", "parts": list(parts)},
        } | fields
        return read_event(event, inner_of=inner_of)

    def text(self, text: str, **fields: Any) -> EventRecord:
        return self({"text": text}, **fields)

    def call(self, call_id: str, name: str = "tool", **fields: Any) -> EventRecord:
        return self({"functionCall": {"id": call_id, "name": name, "args": {}}}, **fields)

    def response(self, call_id: str, name: str = "tool", **fields: Any) -> EventRecord:
        return self(
            {"functionResponse": {"id": call_id, "name": name, "response": {"r": 1}}}, **fields
        )


def log_of(*records: EventRecord) -> EventLog:
    log = EventLog()
    log.extend(records)
    return log


def many(count: int) -> EventLog:
    make = Events()
    log = EventLog()
    log.extend(
        make.text(f"message {n:06d}", invocationId=f"i{n // 5}", author=f"agent_{n % 3}")
        for n in range(count)
    )
    return log


async def shown(log: EventLog, size: tuple[int, int] = (100, 12)):
    stream = EventStream(id="events")
    host = Host(stream)
    return stream, host, host.run_test(size=size, message_hook=host.heard.append)


async def test_a_row_shows_time_author_kind_summary_and_badges():
    make = Events()
    log = log_of(
        make.text("hello", author="user"),
        make({"functionCall": {"id": "c", "name": "pay", "args": {"api_key": "sk-12345678"}}}),
        make.text("", errorCode="429", errorMessage="quota exceeded"),
        make.text("done", actions={"stateDelta": {"cart": 1}}, branch="par.A"),
    )
    stream, _host, run = await shown(log)
    async with run as pilot:
        stream.show(log, True)
        await pilot.pause()
        lines = screen_of(stream)
        assert "user" in lines[0]
        assert "hello" in lines[0]
        assert "call" in lines[1]
        assert "pay(" in lines[1]
        assert "sk-12345678" not in "".join(lines)
        assert "error" in lines[2]
        assert "quota exceeded" in lines[2]
        assert "Δ" in lines[3]
        assert "par.A" in lines[3]
        assert [line[9] for line in lines[:4]] == ["╭", "│", "│", "╰"]


async def test_hostile_authors_and_texts_reach_no_terminal():
    make = Events()
    log = log_of(make.text("\x1b]0;owned\x07 [red]x[/red]", author="\x1b[31mevil\u202e"))
    stream, _host, run = await shown(log)
    async with run as pilot:
        stream.show(log, True)
        await pilot.pause()
        line = screen_of(stream)[0]
        assert not any(c in line for c in "\x1b\x07\u202e")
        assert "[red]x[/red]" in line


async def test_partials_fold_into_one_row_and_then_into_their_final_event():
    make = Events()
    log = log_of(make.text("hello", author="user"))
    stream, _host, run = await shown(log)
    async with run as pilot:
        stream.show(log, True)
        for word in ("The ", "price ", "is 5"):
            log.extend([make.text(word, id="answer", partial=True)])
            stream.show(log, True)
        await pilot.pause()
        assert stream.row_count() == 2
        assert "The price is 5" in screen_of(stream)[1]
        log.extend([make.text("The price is 5.", id="answer")])
        stream.show(log, True)
        await pilot.pause()
        assert stream.row_count() == 2
        assert "The price is 5." in screen_of(stream)[1]
        await pilot.press("p")
        await pilot.pause()
        assert stream.row_count() == 5
        await pilot.press("p")
        assert stream.row_count() == 2


async def test_inner_runs_are_folded_behind_a_mark_and_open_on_a_key():
    make = Events()
    log = log_of(
        make.call("c1", "researcher"),
        make.text("inner one", inner_of="c1", author="researcher"),
        make.text("inner two", inner_of="c1", author="researcher"),
        make.response("c1", "researcher"),
    )
    stream, _host, run = await shown(log)
    async with run as pilot:
        stream.show(log, True)
        await pilot.pause()
        assert stream.row_count() == 2
        assert "▸2" in screen_of(stream)[0]
        await pilot.press("home", "space")
        await pilot.pause()
        assert stream.row_count() == 4
        assert "↳ researcher" in screen_of(stream)[1]
        await pilot.press("down", "space")
        assert stream.row_count() == 2
        assert stream.go_to(2) is True
        assert stream.index_at_cursor() == 2


async def test_the_bracket_of_a_turn_goes_round_the_inner_runs_in_it():
    make = Events()
    log = log_of(
        make.text("go", author="user"),
        make.call("c1"),
        make.text("inside", inner_of="c1", invocationId="inner"),
        make.response("c1"),
        make.text("next", author="user", invocationId="i2"),
    )
    stream, _host, run = await shown(log)
    async with run as pilot:
        stream.show(log, True)
        await pilot.press("home", "down", "space")
        rows = screen_of(stream)[:5]
        assert [next(c for c in row if c in "╭│╰·") for row in rows] == list("╭││╰·")


async def test_a_filter_for_partials_shows_those_that_are_folded():
    make = Events()
    log = log_of(
        make.text("one", id="a", partial=True),
        make.text("two", id="a", partial=True),
        make.text("one two", id="a"),
    )
    stream, _host, run = await shown(log)
    async with run:
        stream.show(log, True)
        assert stream.row_count() == 1
        partial = parse("partial author:agent")
        stream.set_filter(partial, partials=partial.partials)
        assert list(stream.window.rows) == [0, 1]
        stream.set_filter(None)
        assert list(stream.window.rows) == [2]


async def test_a_filter_finds_inner_events_and_gives_the_place_back():
    make = Events()
    log = log_of(
        make.call("c1", "researcher"),
        make.text("needle", inner_of="c1", author="researcher"),
        make.response("c1", "researcher"),
    )
    stream, _host, run = await shown(log)
    async with run as pilot:
        stream.show(log, True)
        stream.set_filter(parse("needle"))
        await pilot.pause()
        assert stream.row_count() == 1
        stream.set_filter(None)
        await pilot.pause()
        assert stream.row_count() == 2


async def test_a_filter_over_a_long_log_shows_its_first_screen_before_the_rest():
    log = many(60_000)
    stream, host, run = await shown(log)
    async with run as pilot:
        stream.show(log, True)
        await until(pilot, lambda: stream.window.complete)
        stream.set_filter(parse("author:agent_1"))
        assert stream.row_count() >= 10
        assert not stream.window.complete
        assert stream.filtering
        assert "message 059998" in screen_of(stream)[-1]
        await until(pilot, lambda: not stream.filtering)
        assert stream.row_count() == 20_000
        assert list(stream.window.rows) == sorted(stream.window.rows)
        counted = host.last(EventStream.Counted)
        assert (counted.shown, counted.total) == (20_000, 60_000)


async def test_a_filter_whose_last_events_were_looked_at_for_new_ones_ends_all_the_same():
    log = many(60_000)
    stream, host, run = await shown(log)
    async with run as pilot:
        stream.show(log, True)
        await until(pilot, lambda: stream.window.complete)
        stream.set_filter(parse("author:agent_1"))
        assert stream.filtering
        while stream.window.advance(screen=24):
            pass
        await until(pilot, lambda: not stream.filtering)
        assert host.last(EventStream.Counted).shown == 20_000


async def test_the_cursor_stays_on_its_event_and_line_through_a_filter():
    log = many(3_000)
    stream, _host, run = await shown(log)
    async with run as pilot:
        stream.show(log, True)
        await until(pilot, lambda: stream.window.complete)
        assert stream.go_to(1501) is True
        await pilot.pause()
        line = next(n for n, t in enumerate(screen_of(stream)) if "message 001501" in t)
        stream.set_filter(parse("author:agent_1"))
        await until(pilot, lambda: not stream.filtering)
        assert stream.index_at_cursor() == 1501
        assert "message 001501" in screen_of(stream)[line]
        stream.set_filter(None)
        await until(pilot, lambda: not stream.filtering)
        assert "message 001501" in screen_of(stream)[line]


async def test_events_that_arrive_under_a_filter_are_filtered_too():
    make = Events()
    log = log_of(make.text("one", author="a"), make.text("two", author="b"))
    stream, _host, run = await shown(log)
    async with run as pilot:
        stream.show(log, True)
        stream.set_filter(parse("author:a"))
        log.extend([make.text("three", author="b"), make.text("four", author="a")])
        stream.show(log, True)
        await pilot.pause()
        assert [stream.window.log[i].text for i in stream.window.rows] == ["one", "four"]


async def test_jumps_go_to_errors_tickets_state_changes_and_turns():
    make = Events()
    log = log_of(
        make.text("first", author="user"),
        make.text("x"),
        make.text("", errorCode="E"),
        make.call("c1", longRunningToolIds=["c1"]),
        make.text("y", actions={"stateDelta": {"k": 1}}),
        make.text("second", author="user"),
        make.text("z"),
    )
    stream, host, run = await shown(log)
    async with run as pilot:
        stream.show(log, True)
        await pilot.press("home")
        for key, index in (("e", 2), ("t", 3), ("s", 4), ("right_square_bracket", 5)):
            await pilot.press(key)
            assert stream.index_at_cursor() == index
        await pilot.press("left_square_bracket")
        assert stream.index_at_cursor() == 0
        await pilot.press("E")
        assert stream.index_at_cursor() == 2
        await pilot.pause()
        assert host.last(EventStream.Searched).found is True


async def test_c_goes_from_a_call_to_its_response_and_back():
    make = Events()
    log = log_of(make.call("c1"), make.text("between"), make.response("c1"), make.text("after"))
    stream, _host, run = await shown(log)
    async with run as pilot:
        stream.show(log, True)
        await pilot.press("home", "c")
        assert stream.index_at_cursor() == 2
        await pilot.press("c")
        assert stream.index_at_cursor() == 0


async def test_search_goes_round_without_hiding_anything():
    make = Events()
    log = log_of(make.text("needle a"), make.text("hay"), make.text("Needle b"), make.text("hay"))
    stream, host, run = await shown(log)
    async with run as pilot:
        stream.show(log, True)
        await pilot.press("home")
        stream.search("needle")
        assert stream.index_at_cursor() == 0
        await pilot.press("n")
        assert stream.index_at_cursor() == 2
        await pilot.press("n")
        assert stream.index_at_cursor() == 0
        await pilot.press("N")
        assert stream.index_at_cursor() == 2
        assert stream.row_count() == 4
        stream.search("nowhere")
        await pilot.pause()
        assert host.last(EventStream.Searched).found is False


async def test_enter_and_a_click_open_an_event():
    log = many(30)
    stream, host, run = await shown(log)
    async with run as pilot:
        stream.show(log, True)
        await pilot.press("home", "down", "enter")
        await pilot.pause()
        assert host.last(EventStream.Selected).index == 1
        await pilot.click(stream, offset=(20, 4))
        await pilot.pause()
        assert host.last(EventStream.Selected).index == 4


async def test_copying_masks_secrets():
    make = Events()
    log = log_of(make({"functionCall": {"name": "f", "args": {"password": "hunter2", "n": 1}}}))
    stream, host, run = await shown(log)
    async with run as pilot:
        stream.show(log, True)
        await pilot.press("Y")
        await pilot.pause()
        assert "hunter2" not in host.clipboard
        assert json.loads(host.clipboard)["content"]["parts"][0]["functionCall"]["args"]["n"] == 1
        await pilot.press("y")
        assert "call f" in host.clipboard
        assert "hunter2" not in host.clipboard
    assert "x" in event_json(read_event(b"x no json"))


async def test_several_events_are_selected_with_shift_and_copied_together():
    log = many(10)
    stream, host, run = await shown(log)
    async with run as pilot:
        stream.show(log, True)
        await pilot.press("home", "down", "shift+down", "shift+down", "y")
        assert host.last(EventStream.Copied).count == 3
        assert [f"message 00000{n}" in host.clipboard for n in range(5)] == [
            False,
            *[True] * 3,
            False,
        ]
        await pilot.press("shift+up", "Y")
        assert [e["id"] for e in json.loads(host.clipboard)] == ["event-2", "event-3"]
        await pilot.press("down", "Y")
        assert json.loads(host.clipboard)["id"] == "event-4"
        await pilot.press("end", "shift+up", "y")
        assert [r.id for r in stream.selected()] == ["event-9", "event-10"]


async def test_a_selection_ends_with_the_rows_it_was_made_of():
    log = many(10)
    stream, _host, run = await shown(log)
    async with run as pilot:
        stream.show(log, True)
        await pilot.press("home", "shift+down", "shift+down")
        stream.set_filter(parse("author:agent_0"))
        assert [r.author for r in stream.selected()] == ["agent_0"]
        stream.set_filter(None)
        await pilot.press("home", "shift+down")
        assert len(stream.selected()) == 2
        another = many(5)
        stream.show(another, True)
        assert [r.id for r in stream.selected()] == ["event-5"]


async def test_the_mouse_selects_rows_it_is_drawn_over_and_opens_none_of_them():
    log = many(10)
    stream, host, run = await shown(log)
    async with run as pilot:
        stream.show(log, True)
        await pilot.pause()
        await pilot.mouse_down(stream, offset=(20, 2))
        await pilot.hover(stream, offset=(20, 3))
        await pilot._post_mouse_events([MouseMove], stream, offset=(20, 5), button=1)
        await pilot.mouse_up(stream, offset=(20, 5))
        await pilot.pause()
        assert [r.id for r in stream.selected()] == ["event-3", "event-4", "event-5", "event-6"]
        await pilot.click(stream, offset=(20, 7), shift=True)
        assert len(stream.selected()) == 6
        assert not [m for m in host.heard if isinstance(m, EventStream.Selected)]
        await pilot.click(stream, offset=(20, 1))
        assert [r.id for r in stream.selected()] == ["event-2"]
        assert host.last(EventStream.Selected).index == 1


async def test_rewound_events_are_struck():
    make = Events()
    log = log_of(
        make.text("keep", invocationId="i0"),
        make.text("undo me", invocationId="i1"),
    )
    stream, _host, run = await shown(log)
    async with run as pilot:
        stream.show(log, True)
        await pilot.pause()
        log.extend(
            [make(author="user", invocationId="i2", actions={"rewindBeforeInvocationId": "i1"})]
        )
        stream.show(log, True)
        await pilot.pause()
        lines = [stream.row_lines(row, 90)[0] for row in range(2)]
        assert not any("withdrawn" in look for _, look in lines[0])
        assert all("withdrawn" in look for text, look in lines[1] if text.strip())


async def test_another_session_takes_the_place_of_the_first():
    make = Events()
    log = log_of(*(make.text(f"old {n}") for n in range(50)))
    stream, _host, run = await shown(log)
    async with run as pilot:
        stream.show(log, True)
        await pilot.press("up", "up")
        await pilot.press("home")
        log.reset()
        log.extend(make.text(f"new {n}") for n in range(50))
        stream.show(log, True)
        await pilot.pause()
        assert stream.follow is True
        await pilot.press("home")
        assert all(" new " in line for line in screen_of(stream))


async def test_relative_times_count_from_the_beginning_of_the_invocation():
    make = Events()
    log = log_of(make.text("a"), make.text("b"), make.text("c", invocationId="i2"))
    stream, _host, run = await shown(log)
    async with run as pilot:
        stream.show(log, True)
        await pilot.press("r")
        await pilot.pause()
        assert [line[:8].strip() for line in screen_of(stream)[:3]] == ["+0ms", "+1.0s", "+0ms"]


async def test_no_row_is_wider_than_the_list_at_any_width():
    make = Events()
    log = log_of(
        make.text("你好世界 " * 30, author="作者" * 20, branch="par.A", finishReason="MAX_TOKENS"),
        make.call("c1", "t" * 300, longRunningToolIds=["c1"]),
        read_event(b"\xff\x00 no json"),
    )
    stream, _host, run = await shown(log)
    async with run as pilot:
        stream.show(log, True)
        await pilot.pause()
        for width in (1, 5, 12, 30, 36, 56, 80, 160):
            for row in range(3):
                line = stream.row_lines(row, width)[0]
                assert width_of(line) <= width, (width, plain(line))


def test_the_window_is_the_same_however_it_was_filled():
    make = Events()
    log = EventLog()
    whole = EventWindow()
    whole.show(log)
    for n in range(300):
        log.extend([make.text("x", id=f"p{n // 4}", partial=n % 4 != 3, author=f"a{n % 7}")])
        whole.advance(screen=10)
    log.extend([make.text("open", id="open", partial=True)])
    whole.advance(screen=10)
    assert whole.streamed(300) == "open"
    for around in (0, 77, 300):
        other = EventWindow()
        other.show(log)
        other.restart(around)
        while other.advance(screen=3, budget=0.0, backward_first=around == 300):
            pass
        assert list(other.rows) == list(whole.rows)
        assert other.streamed(300) == "open"
