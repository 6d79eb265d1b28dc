"""What a front end can ask for. A command says a wish; only later records say what came of it.

Each command is frozen data without behaviour, so that it can be queued, shown
while it waits, written to a pipe and sent again.
"""

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from adk_tui.core.jsontools import JsonObject, nothing

Storage: TypeAlias = Literal["file", "memory"]


@dataclass(frozen=True, slots=True)
class RunSettings:
    """How ADK runs the next turns (its ``RunConfig``), and with which model.

    ``max_llm_calls`` 0 leaves ADK's own limit (500 calls a turn), a negative
    one lifts it. ``tool_thread_pool`` is the number of threads that synchronous
    tools run on; 0 runs them on the agent's event loop, as ADK does by default.
    ``response_modalities`` are ADK's words (``TEXT``, ``AUDIO``, ``IMAGE``).
    ``custom_metadata`` goes into every event of the turn. ``model`` replaces
    every model that the agent gives by name, empty leaves the agent's own.
    """

    streaming: bool = True
    max_llm_calls: int = 0
    tool_thread_pool: int = 0
    response_modalities: tuple[str, ...] = ()
    custom_metadata: JsonObject = field(default_factory=nothing)
    model: str = ""
    save_input_blobs_as_artifacts: bool = False


@dataclass(frozen=True, slots=True)
class Start:
    """The first line an engine gets: what to load and where its sessions live.

    ``target`` is a folder, a file or ``package.module:attribute``, absolute
    where it is a path. ``storage`` is ``file`` (ADK's own
    ``.adk/session.db`` in the agent's folder) or ``memory``;
    ``session_service_uri`` overrides both. ``fallback_folder`` is where
    sessions go when the agent's folder cannot be written. ``session_id`` opens
    that session and fails when it does not exist; empty makes a new one.
    ``session_user`` is whose session that is, empty for ``user``.
    ``sessions`` are those of a former process whose memory they lived in, or
    the one that a store has lost, to be made again, ``session_id`` among them;
    ``shared`` is what each of their users' ``user:`` and ``app:`` keys held
    last. ``offline`` forces the offline model for every model given by name;
    ``model`` overrides those names.
    ``seal`` says that the invocation of the session's last event was cut by
    killing its process: calls it left without a response are to be answered as
    ADK does on an abort.
    ``settings`` stands for ``streaming`` and ``model`` where it is given.
    ``once`` is the agent that is forced to take the next message, empty for
    none. ``debugpy`` is the port on this machine where a debugger may attach,
    0 for none.
    """

    target: str
    user: str = "user"
    session_id: str = ""
    session_user: str = ""
    state: JsonObject = field(default_factory=nothing)
    storage: Storage = "file"
    fallback_folder: str = ""
    session_service_uri: str = ""
    artifact_service_uri: str = ""
    memory_service_uri: str = ""
    streaming: bool = True
    offline: bool = False
    model: str = ""
    sessions: tuple["RestoreSession", ...] = ()
    shared: JsonObject = field(default_factory=nothing)
    seal: bool = False
    settings: RunSettings | None = None
    once: str = ""
    debugpy: int = 0


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file sent along with a message: its base64 ``data`` travels inline."""

    name: str
    mime_type: str
    data: str


@dataclass(frozen=True, slots=True)
class Say:
    """Send a user message to the agent."""

    text: str
    attachments: tuple[Attachment, ...] = ()


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """One function response a person gives. ``will_continue`` makes it a progress report."""

    call_id: str
    name: str
    response: JsonObject
    will_continue: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """Answer open calls of one invocation in one message (ADK refuses to mix invocations).

    ``policy`` says in words which standing permission answers in the human's
    place; it is stored with the event, so that it can always be told from a
    human's own answer. ``session_id`` is where the tickets are: an answer that
    waited while another session was opened is refused, not given to a call of
    the same id there. Empty: the session that is open.
    """

    invocation_id: str
    answers: tuple[ToolAnswer, ...]
    policy: str = ""
    session_id: str = ""


@dataclass(frozen=True, slots=True)
class Transfer:
    """Make ``agent`` the one who answers next, by ADK's own means.

    With ``once`` it answers the next message only: ADK's own call of
    ``transfer_to_agent`` takes the place of the active agent's next model
    answer. That reaches agents that cannot hold the conversation; afterwards
    ADK routes as it always does. An empty ``agent`` takes a ``once`` back.
    """

    agent: str
    once: bool = False


@dataclass(frozen=True, slots=True)
class Stop:
    """Stop the running command now; with ``force`` the engine process is replaced."""

    force: bool = False


@dataclass(frozen=True, slots=True)
class Cancel:
    """Take a queued command back before it has begun. ``command_id`` is what submit returned."""

    command_id: int


@dataclass(frozen=True, slots=True)
class EditState:
    """Write ``delta`` into the session's state as one event by the user."""

    delta: JsonObject


