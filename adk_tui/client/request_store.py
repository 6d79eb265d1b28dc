"""Model calls and tool runs, kept in a file with the session so that a restart does not lose them.

ADK's session stores keep events only. What was sent to a model for each of them
goes into a small SQLite file beside ADK's own ``session.db``; for sessions that
live behind a URI, into the user's data folder; for sessions in memory, nowhere.
The file is private, bounded, and forgets its oldest entries first. It is a
convenience: where it cannot be read or written, the session goes on without it.
"""

import hashlib
import os
import sqlite3
import zlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

from adk_tui.client.trouble import Trouble
from adk_tui.core.reports import ModelCall, Notice, Ready, Record, SessionOpened, ToolRun
from adk_tui.core.session import SAME_SESSION
from adk_tui.core.wire import WireError, decode_record, encode_record

FILE = "requests.db"
MAX_BYTES = 64 * 1024 * 1024
"""Compressed bytes a file may hold."""
MAX_RECORD = 4 * 1024 * 1024
"""A call larger than this, compressed, is kept without its request and response."""
MAX_LOADED = 48 * 1024 * 1024
"""Bytes of requests and responses that are read back for one session, the newest first."""
COUNTED = 200
"""Entries put after which the file is measured again: another program may write to it too."""
WAIT = 0.25
"""Seconds to wait for another program that writes to the file."""

_KIND = ("model_call", "tool_run")
_SCHEMA = """
CREATE TABLE IF NOT EXISTS kept (
    session TEXT NOT NULL, kind TEXT NOT NULL, id TEXT NOT NULL, started REAL NOT NULL,
    body BLOB NOT NULL, PRIMARY KEY (session, kind, id));
CREATE INDEX IF NOT EXISTS kept_by_age ON kept (started);
"""

Kept: TypeAlias = ModelCall | ToolRun


class RequestStore:
    """One file of calls and runs. Never raises; ``problem`` says why not all is kept there now."""

    def __init__(self, path: Path, *, max_bytes: int = MAX_BYTES) -> None:
        self.path = path
        self.problem = ""
        self._max_bytes = max_bytes
        self._db: sqlite3.Connection | None = None
        self._held = 0
        """Bytes in the file, as far as is known; a replaced entry counts until it is measured."""
        self._puts = 0

    def put(self, session: str, record: Kept) -> None:
        """Keep a call or run that has ended; one with the same id is replaced."""
        body = zlib.compress(encode_record(record), 6)
        if len(body) > MAX_RECORD and isinstance(record, ModelCall):
            body = zlib.compress(encode_record(replace(record, request=b"", response=b"")), 6)
        kind = _KIND[isinstance(record, ToolRun)]
        key = record.call_id if isinstance(record, ToolRun) else record.id
        row = (session, kind, key, record.started, body)
        try:
            with self._open() as db:
                db.execute("INSERT OR REPLACE INTO kept VALUES (?, ?, ?, ?, ?)", row)
                self._held += len(body)
                self._puts += 1
                if self._held > self._max_bytes or self._puts % COUNTED == 1:
                    self._prune(db)
            self.problem = ""
        except (sqlite3.Error, OSError) as error:
            self._failed(error)

    def load(self, session: str) -> list[Kept]:
        """What was kept of a session, oldest first."""
        found: list[Kept] = []
        room = MAX_LOADED
        if not self.path.exists():
            return found
        try:
            rows = self._open().execute(
                "SELECT body FROM kept WHERE session = ? ORDER BY started DESC", (session,)
            )
            for (body,) in rows:
                record = _read(body)
                if isinstance(record, ModelCall):
                    room -= len(record.request) + len(record.response)
                    if room < 0:
                        record = replace(record, request=b"", response=b"")
                if record is not None:
                    found.append(record)
        except (sqlite3.Error, OSError) as error:
            self._failed(error)
        return found[::-1]

    def forget(self, session: str) -> None:
        """Drop what was kept of a session."""
        if not self.path.exists():
            return
        try:
            with self._open() as db:
                db.execute("DELETE FROM kept WHERE session = ?", (session,))
        except (sqlite3.Error, OSError) as error:
            self._failed(error)

    def close(self) -> None:
        """Let the file go."""
        if self._db is not None:
            self._db.close()
            self._db = None

    def _open(self) -> sqlite3.Connection:
        if self._db is None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            # SQLite would create it for everybody to read.
            os.close(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600))
            db = sqlite3.connect(self.path, timeout=WAIT)
            try:
                db.execute("PRAGMA secure_delete = ON")
                # What a power cut may cost is a convenience; a turn must not wait for the disk.
                db.execute("PRAGMA synchronous = OFF")
                db.executescript(_SCHEMA)
            except sqlite3.Error:
                db.close()
                raise
            self._db = db
        return self._db

    def _prune(self, db: sqlite3.Connection) -> None:
        self._held = db.execute("SELECT COALESCE(SUM(LENGTH(body)), 0) FROM kept").fetchone()[0]
        if self._held <= self._max_bytes:
            return
        # More than needed goes at once, or every call would drop one.
        rows = db.execute("SELECT rowid, LENGTH(body) FROM kept ORDER BY started").fetchall()
        for rowid, size in rows:
            if self._held <= self._max_bytes * 9 // 10:
                break
            db.execute("DELETE FROM kept WHERE rowid = ?", (rowid,))
            self._held -= size

    def _failed(self, error: Exception) -> None:
        self.problem = f"{self.path}: {getattr(error, 'strerror', None) or error}"
        damaged = isinstance(error, sqlite3.DatabaseError) and not isinstance(
            error, sqlite3.OperationalError
        )
        self.close()
        if damaged:
            # Nothing but copies is in it: better a new one than a complaint each turn.
            self.path.unlink(missing_ok=True)


