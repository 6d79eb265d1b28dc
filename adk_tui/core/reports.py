"""What an engine says besides events: who it is, what it does, what it called, what went wrong.

Frozen records like the events; a front end draws them and never guesses ahead
of them.
"""

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from adk_tui.core.commands import RunSettings
from adk_tui.core.jsontools import JsonObject, nothing
from adk_tui.core.records import EventRecord, Usage


@dataclass(frozen=True, slots=True)
class ToolInfo:
    """A tool as the agent declares it.

    ``kind`` is ``function``, ``long_running``, ``agent`` (AgentTool),
    ``toolset``, ``builtin`` or ``other``. ``declaration`` is the function
    declaration sent to the model, empty where there is none. ``confirmation``
    is ``yes``, ``no`` or ``sometimes`` (a callable decides).
    """

    name: str
    kind: str = "function"
    description: str = ""
    confirmation: Literal["yes", "no", "sometimes"] = "no"
    declaration: JsonObject = field(default_factory=nothing)


@dataclass(frozen=True, slots=True)
class AgentNode:
    """One agent (or workflow node) of the loaded tree.

    ``kind`` is the ADK class name the agent is, or derives from
    (``LlmAgent``, ``SequentialAgent``, ``Workflow`` …). ``can_transfer`` says
    whether it is an agent with transfer rights at all (ADK: it has
    ``disallow_transfer_to_parent``). ``model`` is the name in use and
    ``offline`` whether the offline model stands in for it. ``edges`` are a
    workflow's ``(from, to, label)``.
    """

    name: str
    kind: str = "LlmAgent"
    description: str = ""
    model: str = ""
    offline: bool = False
    mode: str = ""
    instruction: str = ""
    can_transfer: bool = True
    disallow_transfer_to_parent: bool = False
    disallow_transfer_to_peers: bool = False
    tools: tuple[ToolInfo, ...] = ()
    children: tuple["AgentNode", ...] = ()
    edges: tuple[tuple[str, str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Ready:
    """The agent is loaded. ``capabilities`` are the command names this engine takes.

    ``app`` is ADK's app name (``App.name``, else the folder's), ``folder`` the
    folder it was loaded from, ``store`` says in words where sessions are kept.
    ``offline`` names the models the offline model stands in for; empty when
    every model is the agent's own. ``fleeting`` names what lives in the
    process's memory only: ``sessions``, ``artifacts``, and ``memory`` once
    something is in ADK's memory service.
    """

    app: str
    root: AgentNode
    folder: str
    user: str
    store: str
    resumable: bool = False
    streaming: bool = True
    offline: tuple[str, ...] = ()
    capabilities: frozenset[str] = frozenset()
    adk_version: str = ""
    python: str = ""
    protocol: int = 1
    fleeting: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class SessionOpened:
    """A session is open; its stored events (``count``) follow as event records.

    Everything a front end shows of the session before this belongs to another
    one, unless ``reason`` is ``resync``, ``reload`` or ``restart``: then it is the
    same session told again. ``state`` is the whole state at this point;
    ``core.state.initial_state`` tells what of it was there before the first event.
    ``named`` says that ``title`` was given, and is not the first message.
    ``parent`` is the id of the session it is a fork of.
    """

    id: str
    user: str
    app: str
    count: int = 0
    reason: Literal["start", "new", "open", "fork", "reload", "restart", "resync"] = "start"
    title: str = ""
    state: JsonObject = field(default_factory=nothing)
    parent: str = ""
    named: bool = False


@dataclass(frozen=True, slots=True)
class SessionInfo:
    """A row of the session list; ``updated`` in seconds since the epoch.

    ``title`` is the given one (``named``), else the first message. ``turns``
    counts the user's messages that no rewind has undone, ``tickets`` what is
    open. Counts are -1 where the session was not read for the list. ``parent`` is
    the session it is a fork of, ``relatives`` all ids of that family but its own.
    """

    id: str
    user: str
    updated: float = 0.0
    title: str = ""
    events: int = -1
    turns: int = -1
    tickets: int = -1
    named: bool = False
    parent: str = ""
    relatives: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SessionList:
    """The sessions of the app, newest first."""

    sessions: tuple[SessionInfo, ...]


@dataclass(frozen=True, slots=True)
class SessionRenamed:
    """A session has another title: a given one (``named``), or its first message again.

    ``before`` is the given title it had, empty where it had none.
    """

    id: str
    user: str
    title: str
    named: bool = True
    before: str = ""


@dataclass(frozen=True, slots=True)
class SessionDeleted:
    """A session was deleted. This is all of it, for whoever wants it back.

    ``state`` is what it was created with, ``events`` are ADK's JSON, ``title`` the
    given one, ``shown`` the one that lists showed.
    """

    id: str
    user: str
    app: str
    title: str = ""
    shown: str = ""
    parent: str = ""
    state: JsonObject = field(default_factory=nothing)
    events: tuple[bytes, ...] = ()


@dataclass(frozen=True, slots=True)
class ArtifactVersion:
    """One version of an artifact; ``created`` in seconds since the epoch.

    ``size`` is in bytes, -1 unknown. ``event_id`` names the event of this
    session that saved it, empty where none did.
    """

    version: int
    mime_type: str = ""
    created: float = 0.0
    size: int = -1
    event_id: str = ""


@dataclass(frozen=True, slots=True)
class ArtifactInfo:
    """An artifact and its versions, oldest first. A ``user:`` name is shared by sessions."""

    name: str
    versions: tuple[ArtifactVersion, ...] = ()


@dataclass(frozen=True, slots=True)
class ArtifactList:
    """The artifacts of the session ``session_id`` and of its user, by name."""

    session_id: str
    artifacts: tuple[ArtifactInfo, ...] = ()


@dataclass(frozen=True, slots=True)
class ArtifactContent:
    """One version of an artifact: base64 ``data``, or ``uri`` where it is kept elsewhere."""

    name: str
    version: int
    mime_type: str = ""
    data: str = ""
    uri: str = ""


@dataclass(frozen=True, slots=True)
class Settings:
    """How the next turns run. ``once`` names the agent that is forced to take the next one."""

    run: RunSettings
    once: str = ""


@dataclass(frozen=True, slots=True)
class Failure:
    """Something went wrong: what, to whom, and what to do next.

    ``code`` is a stable word or number (``load.syntax``, ``model.429``,
    ``session.stale``, ``tool.error``, ``process.died``, ``bad.command`` …);
    ``message`` one plain sentence; ``hint`` the next step. ``file``/``line``
    point into the user's code. ``details`` is a traceback, the user's own
    frames first, folded by default. ``retry_after`` is in seconds, 0 unknown.
    """

    code: str
    message: str
    hint: str = ""
    file: str = ""
    line: int = 0
    details: str = ""
    retry_after: float = 0.0


@dataclass(frozen=True, slots=True)
class Notice:
    """One line the user should know, that is no failure (a fallback, a repair)."""

    message: str
    level: Literal["info", "warning"] = "info"


@dataclass(frozen=True, slots=True)
class Running:
    """A tool run in progress, as the status names it; ``seconds`` since it began."""

    name: str
    call_id: str
    agent: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Queued:
    """A command that waits for its turn."""

    id: int
    summary: str


Phase: TypeAlias = Literal[
    "starting", "loading", "ready", "running", "stopping", "reloading", "failed", "dead"
]


@dataclass(frozen=True, slots=True)
class Status:
    """What the engine does right now.

    ``starting``: process begun. ``loading``: imports run; ``detail`` is the last
    line the agent printed. ``ready``: idle. ``running``/``stopping``: the command
    ``command`` is at work, ``running`` says on which tools. ``failed``: the
    agent did not load, Reload tries again. ``dead``: the process is gone,
    Restart starts it again.
    """

    phase: Phase
    detail: str = ""
    command: int = 0
    running: tuple[Running, ...] = ()
    queued: tuple[Queued, ...] = ()


@dataclass(frozen=True, slots=True)
class Done:
    """The command ``command`` has ended. ``events`` counts the final events it brought.

    ``note`` says in words what came of it where events do not (a transfer
    verified, an answer recorded while others wait). ``event_id`` names the event
    that shows the failure already, empty where none does: show it once.
    """

    command: int
    ok: bool = True
    failure: Failure | None = None
    note: str = ""
    events: int = 0
    stopped: bool = False
    event_id: str = ""


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One request to a model, told twice: at its start (``ended`` 0) and at its end.

    Times are wall-clock seconds. ``request`` and ``response`` are the JSON of
    ADK's LlmRequest and last LlmResponse as bytes, empty until known.
    ``event_id`` names the event it produced. ``parent_call_id`` is the
    AgentTool call whose inner run made it, else empty.
    """

    id: str
    agent: str
    invocation_id: str
    model: str = ""
    session_id: str = ""
    parent_call_id: str = ""
    event_id: str = ""
    started: float = 0.0
    first_token: float = 0.0
    ended: float = 0.0
    chunks: int = 0
    request: bytes = b""
    response: bytes = b""
    usage: Usage | None = None
    error: str = ""


@dataclass(frozen=True, slots=True)
class ToolRun:
    """One run of a tool, told twice: at its start (``ended`` 0) and at its end."""

    call_id: str
    name: str
    agent: str
    invocation_id: str
    parent_call_id: str = ""
    started: float = 0.0
    ended: float = 0.0
    error: str = ""


@dataclass(frozen=True, slots=True)
class Output:
    """Something the agent's process printed; ``tool`` is the one tool that ran then, if one did."""

    stream: Literal["stdout", "stderr", "protocol"]
    text: str
    time: float = 0.0
    tool: str = ""


Report: TypeAlias = (
    Ready
    | SessionOpened
    | SessionList
    | SessionRenamed
    | SessionDeleted
    | ArtifactList
    | ArtifactContent
    | Settings
    | Failure
    | Notice
    | Status
    | Done
    | ModelCall
    | ToolRun
    | Output
)
Record: TypeAlias = EventRecord | Report
"""Everything that comes up from an engine."""
