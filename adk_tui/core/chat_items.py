"""What a chat consists of: one frozen item for each thing that a person sees in it.

Every item has a ``key`` that is unique in its transcript and stays the same
while the item grows, the id of the event to open for it, and whether a rewind
has undone it. Text in items is as the agent sent it: whoever draws it sends it
through ``sanitize`` first.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from adk_tui.core.jsontools import JsonObject
from adk_tui.core.records import Blob, Call, Code, Response

Mark: TypeAlias = Literal["", "interrupted", "cut", "stopped"]
CardState: TypeAlias = Literal["running", "done", "error", "waiting", "stopped"]
Tone: TypeAlias = Literal["info", "warning", "muted"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """What all items share."""

    key: str
    event_id: str
    withdrawn: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class UserTurn(Item):
    """What the user said. ``attachments`` were sent along."""

    text: str
    attachments: tuple[Blob, ...] = ()
    invocation_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentText(Item):
    """A piece of an agent's answer.

    ``streaming`` while more is expected. ``mark`` is ``cut`` at the token
    limit, ``interrupted`` where the run failed in mid-sentence, ``stopped``
    where the user ended it.
    """

    author: str
    branch: str
    text: str
    streaming: bool = False
    mark: Mark = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Thought(Item):
    """A piece of a model's reasoning, folded by default."""

    author: str
    branch: str
    text: str
    streaming: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCard(Item):
    """A tool call with what came of it.

    ``started`` and ``ended`` are seconds since the epoch (``ended`` 0 while
    open), from the engine's measurement where there is one, else from the
    events. ``waiting``: a human has to answer first. ``repeats`` counts the
    same call (name and arguments) made before in the same invocation without
    a break. ``inner`` counts the events of an AgentTool's inner run.
    """

    author: str
    branch: str
    call: Call
    response: Response | None = None
    response_event_id: str = ""
    state: CardState = "running"
    started: float = 0.0
    ended: float = 0.0
    repeats: int = 0
    inner: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class TransferLine(Item):
    """The conversation moved from one agent to another.

    ``unanswered``: a model asked for it, and nothing came of it (the target
    does not exist, say, or may not be reached from there).
    """

    source: str
    target: str
    reason: str = ""
    unanswered: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TicketMark(Item):
    """A ticket arose here."""

    ticket_call_id: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HumanAnswer(Item):
    """What a human answered to a ticket; ``progress`` where it stays open.

    ``problem`` says why ADK cannot use the answer. A credential is not
    repeated here. ``policy`` is the standing permission that answered in the
    human's place, empty where the human did.
    """

    call_id: str
    name: str
    response: JsonObject
    progress: bool = False
    problem: str = ""
    policy: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorCard(Item):
    """Something went wrong: shown once, with the next step in ``hint``.

    ``place`` is the ``file:line`` of the user's own code, empty where unknown.
    """

    author: str
    code: str
    message: str
    hint: str = ""
    place: str = ""
    details: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attachments(Item):
    """Images and files an agent sent."""

    author: str
    blobs: tuple[Blob, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeCard(Item):
    """Code the model had executed, or its result."""

    author: str
    code: Code


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputCard(Item):
    """A workflow node's output or a structured answer, as text."""

    author: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Line(Item):
    """One line about the session: a rewind, a compaction, an escalation, an odd event."""

    text: str
    tone: Tone = "muted"


ChatItem: TypeAlias = (
    UserTurn
    | AgentText
    | Thought
    | ToolCard
    | TransferLine
    | TicketMark
    | HumanAnswer
    | ErrorCard
    | Attachments
    | CodeCard
    | OutputCard
    | Line
)
