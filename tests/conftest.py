"""What every test gets: a home of its own and an environment without credentials or settings."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.register_assert_rewrite("tests.e2e.terminal")

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
        patch.delenv("VIRTUAL_ENV", raising=False)
        patch.setenv("HOME", str(home))
        for name in ("CONFIG", "DATA", "STATE", "CACHE"):
            patch.setenv(f"XDG_{name}_HOME", str(home / name.lower()))
        # No agent under test may look for a cloud project on the network.
        patch.setenv("NO_GCE_CHECK", "true")
        yield
