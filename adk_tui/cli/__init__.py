"""The command line: the one place that chooses an engine and a front end.

Everything heavy is imported inside the commands, so that ``--help`` and shell
completion answer at once. A command is thin: options to a Plan, its Launch to
an engine, the engine to a front end. Whatever goes wrong is one plain sentence
on stderr that says what to do next; ``--debug`` adds the traceback.

Exit codes: 0 done, 1 error, 2 wrong usage or (``ask``, ``pipe``) a ticket is
open, 3 the agent does not load, 130 interrupted.
"""

import os
import sys
import traceback
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from adk_tui import __version__
from adk_tui.cli import checking, running, stored
from adk_tui.cli.complaints import CliError, say, shown
from adk_tui.cli.targets import TargetError
from adk_tui.settings import PREFIX, SettingsError

app = typer.Typer(
    name="adk-tui",
    help="The terminal workbench for Google ADK agents.",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


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


for command in (
    running.run,
    running.chat,
    running.ask,
    running.pipe,
    stored.sessions,
    checking.doctor,
):
    app.command()(command)
app.add_typer(stored.tickets_app, name="tickets")


def run_cli(arguments: Sequence[str]) -> int:
    """Run one command line; returns the exit code. Messages go to stderr."""
    debug = "--debug" in arguments or bool(os.environ.get(PREFIX + "DEBUG"))
    try:
        code = app(list(arguments) or ["--help"], standalone_mode=False, prog_name="adk-tui")
    except (CliError, TargetError) as error:
        say(str(error))
        return error.exit_code
    except SettingsError as error:
        say(str(error))
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
            say(_usage(explain(), getattr(error, "ctx", None)))
            return 2
        if debug:
            print(shown(traceback.format_exc()), file=sys.stderr)
        say(
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
