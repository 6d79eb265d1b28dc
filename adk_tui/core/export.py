"""Events on their way out: files that ``adk web`` reads, request bodies, scripts, embedded data.

A line of JSONL is one event as ADK writes it. A session file has the shape of
ADK's ``Session`` (``GET /apps/…/sessions/ID``), which the "Import" of ``adk web``
takes. A run body is what ``POST /run`` of ``adk api_server`` takes
(``RunAgentRequest``). Secrets are masked unless the caller asks for them.
"""

import base64
import binascii
import json
import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from adk_tui.core.event_log import EventLog
from adk_tui.core.jsontools import JsonObject, as_list, as_object, as_text, pick
from adk_tui.core.records import EventRecord
from adk_tui.core.reports import SessionOpened
from adk_tui.core.sanitize import json_safe, mask

SERVER = "http://127.0.0.1:8000"
"""Where ``adk api_server`` listens unless told otherwise."""


@dataclass(frozen=True, slots=True)
class Exported:
    """What to write: ``text`` holds ``events`` events; ``left_out`` are no JSON objects."""

    text: str
    events: int
    left_out: int = 0


def as_jsonl(records: Iterable[EventRecord], *, reveal: bool = False) -> Exported:
    """The events, one a line, in the order given."""
    lines, left_out = _events(records, reveal)
    return Exported("".join(_dumps(e) + "\n" for e in lines), len(lines), left_out)


def as_session(
    records: Iterable[EventRecord],
    session: SessionOpened,
    state: JsonObject,
    *,
    reveal: bool = False,
) -> Exported:
    """A session file as ``adk web`` exports and imports it.

    Partials and events of inner runs are no part of a session and are left
    away. ``state`` is the session's state after the last event; ADK keeps no
    ``temp:`` keys.
    """
    own = [r for r in records if not r.partial and not r.inner_of]
    events, left_out = _events(own, reveal)
    kept = {k: v for k, v in state.items() if not str(k).startswith("temp:")}
    body = {
        "id": session.id,
        "appName": session.app,
        "userId": session.user,
        "state": kept if reveal else mask(kept),
        "events": events,
        "lastUpdateTime": own[-1].timestamp if own else 0.0,
    }
    return Exported(_dumps(body, indent=2) + "\n", len(events), left_out)


def _events(records: Iterable[EventRecord], reveal: bool) -> tuple[list[JsonObject], int]:
    found: list[JsonObject] = []
    left_out = 0
    for record in records:
        event = record.json()
        if not event:
            left_out += 1
            continue
        found.append(event if reveal else as_object(mask(event)))
    return found, left_out


def _dumps(value: object, indent: int | None = None) -> str:
    # ASCII: lone surrogates have no bytes in a file, only an escape.
    if indent is not None:
        try:
            return json.dumps(value, indent=indent, default=str)
        except RecursionError:
            # Python indents by recursion; values nested deeper go on one line.
            pass
    return json.dumps(value, separators=(",", ":"), default=str)


def event_json(record: EventRecord, *, reveal: bool = False) -> str:
    """One event as indented JSON; bytes that are no JSON object as the text they are."""
    event = record.json()
    if not event:
        text = record.raw.decode("utf-8", "replace")
        return text if reveal else as_text(mask(text))
    shown = event if reveal else mask(event)
    return json_safe(json.dumps(shown, indent=2, ensure_ascii=False, default=str))


# The run that led to an event


@dataclass(frozen=True, slots=True)
class Place:
    """Where a run takes place: the agent's ``folder``, by which ADK's servers name it, and whose
    session it is."""

    folder: str
    user: str
    session_id: str


def message_before(index: int, log: EventLog) -> EventRecord | None:
    """The message that began the invocation of an event: the newest one of the user up to it."""
    record = log[index]
    if record.inner_of:
        # An inner run was begun by a tool call of the outer one.
        outer = log.by_call(record.inner_of)
        return message_before(outer[0], log) if outer and outer[0] != index else None
    for at in reversed(log.by_invocation(record.invocation_id)):
        found = log[at]
        if at <= index and found.author == "user" and found.parts and not found.partial:
            return found
    return None


