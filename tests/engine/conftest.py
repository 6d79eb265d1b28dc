"""Where the sessions of a test live: memory, ADK's SQLite file, a database, a server."""

import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.postgres import PostgresServer, Unavailable


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A private PostgreSQL server; the tests that need it are skipped where none can be had."""
    _needs("sqlalchemy", "greenlet", "asyncpg")
    try:
        server = PostgresServer()
    except Unavailable as reason:
        pytest.skip(str(reason))
    yield server
    server.stop()


@pytest.fixture(params=["memory", "sqlite", "database", "postgres"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, Any]:
    """How to start an engine on each kind of store."""
    match request.param:
        case "memory":
            return {"storage": "memory"}
        case "sqlite":
            return {"storage": "file"}
        case "database":
            _needs("sqlalchemy", "greenlet")
            uri = f"sqlite+aiosqlite:///{tmp_path}/sessions.db"
            return {"session_service_uri": uri, "fallback_folder": str(tmp_path / "data")}
        case _:
            server = request.getfixturevalue("postgres")
            return {
                "session_service_uri": server.database(),
                "fallback_folder": str(tmp_path / "data"),
            }


def _needs(*modules: str) -> None:
    for module in modules:
        try:
            importlib.import_module(module)
        except ImportError:
            pytest.skip(f"{module} is not installed (the db extra)")
