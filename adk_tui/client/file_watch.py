"""Notices that an agent's files have changed, so that it can be loaded again.

Names, sizes and times are compared once in a while; nothing is read. A change is
told once the files have stood still for one look: an editor that saves, or a
checkout that writes many files, is one change.
"""

import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

EVERY = 0.5
"""Seconds between two looks."""

CODE = frozenset({".py", ".yaml", ".yml", ".toml", ".env", ".j2", ".jinja", ".jinja2", ".prompt"})
"""Endings of files that are written by people: these count at any time."""

JUNK = frozenset(
    {".pyc", ".pyo", ".db", ".sqlite", ".sqlite3", ".log", ".lock", ".tmp", ".swp", ".part"}
)
"""Endings of files that programs write for themselves."""

SKIPPED = frozenset({"__pycache__", "node_modules", "site-packages", "venv", "build", "dist"})

MOST = 5_000
"""Files that are looked at; beyond, a folder is no agent's but a disk."""

Snapshot = dict[str, tuple[int, int]]


def snapshot(folder: Path) -> Snapshot:
    """Time (ns) and size of every file that counts, by its path below ``folder``."""
    found: Snapshot = {}
    for entry in _files(str(folder)):
        try:
            stat = entry.stat()
        except OSError:
            continue
        found[os.path.relpath(entry.path, folder)] = (stat.st_mtime_ns, stat.st_size)
        if len(found) >= MOST:
            break
    return found


def _files(folder: str) -> Iterator["os.DirEntry[str]"]:
    try:
        entries = sorted(os.scandir(folder), key=lambda e: e.name)
    except OSError:
        return
    for entry in entries:
        if entry.is_dir(follow_symlinks=False):
            if not entry.name.startswith(".") and entry.name not in SKIPPED:
                yield from _files(entry.path)
        elif entry.name == ".env" or not (
            entry.name.startswith(".")
            or entry.name.endswith(("~", "-journal", "-wal", "-shm"))
            or Path(entry.name).suffix in JUNK
        ):
            yield entry


def is_code(path: str) -> bool:
    """Whether a person wrote the file; others may be a program's own."""
    name = Path(path).name
    return name == ".env" or Path(name).suffix in CODE


def changed(before: Snapshot, after: Snapshot) -> tuple[str, ...]:
    """The paths that are new, gone or different."""
    return tuple(sorted(p for p in {*before, *after} if before.get(p) != after.get(p)))


class Changes:
    """Tells settled changes from those under way. ``look`` is called once in a while."""

    def __init__(self, now: Snapshot) -> None:
        self._settled = now
        self._last = now

    def look(self, now: Snapshot) -> tuple[str, ...]:
        """The paths that have changed and stand still since the last look; empty: none."""
        still = now == self._last
        self._last = now
        if not still or now == self._settled:
            return ()
        before, self._settled = self._settled, now
        return changed(before, now)


Turn: TypeAlias = tuple[float, float]
"""When a turn began and ended (0: it goes on), in wall-clock seconds."""

REMEMBERED = 20
"""Turns whose times are kept; a change is told about a second after it was made."""


def _none() -> Turn:
    return 0.0, 0.0


class FileWatch:
    """Watches ``folder`` on a thread of its own; ``tell`` gets the paths that have changed.

    Agents write files too, beside their code and in the middle of a turn; they
    must not be loaded again for it. So what was written during a turn
    (``last_turn``) counts only where it is code. ``looked`` is set once it
    knows how the files are at its beginning.
    """

    def __init__(
        self,
        folder: Path,
        tell: Callable[[tuple[str, ...]], None],
        last_turn: Callable[[], Turn] = _none,
    ) -> None:
        self.looked = threading.Event()
        self._folder = folder
        self._tell = tell
        self._last_turn = last_turn
        self._turns: dict[float, float] = {}
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="agent-files", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End the watch; nothing is told any more once this returns."""
        self._over.set()
        if self._thread is not threading.current_thread():
            self._thread.join()

    def _run(self) -> None:
        changes = Changes(snapshot(self._folder))
        self.looked.set()
        while not self._over.wait(EVERY):
            began, over = self._last_turn()
            self._turns[began] = over
            while len(self._turns) > REMEMBERED:
                del self._turns[next(iter(self._turns))]
            now = snapshot(self._folder)
            paths = tuple(p for p in changes.look(now) if is_code(p) or not self._in_turn(now, p))
            if paths and not self._over.is_set():
                self._tell(paths)

    def _in_turn(self, now: Snapshot, path: str) -> bool:
        if path not in now:
            return any(a and not b for a, b in self._turns.items())
        written = now[path][0] / 1e9
        return any(a <= written <= (b or written) for a, b in self._turns.items() if a)
