"""The command that says what works here: Python, packages, terminal, keys, and one agent."""

import os
import sys
from typing import Annotated

import typer

from adk_tui.cli.options import PythonOption, RunOptions, SessionServiceOption
from adk_tui.cli.plan import in_memory, make_plan
from adk_tui.cli.stored import session_file, stored_in


def doctor(
    path: Annotated[str, typer.Argument(metavar="[PATH]", help="An agent to look at too.")] = "",
    online: Annotated[
        bool, typer.Option("--online", help="Also ask the agent's models for one word.")
    ] = False,
    session_service_uri: SessionServiceOption = None,
    python: PythonOption = None,
) -> int:
    """Say what works here and what does not, with the next step."""
    from pathlib import Path

    from adk_tui.console import doctor as checks

    options = RunOptions(session_service_uri=session_service_uri, python=python)
    plan = make_plan(path, options) if path else None
    folder = Path(plan.launch.start.target) if plan is not None else None
    found = [
        checks.check_python(),
        checks.check_packages(),
        checks.check_terminal(sys.stdout, os.environ),
        checks.check_credentials(os.environ, folder if folder and folder.is_dir() else None),
    ]
    for check in found:
        typer.echo(str(check))
    if plan is not None:
        from adk_tui.client.process import ProcessEngine

        check, ready = checks.check_agent(ProcessEngine(in_memory(plan).launch))
        found.append(check)
        typer.echo(str(check))
        if ready is not None and online:
            for check in checks.check_models(plan.launch):
                found.append(check)
                typer.echo(str(check))
        found.append(
            checks.check_service(plan.settings.session_service_uri, stored_in(plan))
            if plan.settings.session_service_uri
            else checks.check_store(session_file(plan))
        )
        typer.echo(str(found[-1]))
    return 1 if checks.failed(found) else 0
