"""Where sessions, artifacts and memories live. The one file that knows ADK's private store code.

Without a URI: ADK's own file, ``<agent folder>/.adk/session.db``, as ``adk run``
and ``adk web`` keep it, so that each can open what the others stored
(ADK_FACTS: google-adk's ``cli/utils/local_storage.py``). With a URI: whatever
ADK's own service factory makes of it.
"""

import hashlib
import importlib
import os
import re
import sqlite3
import sys
import warnings
from collections.abc import Awaitable, Callable
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from google.adk.artifacts.base_artifact_service import BaseArtifactService
from google.adk.artifacts.file_artifact_service import FileArtifactService
from google.adk.artifacts.in_memory_artifact_service import InMemoryArtifactService
from google.adk.auth.credential_service.base_credential_service import BaseCredentialService
from google.adk.auth.credential_service.in_memory_credential_service import (
    InMemoryCredentialService,
)
from google.adk.events.event import Event
from google.adk.memory.base_memory_service import BaseMemoryService
from google.adk.memory.in_memory_memory_service import InMemoryMemoryService
from google.adk.sessions.base_session_service import BaseSessionService
from google.adk.sessions.in_memory_session_service import InMemorySessionService
from google.adk.sessions.session import Session

from adk_tui.core.commands import Start
from adk_tui.engine.failures import EngineError

FACTORY = "google.adk.cli.utils.service_factory"
REGISTRY = "google.adk.cli.service_registry"
TITLES = "adk-tui.db"
_DRIVERS = {"postgresql": "asyncpg", "mysql": "aiomysql"}
"""The driver of each kind of database that ADK, which asks for an asynchronous one, works with."""
ABORT = "google.adk.events._abort_events"


@dataclass(frozen=True, slots=True)
class Stores:
    """ADK's services of one engine. ``words`` says where sessions are kept; ``notices`` are
    what the user should know about it. ``titles`` is the file for what ADK has no place
    for, None where it would outlive the sessions."""

    sessions: BaseSessionService
    artifacts: BaseArtifactService
    memory: BaseMemoryService
    credentials: BaseCredentialService
    words: str
    notices: tuple[str, ...] = ()
    titles: Path | None = None

    @property
    def fleeting(self) -> frozenset[str]:
        """What ends with this process: ``sessions``, ``artifacts``."""
        kept = {
            "sessions": _in_memory(self.sessions),
            "artifacts": isinstance(self.artifacts, InMemoryArtifactService),
        }
        return frozenset(name for name, gone in kept.items() if gone)


def open_stores(start: Start, folder: Path, app_name: str) -> Stores:
    """The services that ``start`` asks for.

    Raises:
        EngineError: ``store.*``: the URI, its driver, or the file is no good.
    """
    local, words, notices = _local_folder(start, folder, app_name)
    if start.session_service_uri or start.artifact_service_uri or start.memory_service_uri:
        _load_services(folder)
    titles = None if local is None else local / TITLES
    if start.session_service_uri:
        uri = start.session_service_uri
        sessions = _by_uri("create_session_service_from_options", folder, session_service_uri=uri)
        words = without_password(uri)
        titles = None if _in_memory(sessions) else _titles_of(words, start.fallback_folder)
    elif local is None:
        sessions = InMemorySessionService()
    else:
        sessions = _sqlite(local / "session.db")
    if start.artifact_service_uri:
        artifacts = _by_uri(
            "create_artifact_service_from_options",
            folder,
            artifact_service_uri=start.artifact_service_uri,
            strict_uri=True,
        )
    elif local is None:
        artifacts = InMemoryArtifactService()
    else:
        # ADK writes its files for everybody to read; nobody else gets into the folder.
        (local / "artifacts").mkdir(mode=0o700, exist_ok=True)
        artifacts = FileArtifactService(root_dir=local / "artifacts")
    if start.memory_service_uri:
        memory = _by_uri(
            "create_memory_service_from_options",
            folder,
            memory_service_uri=start.memory_service_uri,
        )
    else:
        memory = InMemoryMemoryService()
    return Stores(
        cast(BaseSessionService, sessions),
        cast(BaseArtifactService, artifacts),
        cast(BaseMemoryService, memory),
        _credentials(),
        words,
        notices,
        titles,
    )


def _in_memory(sessions: object) -> bool:
    """Whether a session service keeps nothing beyond its process.

    SQLAlchemy calls a SQLite database in memory by no name, by ``:memory:``, or by a file's with
    ``mode=memory``.
    """
    if isinstance(sessions, InMemorySessionService):
        return True
    url = getattr(getattr(sessions, "db_engine", None), "url", None)
    if url is None or url.get_backend_name() != "sqlite":
        return False
    name = str(url.database or "")
    return not name or ":memory:" in name or url.query.get("mode") == "memory"


