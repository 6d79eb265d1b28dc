"""What the agent prints: read by file descriptor, bounded, kept in a file, told as records.

The agent may print a hundred megabytes a second, half a character, or nothing
but garbage. Its pipes are always read, so that it never waits for a person; what
is more than can be kept is dropped, counted, and said.
"""

import codecs
import contextlib
import os
import re
import selectors
import stat
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from adk_tui.core.masking import mask_text
from adk_tui.core.reports import Output, ToolRun
from adk_tui.core.sanitize import clean, line

Stream = Literal["stdout", "stderr", "protocol"]

COALESCE = 0.05
"""Seconds that a line waits for more, and for the news which tool runs."""
PARTIAL = 0.2
"""Seconds after which a line without an end is told as it is."""
CHUNK = 32 << 10
"""Characters of one ``Output`` record, at most."""
BURST, RATE = 4 << 20, 1 << 20
"""Bytes that may come at once, and bytes a second after that."""
TAIL = 4096
LOG_SIZE = 10 << 20
_COLOUR = re.compile(r"\x1b\[[0-9;:]*m")
SLACK = 0.005
"""Seconds between a tool's print and our reading it."""


def size_text(size: int) -> str:
    """A number of bytes for a person, like ``3.1 MB``."""
    amount = float(size)
    for unit in ("bytes", "kB", "MB"):
        if amount < 1000:
            return f"{amount:.0f} {unit}" if unit == "bytes" else f"{amount:.1f} {unit}"
        amount /= 1000
    return f"{amount:.1f} GB"


class ToolTimes:
    """Which tool ran at a moment, by the times that ``ToolRun`` records tell."""

    def __init__(self) -> None:
        self._open: dict[str, ToolRun] = {}
        self._ended: deque[ToolRun] = deque(maxlen=64)
        self._lock = threading.Lock()

    def note(self, run: ToolRun) -> None:
        """Take a run's start or end into account."""
        with self._lock:
            if run.ended:
                begun = self._open.pop(run.call_id, run)
                self._ended.append(replace(run, started=min(begun.started, run.started)))
            else:
                self._open[run.call_id] = run

    def clear(self) -> None:
        """Forget all runs: their process is gone."""
        with self._lock:
            self._open.clear()
            self._ended.clear()

    def at(self, moment: float) -> str:
        """The name of the one tool that ran at ``moment`` (wall clock); empty if none or several.

        An AgentTool and the tool its inner run calls are one chain: the inner
        one is named.
        """
        with self._lock:
            runs = [r for r in self._open.values() if r.started <= moment]
            runs += [r for r in self._ended if r.started <= moment <= r.ended + SLACK]
        outer = {r.parent_call_id for r in runs}
        inner = [r for r in runs if r.call_id not in outer]
        return inner[0].name if len(inner) == 1 else ""


class OutputLog:
    """The file that keeps what the agent printed; readable by its owner only.

    A person may open it in a terminal, so it holds safe text with secrets
    masked. ``problem`` says why nothing can be written, empty while it can.

    When it is full it moves to ``NAME.1`` and a new one begins, so that both
    together stay under twice ``limit`` bytes. A disk that is full or a folder
    that is gone loses pieces of output, whole ones, never the app: ``problem``
    says what is wrong.
    """

    def __init__(self, path: Path, limit: int = LOG_SIZE) -> None:
        self.path = path
        self.problem = ""
        self._limit = limit
        self._size = 0
        self._file = -1
        self._head: tuple[str, str] | None = None
        self._lock = threading.Lock()

    def write(self, output: Output) -> None:
        """Append a piece of output, under a line that says when, which stream and which tool."""
        with self._lock:
            try:
                self._write(output)
            except (OSError, ValueError) as error:
                self.problem = f"{self.path}: {getattr(error, 'strerror', None) or error}"
                self._close()

    def _write(self, output: Output) -> None:
        if self._file < 0:
            self._open()
        text = clean(mask_text(_COLOUR.sub("", output.text)))
        head = (output.stream, output.tool)
        if head != self._head:
            when = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(output.time))
            tool = f" {line(output.tool)}" if output.tool else ""
            text = f"--- {when} {output.stream}{tool} ---\n{text}"
            self._head = head
        data = text.encode("utf-8", "backslashreplace")
        if self._size + len(data) > self._limit:
            self._close()
            self.path.replace(self.path.with_name(self.path.name + ".1"))
            self._open()
        self._append(data)
        self._size = os.fstat(self._file).st_size
        self.problem = ""

    def _append(self, data: bytes) -> None:
        before = os.fstat(self._file).st_size
        written = 0
        try:
            while written < len(data):
                written += os.write(self._file, data[written:])
        except OSError:
            # No half of it stays, unless another app has written behind it meanwhile.
            if written and os.fstat(self._file).st_size == before + written:
                os.ftruncate(self._file, before)
            raise

    def _open(self) -> None:
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK
        self._file = os.open(self.path, flags | os.O_NOFOLLOW, 0o600)
        status = os.fstat(self._file)
        if not stat.S_ISREG(status.st_mode):
            self._close()
            raise ValueError("not a regular file")
        if status.st_mode & 0o077:
            os.fchmod(self._file, 0o600)
        self._size = status.st_size
        self._head = None

    def _close(self) -> None:
        if self._file >= 0:
            with contextlib.suppress(OSError):
                os.close(self._file)
        self._file = -1

    def close(self) -> None:
        """Close the file; the next write opens it again."""
        with self._lock:
            self._close()


