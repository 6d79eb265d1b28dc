"""What every test gets: a home of its own and an environment without credentials or settings."""

import importlib
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.fakes.postgres import PostgresServer, Unavailable

pytest.register_assert_rewrite("tests.e2e.terminal")

# How long an example takes is the machine's affair, not the code's.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")

REPOSITORY = Path(__file__).parents[1]

_CREDENTIALS = ("GOOGLE_", "GEMINI_", "VERTEX", "OPENAI_", "ANTHROPIC_", "ADK_TUI_", "ADK_")


@pytest.fixture(autouse=True, scope="session")
def _own_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Neither read nor write the settings, histories, sessions and keys of whoever runs the tests.

    Child processes inherit it too.
    """
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        for name in list(os.environ):
            if name.startswith(_CREDENTIALS):
                patch.delenv(name)
        # The size is that of the terminal the tests run on, not of those that they make.
        for name in ("VIRTUAL_ENV", "COLUMNS", "LINES"):
            patch.delenv(name, raising=False)
        patch.setenv("HOME", str(home))
        for name in ("CONFIG", "DATA", "STATE", "CACHE"):
            patch.setenv(f"XDG_{name}_HOME", str(home / name.lower()))
        # No agent under test may look for a cloud project on the network.
        patch.setenv("NO_GCE_CHECK", "true")
        yield


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A private PostgreSQL server; the tests that need it are skipped where none can be had."""
    needs("sqlalchemy", "greenlet", "asyncpg")
    try:
        server = PostgresServer()
    except Unavailable as reason:
        pytest.skip(str(reason))
    yield server
    server.stop()


def needs(*modules: str) -> None:
    """Skip the test where one of the modules is not installed."""
    for module in modules:
        try:
            importlib.import_module(module)
        except ImportError:
            pytest.skip(f"{module} is not installed (the db extra)")
