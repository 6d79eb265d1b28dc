"""What was typed before, kept across runs in a file only the user can read.

One JSON string a line, so that the line mode reads and writes the same file,
several programs may append to it at once, and a broken line costs only itself.
What holds something that looks like a secret is remembered while the program
runs, and never written: a mask in its place would be sent by mistake.
"""

import json
import os
from contextlib import suppress
from pathlib import Path

from adk_tui.client.trouble import Trouble
from adk_tui.core.masking import mask_text

KEEP = 1_000
"""How many messages are kept."""
LONGEST = 20_000
"""Characters of a message that is still worth keeping across runs."""


class History:
    """The messages sent, oldest first, and a place in them while the user walks through.

    ``file`` None keeps them in memory only. A file that cannot be read or
    written never stops the user: ``problem`` then says what is wrong.
    """

    def __init__(self, file: Path | None) -> None:
        self._file = file
        self._entries: list[str] | None = None
        self._unwritten: list[str] = []
        self._place: int | None = None
        self._draft = ""
        self.problem = ""
        self._trouble = Trouble()

    @property
    def entries(self) -> list[str]:
        """The messages; read from the file when first asked for."""
        if self._entries is None:
            self._entries = self._read()
        return self._entries

    def _read(self) -> list[str]:
        if self._file is None:
            return []
        try:
            data = self._file.read_bytes()
        except FileNotFoundError:
            return []
        except OSError as error:
            self.problem = f"The history {self._file} cannot be read: {error.strerror}."
            return []
        found: list[str] = []
        for line in data.splitlines():
            with suppress(ValueError):
                entry = json.loads(line)
                if isinstance(entry, str) and entry:
                    found.append(entry)
        if len(found) > 2 * KEEP:
            found = found[-KEEP:]
            self._replace(found)
        return found[-KEEP:]

    def _replace(self, entries: list[str]) -> None:
        assert self._file is not None
        new = self._file.with_name(f"{self._file.name}.{os.getpid()}.new")
        try:
            handle = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(handle, "wb") as out:
                out.write(b"".join(json.dumps(e).encode() + b"\n" for e in entries))
            new.replace(self._file)
        except OSError:
            with suppress(OSError):
                new.unlink(missing_ok=True)

    def add(self, text: str) -> None:
        """Remember a message, unless it is the same as the last one.

        What cannot be written now is written with a later message.
        """
        self._place = None
        self._draft = ""
        if not text.strip():
            return
        if not self.entries or self.entries[-1] != text:
            self.entries.append(text)
            kept = len(text) <= LONGEST and mask_text(text) == text
            if self._file is not None and kept:
                self._unwritten.append(text)
        if self._file is None or not self._unwritten:
            return
        try:
            self._write(self._file)
        except OSError as error:
            self.problem = f"The history {self._file} cannot be written: {error.strerror}."
        else:
            self._unwritten.clear()

    def _write(self, file: Path) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(file, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        with os.fdopen(handle, "ab") as out:
            os.fchmod(handle, 0o600)
            size = os.fstat(handle).st_size
            # A full disk may have cut the last line short; this one must not become part of it.
            if size and os.pread(handle, 1, size - 1) != b"\n":
                out.write(b"\n")
            out.write(b"".join(json.dumps(text).encode() + b"\n" for text in self._unwritten))

    def trouble(self) -> str:
        """What is wrong with the file, once: empty where that was told, or nothing is."""
        problem, self.problem = self.problem, ""
        return self._trouble.news(problem)

    def back(self, current: str) -> str | None:
        """The message before the one shown; None at the oldest. ``current`` is kept as draft."""
        place = len(self.entries) if self._place is None else self._place
        if place == 0:
            return None
        if self._place is None:
            self._draft = current
        self._place = place - 1
        return self.entries[self._place]

    def forward(self) -> str | None:
        """The message after the one shown, and after the newest the draft; None when there."""
        if self._place is None:
            return None
        self._place += 1
        if self._place >= len(self.entries):
            self._place = None
            return self._draft
        return self.entries[self._place]

    def leave(self) -> None:
        """The user edits what is shown: it is the draft from now on."""
        self._place = None
