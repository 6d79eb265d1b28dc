"""What a front end can ask for. A command says a wish; only later records say what came of it.

Each command is frozen data without behaviour, so that it can be queued, shown
while it waits, written to a pipe and sent again.
"""

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from adk_tui.core.jsontools import JsonObject, nothing

Storage: TypeAlias = Literal["file", "memory"]


@dataclass(frozen=True, slots=True)
class Start:
    """The first line an engine gets: what to load and where its sessions live.

    ``target`` is a folder, a file or ``package.module:attribute``, absolute
    where it is a path. ``storage`` is ``file`` (ADK's own
    ``.adk/session.db`` in the agent's folder) or ``memory``;
    ``session_service_uri`` overrides both. ``fallback_folder`` is where
    sessions go when the agent's folder cannot be written. ``session_id`` opens
    that session and fails when it does not exist; empty makes a new one.
    ``events`` rebuilds an in-memory session from its log (ADK's JSON, one
    event each). ``offline`` forces the offline model for every model given by
    name; ``model`` overrides those names. ``seal`` says that the invocation of
    the session's last event was cut by killing its process: calls it left
    without a response are to be answered as ADK does on an abort.
    """

    target: str
    user: str = "user"
    session_id: str = ""
    state: JsonObject = field(default_factory=nothing)
    storage: Storage = "file"
    fallback_folder: str = ""
    session_service_uri: str = ""
    artifact_service_uri: str = ""
    memory_service_uri: str = ""
    streaming: bool = True
    offline: bool = False
    model: str = ""
    events: tuple[bytes, ...] = ()
    seal: bool = False


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
    human's own answer.
    """

    invocation_id: str
    answers: tuple[ToolAnswer, ...]
    policy: str = ""


@dataclass(frozen=True, slots=True)
class Transfer:
    """Make ``agent`` the one who answers next, by ADK's own means."""

    agent: str


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
    """Delete a stored session that is not the open one."""

    session_id: str
    user: str = ""


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
    | NewSession
    | OpenSession
    | ListSessions
    | DeleteSession
    | Reload
    | Restart
    | Quit
)
