"""Every recorded session, whole and cut off anywhere, goes through core and comes out the same."""

import subprocess
import sys
from pathlib import Path

import pytest

from adk_tui.core.event_log import EventLog
from adk_tui.core.tickets import TicketBook, read_tickets
from adk_tui.core.transcript import ErrorCard, Transcript
from tests.golden_table import TABLE, read, streams, table

STORED = [p for p in streams() if not p.name.endswith(".stream.jsonl")]


def _name(path: Path) -> str:
    return path.name.removesuffix(".jsonl")


def test_the_recorded_sessions_are_here():
    assert len(streams()) == 284


def test_tickets_are_those_of_the_pinned_table():
    assert table() == TABLE.read_text()


@pytest.mark.parametrize("path", streams(), ids=_name)
def test_growing_by_one_event_gives_the_same_as_reading_from_scratch(path: Path):
    events = read(path)
    log, book, transcript = EventLog(), TicketBook(), Transcript()
    for count, event in enumerate(events, 1):
        log.extend([event])
        before = list(transcript.items)
        changed = book.update(log)
        first = transcript.update(log, {})

        fresh_log, fresh = EventLog(), Transcript()
        fresh_log.extend(events[:count])
        fresh.update(fresh_log, {})
        assert list(transcript.items) == list(fresh.items)
        assert list(transcript.items[:first]) == before[:first]
        assert book.tickets == read_tickets(events[:count])
        assert book.open == tuple(t for t in book.tickets if t.is_open)
        assert changed or not any(t.event_id == event.id for t in book.tickets)
        keys = [item.key for item in transcript.items]
        assert len(set(keys)) == len(keys)


@pytest.mark.parametrize("path", STORED, ids=_name)
def test_no_stored_session_raises_a_false_alarm(path: Path):
    log, transcript = EventLog(), Transcript()
    log.extend(read(path))
    transcript.update(log, {})
    alarms = [i for i in transcript.items if isinstance(i, ErrorCard) and "unapproved" in i.code]
    assert alarms == []


PROGRAM = """
import sys

class NoGoogle:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {"google", "pydantic", "textual", "rich"}:
            raise AssertionError("core imports " + name)

sys.meta_path.insert(0, NoGoogle())

from pathlib import Path
from adk_tui.core.event_log import EventLog
from adk_tui.core.event_reader import read_event
from adk_tui.core.routing import next_agent
from adk_tui.core.reports import AgentNode
from adk_tui.core.state import state_at
from adk_tui.core.tickets import TicketBook
from adk_tui.core.transcript import Transcript

for path in sorted(Path(sys.argv[1]).glob("*.jsonl")):
    log, book, transcript = EventLog(), TicketBook(), Transcript()
    for line in path.read_bytes().splitlines():
        log.extend([read_event(line)])
        book.update(log)
        transcript.update(log, {})
        state_at(log, len(log) - 1, {})
        next_agent(AgentNode("root"), log.history())
loaded = {m.split(".")[0] for m in sys.modules}
assert not loaded & {"google", "pydantic"}, loaded
print("read", len(list(Path(sys.argv[1]).glob("*.jsonl"))))
"""


def test_core_reads_every_session_at_every_prefix_without_google_adk():
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(TABLE.parent)],
        capture_output=True,
        text=True,
        timeout=100,
        cwd=Path(__file__).parents[2],
        check=False,
    )
    assert done.stderr == ""
    assert done.stdout == "read 284\n"
