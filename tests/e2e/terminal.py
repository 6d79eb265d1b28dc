"""A real terminal for tests: a pseudo terminal, a program on it and a screen that draws it.

Everything waits on conditions with a deadline; nothing sleeps. The bytes the
program wrote are kept, so that a test can tell in which state it left the
terminal.
"""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType

import pyte

# Makes the pseudo terminal the child's controlling terminal, so that Ctrl+C and
# hang-ups work as they do for a person, then becomes the program.
_LAUNCHER = (
    "import fcntl,os,sys,termios;"
    "fcntl.ioctl(0,termios.TIOCSCTTY,0);"
    "os.execvpe(sys.argv[1],sys.argv[1:],os.environ)"
)

KEYS = {
    "enter": b"\r",
    "escape": b"\x1b",
    "tab": b"\t",
    "shift+tab": b"\x1b[Z",
    "backspace": b"\x7f",
    "up": b"\x1b[A",
    "down": b"\x1b[B",
    "right": b"\x1b[C",
    "left": b"\x1b[D",
    "home": b"\x1b[H",
    "end": b"\x1b[F",
    "pageup": b"\x1b[5~",
    "pagedown": b"\x1b[6~",
    "f1": b"\x1bOP",
    "f2": b"\x1bOQ",
    "f3": b"\x1bOR",
    "f4": b"\x1bOS",
    "f5": b"\x1b[15~",
    "f6": b"\x1b[17~",
    "f7": b"\x1b[18~",
    "f8": b"\x1b[19~",
    "f9": b"\x1b[20~",
    "f10": b"\x1b[21~",
} | {f"ctrl+{chr(c + 96)}": bytes([c]) for c in range(1, 27)}

# Sequences pyte does not know and would print: keyboard protocol, mode requests.
_UNKNOWN = re.compile(rb"\x1b\[[<>=?][0-9;]*(?:u|\$p|m|q)|\x1b\[[0-9;]*\$p|\x1bP.*?\x1b\\", re.S)
_MODE = re.compile(rb"\x1b\[\?([0-9;]+)([hl])")
_ON = frozenset({7, 25})
"""Modes that are on at first: automatic wrap, the visible cursor."""
_LEAVES = b"\x1b[?1049l"
_HOLD = re.compile(rb"\x1b(?:\[[0-9;<>=?$]*|P[^\x1b]*)?$")


class Timeout(AssertionError):
    """What was waited for did not come; the message shows the screen."""