@dataclass(frozen=True, slots=True)
class Rewind:
    """Undo ``invocation_id`` and everything after it."""

    invocation_id: str


@dataclass(frozen=True, slots=True)
class Resend:
    """Undo ``invocation_id`` and everything after it, then send this message in its place.

    ``core.rewind_preview`` tells beforehand what that undoes.
    """

    invocation_id: str
    text: str
    attachments: tuple[Attachment, ...] = ()


@dataclass(frozen=True, slots=True)
class Configure:
    """Run the next turns with these settings. They come back as a ``Settings`` record."""

    settings: RunSettings


@dataclass(frozen=True, slots=True)
class NewSession:
    """Create a session and open it."""

    state: JsonObject = field(default_factory=nothing)
    session_id: str = ""


@dataclass(frozen=True, slots=True)
class OpenSession:
    """Open a stored session; ``user`` empty means the current user."""

    session_id: str
    user: str = ""


@dataclass(frozen=True, slots=True)
class ListSessions:
    """Ask for the sessions of the app, of all users; they come as a ``SessionList`` record."""


@dataclass(frozen=True, slots=True)
class DeleteSession:
    """Delete a stored session that is not the open one.

    All of it comes up as a ``SessionDeleted`` record, so that ``RestoreSession``
    can bring it back.
    """

    session_id: str
    user: str = ""


@dataclass(frozen=True, slots=True)
class RestoreSession:
    """Bring a deleted session back (``core.undo`` makes this from ``SessionDeleted``).

    ``state`` is what the session was created with, ``events`` its events as
    ADK's JSON. It is stored, not opened.
    """

    session_id: str
    user: str
    title: str = ""
    parent: str = ""
    state: JsonObject = field(default_factory=nothing)
    events: tuple[bytes, ...] = ()


@dataclass(frozen=True, slots=True)
class RenameSession:
    """Give a session a title; an empty one brings its first message back as the title.

    ADK has no titles. They are kept in a small file of ours beside the store
    (``engine.titles``), not in the session's state: an event for a name would
    end up in every view of the session, and would make a turn that another
    process is running stale.
    """

    session_id: str
    user: str = ""
    title: str = ""


@dataclass(frozen=True, slots=True)
class Fork:
    """Copy the open session up to a point into a new one, and open that.

    Up to and with ``event_id``, or the last event of ``invocation_id``, or all
    of it. The original is not touched; the new session remembers it
    (``SessionInfo.parent``). Artifacts of the copied events are copied too.
    """

    invocation_id: str = ""
    event_id: str = ""
    title: str = ""
    session_id: str = ""


@dataclass(frozen=True, slots=True)
class ListArtifacts:
    """Ask for the artifacts of the open session; they come as an ``ArtifactList`` record."""


@dataclass(frozen=True, slots=True)
class ReadArtifact:
    """Ask for one artifact, as an ``ArtifactContent`` record; ``version`` -1 is the newest."""

    name: str
    version: int = -1


@dataclass(frozen=True, slots=True)
class SaveArtifact:
    """Store base64 ``data`` as the next version of an artifact, and tell the session of it."""

    name: str
    mime_type: str
    data: str


@dataclass(frozen=True, slots=True)
class Reload:
    """Load the agent's code again in a new engine process; the old one serves until it is ready."""


@dataclass(frozen=True, slots=True)
class Restart:
    """Start the engine again on the same session after it died or failed to load."""


@dataclass(frozen=True, slots=True)
class Quit:
    """End the engine in good order."""


Command: TypeAlias = (
    Say
    | Answer
    | Transfer
    | Stop
    | Cancel
    | EditState
    | Rewind
    | Resend
    | Configure
    | NewSession
    | OpenSession
    | ListSessions
    | DeleteSession
    | RestoreSession
    | RenameSession
    | Fork
    | ListArtifacts
    | ReadArtifact
    | SaveArtifact
    | Reload
    | Restart
    | Quit
)

READS = (ListSessions, ListArtifacts, ReadArtifact)
"""Commands that only read, and so need not wait for their turn."""
