"""The commands that run an agent: in the full screen, line by line, once, or for a program.

A command is thin: options to a Plan, its Launch to an engine, the engine to a
front end, which is imported only when it is known that it can start.
"""

import gc
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Annotated, Any

import typer

from adk_tui.cli.complaints import CliError
from adk_tui.cli.options import (
    PathArgument,
    RunOptions,
    ThemeOption,
    takes_run_options,
)
from adk_tui.cli.plan import (
    Plan,
    make_plan,
    parse_answers,
)
from adk_tui.settings import data_folder

if TYPE_CHECKING:
    from adk_tui.client.engine import Engine


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
    from adk_tui.tui.running import run as run_tui

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

    raise CliError(failure_text(outcome, debug=plan.settings.debug), exit_code(outcome))


@takes_run_options
def chat(path: PathArgument = ".", *, options: RunOptions) -> int:
    """Talk with an agent line by line."""
    plan = make_plan(path, options)
    _require_terminal("chat")
    from adk_tui.client.process import ProcessEngine
    from adk_tui.console.chat import Chat, ChatOptions

    shown = ChatOptions(
        plan.title, data_folder() / "history", plan.settings.reveal, plan.settings.debug
    )
    return Chat(ProcessEngine(plan.launch), shown).run()


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
    asked = AskOptions(answers, jsonl, plan.settings.reveal, plan.settings.debug)
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

    served = Pipe(
        ProcessEngine(plan.launch),
        out,
        warn=warn,
        reveal=plan.settings.reveal,
        debug=plan.settings.debug,
    )
    signal.signal(signal.SIGINT, lambda _number, _frame: served.interrupt())
    try:
        return served.run(lines)
    finally:
        with suppress(OSError):
            out.close()


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
            f"adk-tui {command} needs a terminal, and standard {' and '.join(missing)}"
            f" {'is' if len(missing) == 1 else 'are'} none: start it in a terminal, without a pipe"
            " or a redirection, or use adk-tui ask.",
            2,
        )
    if os.environ.get("TERM") == "dumb" and command == "run":
        raise CliError(
            "adk-tui run cannot draw on this terminal (TERM is dumb): use adk-tui chat.", 2
        )
