"""Sessions read straight from ADK's SQLite file, without an agent, an engine or google-adk.

Listing sessions and the tickets in them must be quick and change nothing, and
an engine opens a session as it starts. ADK's file has two tables we need,
``sessions`` and ``events`` (google-adk's ``sqlite_session_service.py``); the
events hold the same JSON that travels on the wire. The file is opened read-only.
"""

import hashlib
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from adk_tui.core.records import EventRecord, read_event

BUSY_SECONDS = 2.0
"""How long another process that writes is waited for."""


class StoreError(Exception):
    """The file cannot be read; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class StoredSession:
    """A session in the file: ``updated`` in seconds since the epoch, ``events`` counted."""

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
            uri = f"file:{quote(str(file.absolute()))}?mode=ro"
            self._db = sqlite3.connect(uri, uri=True, timeout=BUSY_SECONDS)
            self._db.text_factory = _text
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

    def title(self, session: StoredSession) -> str:
        """The first thing the user said in it."""
        for event in self.events(session):
            if event.author == "user" and event.text.strip():
                return event.text.strip()
        return ""

    def _broken(self, error: sqlite3.Error) -> StoreError:
        return StoreError(
            f"The session file {self.file} cannot be read: {error}. If it is no file of ADK's,"
            " move it away; if another program writes to it, try again."
        )


def _text(data: bytes) -> str:
    return data.decode("utf-8", "backslashreplace")


def _seconds(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


def session_ids(file: Path, prefix: str, most: int = 50) -> list[str]:
    """Ids that begin with ``prefix``, newest first, for completion: whatever is wrong, no error."""
    with suppress(Exception), closing(Store(file)) as store:
        return [s.id for s in store.sessions(prefix)][:most]
    return []