def run_body(message: EventRecord, place: Place, *, reveal: bool = False) -> JsonObject:
    """The body of ``POST /run`` that sends this message again."""
    content = as_object(message.json().get("content"))
    return {
        "appName": place.folder,
        "userId": place.user,
        "sessionId": place.session_id,
        "newMessage": content if reveal else mask(content),
    }


def as_curl(message: EventRecord, place: Place, *, reveal: bool = False) -> str:
    """A shell command that sends this message to ``adk api_server``."""
    body = json.dumps(run_body(message, place, reveal=reveal), indent=2, default=str)
    return (
        f"curl -sS {SERVER}/run \\\n"
        "  -H 'Content-Type: application/json' \\\n"
        f"  -d {shlex.quote(body)}"
    )


def as_python(message: EventRecord, place: Place, *, reveal: bool = False) -> str:
    """A script that sends this message to the agent in a new session, on google-adk's Runner."""
    content = run_body(message, place, reveal=reveal)["newMessage"]
    text = json.dumps(content, indent=4, default=str)
    package = place.folder if place.folder.isidentifier() else "agent_folder"
    return f"""import asyncio

from google.adk.runners import InMemoryRunner
from google.genai import types

from {package}.agent import root_agent

MESSAGE = {text!r}


async def main() -> None:
    runner = InMemoryRunner(agent=root_agent)
    session = await runner.session_service.create_session(
        app_name=runner.app_name, user_id={place.user!r}
    )
    message = types.Content.model_validate_json(MESSAGE)
    async for event in runner.run_async(
        user_id={place.user!r}, session_id=session.id, new_message=message
    ):
        print(event.model_dump_json(exclude_none=True, by_alias=True))


asyncio.run(main())
"""


# Data inside an event


@dataclass(frozen=True, slots=True)
class Embedded:
    """Data that an event carries: ``path`` says where, ``text`` is its base64."""

    path: str
    mime_type: str
    name: str
    text: str

    def data(self) -> bytes:
        """The bytes. Raises ValueError where the base64 is broken."""
        # ADK writes the URL-safe alphabet, others the plain one; padding may be missing.
        text = self.text.translate(_TO_URL_SAFE).rstrip("=")
        try:
            return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
        except (binascii.Error, ValueError) as error:
            raise ValueError(f"{self.path} is no base64: {error}") from error


_TO_URL_SAFE = str.maketrans("+/", "-_", "\r\n\t ")


def embedded(value: object) -> tuple[Embedded, ...]:
    """All inline data in an event, request or response, in order."""
    return tuple(_find(value))


def _find(value: object) -> Iterator[Embedded]:
    # Depth is the sender's choice, so this walks with a stack of its own.
    stack: list[tuple[str, object]] = [("", value)]
    while stack:
        path, item = stack.pop()
        if isinstance(item, Mapping):
            source = as_object(cast(object, item))
            if (found := _data(path, source)) is not None:
                yield found
                continue
            below = [(f"{path}.{k}" if path else str(k), v) for k, v in source.items()]
        else:
            below = [(f"{path}[{n}]", v) for n, v in enumerate(as_list(item))]
        stack.extend(reversed(below))


def _data(path: str, source: JsonObject) -> Embedded | None:
    mime: Any = pick(source, "mimeType")
    text: Any = source.get("data")
    if isinstance(mime, str) and isinstance(text, str) and text:
        return Embedded(path, mime, as_text(pick(source, "displayName")), text)
    marked: Any = source.get("base64")
    if source.get("$dumped") == "bytes" and isinstance(marked, str) and marked:
        return Embedded(path, "application/octet-stream", "", marked)
    return None


_SUFFIXES = {
    "image/png": ".png",
    "image/jpeg": ".jpg",
    "image/gif": ".gif",
    "image/webp": ".webp",
    "image/svg+xml": ".svg",
    "application/pdf": ".pdf",
    "application/json": ".json",
    "text/plain": ".txt",
    "text/html": ".html",
    "text/csv": ".csv",
    "text/markdown": ".md",
    "audio/wav": ".wav",
    "audio/mpeg": ".mp3",
    "video/mp4": ".mp4",
}


def suffix_of(mime_type: str) -> str:
    """The ending of a file of that type; ``.bin`` where it is not known."""
    return _SUFFIXES.get(mime_type.partition(";")[0].strip().lower(), ".bin")
