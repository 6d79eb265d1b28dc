"""The programs that are measured, as command lines, and how their screens are recognised."""

from pathlib import Path

from tests.perf.common import PYTHON

PROMPT = "the agent"
"""End of the empty prompt's hint; its first letter is drawn apart, as the cursor is on it."""


MINIMAL_PROMPT = "ype here"
"""The same of the minimal application's."""
IDLE = "● idle"
"""What our header shows while the agent waits for us."""


def adk_tui(agent: Path, *options: str) -> list[str]:
    """``adk-tui run`` on an agent."""
    return [PYTHON, "-m", "adk_tui", "run", str(agent), *options]


def adk_run(agent: Path) -> list[str]:
    """``adk run`` on an agent."""
    return [PYTHON, "-m", "google.adk.cli", "run", "--session_service_uri", "memory://", str(agent)]