class Allowance:
    """How much may still be kept: a burst at once, then a steady rate."""

    def __init__(self, burst: int = BURST, rate: int = RATE) -> None:
        self._burst, self._rate = burst, rate
        self._left = float(burst)
        self._last = time.monotonic()

    def take(self, size: int) -> int:
        """How many of ``size`` bytes may be kept; takes them."""
        now = time.monotonic()
        self._left = min(self._burst, self._left + (now - self._last) * self._rate)
        self._last = now
        granted = min(size, int(self._left))
        self._left -= granted
        return granted


@dataclass(slots=True)
class _Pending:
    stream: Stream
    decoder: codecs.IncrementalDecoder
    text: str = ""
    since: float = 0.0
    moments: list[tuple[int, float]] = field(default_factory=list[tuple[int, float]])
    """Where in the text each read began, and when it was."""
    dropped: int = 0
    told: float = field(default=0.0)


class OutputPump:
    """Reads the agent's stdout and stderr on a thread until both have ended."""

    def __init__(
        self,
        streams: Mapping[int, Stream],
        emit: Callable[[Output], bool],
        tools: ToolTimes,
        log: OutputLog | None = None,
    ) -> None:
        self._emit = emit
        self._tools = tools
        self._log = log
        self._allowance = Allowance()
        self._tail = b""
        decoder = codecs.getincrementaldecoder("utf-8")
        self._streams = {
            fd: _Pending(stream, decoder("backslashreplace")) for fd, stream in streams.items()
        }
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="agent-output", daemon=True)

    def start(self) -> None:
        """Begin to read."""
        self._thread.start()

    def stop(self, timeout: float) -> None:
        """Read what is there until the end, at most ``timeout`` seconds more."""
        self._thread.join(timeout)
        self._stop.set()
        self._thread.join(1.0)

    @property
    def tail(self) -> str:
        """The last lines that were printed, kept or not."""
        text = self._tail.decode("utf-8", "backslashreplace")
        return text.partition("\n")[2] if len(self._tail) == TAIL else text

    def _run(self) -> None:
        with selectors.DefaultSelector() as selector:
            for fd, pending in self._streams.items():
                os.set_blocking(fd, False)
                selector.register(fd, selectors.EVENT_READ, pending)
            while selector.get_map() and not self._stop.is_set():
                waiting = any(p.text or p.dropped for p in self._streams.values())
                for key, _ in selector.select(COALESCE if waiting else 0.5):
                    if not self._read(key.fd, key.data):
                        selector.unregister(key.fd)
                for pending in self._streams.values():
                    self._flush(pending)
        for fd, pending in self._streams.items():
            if text := pending.decoder.decode(b"", final=True):
                pending.moments.append((len(pending.text), time.time()))
                pending.text += text
            self._flush(pending, end=True)
            with contextlib.suppress(OSError):
                os.close(fd)
        if self._log:
            self._log.close()

    def _read(self, fd: int, pending: _Pending) -> bool:
        try:
            data = os.read(fd, 1 << 20)
        except BlockingIOError:
            return True
        except OSError:
            return False
        if not data:
            return False
        self._tail = (self._tail + data[-TAIL:])[-TAIL:]
        moment = time.time()
        keep = self._allowance.take(len(data))
        if keep < len(data):
            pending.dropped += len(data) - keep
            # A short rest per read: the printer waits a little, nobody else does.
            self._stop.wait(0.005)
        text = pending.decoder.decode(data[:keep])
        if text and not pending.text:
            pending.since = time.monotonic()
        if text:
            pending.moments.append((len(pending.text), moment))
        pending.text += text
        return True

    def _flush(self, pending: _Pending, *, end: bool = False) -> None:
        now = time.monotonic()
        age = now - pending.since
        while pending.text:
            cut = len(pending.text)
            if not end and len(pending.text) < CHUNK:
                if age < COALESCE:
                    break
                if age < PARTIAL:
                    cut = pending.text.rfind("\n") + 1
            cut = min(cut, CHUNK)
            if not cut:
                break
            self._cut(pending, cut)
        if pending.dropped and (end or now - pending.told > 1.0):
            dropped, pending.dropped, pending.told = pending.dropped, 0, now
            words = f"\n[{size_text(dropped)} of output were dropped: too much]\n"
            self._tell(pending, Output(pending.stream, words, time.time()))

    def _cut(self, pending: _Pending, cut: int) -> None:
        """Tell the first ``cut`` characters, what each tool printed by itself."""
        starts = [m for m in pending.moments if m[0] < cut]
        ends = [at for at, _ in starts[1:]] + [cut]
        pieces: list[Output] = []
        for (start, moment), end in zip(starts, ends, strict=True):
            text, tool = pending.text[start:end], self._tools.at(moment)
            if pieces and pieces[-1].tool == tool:
                pieces[-1] = replace(pieces[-1], text=pieces[-1].text + text)
            else:
                pieces.append(Output(pending.stream, text, moment, tool))
        pending.text = pending.text[cut:]
        rest = [(at - cut, moment) for at, moment in pending.moments if at >= cut]
        if pending.text and (not rest or rest[0][0]):
            rest.insert(0, (0, starts[-1][1]))
        pending.moments = rest
        for piece in pieces:
            self._tell(pending, piece)

    def _tell(self, pending: _Pending, output: Output) -> None:
        if self._log:
            self._log.write(output)
        if not self._emit(output):
            pending.dropped += len(output.text)
