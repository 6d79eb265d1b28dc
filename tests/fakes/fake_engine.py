"""An engine without a process: takes commands, plays records, for tests of widgets.

What it answers is written by the test, so nothing here imitates an agent; the
tests of the whole app run on the real engine.
"""

import itertools
from collections import deque
from collections.abc import Callable, Iterable, Sequence

from adk_tui.core.commands import Command
from adk_tui.core.event_reader import read_event
from adk_tui.core.records import EventRecord
from adk_tui.core.reports import AgentNode, Done, Ready, Record, SessionOpened, Status
from adk_tui.core.wire import COMMAND_NAMES

Script = Callable[[Command, int], Iterable[Record]]

TREE = AgentNode(
    "root",
    model="offline",
    offline=True,
    description="Greets and hands over.",
    children=(
        AgentNode("billing", description="Pays.", model="gemini-2.5-flash"),
        AgentNode("island", kind="SequentialAgent", can_transfer=False),
    ),
)


class FakeEngine:
    """Implements ``client.engine.Engine`` in memory.

    ``script`` gives the records that follow a command; without one each
    command ends at once. ``commands`` is what the front end asked for.
    """

    def __init__(
        self,
        script: Script | None = None,
        *,
        first: Sequence[Record] | None = None,
        capabilities: frozenset[str] = COMMAND_NAMES,
    ) -> None:
        self.commands: list[Command] = []
        self.started = False
        self.closed = False
        self._capabilities = capabilities
        self._first = list(opening() if first is None else first)
        self._script = script or (lambda _, command_id: [Done(command_id)])
        self._records: deque[Record] = deque()
        self._ids = itertools.count(1)

    @property
    def capabilities(self) -> frozenset[str]:
        return self._capabilities

    def start(self) -> None:
        self.started = True
        self._records.extendleft(reversed(self._first))

    def submit(self, command: Command) -> int:
        command_id = next(self._ids)
        self.commands.append(command)
        self._records.extend(self._script(command, command_id))
        return command_id

    def play(self, *records: Record) -> None:
        """Let these records arrive."""
        self._records.extend(records)

    def records(self, timeout: float = 0.0) -> Sequence[Record]:
        found = list(self._records)
        self._records.clear()
        return found

    def close(self) -> None:
        self.closed = True


def opening(
    tree: AgentNode = TREE, *, offline: tuple[str, ...] = ("gemini-2.5-flash",)
) -> list[Record]:
    """What a loaded engine says first: ready, an empty session, idle."""
    return [
        Ready("shop", tree, "/agents/shop", "user", "kept in memory", offline=offline),
        SessionOpened("s-1", "user", "shop"),
        Status("ready"),
    ]


def said(
    author: str, text: str, *, id: str = "", partial: bool = False, **more: object
) -> EventRecord:
    """An event with text."""
    return event(
        author,
        [{"text": text}],
        id=id or f"{author}-{abs(hash(text))}",
        partial=partial,
        **more,
    )


def called(
    author: str,
    name: str,
    args: dict[str, object],
    *,
    call_id: str,
    waits: bool = False,
    **more: object,
) -> EventRecord:
    """An event with a function call; ``waits`` makes it a long-running one."""
    if waits:
        more["longRunningToolIds"] = [call_id]
    part = {"functionCall": {"id": call_id, "name": name, "args": args}}
    return event(author, [part], id=f"call-{call_id}", **more)


def responded(
    author: str, name: str, response: dict[str, object], *, call_id: str, **more: object
) -> EventRecord:
    """An event with a function response."""
    part = {"functionResponse": {"id": call_id, "name": name, "response": response}}
    event_id = str(more.pop("id", f"response-{author}-{call_id}"))
    return event(author, [part], id=event_id, **more)


def event(author: str, parts: list[dict[str, object]], *, id: str, **more: object) -> EventRecord:
    """An event as ADK writes it."""
    import json

    body = {
        "id": id,
        "author": author,
        "invocationId": "inv-1",
        "timestamp": 1_760_000_000.0,
        "content": {"role": "user" if author == "user" else "model", "parts": parts},
        "actions": {},
        **more,
    }
    return read_event(json.dumps(body).encode())
