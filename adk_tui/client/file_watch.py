"""Notices that an agent's files have changed, so that it can be loaded again.

Names, sizes and times are compared once in a while; nothing is read. A change is
told once the files have stood still for one look: an editor that saves, or a
checkout that writes many files, is one change.
"""

import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

EVERY = 0.5
"""Seconds between two looks."""

SUFFIXES = frozenset(
    {".py", ".yaml", ".yml", ".toml", ".env", ".j2", ".jinja", ".jinja2", ".prompt"}
)
"""Endings of the files that count: code, ADK's YAML agents, settings and templates.

No data and no texts: agents write those themselves, and must not be loaded
again for it.
"""

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
        elif entry.name == ".env" or (
            not entry.name.startswith(".") and Path(entry.name).suffix in SUFFIXES
        ):
            yield entry


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


class FileWatch:
    """Watches ``folder`` on a thread of its own; ``tell`` gets the paths that have changed.

    ``looked`` is set once it knows how the files are at its beginning.
    """

    def __init__(self, folder: Path, tell: Callable[[tuple[str, ...]], None]) -> None:
        self._folder = folder
        self._tell = tell
        self.looked = threading.Event()
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
            paths = changes.look(snapshot(self._folder))
            if paths and not self._over.is_set():
                self._tell(paths)
