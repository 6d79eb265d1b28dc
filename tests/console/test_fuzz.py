"""Whatever a program writes, a model streams or a person types: no crash, nothing lost."""

import io
import json
import threading
from collections.abc import Sequence
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st
from rich.console import Console

from adk_tui.console.pipe import Pipe
from adk_tui.console.pipe_input import BadLine, Line, command_of, parse_request, read_lines
from adk_tui.console.plain import dump_line, record_json
from adk_tui.console.printer import Printer, finished
from adk_tui.core.chat_items import AgentText
from adk_tui.core.commands import Command
from adk_tui.core.event_reader import read_event
from adk_tui.core.reports import Record
from adk_tui.core.tickets import TicketBook
from tests.fakes.fake_engine import FakeEngine


class SharedEngine(FakeEngine):
    """An engine that one thread asks and another one hears."""

    def __init__(self) -> None:
        super().__init__()
        self._news = threading.Condition()

    def submit(self, command: Command) -> int:
        with self._news:
            self._news.notify_all()
            return super().submit(command)

    def records(self, timeout: float = 0.0) -> Sequence[Record]:
        with self._news:
            if not self._records:
                self._news.wait(timeout)
            return super().records()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=8,
)
WORDS = ["say", "answer", "transfer", "state", "rewind", "new", "open", "stop", "reload", "quit"]
OPTIONAL = ["id", "text", "ticket", "response", "progress", "agent", "delta", "session"]
REQUESTS = st.fixed_dictionaries(
    {"cmd": st.sampled_from(WORDS) | JSON},
    optional=dict.fromkeys(
        ("id", "text", "ticket", "response", "progress", "agent", "delta", "session"), JSON
    ),
)
LINES = st.one_of(
    st.binary(), REQUESTS.map(json.dumps).map(str.encode), JSON.map(repr).map(str.encode)
)


@given(text=st.binary() | REQUESTS.map(json.dumps).map(str.encode))
@example(text=b'{"cmd": "say", "text": 1e999}')
@example(text=b"[" * 5_000)
def test_a_line_is_a_request_a_refused_one_or_a_bad_one(text: bytes) -> None:
    try:
        request = parse_request(Line(7, text))
    except BadLine as error:
        told = str(error)
    else:
        try:
            told = f"Line 7 {command_of(request, TicketBook())}"
        except ValueError as error:
            told = f"Line 7 {error}"
    assert told.startswith("Line 7 ")


@given(data=st.lists(st.binary()).map(b"\n".join), limit=st.integers(1, 10))
def test_every_line_keeps_its_number_and_long_ones_are_dropped_whole(
    data: bytes, limit: int
) -> None:
    told = {line.number: line.text for line in read_lines(io.BytesIO(data), limit)}
    whole = data.split(b"\n")
    for number, text in enumerate(whole, 1):
        end = b"\n" if number < len(whole) else b""
        if len(text + end) > limit:
            assert told.pop(number) is None
        elif text.strip():
            assert told.pop(number) == text + end
    assert not told


@settings(max_examples=60, deadline=None)
@given(lines=st.lists(LINES.filter(lambda line: b"\n" not in line), max_size=12))
def test_every_request_gets_one_idle_and_every_line_written_is_json(lines: list[bytes]) -> None:
    out = io.BytesIO()
    pipe = Pipe(SharedEngine(), out, warn=lambda _: None)
    assert pipe.run(io.BytesIO(b"\n".join(lines))) in (0, 1, 2)
    told: list[dict[str, Any]] = [json.loads(line) for line in out.getvalue().splitlines()]
    wanted = 0
    for number, line in enumerate(lines, 1):
        try:
            request = parse_request(Line(number, line))
        except BadLine:
            continue
        wanted += 1
        if request.name == "quit":
            # What comes after it may have been read before it was carried out, or not.
            break
    else:
        assert sum(line["type"] == "idle" for line in told) == wanted
    assert all(line["type"] for line in told)


@given(source=JSON)
def test_any_event_is_a_line_of_ascii_json(source: Any) -> None:
    line = dump_line(record_json(read_event(source if isinstance(source, dict) else b"x"), False))
    assert line.endswith(b"\n")
    assert line.isascii()
    assert json.loads(line)["type"] == "event"


MARKDOWN = st.lists(
    st.sampled_from(
        ["# head\n", "para\n", "\n", "- item\n", "  more\n", "```\n", "code\n", "> q\n", "1. n\n",
         "| a | b |\n", "|---|---|\n", "| 1 | 2 |\n", "word ", "---\n", "    deep\n", "[x]: /u\n"]
    )
)  # fmt: skip


@given(pieces=MARKDOWN)
def test_finished_blocks_stay_finished_however_the_text_goes_on(pieces: list[str]) -> None:
    text = "".join(pieces)
    cuts = [finished("".join(pieces[:n])) for n in range(len(pieces) + 1)]
    assert cuts == sorted(cuts) or "[x]" in text
    assert all(0 <= cut <= len(text) for cut in cuts)
    assert all(cut == 0 or text[cut - 1] == "\n" for cut in cuts)


@settings(max_examples=50, deadline=None)
@given(pieces=st.lists(st.text(max_size=20) | st.sampled_from(["\n\n", "word ", "- x\n"])))
def test_a_streamed_answer_is_printed_once_and_whole(pieces: list[str]) -> None:
    out = io.StringIO()
    printer = Printer(Console(file=out, width=80, markup=False, emoji=False, highlight=False))
    text = ""
    for number, piece in enumerate(pieces):
        text += f"\n\nword{number}x {piece}"
        item = AgentText(key="k", event_id="e", author="a", branch="", text=text, streaming=True)
        printer.show([item])
    printer.show([AgentText(key="k", event_id="e", author="a", branch="", text=text)])
    printer.show([AgentText(key="k", event_id="e", author="a", branch="", text=text)])
    assert "\x1b" not in out.getvalue()
    if all(piece.isalnum() or piece == "word " for piece in pieces):
        for number in range(len(pieces)):
            assert out.getvalue().count(f"word{number}x") == 1
