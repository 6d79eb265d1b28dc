"""Sessions read straight from ADK's SQLite file, without an agent, an engine or google-adk.

Listing sessions and the tickets in them must be quick and change nothing, and
an engine opens a session as it starts. ADK's file has two tables we need,
``sessions`` and ``events`` (google-adk's ``sqlite_session_service.py``); the
events hold the same JSON that travels on the wire. Titles that were given are in
a file of ours beside it (``engine.titles``). Both are opened read-only.
"""

import hashlib
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import quote

from adk_tui.core.event_reader import read_event
from adk_tui.core.records import EventRecord

BUSY_SECONDS = 2.0
"""How long another process that writes is waited for."""

TITLES = "adk-tui.db"
"""The file with the titles, in the folder of the session file."""


class StoreError(Exception):
    """The sessions cannot be read; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class StoredSession:
    """A stored session: ``updated`` in seconds since the epoch, ``events`` counted.

    ``title`` is the given one, else the first thing the user said.
    """

    id: str
    user: str
    app: str
    updated: float = 0.0
    events: int = 0
    title: str = ""


def store_file(target: str, fallback_folder: Path) -> Path | None:
    """Where the sessions of a resolved target are, by the engine's own rule; None: nowhere yet.

    In ``.adk`` of the agent's folder, else in the folder for agents whose own
    one cannot be written. Where both exist the newer one counts.
    """
    folder = _folder(target)
    if folder is None:
        return None
    # The engine names its own folder by the app's name and a hash of the agent's folder.
    mark = hashlib.sha256(str(folder).encode()).hexdigest()[:8]
    found = [folder / ".adk" / "session.db"]
    with suppress(OSError):
        found += [p / "session.db" for p in fallback_folder.glob(f"*-{mark}")]
    files = [f for f in found if f.is_file()]
    return max(files, key=lambda f: f.stat().st_mtime) if files else None


def _folder(target: str) -> Path | None:
    path = Path(target)
    if path.is_dir():
        return path
    return path.parent if path.is_file() else None


class Store:
    """A session file, open for reading. A context manager."""

    def __init__(self, file: Path) -> None:
        self.file = file
        try:
            self._db = _open(file)
            self._db.execute("SELECT id FROM sessions LIMIT 1").fetchall()
        except sqlite3.Error as error:
            raise self._broken(error) from error

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def sessions(self, prefix: str = "") -> list[StoredSession]:
        """Sessions whose id begins with ``prefix``, newest first. Raises StoreError."""
        query = (
            "SELECT s.id, s.user_id, s.app_name, s.update_time, COUNT(e.id)"
            " FROM sessions s LEFT JOIN events e ON e.app_name = s.app_name"
            " AND e.user_id = s.user_id AND e.session_id = s.id"
            " WHERE substr(s.id, 1, ?) = ?"
            " GROUP BY s.app_name, s.user_id, s.id ORDER BY s.update_time DESC"
        )
        try:
            rows = self._db.execute(query, (len(prefix), prefix)).fetchall()
        except sqlite3.Error as error:
            raise self._broken(error) from error
        return [
            StoredSession(str(i), str(user), str(app), _seconds(updated), int(count))
            for i, user, app, updated, count in rows
        ]

    def events(self, session: StoredSession) -> Iterator[EventRecord]:
        """The events of a session, oldest first, as ADK orders them. Raises StoreError."""
        query = (
            "SELECT event_data FROM events WHERE app_name = ? AND user_id = ? AND session_id = ?"
            " ORDER BY timestamp, rowid"
        )
        try:
            for (data,) in self._db.execute(query, (session.app, session.user, session.id)):
                yield read_event(data if isinstance(data, bytes) else str(data))
        except sqlite3.Error as error:
            raise self._broken(error) from error

    def titled(self) -> Iterator[StoredSession]:
        """All sessions with their titles, newest first. Raises StoreError."""
        given = _titles(self.file.with_name(TITLES))
        for session in self.sessions():
            title = given.get((session.app, session.user, session.id), "")
            yield replace(session, title=title or self._first_words(session))

    def _first_words(self, session: StoredSession) -> str:
        for event in self.events(session):
            if event.author == "user" and event.text.strip():
                return event.text.strip()
        return ""

    def _broken(self, error: sqlite3.Error) -> StoreError:
        return StoreError(
            f"The session file {self.file} cannot be read: {error}. If it is no file of ADK's,"
            " move it away; if another program writes to it, try again."
        )


def walk(file: Path) -> Iterator[tuple[StoredSession, Iterator[EventRecord]]]:
    """The sessions in a file, newest first, each with its events. Raises StoreError."""
    with Store(file) as store:
        for session in store.titled():
            yield session, store.events(session)


def _open(file: Path) -> sqlite3.Connection:
    uri = f"file:{quote(str(file.absolute()))}?mode=ro"
    db = sqlite3.connect(uri, uri=True, timeout=BUSY_SECONDS)
    db.text_factory = _text
    return db


def _titles(file: Path) -> dict[tuple[str, str, str], str]:
    """Given titles by app, user and session id; none where there is no such file."""
    with suppress(sqlite3.Error), closing(_open(file)) as db:
        rows = db.execute("SELECT app, user, id, title FROM sessions").fetchall()
        return {(str(app), str(user), str(i)): str(title) for app, user, i, title in rows}
    return {}


def _text(data: bytes) -> str:
    return data.decode("utf-8", "backslashreplace")


def _seconds(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


def session_ids(file: Path, prefix: str, most: int = 50) -> list[str]:
    """Ids that begin with ``prefix``, newest first, for completion: whatever is wrong, no error."""
    with suppress(Exception), closing(Store(file)) as store:
        return [s.id for s in store.sessions(prefix)][:most]
    return []