def _read(body: bytes) -> Kept | None:
    try:
        record = decode_record(zlib.decompress(body))
    except (WireError, zlib.error, KeyError, TypeError, ValueError):
        return None
    return record if isinstance(record, (ModelCall, ToolRun)) else None


class RequestKeeper:
    """Listens to the records of an engine, keeps what ended, and brings it back.

    ``data_folder`` is for sessions behind a URI; empty keeps nothing of those.
    """

    def __init__(self, data_folder: str = "") -> None:
        self._data_folder = data_folder
        self._store: RequestStore | None = None
        self._session: SessionOpened | None = None
        self._trouble = Trouble()

    def heard(self, record: Record) -> Sequence[Record]:
        """Take a record; returns what was kept of the session it opened, if it did."""
        match record:
            case Ready():
                self._place(record)
            case SessionOpened():
                self._session = record
                if self._store and record.reason not in SAME_SESSION:
                    return self._store.load(_key(record.app, record.user, record.id))
            case ModelCall() | ToolRun() if record.ended and self._session and self._store:
                s = self._session
                self._store.put(_key(s.app, s.user, s.id), record)
            case _:
                pass
        return ()

    def deleted(self, session_id: str, user: str) -> None:
        """A session was deleted; ``user`` empty means the one of the open session."""
        if self._store and self._session:
            s = self._session
            self._store.forget(_key(s.app, user or s.user, session_id))

    def problem(self) -> Notice | None:
        """What could not be kept, told once."""
        problem = self._trouble.news(self._store.problem if self._store else "")
        if not problem:
            return None
        return Notice(f"Requests to the model are not kept for later: {problem}.", "warning")

    def close(self) -> None:
        """Let the file go."""
        if self._store:
            self._store.close()

    def _place(self, ready: Ready) -> None:
        path = store_path(ready, self._data_folder)
        if self._store and self._store.path == path:
            return
        self.close()
        self._store = RequestStore(path) if path else None


def store_path(ready: Ready, data_folder: str) -> Path | None:
    """Where requests are kept: beside ADK's session file, else under ``data_folder``, else not."""
    place = Path(ready.store)
    if place.is_absolute() and place.suffix == ".db":
        return place.with_name(FILE)
    if "://" in ready.store and data_folder and "sessions" not in ready.fleeting:
        mark = hashlib.sha256(ready.store.encode()).hexdigest()[:12]
        return Path(data_folder) / f"requests-{mark}.db"
    return None


def _key(app: str, user: str, session_id: str) -> str:
    return "\n".join((app, user, session_id))
