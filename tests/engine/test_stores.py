"""Service URIs, and the places in ADK that they depend on."""

import importlib
import inspect
import os
import stat
from pathlib import Path

import pytest
from google.adk.artifacts.file_artifact_service import FileArtifactService
from google.adk.cli.utils import local_storage
from google.adk.events._abort_events import _build_abort_events
from google.adk.sessions.in_memory_session_service import InMemorySessionService
from google.adk.sessions.sqlite_session_service import SqliteSessionService

from adk_tui.core.commands import Start
from adk_tui.engine import stores
from adk_tui.engine.failures import EngineError
from adk_tui.engine.stores import abort_events, open_stores, without_password


def test_the_store_is_where_adks_own_tools_keep_it(tmp_path):
    mine = open_stores(Start("x"), tmp_path, "app")
    theirs = local_storage.create_local_database_session_service(base_dir=tmp_path)
    assert isinstance(mine.sessions, SqliteSessionService)
    assert type(mine.sessions) is type(theirs)
    assert mine.words == theirs._db_path
    artifacts = local_storage.create_local_artifact_service(base_dir=tmp_path)
    assert isinstance(mine.artifacts, FileArtifactService)
    assert isinstance(artifacts, FileArtifactService)
    assert mine.artifacts.root_dir == artifacts.root_dir


def test_uris_are_made_by_adks_own_factory(tmp_path):
    database = tmp_path / "other.db"
    opened = open_stores(
        Start(
            "x",
            session_service_uri=f"sqlite:///{database}",
            artifact_service_uri="memory://",
            memory_service_uri="memory://",
        ),
        tmp_path,
        "app",
    )
    assert not isinstance(opened.sessions, InMemorySessionService)
    assert opened.words == f"sqlite:///{database}"
    memory = open_stores(Start("x", session_service_uri="memory://"), tmp_path, "app")
    assert isinstance(memory.sessions, InMemorySessionService)


@pytest.mark.parametrize(
    ("uri", "gone"),
    [
        ("memory://", True),
        ("sqlite://", True),
        ("sqlite+aiosqlite:///:memory:", True),
        ("sqlite+aiosqlite://", True),
        ("sqlite+aiosqlite:///file:name?mode=memory&cache=shared&uri=true", True),
        ("sqlite+aiosqlite:////{folder}/kept.db", False),
        ("sqlite:////{folder}/kept.db", False),
    ],
)
def test_sessions_that_end_with_the_process_are_known_whatever_their_uri(tmp_path, uri, gone):
    if "aiosqlite" in uri:
        pytest.importorskip("sqlalchemy", reason="the db extra is not installed")
    fallback = tmp_path / "data"
    start = Start(
        "x",
        session_service_uri=uri.format(folder=tmp_path),
        fallback_folder=str(fallback),
        artifact_service_uri=f"file://{tmp_path}",
    )
    opened = open_stores(start, tmp_path, "app")
    assert opened.fleeting == (frozenset({"sessions"}) if gone else frozenset())
    assert (opened.titles is None) == gone, "a title must not outlive its session"


def test_the_projects_own_services_are_known(tmp_path):
    (tmp_path / "services.py").write_text(
        "from google.adk.cli.service_registry import get_service_registry\n"
        "from google.adk.sessions.in_memory_session_service import InMemorySessionService\n"
        "class Mine(InMemorySessionService): pass\n"
        "get_service_registry().register_session_service('mine', lambda uri, **kw: Mine())\n"
    )
    opened = open_stores(Start("x", session_service_uri="mine://here"), tmp_path, "app")
    assert type(opened.sessions).__name__ == "Mine"


@pytest.mark.parametrize(
    ("option", "uri", "code"),
    [
        ("session_service_uri", "nonsense", "store."),
        ("session_service_uri", "postgresql+nodriver://u:secret@h/db", "store."),
        ("artifact_service_uri", "nonsense://x", "store.uri"),
        ("memory_service_uri", "nonsense://x", "store.uri"),
    ],
)
def test_a_uri_that_is_no_good_says_so_without_its_password(tmp_path, option, uri, code):
    with pytest.raises(EngineError) as caught:
        open_stores(Start("x", **{option: uri}), tmp_path, "app")
    failure = caught.value.failure
    assert failure.code.startswith(code)
    assert failure.hint
    assert "secret" not in failure.message + failure.hint


