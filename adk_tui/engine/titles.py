"""What we know of sessions that ADK has no place for: a given title, and which one it is a fork of.

Not in the session's state, where other tools show it, templates can read it
and every change of it is an event, which makes a turn that another process
runs on that session stale. So it is kept in a small SQLite file of our own beside
the store (``.adk/adk-tui.db``), or in the user's data folder where the store is
elsewhere; two engines may write it at once. It is made with the first title.
"""

import os
import sqlite3
from collections.abc import Generator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from adk_tui.engine.causes import obstacle
from adk_tui.engine.failures import EngineError

WAIT = 2.0
"""Seconds to wait for another process that writes the file."""

_HINT = "Free the file; it may be deleted, only titles and the kinship of forks are in it."
_SCHEMA = """
CREATE TABLE IF NOT EXISTS sessions (
    app TEXT NOT NULL, user TEXT NOT NULL, id TEXT NOT NULL,
    title TEXT NOT NULL DEFAULT '', parent TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (app, user, id)
)"""


@dataclass(frozen=True, slots=True)
class Note:
    """A given title (empty: none) and the id of the session it was forked from (empty: none)."""

    title: str = ""
    parent: str = ""


NONE = Note()


class Titles:
    """Notes on the sessions of ``app``, in the file ``path``, or in memory where that is None."""

    def __init__(self, path: Path | None, app: str) -> None:
        self._path = path
        self._app = app
        self._memory: dict[tuple[str, str], Note] = {}

    def get(self, user: str, session_id: str) -> Note:
        """The note on a session; an empty one where there is none, or the file cannot be read."""
        return self.all().get((user, session_id), NONE)

    def all(self) -> dict[tuple[str, str], Note]:
        """All notes by user and session id; none where the file cannot be read."""
        if self._path is None:
            return dict(self._memory)
        if not self._path.exists():
            return {}
        try:
            with self._open() as db:
                rows = db.execute(
                    "SELECT user, id, title, parent FROM sessions WHERE app=?", (self._app,)
                ).fetchall()
        except sqlite3.Error:
            return {}
        return {(user, i): Note(title, parent) for user, i, title, parent in rows}

    def set(
        self, user: str, session_id: str, *, title: str | None = None, parent: str | None = None
    ) -> None:
        """Change a note. Raises EngineError (``titles.unwritable``) where it cannot be kept."""
        note = self.get(user, session_id)
        if title is not None:
            note = replace(note, title=title)
        if parent is not None:
            note = replace(note, parent=parent)
        self._put(user, session_id, note)

    def forget(self, user: str, session_id: str) -> None:
        """Drop the note on a session that is gone."""
        if self.get(user, session_id) != NONE:
            self._put(user, session_id, NONE)

    def _put(self, user: str, session_id: str, note: Note) -> None:
        if self._path is None:
            self._memory[user, session_id] = note
            return
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            os.close(os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600))
            with self._open() as db, db:
                db.execute(_SCHEMA)
                db.execute(
                    "INSERT OR REPLACE INTO sessions VALUES (?, ?, ?, ?, ?)",
                    (self._app, user, session_id, note.title, note.parent),
                )
        except (OSError, sqlite3.Error) as error:
            raise EngineError(
                "titles.unwritable",
                f"Titles are kept in {self._path}, which cannot be written: {error}",
                obstacle(error) or _HINT,
            ) from error

    @contextmanager
    def _open(self) -> Generator[sqlite3.Connection]:
        with closing(sqlite3.connect(str(self._path), timeout=WAIT)) as db:
            yield db


def families(parents: dict[tuple[str, str], str]) -> dict[tuple[str, str], tuple[str, ...]]:
    """The relatives of each session: all that the same chain of forks connects, without itself.

    ``parents`` maps (user, id) to the id of the session it was forked from,
    empty where it is none. Forks stay with their user.
    """
    groups: dict[tuple[str, str], set[tuple[str, str]]] = {}
    for key, parent in parents.items():
        if not parent:
            continue
        above = (key[0], parent)
        merged = groups.get(key, {key}) | groups.get(above, {above})
        for member in merged:
            groups[member] = merged
    return {
        key: tuple(
            sorted(i for user, i in groups.get(key, ()) if (user, i) in parents and i != key[1])
        )
        for key in parents
    }
