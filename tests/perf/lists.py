"""What the long lists cost: events at 1,000 and 100,000 rows, a filter, a chat, a large JSON.

Run ``python -m tests.perf.lists`` for a table; ``--quick`` uses small numbers,
to see that it still runs. All figures of a table come from one run, so that
the ratios mean something on any machine. Times are CPU seconds of the UI
thread, from the change to the drawn screen.
"""

import argparse
import asyncio
import gc
import json
import tracemalloc
from collections.abc import Callable, Sequence
from time import perf_counter, process_time, thread_time

from textual.app import App, ComposeResult
from textual.geometry import Region
from textual.widget import Widget
from textual.widgets import DataTable

from adk_tui.core.chat_items import AgentText, ChatItem, ToolCard, UserTurn
from adk_tui.core.event_log import EventLog
from adk_tui.core.event_reader import read_event
from adk_tui.core.filters import parse
from adk_tui.core.records import Call, EventRecord, Response
from adk_tui.core.summary import one_line
from adk_tui.core.transcript import Transcript
from adk_tui.tui.widgets import chat as chat_module
from adk_tui.tui.widgets.chat import ChatView
from adk_tui.tui.widgets.event_stream import EventStream
from adk_tui.tui.widgets.json_view import JsonView
from adk_tui.tui.widgets.line_view import LineView
from tests.perf.common import median, ms, percentile, table
from tests.perf.made_events import made_event


class Host(App[None]):
    """Holds one widget."""

    def __init__(self, widget: Widget) -> None:
        super().__init__()
        self.widget = widget

    def compose(self) -> ComposeResult:
        yield self.widget

    def on_mount(self) -> None:
        self.widget.focus()


class Told(Transcript):
    """A transcript whose items are set from outside."""

    items: list[ChatItem] = []  # noqa: RUF012


def event(number: int) -> EventRecord:
    """The event of that number, as it is read."""
    return read_event(made_event(number))


def draw(view: Widget) -> None:
    """Draw the whole widget, as the compositor would."""
    view.render_lines(Region(0, 0, view.size.width, view.size.height))


def timed(work: Callable[[], object], times: int) -> float:
    """Median seconds of a piece of work."""
    taken: list[float] = []
    for _ in range(times):
        start = thread_time()
        work()
        taken.append(thread_time() - start)
    return median(taken)


async def fill(stream: EventStream, log: EventLog) -> None:
    """Show a log and wait until all of it has been looked at."""
    stream.show(log, True)
    while not stream.window.complete:
        await asyncio.sleep(0)
        stream._go_on()


async def stream_costs(records: Sequence[EventRecord], times: int) -> dict[str, float]:
    """Seconds of an append, a cursor key, a filter's first screen, and bytes a row."""
    log = EventLog()
    log.extend(records)
    stream = EventStream()
    found: dict[str, float] = {}
    async with Host(stream).run_test(size=(100, 40)) as pilot:
        await fill(stream, log)
        await pilot.pause()
        gc.collect()
        gc.freeze()
        number = len(records)

        def append() -> None:
            nonlocal number
            log.extend([event(number)])
            number += 1
            stream.show(log, True)
            draw(stream)

        append()
        found["append"] = timed(append, times)
        stream.action_cursor_up()

        def key() -> None:
            stream.action_cursor_up()
            draw(stream)

        found["key"] = timed(key, times)
        start = perf_counter()
        stream.set_filter(parse("author:agent_1 price"))
        draw(stream)
        found["first screen"] = perf_counter() - start
        slices: list[float] = []
        while not stream.window.complete:
            start = perf_counter()
            stream._go_on()
            slices.append(perf_counter() - start)
        found["slice"] = percentile(slices or [0.0], 99)
        found["matches"] = len(stream.window.rows)
        gc.unfreeze()
    return found