@pytest.mark.parametrize("option", ["session_service_uri", "memory_service_uri"])
async def test_a_file_that_a_uri_names_is_made_for_its_owner_alone(tmp_path, option):
    file = tmp_path / "named.db"
    before = os.umask(0o022)
    try:
        opened = open_stores(Start("x", **{option: f"sqlite:///{file}"}), tmp_path, "app")
        await opened.sessions.create_session(app_name="app", user_id="u")
    finally:
        os.umask(before)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("uri", "lacking", "step"),
    [
        ("postgresql://h/db", "psycopg", '"google-adk[db]" asyncpg, and write the URI as postg'),
        ("postgresql+asyncpg://h/db", "asyncpg", '"google-adk[db]" asyncpg.'),
        ("mysql://h/db", "MySQLdb", '"google-adk[db]" aiomysql, and write the URI as mysql+aiom'),
        ("sqlite+aiosqlite:///x.db", "sqlalchemy", '"google-adk[db]".'),
        ("sqlite+aiosqlite:///x.db", "aiosqlite", "aiosqlite."),
    ],
)
def test_a_missing_driver_names_the_packages(tmp_path, monkeypatch, uri, lacking, step):
    monkeypatch.chdir(tmp_path)

    def factory(**_options: object) -> None:
        raise ImportError(f"No module named {lacking!r}", name=lacking)

    module = importlib.import_module(stores.FACTORY)
    monkeypatch.setattr(module, "create_session_service_from_options", factory)
    with pytest.raises(EngineError) as caught:
        open_stores(Start("x", session_service_uri=uri), tmp_path, "app")
    assert caught.value.failure.code == "store.driver"
    assert f"-m pip install {step}" in caught.value.failure.hint


@pytest.mark.parametrize(
    ("option", "scheme"),
    [
        ("session_service_uri", "postgresql+asyncpg://"),
        ("artifact_service_uri", "gs://"),
        ("memory_service_uri", "rag://"),
    ],
)
def test_an_unknown_scheme_names_those_there_are(tmp_path, monkeypatch, option, scheme):
    def factory(**_options: object) -> None:
        # What ADK makes of a scheme that it does not know, where SQLAlchemy is not installed.
        raise ImportError("No module named 'sqlalchemy'", name="sqlalchemy")

    module = importlib.import_module(stores.FACTORY)
    for name in ("session", "artifact", "memory"):
        monkeypatch.setattr(module, f"create_{name}_service_from_options", factory)
    with pytest.raises(EngineError) as caught:
        open_stores(Start("x", **{option: "pigeon://roof"}), tmp_path, "app")
    failure = caught.value.failure
    assert (failure.code, failure.message) == ("store.uri", "No service for pigeon://roof")
    assert scheme in failure.hint


def test_an_adk_without_the_factory_says_so_instead_of_crashing(tmp_path, monkeypatch):
    monkeypatch.setattr(stores, "FACTORY", "google.adk.cli.utils.moved_elsewhere")
    with pytest.raises(EngineError) as caught:
        open_stores(Start("x", session_service_uri="memory://"), tmp_path, "app")
    assert caught.value.failure.code == "store.unsupported"
    monkeypatch.setattr(stores, "ABORT", "google.adk.events.moved_elsewhere")
    with pytest.raises(EngineError) as caught:
        abort_events([], "root")
    assert caught.value.failure.code == "store.unsupported"


def test_adk_still_has_what_the_stores_are_built_on():
    factory = importlib.import_module(stores.FACTORY)
    for name, option in (
        ("create_session_service_from_options", "session_service_uri"),
        ("create_artifact_service_from_options", "artifact_service_uri"),
        ("create_memory_service_from_options", "memory_service_uri"),
    ):
        assert {"base_dir", option} <= set(inspect.signature(getattr(factory, name)).parameters)
    assert (
        "strict_uri" in inspect.signature(factory.create_artifact_service_from_options).parameters
    )
    registry = importlib.import_module(stores.REGISTRY)
    assert len(inspect.signature(registry.load_services_module).parameters) >= 1
    assert list(inspect.signature(_build_abort_events).parameters) == [
        "events",
        "invocation_id",
        "root_agent_name",
        "branch",
    ]


@pytest.mark.parametrize(
    ("uri", "shown"),
    [
        ("postgresql+asyncpg://user:pass@host/db", "postgresql+asyncpg://user@host/db"),
        ("postgresql://user:p@ss@host/db", "postgresql://user@host/db"),
        ("sqlite:////a/b.db", "sqlite:////a/b.db"),
        ("nonsense", "nonsense"),
    ],
)
def test_passwords_are_not_shown(uri, shown):
    assert without_password(uri) == shown


def test_a_locked_database_is_not_taken_for_a_read_only_one(tmp_path):
    import sqlite3

    (tmp_path / ".adk").mkdir()
    with sqlite3.connect(tmp_path / ".adk" / "session.db") as db:
        db.execute("BEGIN IMMEDIATE")
        opened = open_stores(Start("x"), tmp_path, "app")
        db.rollback()
    db.close()
    assert opened.notices == ()
    assert Path(opened.words) == tmp_path / ".adk" / "session.db"