def _titles_of(words: str, folder: str) -> Path | None:
    if not folder:
        return None
    mark = hashlib.sha256(words.encode()).hexdigest()[:16]
    return Path(folder) / f"store-{mark}" / TITLES


def observe(service: BaseSessionService, stored: Callable[[Session, Event], None]) -> None:
    """Call ``stored`` with every event that is appended to any session of ``service``.

    ADK yields neither what the user typed nor compaction nor rewind events; all
    of them pass through ``append_event``. The instance is wrapped, not the
    class: code that looks at the service's type still finds it.
    """
    append = service.append_event

    async def append_event(session: Session, event: Event) -> Event:
        kept = await append(session=session, event=event)
        if not kept.partial:
            stored(session, kept)
        return kept

    observed: Callable[[Session, Event], Awaitable[Event]] = append_event
    cast(Any, service).append_event = observed


def observe_memory(service: BaseMemoryService, put: Callable[[], None]) -> None:
    """Call ``put`` whenever something is put into a memory service that ends with this process."""
    if isinstance(service, InMemoryMemoryService):
        for name in ("add_session_to_memory", "add_events_to_memory"):
            if add := getattr(service, name, None):
                setattr(service, name, _then(add, put))


def _then(
    act: Callable[..., Awaitable[None]], told: Callable[[], None]
) -> Callable[..., Awaitable[None]]:
    async def done(*args: object, **named: object) -> None:
        await act(*args, **named)
        told()

    return done


def abort_events(events: list[Event], root: str) -> list[Event]:
    """The events that seal the invocation of the last event, as ADK builds them on an abort.

    Raises:
        EngineError: ``store.unsupported``: this google-adk keeps them elsewhere.
    """
    try:
        build = importlib.import_module(ABORT).__dict__["_build_abort_events"]
        return build(
            events, invocation_id=events[-1].invocation_id, root_agent_name=root, branch=None
        )
    except (ImportError, KeyError, TypeError) as error:
        raise EngineError(
            "store.unsupported",
            "The installed google-adk does not tell how it seals a stopped invocation.",
            "Calls that the killed run left open stay open; rewinding it closes them.",
        ) from error


def without_password(uri: str) -> str:
    """A service URI as it may be shown."""
    head, at, tail = uri.rpartition("@")
    scheme, mark, user = head.partition("://")
    if not at or not mark:
        return uri
    return f"{scheme}://{user.partition(':')[0]}@{tail}"


def _credentials() -> BaseCredentialService:
    with warnings.catch_warnings():
        # ADK calls the only service its own CLI uses experimental; that is not our user's news.
        warnings.simplefilter("ignore", UserWarning)
        return InMemoryCredentialService()


def _local_folder(
    start: Start, folder: Path, app_name: str
) -> tuple[Path | None, str, tuple[str, ...]]:
    if start.storage == "memory" or start.session_service_uri:
        return None, "memory (sessions end with the program)", ()
    own = folder / ".adk"
    problem = _not_writable(own)
    if not problem:
        return own, str(own / "session.db"), ()
    if start.fallback_folder:
        mark = hashlib.sha256(str(folder).encode()).hexdigest()[:8]
        other = Path(start.fallback_folder) / f"{app_name}-{mark}"
        problem_there = _not_writable(other)
        if not problem_there:
            notice = f"{own} cannot be written ({problem}); sessions are kept in {other}."
            return other, str(other / "session.db"), (notice,)
        problem = f"{problem}; {other}: {problem_there}"
    notice = f"{own} cannot be written ({problem}); sessions are kept in memory only."
    return None, "memory (sessions end with the program)", (notice,)


