"""What a program writes into ``adk-tui pipe``: lines, the requests in them, the commands they mean.

A line may be anything. Whatever is wrong with one is said with its number, and
costs no other line.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, BinaryIO, Final

from adk_tui.console.plain import parse_object
from adk_tui.console.tickets import find_ticket, prepare
from adk_tui.core import commands as c
from adk_tui.core.jsontools import JsonObject, as_flag, as_object, as_text, nothing
from adk_tui.core.tickets import TicketBook

COMMANDS: Final = (
    "say", "answer", "transfer", "state", "rewind", "new", "open",
    "stop", "reload", "restart", "quit",
)  # fmt: skip
"""Everything that may stand under ``cmd``."""

LINE_LIMIT: Final = 32 << 20
"""Bytes of an input line; of a longer one nothing is kept."""

SHOWN: Final = 80
"""Characters of a wrong word that a message repeats."""


class BadLine(ValueError):
    """A line that is no request. ``id`` is the one in it, None where there is none."""

    def __init__(self, message: str, asked_id: Any = None) -> None:
        super().__init__(message)
        self.id = asked_id


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the input, counted from 1; ``text`` None where it was too long."""

    number: int
    text: bytes | None


@dataclass(frozen=True, slots=True)
class Request:
    """A command as it was asked for; ``id`` is any JSON and is echoed."""

    name: str
    id: Any = None
    source: JsonObject = field(default_factory=nothing)


def read_lines(file: BinaryIO, limit: int = LINE_LIMIT) -> Iterator[Line]:
    """The lines of a file that are not blank. Raises OSError or ValueError where it breaks."""
    number = 0
    while text := file.readline(limit + 1):
        number += 1
        if len(text) <= limit:
            if text.strip():
                yield Line(number, text)
            continue
        while text and not text.endswith(b"\n"):
            text = file.readline(limit)
        yield Line(number, None)


def parse_request(line: Line) -> Request:
    """The request in a line. Raises BadLine with a sentence that names the line."""
    if line.text is None:
        raise BadLine(f"Line {line.number} is longer than {LINE_LIMIT >> 20} MB.")
    try:
        source = parse_object(line.text.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise BadLine(f"Line {line.number} is not UTF-8 (byte {error.start}).") from error
    except ValueError as error:
        raise BadLine(f"Line {line.number} is {error}.") from error
    asked_id, name = source.get("id"), source.get("cmd")
    if not isinstance(name, str) or name not in COMMANDS:
        known = ", ".join(COMMANDS)
        said = f"unknown 'cmd' {as_text(name)[:SHOWN]!r}" if "cmd" in source else "no 'cmd'"
        raise BadLine(f"Line {line.number} has {said}; there are {known}.", asked_id)
    return Request(name, asked_id, source)


def command_of(request: Request, tickets: TicketBook) -> c.Command:
    """The command a request means now.

    Raises:
        ValueError: a key is missing, or the answer is none (``AnswerError``).
    """
    source = request.source
    match request.name:
        case "say":
            return c.Say(_need(request, "text"))
        case "answer":
            if "response" not in source:
                raise ValueError("'answer' needs 'response', the JSON to answer with.")
            return prepare(
                find_ticket(tickets, _need(request, "ticket")),
                source["response"],
                progress=as_flag(source.get("progress")),
                again=as_flag(source.get("again")),
            )
        case "transfer":
            return c.Transfer(_need(request, "agent"))
        case "state":
            delta = as_object(source.get("delta"))
            if not delta:
                raise ValueError("'state' needs 'delta' as a JSON object with keys to set.")
            return c.EditState(delta)
        case "rewind":
            return c.Rewind(_need(request, "invocation"))
        case "new":
            return c.NewSession(state=as_object(source.get("state")))
        case "open":
            return c.OpenSession(_need(request, "session"), user=as_text(source.get("user")))
        case "stop":
            return c.Stop(force=as_flag(source.get("force")))
        case "reload":
            return c.Reload()
        case "restart":
            return c.Restart()
        case _:
            return c.Quit()


def _need(request: Request, key: str) -> str:
    value = request.source.get(key)
    if not isinstance(value, str) or not value:
        raise ValueError(f"{request.name!r} needs {key!r} as a string.")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ValueError(
            f"{key!r} holds half a character (a lone surrogate), which cannot be stored."
        ) from None
    return value
