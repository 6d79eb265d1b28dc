"""The commands about stored sessions: list them, list what waits in them, and answer.

ADK's own file is read without the agent; what only google-adk can read is read
where the agent runs. An answer starts the agent, which goes on from it.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer
from typer.core import TyperGroup

from adk_tui.cli.complaints import CliError, say
from adk_tui.cli.options import (
    JsonOption,
    PathArgument,
    PythonOption,
    RevealOption,
    RunOptions,
    SessionServiceOption,
    takes_run_options,
)
from adk_tui.cli.plan import Plan, make_plan
from adk_tui.settings import data_folder

if TYPE_CHECKING:
    from adk_tui.console.listing import Stored

_T = TypeVar("_T")


class _ListByDefault(TyperGroup):
    """Commands of which ``list`` needs not be written."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put ``list`` before what is no command."""
        known = {*self.commands, *ctx.help_option_names}
        return super().parse_args(ctx, args if args and args[0] in known else ["list", *args])


tickets_app = typer.Typer(cls=_ListByDefault, help="What waits for a human in stored sessions.")


def sessions(
    path: PathArgument = ".",
    as_json: JsonOption = False,
    session_service_uri: SessionServiceOption = None,
    python: PythonOption = None,
    reveal: RevealOption = None,
) -> int:
    """List the stored sessions of an agent."""
    from adk_tui.console import listing

    options = RunOptions(session_service_uri=session_service_uri, python=python, reveal=reveal)
    return _list(
        make_plan(path, options),
        listing.list_sessions,
        listing.session_json if as_json else listing.session_line,
        "No sessions are stored for this agent yet.",
    )


@tickets_app.command("list")
def list_tickets(
    path: PathArgument = ".",
    as_json: JsonOption = False,
    session_service_uri: SessionServiceOption = None,
    python: PythonOption = None,
    reveal: RevealOption = None,
) -> int:
    """List the open tickets of all stored sessions (the word list may be left out)."""
    from adk_tui.console import listing

    options = RunOptions(session_service_uri=session_service_uri, python=python, reveal=reveal)
    return _list(
        make_plan(path, options),
        listing.list_tickets,
        listing.stored_ticket_json if as_json else listing.ticket_line,
        "Nothing waits for a human.",
    )


def session_file(plan: Plan) -> Path | None:
    """ADK's own file with the sessions of the agent; None where there is none yet."""
    from adk_tui.console.stored import store_file

    return store_file(plan.start["target"], data_folder() / "sessions")


def stored_in(plan: Plan) -> "Stored":
    """All sessions of the store that the plan names, each with its events."""
    from adk_tui.console import catalog, stored

    if plan.settings.session_service_uri:
        return catalog.walk(plan.launch)
    file = session_file(plan)
    return stored.walk(file) if file is not None else ()


def _list(
    plan: Plan,
    find: Callable[["Stored"], Sequence[_T]],
    tell: Callable[[_T, bool], object],
    nothing: str,
) -> int:
    """Print a line for each that is found: words as they are, all else as JSON."""
    from adk_tui.console.stored import StoreError

    try:
        found = find(stored_in(plan))
    except StoreError as error:
        raise CliError(str(error)) from error
    for each in found:
        told = tell(each, plan.settings.reveal)
        typer.echo(told if isinstance(told, str) else json.dumps(told))
    if not found:
        say(nothing)
    return 0


@tickets_app.command("answer")
@takes_run_options
def answer_ticket(
    ticket: Annotated[str, typer.Argument(metavar="ID", help="The ticket, or its tool's name.")],
    response: Annotated[str, typer.Argument(metavar="JSON", help="The answer.")],
    path: PathArgument = ".",
    *,
    options: RunOptions,
) -> int:
    """Answer an open ticket of a stored session, and let the agent go on."""
    from adk_tui.console import listing
    from adk_tui.console.conversation import NotLoaded
    from adk_tui.console.plain import exit_code, failure_text
    from adk_tui.console.stored import StoreError
    from adk_tui.console.tickets import AnswerError

    plan = make_plan(path, options)
    try:
        there = listing.list_tickets(stored_in(plan))
        meant = [t for t in there if options.session in ("", t.session.id)]
        found = listing.find_stored(meant, ticket)
        session = {"session_id": found.session.id, "user": found.session.user}
        plan = replace(plan, start={**plan.start, **session})
        from adk_tui.client.process import ProcessEngine

        typer.echo(listing.answer_stored(ProcessEngine(plan.launch), found, response))
    except (StoreError, AnswerError) as error:
        raise CliError(str(error)) from error
    except NotLoaded as error:
        words = failure_text(error.failure, debug=plan.settings.debug)
        raise CliError(words, exit_code(error.failure)) from error
    return 0
