"""The command line: the one place that chooses an engine and a front end.

Everything heavy is imported inside the commands, so that ``--help`` and shell
completion answer at once. A command is thin: options to a Plan, its Launch to
an engine, the engine to a front end. Whatever goes wrong is one plain sentence
on stderr that says what to do next; ``--debug`` adds the traceback.

Exit codes: 0 done, 1 error, 2 wrong usage or (``ask``, ``pipe``) a ticket is
open, 3 the agent does not load, 130 interrupted.
"""

import gc
import json
import os
import signal
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from adk_tui import __version__
from adk_tui.cli_options import (
    JsonOption,
    PathArgument,
    RunOptions,
    ThemeOption,
    session_file,
    takes_run_options,
)
from adk_tui.cli_plan import (
    CliError,
    Plan,
    in_memory,
    make_plan,
    parse_answers,
    parse_state,
    read_settings,
)
from adk_tui.cli_targets import TargetError
from adk_tui.settings import PREFIX, SettingsError, data_folder

if TYPE_CHECKING:
    from adk_tui.client.engine import Engine

__all__ = ["CliError", "app", "main", "parse_state", "run_cli", "theme_name"]

app = typer.Typer(
    name="adk-tui",
    help="The terminal workbench for Google ADK agents.",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


class _ListByDefault(TyperGroup):
    """Commands of which ``list`` needs not be written."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put ``list`` before what is no command."""
        known = {*self.commands, *ctx.help_option_names}
        return super().parse_args(ctx, args if args and args[0] in known else ["list", *args])


tickets_app = typer.Typer(cls=_ListByDefault, help="What waits for a human in stored sessions.")
app.add_typer(tickets_app, name="tickets")


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"adk-tui {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_show_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    """The terminal workbench for Google ADK agents: chat, events, approvals and the wheel."""


@app.command()
@takes_run_options
def run(path: PathArgument = ".", *, options: RunOptions, theme: ThemeOption = None) -> int:
    """Open an agent in the full-screen workbench; without a terminal, as ask does."""
    plan = make_plan(path, options, theme=theme)
    if not sys.stdin.isatty():
        return _ask(plan, _from_stdin(), {}, jsonl=False)
    _require_terminal("run")
    # Textual reads it when it is imported: repainting at most 60 times a second, its default,
    # makes the echo of a key wait for the next frame while events stream in.
    os.environ.setdefault("TEXTUAL_FPS", "240")
    # What is imported now stays: looking for garbage in it meanwhile delays the first frame.
    # The app turns the collector on again when all is there.
    gc.disable()
    from adk_tui.client.late import LateEngine
    from adk_tui.tui.app import TuiOptions
    from adk_tui.tui.app import run as run_tui

    def make() -> "Engine":
        from adk_tui.client.process import ProcessEngine

        return ProcessEngine(replace(plan.launch, recall=True))

    shown = TuiOptions(
        title=plan.title,
        history_file=data_folder() / "history",
        theme=theme_name(plan.settings.theme),
        reveal=plan.settings.reveal,
        notify=plan.settings.notify,
    )
    outcome = run_tui(LateEngine(make), shown)
    if isinstance(outcome, int):
        return outcome
    from adk_tui.console.plain import exit_code, failure_text

    raise CliError(failure_text(outcome), exit_code(outcome))


@app.command()
@takes_run_options
def chat(path: PathArgument = ".", *, options: RunOptions) -> int:
    """Talk with an agent line by line."""
    plan = make_plan(path, options)
    _require_terminal("chat")
    from adk_tui.client.process import ProcessEngine
    from adk_tui.console.chat import Chat, ChatOptions

    shown = ChatOptions(plan.title, data_folder() / "history", plan.settings.reveal)
    return Chat(ProcessEngine(plan.launch), shown).run()


@app.command()
@takes_run_options
def ask(
    path: PathArgument,
    messages: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[MESSAGE]...",
            help="What to say, one turn each; without any, the lines of standard input.",
        ),
    ] = None,
    *,
    options: RunOptions,
    answer: Annotated[
        list[str] | None,
        typer.Option(
            "--answer",
            metavar="TICKET=JSON",
            help="Answer the ticket with this id, or of this tool, when it comes up."
            " May be given again.",
        ),
    ] = None,
    jsonl: Annotated[
        bool, typer.Option("--jsonl", help="Print every record as a line of JSON.")
    ] = False,
) -> int:
    """Say something to an agent; its answer goes to standard output."""
    plan = make_plan(path, options)
    answers = parse_answers(answer or ())
    # A stored session may only wait for the answers.
    only_answers = bool(answers and options.session)
    turns = iter(messages or ()) if messages or only_answers else _from_stdin()
    return _ask(plan, turns, answers, jsonl=jsonl)


def _ask(plan: Plan, messages: Iterator[str], answers: Any, *, jsonl: bool) -> int:
    from adk_tui.client.process import ProcessEngine
    from adk_tui.console.ask import Ask, AskOptions

    for stream in (sys.stdout, sys.stderr):
        # A terminal that is not UTF-8 must not end the conversation.
        with suppress(AttributeError, ValueError):
            stream.reconfigure(errors="backslashreplace")  # pyright: ignore
    asked = AskOptions(answers, jsonl, plan.settings.reveal)
    conversation = Ask(ProcessEngine(plan.launch), asked, sys.stdout, sys.stderr)

    def interrupt(_number: int, _frame: object) -> None:
        if not conversation.interrupt():
            raise KeyboardInterrupt

    signal.signal(signal.SIGINT, interrupt)
    return conversation.run(messages)


def _from_stdin() -> Iterator[str]:
    """The lines of standard input that are not empty. Raises CliError where there is none."""
    if sys.stdin.isatty():
        raise CliError(
            "There is no message: write it behind the path, or pipe it in, one a line.", 2
        )
    lines = (line.strip() for line in sys.stdin)
    messages = (line for line in lines if line)
    first = next(messages, None)
    if first is None:
        raise CliError(
            "Standard input is no terminal, and there was no message on it: start adk-tui in a"
            " terminal, or pipe messages in, one a line.",
            2,
        )
    return chain([first], messages)


@app.command()
@takes_run_options
def pipe(path: PathArgument = ".", *, options: RunOptions) -> int:
    """Serve a program: commands in, events and tickets out, as JSON lines."""
    plan = make_plan(path, options)
    from adk_tui.client.process import ProcessEngine
    from adk_tui.console.pipe import Pipe

    # The output is the protocol's alone: whatever else is written goes to stderr. The input is
    # a file of its own, because a thread may still wait for it when the program ends.
    out = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    lines = os.fdopen(os.dup(sys.stdin.fileno()), "rb")

    def warn(text: str) -> None:
        with suppress(OSError, ValueError):
            print(text, file=sys.stderr, flush=True)

    served = Pipe(ProcessEngine(plan.launch), out, reveal=plan.settings.reveal, warn=warn)
    try:
        return served.run(lines)
    finally:
        with suppress(OSError):
            out.close()


@app.command()
def sessions(path: PathArgument = ".", as_json: JsonOption = False) -> int:
    """List the stored sessions of an agent."""
    from adk_tui.console import listing
    from adk_tui.console.stored import StoreError

    reveal = read_settings({}).reveal
    try:
        found = listing.list_sessions(session_file(path))
    except StoreError as error:
        raise CliError(str(error)) from error
    for session in found:
        plain = json.dumps(listing.session_json(session, reveal))
        typer.echo(plain if as_json else listing.session_line(session, reveal))
    if not found:
        _say("No sessions are stored for this agent yet.")
    return 0


@tickets_app.command("list")
def list_tickets(path: PathArgument = ".", as_json: JsonOption = False) -> int:
    """List the open tickets of all stored sessions (the word list may be left out)."""
    from adk_tui.console import listing
    from adk_tui.console.stored import StoreError

    reveal = read_settings({}).reveal
    try:
        found = listing.list_tickets(session_file(path))
    except StoreError as error:
        raise CliError(str(error)) from error
    for ticket in found:
        plain = json.dumps(listing.stored_ticket_json(ticket, reveal))
        typer.echo(plain if as_json else listing.ticket_line(ticket, reveal))
    if not found:
        _say("Nothing waits for a human.")
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

    try:
        found = listing.find_stored(listing.list_tickets(session_file(path)), ticket)
        session = found.session
        plan = make_plan(path, replace(options, session=session.id, user=session.user))
        from adk_tui.client.process import ProcessEngine

        typer.echo(listing.answer_stored(ProcessEngine(plan.launch), found, response))
    except (StoreError, AnswerError) as error:
        raise CliError(str(error)) from error
    except NotLoaded as error:
        raise CliError(failure_text(error.failure), exit_code(error.failure)) from error
    return 0


@app.command()
def doctor(
    path: Annotated[str, typer.Argument(metavar="[PATH]", help="An agent to look at too.")] = "",
    online: Annotated[
        bool, typer.Option("--online", help="Also ask the agent's models for one word.")
    ] = False,
) -> int:
    """Say what works here and what does not, with the next step."""
    from pathlib import Path

    from adk_tui.console import doctor as checks

    plan = in_memory(make_plan(path, RunOptions())) if path else None
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

        check, ready = checks.check_agent(ProcessEngine(plan.launch))
        found.append(check)
        typer.echo(str(check))
        if ready is not None and online:
            for check in checks.check_models(plan.launch):
                found.append(check)
                typer.echo(str(check))
        found.append(checks.check_store(session_file(path)))
        typer.echo(str(found[-1]))
    return 1 if checks.failed(found) else 0


def theme_name(name: str) -> str:
    """The theme to use; empty is the default one. Raises CliError where there is no such theme."""
    from textual.theme import BUILTIN_THEMES

    from adk_tui.tui.themes import DARK, THEMES

    known = sorted({theme.name for theme in THEMES} | set(BUILTIN_THEMES))
    if name and name not in known:
        raise CliError(f"There is no theme {name!r}. Themes: {', '.join(known)}.", 2)
    return name or DARK


def _require_terminal(command: str) -> None:
    missing = [
        name for name, file in (("input", sys.stdin), ("output", sys.stdout)) if not file.isatty()
    ]
    if missing:
        raise CliError(
            f"adk-tui {command} needs a terminal, but standard {' and '.join(missing)} is none:"
            " start it in a terminal, without a pipe or a redirection, or use adk-tui ask.",
            2,
        )
    if os.environ.get("TERM") == "dumb" and command == "run":
        raise CliError(
            "adk-tui run cannot draw on this terminal (TERM is dumb): use adk-tui chat.", 2
        )


def _say(message: str) -> None:
    print(f"adk-tui: {_shown(message)}", file=sys.stderr)


def _shown(text: str) -> str:
    from adk_tui.core.sanitize import clean, mask_text

    return clean(mask_text(text))


def run_cli(arguments: Sequence[str]) -> int:
    """Run one command line; returns the exit code. Messages go to stderr."""
    debug = "--debug" in arguments or bool(os.environ.get(PREFIX + "DEBUG"))
    try:
        code = app(list(arguments) or ["--help"], standalone_mode=False, prog_name="adk-tui")
    except (CliError, TargetError) as error:
        _say(str(error))
        return error.exit_code
    except SettingsError as error:
        _say(str(error))
        return 2
    except (KeyboardInterrupt, typer.Abort):
        return 130
    except BrokenPipeError:
        # Nobody reads on, as behind `| head`. What is left in the buffer must not complain again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except Exception as error:
        # Typer's own usage errors; their class has no public name that all its versions share.
        if explain := getattr(error, "format_message", None):
            _say(_usage(explain(), getattr(error, "ctx", None)))
            return 2
        if debug:
            print(_shown(traceback.format_exc()), file=sys.stderr)
        _say(
            f"Internal error, {type(error).__name__}: {error}."
            + ("" if debug else " Run it again with --debug for the details.")
        )
        return 1
    return code if isinstance(code, int) else 0


def _usage(message: str, context: Any) -> str:
    command = context.command_path if context is not None else "adk-tui"
    return f"{message.rstrip('.')}. See {command} --help."


def main() -> None:
    """The console script."""
    sys.exit(run_cli(sys.argv[1:]))
