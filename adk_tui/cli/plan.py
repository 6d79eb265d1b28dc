"""From options to a launch: everything that can be checked before an engine runs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from adk_tui.cli.complaints import CliError
from adk_tui.cli.options import RunOptions
from adk_tui.cli.targets import resolve_target, target_name
from adk_tui.core.typed import read_json
from adk_tui.settings import Settings, data_folder, load_settings, log_folder

if TYPE_CHECKING:
    from adk_tui.client.process import Launch


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be run. ``title`` names the agent until it has said its own name."""

    title: str
    settings: Settings
    start: Mapping[str, Any]
    """The fields of the ``Start`` command."""

    @property
    def launch(self) -> "Launch":
        """How to run the engine. Not made before it is needed: the first frame comes first."""
        from adk_tui.client.process import Launch
        from adk_tui.core.commands import Start

        return Launch(
            start=Start(**self.start),
            python=self.settings.python,
            output_log=log_folder() / f"{self.title}.log",
            debug=self.settings.debug,
            reload=self.settings.reload,
        )


def read_settings(flags: Mapping[str, Any]) -> Settings:
    """The settings that hold. From now on this process masks what they call secret."""
    settings = load_settings(flags)
    if settings.secret_keys:
        from adk_tui.core.masking import also_secret

        also_secret(settings.secret_keys)
    return settings


def make_plan(path: str, options: RunOptions, **more: Any) -> Plan:
    """Check the options and say how to run the agent. ``more`` are settings of one front end.

    Raises:
        CliError, TargetError, SettingsError: one of them cannot be used.
    """
    settings = read_settings({**options.flags(), **more})
    target = resolve_target(path)
    initial = parse_state(options.state or ())
    if options.session and initial:
        raise CliError(
            "--state sets the state of a new session, and --session opens a stored one:"
            " leave one of them out.",
            2,
        )
    start = dict[str, Any](
        target=target,
        user=settings.user,
        session_id=options.session,
        state=initial,
        storage="memory" if settings.in_memory else "file",
        fallback_folder=str(data_folder() / "sessions"),
        session_service_uri=settings.session_service_uri,
        artifact_service_uri=settings.artifact_service_uri,
        memory_service_uri=settings.memory_service_uri,
        streaming=settings.streaming,
        offline=settings.offline,
        model=settings.model,
        debugpy=options.debugpy,
    )
    return Plan(target_name(target), settings, start)


def in_memory(plan: Plan) -> Plan:
    """The same without touching any store: a look at an agent leaves no session behind."""
    return replace(plan, start={**plan.start, "storage": "memory", "session_service_uri": ""})


def parse_state(pairs: Sequence[str]) -> dict[str, Any]:
    """``KEY=VALUE`` pairs as a state; a value that is JSON is taken as JSON, else as text.

    Raises:
        CliError: a pair without ``=`` or key, or text that is no valid UTF-8
            (ADK's SQLite store cannot hold it).
    """
    state: dict[str, Any] = {}
    form = "--state city=Paris or --state 'limits={\"max\": 3}'"
    for key, text in _pairs(pairs, "--state", "KEY=VALUE", form):
        try:
            (key + text).encode()
        except UnicodeEncodeError:
            shown = f"{key}={text}"
            raise CliError(f"--state {shown!r} is not valid UTF-8: use readable text.", 2) from None
        try:
            state[key] = read_json(text)
        except ValueError:
            state[key] = text
    return state


def parse_answers(pairs: Sequence[str]) -> Mapping[str, Any]:
    """``TICKET=JSON`` pairs, by ticket. Raises CliError where one is none."""
    answers: dict[str, Any] = {}
    form = '--answer \'request_reimbursement={"status": "approved"}\''
    for ticket, text in _pairs(pairs, "--answer", "TICKET=JSON", form):
        try:
            answers[ticket] = read_json(text)
        except ValueError as error:
            raise CliError(
                f"--answer {ticket} has no JSON behind the '=' ({error}): quote it for the"
                " shell, like --answer 'tool={\"confirmed\": true}'.",
                2,
            ) from None
    return answers


def _pairs(
    given: Sequence[str], option: str, shape: str, example: str
) -> Iterator[tuple[str, str]]:
    for pair in given:
        name, equals, text = pair.partition("=")
        if not equals or not name.strip():
            raise CliError(f"{option} {pair!r} is not {shape}: write it like {example}.", 2)
        yield name.strip(), text
