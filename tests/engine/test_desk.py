"""The desk listens on, whatever comes; and nothing heavy is loaded before it does."""

import json
import subprocess
import sys

from hypothesis import given
from hypothesis import strategies as st

from adk_tui.core.commands import Say, Transfer
from adk_tui.core.reports import Done, Failure, Status
from adk_tui.core.wire import decode_record, encode_command
from adk_tui.engine.channel import Channel
from adk_tui.engine.desk import Desk, summary
from tests.engine.harness import ROOT

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
names = st.sampled_from(["start", "say", "answer", "stop", "cancel", "edit_state", "ping", "fly"])
fields = st.fixed_dictionaries(
    {"cmd": names | json_values, "id": st.integers() | json_values},
    optional=dict.fromkeys(
        ("text", "answers", "delta", "command_id", "token", "target"), json_values
    ),
)


class Tape(Channel):
    """A channel that keeps its frames."""

    def __init__(self) -> None:
        super().__init__(-1)
        self.frames: list[bytes] = []

    def _write(self, frame: bytes) -> None:
        self.frames.append(frame)


@given(st.binary() | fields.map(lambda v: json.dumps(v).encode()))
def test_no_line_ends_the_listening_and_every_line_is_answered(line):
    tape = Tape()
    desk = Desk(tape)
    desk._take(line)
    for frame in tape.frames:
        decode_record(frame)
    desk._take(encode_command(Say("still here"), 7))
    last = decode_record(tape.frames[-1])
    assert isinstance(last, Status)
    assert last.queued[-1].id == 7


def test_a_refused_line_is_told_with_its_id_where_it_has_one():
    tape = Tape()
    desk = Desk(tape)
    desk._take(b'{"cmd":"fly","id":3}')
    desk._take(b"[1]")
    done, failure = (decode_record(f) for f in tape.frames)
    assert isinstance(done, Done)
    assert done.command == 3
    assert isinstance(failure, Failure)


def test_what_waits_is_named_in_one_short_line():
    assert summary(Say("a\n b " + "c" * 100)) == "a b " + "c" * 55 + "…"
    assert summary(Transfer("x")) == "transfer to x"


def test_the_first_frame_waits_for_nothing_of_google():
    code = (
        "import sys; before = set(sys.modules); import adk_tui.engine.__main__;"
        "print(sorted(m for m in set(sys.modules) - before if m.split('.')[0] in"
        " ('google', 'pydantic', 'opentelemetry', 'httpx')))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert ran.stdout.strip() == "[]"