async def against_data_table(records: Sequence[EventRecord], times: int) -> list[list[str]]:
    """Bulk load, filter and cursor key, ours and Textual's."""
    ours: dict[str, float] = {}
    stream = EventStream()
    async with Host(stream).run_test(size=(100, 40)) as pilot:
        await pilot.pause()
        log = EventLog()
        log.extend(records)
        start = process_time()
        await fill(stream, log)
        draw(stream)
        ours["load"] = process_time() - start
        accept = parse("author:agent_1")
        start = process_time()
        stream.set_filter(accept)
        while not stream.window.complete:
            stream._go_on()
        draw(stream)
        ours["filter"] = process_time() - start
        stream.set_filter(None)
        while not stream.window.complete:
            stream._go_on()
        stream.move_cursor(100)
        await pilot.pause()
        ours["key"] = timed(lambda: (stream.action_cursor_down(), draw(stream)), times)
    theirs: dict[str, float] = {}
    rows = [(str(r.timestamp), r.author, one_line(r, 60)) for r in records]
    data: DataTable[str] = DataTable(cursor_type="row")
    async with Host(data).run_test(size=(100, 40)) as pilot:
        await pilot.pause()
        start = process_time()
        data.add_columns("time", "author", "summary")
        data.add_rows(rows)
        await pilot.pause()
        draw(data)
        theirs["load"] = process_time() - start
        kept = [row for row, r in zip(rows, records, strict=True) if r.author == "agent_1"]
        start = process_time()
        data.clear()
        data.add_rows(kept)
        await pilot.pause()
        draw(data)
        theirs["filter"] = process_time() - start
        data.clear()
        data.add_rows(rows)
        await pilot.pause()
        data.move_cursor(row=100)
        await pilot.pause()
        theirs["key"] = timed(lambda: (data.action_cursor_down(), draw(data)), times)
    return [
        [
            f"{name}, {len(records):,} rows",
            ms2(ours[key]),
            ms2(theirs[key]),
            ratio(theirs, ours, key),
        ]
        for name, key in (("bulk load", "load"), ("filter", "filter"), ("cursor key", "key"))
    ]


def memory_per_row(count: int) -> float:
    """Bytes of log and list an event, beyond its raw JSON."""
    gc.collect()
    tracemalloc.start()
    log = EventLog()
    log.extend(event(n) for n in range(count))
    stream = EventStream()
    stream.window.show(log)
    while stream.window.advance(screen=40):
        pass
    used, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return (used - sum(len(r.raw) for r in log)) / count


def ingest_per_row(count: int) -> float:
    """Seconds an event costs the log and the list, in batches of 500, without reading its JSON."""
    records = [event(n) for n in range(count)]
    log, stream = EventLog(), EventStream()
    stream.window.show(log)
    start = perf_counter()
    for at in range(0, count, 500):
        log.extend(records[at : at + 500])
        stream.window.advance(screen=40, budget=10.0)
    return (perf_counter() - start) / count


def turns(count: int) -> list[ChatItem]:
    """Chat turns: a question, a card, an answer in Markdown."""
    items: list[ChatItem] = []
    for n in range(count):
        items += [
            UserTurn(key=f"u{n}", event_id="", text=f"question {n}"),
            ToolCard(
                key=f"c{n}",
                event_id="",
                author="agent",
                branch="",
                call=Call(f"c{n}", "lookup", {"n": n}),
                response=Response(f"c{n}", "lookup", {"r": n}),
                state="done",
            ),
            AgentText(
                key=f"a{n}",
                event_id="",
                author="agent",
                branch="",
                text=f"# Answer {n}\n\nThe **price** is `{n}` and\n\n- one\n- two\n",
            ),
        ]
    return items


PROSE = "The quick brown fox jumps over the *lazy* dog and `codes` all night. "


