"""Where the sessions of a test live: memory, ADK's SQLite file, a database, a server."""

from pathlib import Path
from typing import Any

import pytest

from tests.conftest import needs


@pytest.fixture(params=["memory", "sqlite", "database", "postgres"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, Any]:
    """How to start an engine on each kind of store."""
    match request.param:
        case "memory":
            return {"storage": "memory"}
        case "sqlite":
            return {"storage": "file"}
        case "database":
            needs("sqlalchemy", "greenlet")
            uri = f"sqlite+aiosqlite:///{tmp_path}/sessions.db"
            return {"session_service_uri": uri, "fallback_folder": str(tmp_path / "data")}
        case _:
            server = request.getfixturevalue("postgres")
            return {
                "session_service_uri": server.database(),
                "fallback_folder": str(tmp_path / "data"),
            }