def _not_writable(folder: Path) -> str:
    """Why a session database in ``folder`` cannot be written; empty when it can."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        private(folder / "session.db")
        with closing(sqlite3.connect(folder / "session.db", timeout=1.0)) as db:
            db.execute("BEGIN IMMEDIATE")
            db.rollback()
    except OSError as error:
        return error.strerror or str(error)
    except sqlite3.OperationalError as error:
        # Another writer proves that the file can be written.
        return "" if "locked" in str(error) else str(error)
    except sqlite3.DatabaseError as error:
        raise _broken(folder / "session.db", error) from error
    return ""


def private(path: Path) -> None:
    """Make a file that does not exist yet for its owner alone; SQLite would let everybody read it.

    Raises:
        OSError: it cannot be made or written.
    """
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))


def _private_sqlite(uri: str) -> None:
    """The same for the file of a SQLite URI, which ADK will make if it is not there."""
    scheme, _, rest = uri.partition("://")
    path = rest.partition("?")[0].removeprefix("/")
    if scheme.partition("+")[0] == "sqlite" and path and not {":", "%"} & set(path):
        # Where it cannot be made, ADK says so.
        with suppress(OSError):
            private(Path(path))


def made_again(service: BaseSessionService) -> None:
    """Make ADK's own session file again if it was deleted: its service believes it is there.

    Raises:
        OSError: it cannot be made.
    """
    path = getattr(service, "_db_path", "")
    if not path or path.startswith(":") or not hasattr(service, "_schema_ready"):
        return
    file = Path(path)
    # Whoever asked for a session meanwhile has made an empty one, for everybody to read.
    if not file.exists() or not file.stat().st_size:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        private(file)
        file.chmod(0o600)
        cast(Any, service)._schema_ready = False


def _broken(path: Path, error: Exception) -> EngineError:
    return EngineError(
        "store.broken",
        f"The session database {path} cannot be read: {error}",
        "Move the file away to start a new one, or run with --in-memory.",
    )


def _sqlite(path: Path) -> BaseSessionService:
    try:
        from google.adk.sessions.sqlite_session_service import SqliteSessionService
    except ImportError as error:
        raise _driver(str(path), error) from error
    try:
        return SqliteSessionService(db_path=str(path))
    except RuntimeError as error:
        if "old schema" not in str(error):
            raise _broken(path, error) from error
        raise EngineError(
            "store.schema",
            f"The session database {path} was written by an older google-adk.",
            f"{error} Or run with --in-memory.",
        ) from error


def _driver(where: str, error: ImportError) -> EngineError:
    scheme, drivers = where.partition("://")[0], ""
    dialect, _, driver = scheme.partition("+")
    if dialect in _DRIVERS:
        drivers = f'"google-adk[db]" {driver or _DRIVERS[dialect]}'
    hint = f"Install it where the agent runs: {sys.executable} -m pip install "
    known = "" if error.name == "sqlalchemy" else error.name
    hint += drivers or known or '"google-adk[db]"'
    if drivers and not driver:
        hint += f", and write the URI as {dialect}+{_DRIVERS[dialect]}://…"
    return EngineError(
        "store.driver",
        f"Sessions at {where} need a Python package that is not installed: {error}",
        f"{hint}.",
    )


def _load_services(folder: Path) -> None:
    """The project's own services (``services.py``, ``services.yaml``), as ADK's CLI loads them."""
    try:
        importlib.import_module(REGISTRY).load_services_module(str(folder))
    except (ImportError, AttributeError):
        return
    except Exception as error:
        raise EngineError(
            "store.services",
            f"The services file in {folder} did not load: {type(error).__name__}: {error}",
            "Fix services.py or services.yaml.",
        ) from error


def _schemes(factory: str) -> str:
    """What a service URI may begin with, by ADK's own registry, and what has to be installed."""
    if "memory_service" in factory:
        return "Memories take memory://, sqlite:///FILE, rag://CORPUS and agentengine://ID."
    if "artifact" in factory:
        return "Artifacts take memory://, file:///FOLDER and gs://BUCKET."
    return (
        "Sessions take memory://, sqlite:///FILE, agentengine://ID, and with "
        f'{sys.executable} -m pip install "google-adk[db]" and a driver: '
        "postgresql+asyncpg://… (asyncpg) or mysql+aiomysql://… (aiomysql). A services.py or "
        "services.yaml in the agent's folder can register more."
    )


def _by_uri(factory: str, folder: Path, **options: object) -> object:
    try:
        make = getattr(importlib.import_module(FACTORY), factory)
    except (ImportError, AttributeError) as error:
        raise EngineError(
            "store.unsupported",
            "The installed google-adk has no service factory where adk-tui looks for it "
            f"({FACTORY}.{factory}).",
            "Leave the service URI out, or install google-adk 2.13 or a later 2.x.",
        ) from error
    uri = next(str(v) for k, v in options.items() if k.endswith("_uri"))
    _private_sqlite(uri)
    try:
        return make(base_dir=folder.parent, **options)
    except Exception as error:
        lacking = error if isinstance(error, ImportError) else error.__cause__
        known = re.match(r"(?:sqlite|postgresql|mysql|agentengine|gs|rag)(?:\+\w+)?://", uri)
        if isinstance(lacking, ImportError) and known:
            raise _driver(without_password(uri), lacking) from error
        told = f"No service for {without_password(uri)}"
        why = "" if isinstance(lacking, ImportError) else f": {error}"
        raise EngineError("store.uri", told + why, _schemes(factory)) from error
