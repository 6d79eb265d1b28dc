"""The command line: the one place that chooses an engine and a front end.

Everything heavy is imported inside the commands, so that ``--help`` and shell
completion answer at once. A command is thin: options to Settings, Settings to
a Launch, Launch to an engine, the engine to a front end. Whatever goes wrong is
one plain sentence on stderr that says what to do next; ``--debug`` adds the
traceback.

Exit codes: 0 done, 1 error, 2 wrong usage, 3 the agent does not load,
130 interrupted.
"""

import gc
import json
import os
import sys
import traceback
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from adk_tui import __version__
from adk_tui.cli_targets import TargetError, complete_target, resolve_target, target_name
from adk_tui.settings import PREFIX, Settings, SettingsError, data_folder, load_settings, log_folder

if TYPE_CHECKING:
    from adk_tui.client.process import Launch

app = typer.Typer(
    name="adk-tui",
    help="The terminal workbench for Google ADK agents.",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


class CliError(Exception):
    """Ends the program with a sentence on stderr and an exit code."""

    def __init__(self, message: str, exit_code: int = 1) -> None:
        super().__init__(message)
        self.exit_code = exit_code


PathArgument = Annotated[
    str,
    typer.Argument(
        metavar="PATH",
        help="Folder of the agent, a Python file, root_agent.yaml or package.module:attribute.",
        autocompletion=complete_target,
    ),
]
UserOption = Annotated[
    str | None, typer.Option("--user", metavar="ID", help="User the sessions belong to.")
]
SessionOption = Annotated[
    str, typer.Option("--session", metavar="ID", help="Open this stored session.")
]
StateOption = Annotated[
    list[str] | None,
    typer.Option(
        "--state",
        metavar="KEY=VALUE",
        help="State of the new session; VALUE is JSON or text. May be given again.",
    ),
]
InMemoryOption = Annotated[
    bool | None,
    typer.Option(
        "--in-memory/--on-disk",
        help="Keep sessions in memory, or in .adk/session.db beside the agent (default).",
    ),
]
StreamingOption = Annotated[
    bool | None,
    typer.Option(
        "--streaming/--no-streaming", help="Ask models for pieces of the answer (default), or not."
    ),
]
OfflineOption = Annotated[
    bool | None,
    typer.Option(
        "--offline/--online",
        help="Use the offline model even where there is a key, or only where there is none"
        " (default).",
    ),
]
ModelOption = Annotated[
    str | None,
    typer.Option("--model", metavar="NAME", help="Use this model instead of the agent's own."),
]
PythonOption = Annotated[
    str | None,
    typer.Option(
        "--python",
        metavar="FILE",
        help="Python that runs the agent; default: the active virtual environment, a .venv"
        " beside or above the agent, else adk-tui's own.",
    ),
]
SessionServiceOption = Annotated[
    str | None,
    typer.Option(
        "--session-service-uri", metavar="URI", help="Where sessions live, as in adk web."
    ),
]
ArtifactServiceOption = Annotated[
    str | None,
    typer.Option(
        "--artifact-service-uri", metavar="URI", help="Where artifacts live, as in adk web."
    ),
]
MemoryServiceOption = Annotated[
    str | None,
    typer.Option("--memory-service-uri", metavar="URI", help="Where memories live, as in adk web."),
]
ThemeOption = Annotated[str | None, typer.Option("--theme", metavar="NAME", help="Colour theme.")]
RevealOption = Annotated[
    bool | None,
    typer.Option("--reveal/--mask", help="Show secrets, or mask them (default)."),
]
DebugOption = Annotated[
    bool | None,
    typer.Option("--debug/--no-debug", help="Show tracebacks of adk-tui's own errors."),
]


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


@dataclass(frozen=True, slots=True)
class _Plan:
    title: str
    settings: Settings
    launch: "Launch"


def _plan(path: str, session: str, state: Sequence[str] | None, **flags: Any) -> _Plan:
    """Check everything that can be checked before an engine runs."""
    settings = load_settings(flags)
    target = resolve_target(path)
    initial = parse_state(state or ())
    if session and initial:
        raise CliError(
            "--state sets the state of a new session, and --session opens a stored one:"
            " leave one of them out.",
            2,
        )
    from adk_tui.client.process import Launch
    from adk_tui.core.commands import Start

    start = Start(
        target=target,
        user=settings.user,
        session_id=session,
        state=initial,
        storage="memory" if settings.in_memory else "file",
        fallback_folder=str(data_folder() / "sessions"),
        session_service_uri=settings.session_service_uri,
        artifact_service_uri=settings.artifact_service_uri,
        memory_service_uri=settings.memory_service_uri,
        streaming=settings.streaming,
        offline=settings.offline,
        model=settings.model,
    )
    launch = Launch(
        start=start,
        python=settings.python,
        output_log=log_folder() / f"{target_name(target)}.log",
        debug=settings.debug,
    )
    return _Plan(target_name(target), settings, launch)


@app.command()
def run(
    path: PathArgument = ".",
    user: UserOption = None,
    session: SessionOption = "",
    state: StateOption = None,
    in_memory: InMemoryOption = None,
    streaming: StreamingOption = None,
    offline: OfflineOption = None,
    model: ModelOption = None,
    python: PythonOption = None,
    session_service_uri: SessionServiceOption = None,
    artifact_service_uri: ArtifactServiceOption = None,
    memory_service_uri: MemoryServiceOption = None,
    theme: ThemeOption = None,
    reveal: RevealOption = None,
    debug: DebugOption = None,
) -> int:
    """Open an agent in the full-screen workbench."""
    plan = _plan(
        path,
        session,
        state,
        user=user,
        in_memory=in_memory,
        streaming=streaming,
        offline=offline,
        model=model,
        python=python,
        session_service_uri=session_service_uri,
        artifact_service_uri=artifact_service_uri,
        memory_service_uri=memory_service_uri,
        theme=theme,
        reveal=reveal,
        debug=debug,
    )
    _require_terminal()
    # Textual reads it when it is imported: repainting at most 60 times a second, its default,
    # makes the echo of a key wait for the next frame while events stream in.
    os.environ.setdefault("TEXTUAL_FPS", "240")
    # What is imported now stays: looking for garbage in it meanwhile delays the first frame.
    gc.disable()
    from adk_tui.client.process import ProcessEngine
    from adk_tui.tui.app import TuiOptions
    from adk_tui.tui.app import run as run_tui

    gc.enable()
    options = TuiOptions(
        title=plan.title,
        history_file=data_folder() / "history",
        theme=theme_name(plan.settings.theme),
        reveal=plan.settings.reveal,
    )
    return run_tui(ProcessEngine(replace(plan.launch, recall=True)), options)


def theme_name(name: str) -> str:
    """The theme to use; empty is the default one. Raises CliError where there is no such theme."""
    from textual.theme import BUILTIN_THEMES

    from adk_tui.tui.themes import DARK, THEMES

    known = sorted({theme.name for theme in THEMES} | set(BUILTIN_THEMES))
    if name and name not in known:
        raise CliError(f"There is no theme {name!r}. Themes: {', '.join(known)}.", 2)
    return name or DARK


def parse_state(pairs: Sequence[str]) -> dict[str, Any]:
    """``KEY=VALUE`` pairs as a state; a value that is JSON is taken as JSON, else as text.

    Raises:
        CliError: a pair without ``=`` or key, or text that is no valid UTF-8
            (ADK's SQLite store cannot hold it).
    """
    state: dict[str, Any] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key.strip():
            raise CliError(
                f"--state {pair!r} is not KEY=VALUE: write it like --state city=Paris or"
                " --state 'limits={\"max\": 3}'.",
                2,
            )
        try:
            pair.encode()
        except UnicodeEncodeError:
            raise CliError(f"--state {pair!r} is not valid UTF-8: use readable text.", 2) from None
        try:
            state[key.strip()] = json.loads(value, parse_constant=_refuse)
        except (ValueError, RecursionError):
            state[key.strip()] = value
    return state


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)


def _require_terminal() -> None:
    missing = [
        name for name, file in (("input", sys.stdin), ("output", sys.stdout)) if not file.isatty()
    ]
    if missing:
        raise CliError(
            f"adk-tui run needs a terminal, but standard {' and '.join(missing)} is none:"
            " start it in a terminal, without a pipe or a redirection.",
            2,
        )
    if os.environ.get("TERM") == "dumb":
        raise CliError(
            "adk-tui run cannot draw on this terminal (TERM is dumb): use another terminal.", 2
        )


def _say(message: str) -> None:
    from adk_tui.core.sanitize import clean

    print(f"adk-tui: {clean(message)}", file=sys.stderr)


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
    except Exception as error:
        # Typer's own usage errors; their class has no public name that all its versions share.
        if explain := getattr(error, "format_message", None):
            _say(_usage(explain(), getattr(error, "ctx", None)))
            return 2
        if debug:
            traceback.print_exc()
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
