"""The options of the command line, each written down once, and what several commands share.

How an agent is run is the same question for every front end, so those options
are the fields of one class, and a command that runs an agent takes the class.
"""

import functools
import inspect
import typing
from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields
from typing import Annotated, Any

import typer

from adk_tui.cli.targets import TargetError, complete_target, resolve_target


def complete_session(ctx: typer.Context, incomplete: str) -> list[str]:
    """Ids of the stored sessions of the agent named on the same line, the newest first."""
    from adk_tui.console.stored import session_ids, store_file
    from adk_tui.settings import data_folder, load_settings

    given = "--session-service-uri" in ctx.args or ctx.params.get("session_service_uri")
    if given or load_settings({}).session_service_uri:
        # Only google-adk can read those, and importing it takes too long for a press of Tab.
        return []
    # Where the option still lacks its value, the words before it were not given to parameters.
    words = [str(word) for word in ctx.args if not str(word).startswith("-")]
    try:
        target = resolve_target(words[0] if words else str(ctx.params.get("path") or "."))
    except TargetError:
        return []
    file = store_file(target, data_folder() / "sessions")
    return session_ids(file, incomplete) if file is not None else []


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
    str,
    typer.Option(
        "--session",
        metavar="ID",
        help="Open this stored session.",
        autocompletion=complete_session,
    ),
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
    typer.Option(
        "--reveal/--mask",
        help="Show secrets in the inspector, the state and the line modes, or mask them (default).",
    ),
]
ReloadOption = Annotated[
    bool | None,
    typer.Option(
        "--reload/--no-reload",
        help="Load the agent again whenever its files change, or only when asked to (default).",
    ),
]
DebugpyOption = Annotated[
    int,
    typer.Option(
        "--debugpy",
        metavar="PORT",
        min=0,
        max=65535,
        help="Let a debugger attach to the agent's process at this port of 127.0.0.1.",
    ),
]
DebugOption = Annotated[
    bool | None,
    typer.Option("--debug/--no-debug", help="Show tracebacks, and which Python runs the agent."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON, one object a line.")]


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What a person may say about how an agent is run; None where nothing was said."""

    user: UserOption = None
    session: SessionOption = ""
    state: StateOption = None
    in_memory: InMemoryOption = None
    streaming: StreamingOption = None
    offline: OfflineOption = None
    model: ModelOption = None
    python: PythonOption = None
    session_service_uri: SessionServiceOption = None
    artifact_service_uri: ArtifactServiceOption = None
    memory_service_uri: MemoryServiceOption = None
    reveal: RevealOption = None
    debug: DebugOption = None
    reload: ReloadOption = None
    debugpy: DebugpyOption = 0

    def flags(self) -> dict[str, Any]:
        """The values that are settings, by their names."""
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        return {n: v for n, v in values.items() if n not in ("session", "state", "debugpy")}


def takes_run_options(command: Callable[..., int]) -> Callable[..., int]:
    """A command whose parameter ``options`` is a ``RunOptions``, with each field as an option.

    Typer reads options from a function's signature, so the field list is put
    in the place of that parameter.
    """
    hints = typing.get_type_hints(RunOptions, include_extras=True)
    parameters: list[inspect.Parameter] = []
    annotations: dict[str, Any] = {"return": int}
    for parameter in inspect.signature(command).parameters.values():
        if parameter.name != "options":
            parameters.append(parameter)
            annotations[parameter.name] = parameter.annotation
            continue
        for field in fields(RunOptions):
            default = inspect.Parameter.empty if field.default is MISSING else field.default
            parameters.append(
                inspect.Parameter(
                    field.name, parameter.kind, default=default, annotation=hints[field.name]
                )
            )
            annotations[field.name] = hints[field.name]

    @functools.wraps(command)
    def with_options(**values: Any) -> int:
        shared = {f.name: values.pop(f.name) for f in fields(RunOptions)}
        return command(**values, options=RunOptions(**shared))

    # Not the wrapped function's own: that is what wraps() would have it look like.
    del with_options.__wrapped__  # type: ignore[attr-defined]
    shown: Any = with_options
    shown.__signature__ = inspect.Signature(parameters, return_annotation=int)
    shown.__annotations__ = annotations
    return with_options