async def chat_costs(earlier: int, answer: str, step: int) -> dict[str, float]:
    """Seconds of each piece of a streamed answer and of a scroll, after ``earlier`` turns."""
    # What streams fast is laid out less often where that takes long; here each piece counts.
    chat_module._CHEAP = 1e9
    chat = ChatView()
    told = Told()
    told.items = turns(earlier)
    async with Host(chat).run_test(size=(100, 40)) as pilot:
        chat.show(told, 0)
        while not all(chat._rows.measured):
            await pilot.pause(0.01)
        gc.collect()
        gc.freeze()
        told.items = [*told.items]
        last = len(told.items)
        told.items.append(
            AgentText(key="a", event_id="", author="agent", branch="", text="", streaming=True)
        )
        taken: list[float] = []
        for end in range(step, len(answer) + step, step):
            item = AgentText(
                key="a",
                event_id="",
                author="agent",
                branch="",
                text=answer[:end],
                streaming=True,
            )
            start = thread_time()
            told.items[last] = item
            chat.show(told, last)
            draw(chat)
            taken.append(thread_time() - start)
        scrolled: list[float] = []
        for number in range(60):
            if number % 10 == 0:
                chat.action_follow()
            start = thread_time()
            chat.action_page_up()
            draw(chat)
            scrolled.append(thread_time() - start)
        gc.unfreeze()
    return {
        "median": median(taken),
        "p99": percentile(taken, 99),
        "worst": max(taken),
        "sum": sum(taken),
        "scroll": median(scrolled),
    }


async def json_costs(size: int) -> float:
    """Seconds until the first screen of an event of ``size`` bytes is drawn."""
    raw = json.dumps(
        {"content": {"parts": [{"text": "x" * 90, "n": n} for n in range(size // 110)]}}
    )
    view = JsonView()
    async with Host(view).run_test(size=(100, 40)) as pilot:
        await pilot.pause()
        start = perf_counter()
        view.show(raw.encode())
        draw(view)
        return perf_counter() - start


def ms2(seconds: float) -> str:
    """Milliseconds with two digits behind the point."""
    return f"{seconds * 1000:.2f} ms"


def ratio(above: dict[str, float], below: dict[str, float], key: str) -> str:
    """How many times more."""
    return f"{above[key] / max(below[key], 1e-9):.2f} x"


async def main(quick: bool) -> None:
    """Print the tables."""
    large, times = (5_000, 20) if quick else (100_000, 200)
    small_rows = [event(n) for n in range(1_000)]
    large_rows = [event(n) for n in range(large)]
    small, big = await stream_costs(small_rows, times), await stream_costs(large_rows, times)
    assert big["matches"] > 0
    rows = [["event stream", "1,000 rows", f"{large:,} rows", "ratio"]]
    for name, key in (("append and draw", "append"), ("cursor key and draw", "key")):
        rows.append([name, ms2(small[key]), ms2(big[key]), ratio(big, small, key)])
    rows.append(["filter: first screen", ms(small["first screen"]), ms(big["first screen"]), ""])
    rows.append(["filter: slice, p99", ms(small["slice"]), ms(big["slice"]), ""])
    rows.append(["log and list, an event", "", f"{ingest_per_row(large) * 1e6:.1f} us", ""])
    rows.append(["memory beyond raw, an event", "", f"{memory_per_row(large // 5):.0f} B", ""])
    print(table("Events", rows))
    compared = await against_data_table(large_rows[:10_000], 20 if quick else 60)
    print(table("Against DataTable", [["CPU", "ours", "DataTable", "ratio"], *compared]))
    length = 6_000 if quick else 60_000
    long_paragraph = (PROSE * (length // len(PROSE) + 1))[:length]
    many_blocks = ("## Title\n\n" + PROSE * 4 + "\n\n- a\n- b\n\n```python\nx = 1\n```\n\n") * 999
    # What is drawn for the first time in a process costs more.
    await chat_costs(5, many_blocks[:2_000], 270)
    rows = [["streaming", "20 turns", "2,000 turns", "ratio"]]
    for name, answer in (("one paragraph", long_paragraph), ("many blocks", many_blocks[:length])):
        few = await chat_costs(20, answer, 270)
        many = await chat_costs(100 if quick else 2_000, answer, 270)
        for key in ("median", "p99", "worst", "scroll"):
            rows.append([f"{name}: {key}", ms2(few[key]), ms2(many[key]), ratio(many, few, key)])
    print(table(f"Chat, an answer of {length:,} characters", rows))
    sizes = (10_000, 100_000) if quick else (10_000, 1_000_000, 10_000_000)
    rows = [["JSON", "first screen"]]
    rows += [[f"{size:,} B", ms(await json_costs(size))] for size in sizes]
    print(table("JSON", rows))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    assert issubclass(EventStream, LineView)
    asyncio.run(main(parser.parse_args().quick))
