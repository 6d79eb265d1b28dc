"""From what a person typed after ``run`` to a loaded agent."""

from dataclasses import dataclass
from pathlib import Path

from google.adk.apps.app import App
from google.adk.cli.utils.agent_loader import AgentLoader

from adk_tui.core.reports import Failure


class LoadError(Exception):
    """The agent could not be loaded; ``failure`` says why, where, and what to do next."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


@dataclass(frozen=True, slots=True)
class Loaded:
    """A loaded agent.

    ``folder`` is the agent's folder, where ADK keeps ``.adk/session.db``;
    ``app_name`` the name sessions are stored under; ``name`` what to call the
    agent on screen (the folder's or file's name).
    """

    app: App
    folder: Path
    app_name: str
    name: str


def load(target: str) -> Loaded:
    """Load the agent at ``target``, a path or ``package.module:attribute``.

    Raises:
        LoadError: whatever went wrong, in one plain sentence.
    """
    path = Path(target).expanduser().resolve()
    if path.is_file():
        path = path.parent if path.name in ("agent.py", "root_agent.yaml") else path.with_suffix("")
    try:
        found = AgentLoader(str(path.parent)).load_agent(path.name)
        app = found if isinstance(found, App) else App(name=path.name, root_agent=found)
    except Exception as error:
        raise LoadError(Failure("load.error", f"{target} did not load: {error}")) from error
    folder = path if path.is_dir() else path.parent
    return Loaded(app, folder, app.name, path.name)
