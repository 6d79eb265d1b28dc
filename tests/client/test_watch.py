"""What is told of a process that is late, blocked or silent; by a clock of the test's own."""

from adk_tui.client.watch import SLOW_HELLO, SLOW_PONG, Watch
from adk_tui.core.wire import Ping, Pong, decode_command


class Line:
    def __init__(self) -> None:
        self.held = False
        self.sent: list[bytes] = []

    def send(self, frame: bytes) -> None:
        self.sent.append(frame)


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_process_that_never_greets_is_told_once() -> None:
    clock, line = Clock(), Line()
    watch = Watch(clock)
    assert watch.look(line) == ([], False)
    clock.now += SLOW_HELLO + 1
    (notice,), _ = watch.look(line)
    assert "said nothing" in getattr(notice, "message", "")
    assert watch.look(line) == ([], False)
    assert line.sent == []


def test_a_silent_process_is_told_once_and_its_answer_clears_the_words() -> None:
    clock, line = Clock(), Line()
    watch = Watch(clock)
    watch.greeted()
    watch.look(line)
    assert decode_command(line.sent[0]) == (0, Ping())
    clock.now += SLOW_PONG + 1
    told, changed = watch.look(line)
    assert len(told) == 1
    assert changed
    assert "no answer" in watch.words
    clock.now += 1
    assert watch.look(line)[0] == []
    assert watch.answered(Pong())
    assert watch.words == ""


def test_a_blocked_loop_is_said_for_as_long_as_it_is_blocked() -> None:
    watch = Watch(Clock())
    watch.greeted()
    assert watch.answered(Pong(lag=4.2))
    assert watch.words == "event loop blocked for 4 s"
    assert not watch.answered(Pong(lag=4.3))
    assert watch.answered(Pong(lag=0.1))
    watch.answered(Pong(lag=9.0))
    watch.idle()
    assert watch.words == ""


def test_a_process_is_not_called_silent_while_we_do_not_listen() -> None:
    clock, line = Clock(), Line()
    watch = Watch(clock)
    watch.greeted()
    line.held = True
    clock.now += SLOW_PONG * 5
    assert watch.look(line) == ([], False)