class Terminal:
    """A program on a terminal of ``columns`` x ``rows``. Use as a context manager."""

    def __init__(
        self,
        argv: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        columns: int = 120,
        rows: int = 40,
    ) -> None:
        self.raw = bytearray()
        """Every byte the program wrote."""
        self.screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self.screen)
        self._drawn = 0
        self._master, self._slave = pty.openpty()
        self._set_size(columns, rows)
        self.settings = termios.tcgetattr(self._slave)
        """The terminal's settings before the program began."""
        environment = {**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor"}
        environment |= env or {}
        # What the tests themselves run under: a size that is not this terminal's, for one.
        for name in ("COLUMNS", "LINES", "NO_COLOR", "CI"):
            environment.pop(name, None)
        self.started = time.perf_counter()
        self.process = subprocess.Popen(
            [sys.executable, "-S", "-E", "-c", _LAUNCHER, *argv],
            stdin=self._slave,
            stdout=self._slave,
            stderr=self._slave,
            cwd=cwd,
            env=environment,
            start_new_session=True,
        )

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.wait_exit(5)
            except Timeout:
                os.killpg(self.process.pid, signal.SIGKILL)
                self.process.wait()
        os.close(self._slave)
        if self._master >= 0:
            os.close(self._master)

    def hang_up(self) -> None:
        """Close the window: the program's terminal is gone, as its kernel tells it."""
        os.close(self._master)
        self._master = -1

    def _set_size(self, columns: int, rows: int) -> None:
        size = struct.pack("HHHH", rows, columns, 0, 0)
        fcntl.ioctl(self._slave, termios.TIOCSWINSZ, size)

    def resize(self, columns: int, rows: int) -> None:
        """Change the size, as when a person drags the window."""
        self._draw()
        self.screen.resize(rows, columns)
        self._set_size(columns, rows)
        os.killpg(self.process.pid, signal.SIGWINCH)

    def write(self, data: bytes) -> None:
        """Send bytes as the keyboard would."""
        os.write(self._master, data)

    def type(self, text: str) -> None:
        """Type text."""
        self.write(text.encode())

    def press(self, *keys: str) -> None:
        """Press keys by name (see ``KEYS``) or single characters."""
        for key in keys:
            self.write(KEYS.get(key, key.encode()))

    def press_until(
        self, key: str, condition: Callable[[], bool], again: float = 0.4, timeout: float = 90.0
    ) -> None:
        """Press a key, once more every ``again`` seconds, until the condition holds."""
        deadline = time.monotonic() + timeout
        while not condition():
            if time.monotonic() > deadline:
                raise Timeout(f"Pressing {key} had no effect. Screen:\n{self.text}")
            self.press(key)
            next_press = time.monotonic() + again
            while not condition() and (left := next_press - time.monotonic()) > 0:
                self.read(left)

    def read(self, timeout: float) -> bool:
        """Take in what the program wrote, waiting up to ``timeout`` s; False if nothing came."""
        ready, _, _ = select.select([self._master], [], [], max(timeout, 0.0))
        if not ready:
            return False
        try:
            data = os.read(self._master, 1 << 16)
        except OSError:
            return False
        self.raw += data
        return True

    def _draw(self) -> None:
        """Bring the screen up to date; only when it is looked at, because pyte is slow."""
        data = bytes(self.raw[self._drawn :])
        if held := _HOLD.search(data):
            data = data[: held.start()]
        self._drawn += len(data)
        *before, after = data.split(_LEAVES)
        for piece in before:
            self._stream.feed(_UNKNOWN.sub(b"", piece))
            # pyte has no alternate screen: what was on it is gone when it is left.
            self.screen.reset()
        self._stream.feed(_UNKNOWN.sub(b"", after))

    @property
    def text(self) -> str:
        """The screen as text, one line a row."""
        self._draw()
        rows = (self.screen.buffer[y] for y in range(self.screen.lines))
        columns = range(self.screen.columns)
        return "\n".join("".join(row[x].data for x in columns).rstrip() for row in rows)

    def wait(self, condition: Callable[[], bool], what: str, timeout: float = 90.0) -> None:
        """Read until ``condition`` holds. Raises Timeout with the screen otherwise."""
        deadline = time.monotonic() + timeout
        while not condition():
            left = deadline - time.monotonic()
            if left <= 0:
                raise Timeout(f"{what} did not come within {timeout} s. Screen:\n{self.text}")
            self.read(min(left, 0.1))

    def wait_for(self, text: str, timeout: float = 90.0) -> None:
        """Wait until ``text`` is on the screen."""
        self.wait(lambda: text in self.text, repr(text), timeout)

    def wait_gone(self, text: str, timeout: float = 90.0) -> None:
        """Wait until ``text`` is no longer on the screen."""
        self.wait(lambda: text not in self.text, f"the end of {text!r}", timeout)

    def wait_raw(self, data: bytes, start: int = 0, timeout: float = 90.0) -> None:
        """Wait until the program has written ``data`` after its first ``start`` bytes."""
        self.wait(lambda: self.raw.find(data, start) >= 0, repr(data), timeout)

    def wait_exit(self, timeout: float = 90.0) -> int:
        """Wait until the program has ended and everything it wrote is read; its exit code."""
        self.wait(lambda: self.process.poll() is not None, "the end of the program", timeout)
        while self.read(0):
            pass
        return self.process.returncode

    def modes_changed(self) -> set[int]:
        """Private modes that are not as a terminal has them at first: all off but ``_ON``."""
        state: dict[int, bool] = {}
        for match in _MODE.finditer(bytes(self.raw)):
            for number in match[1].split(b";"):
                state[int(number)] = match[2] == b"h"
        return {mode for mode, on in state.items() if on != (mode in _ON)}

    def assert_clean(self) -> None:
        """The terminal is as a shell expects it: own screen, cursor, mouse, paste, settings."""
        assert self.modes_changed() == set()
        pushed = len(re.findall(rb"\x1b\[>\d*u", self.raw))
        popped = len(re.findall(rb"\x1b\[<\d*u", self.raw))
        assert popped >= pushed, "the keyboard protocol was left on"
        assert termios.tcgetattr(self._slave) == self.settings, "the terminal's settings differ"
