"""``adk-tui ask``: messages in, answers out, for scripts and pipelines.

The agent's words go to stdout and nothing else does; tool calls, tickets,
notices and what the agent prints go to stderr.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TextIO

from adk_tui.client.engine import Engine
from adk_tui.console.conversation import Conversation, NotLoaded
from adk_tui.console.plain import dump_line, masked
from adk_tui.console.tickets import AnswerError, prepare
from adk_tui.core.commands import Command, Say
from adk_tui.core.jsontools import as_object
from adk_tui.core.masking import mask_text
from adk_tui.core.records import EventRecord
from adk_tui.core.reports import Done, Failure, Notice, Output, Record, ToolRun
from adk_tui.core.sanitize import clean
from adk_tui.core.sanitize import line as one_line
from adk_tui.core.tickets import Ticket
from adk_tui.core.wire import encode_record

PAUSED = 2
"""Exit code when a ticket is open at the end."""


@dataclass(frozen=True, slots=True)
class AskOptions:
    """``answers`` are responses by ticket id or tool name; ``jsonl`` prints records, not words."""

    answers: Mapping[str, Mapping[str, Any]]
    jsonl: bool = False
    reveal: bool = False


class Ask:
    """Runs turns and says what came of them."""

    def __init__(self, engine: Engine, options: AskOptions, out: TextIO, err: TextIO) -> None:
        self._options = options
        self._out = out
        self._err = err
        self._used: set[str] = set()
        self._live = False
        self._talk = Conversation(engine, self._listen)

    def interrupt(self) -> None:
        """Stop what runs and end; for a signal handler."""
        self._talk.interrupt()

    def run(self, messages: Iterable[str]) -> int:
        """All messages, one after the other. Returns the exit code.

        0 done, 1 error, 2 paused on an open ticket, 3 the agent does not load,
        130 interrupted.
        """
        with self._talk as talk:
            try:
                talk.wait_until_ready()
            except NotLoaded as error:
                if not talk.view.failures:
                    self._failure(error.failure)
                return 3
            except KeyboardInterrupt:
                return 130
            self._live = True
            for message in messages:
                if not self._turn(Say(message)):
                    return 130 if talk.interrupted else 1
            return self._paused()

    def _turn(self, command: Command) -> bool:
        """One command and the prepared answers to the tickets it left open."""
        while True:
            done = self._talk.run(command)
            if done.failure is not None:
                self._failure(done.failure)
            if done.failure is not None or self._talk.interrupted:
                return False
            if done.note:
                self._note(done.note)
            try:
                following = self._prepared()
            except AnswerError as error:
                self._note(f"error: {error}")
                return False
            if following is None:
                return True
            command = following

    def _prepared(self) -> Command | None:
        for ticket in self._talk.view.tickets.open:
            for name in (ticket.key, ticket.call_id, ticket.name):
                if name in self._options.answers and ticket.key not in self._used:
                    self._used.add(ticket.key)
                    return prepare(ticket, self._options.answers[name])
        return None

    def _paused(self) -> int:
        waiting = self._talk.view.tickets.open
        for ticket in waiting:
            self._note(f"waiting: {ticket.key} {_asks(ticket)}")
        session = self._talk.view.session
        if waiting and session is not None:
            self._note(f"session: {session.id} (go on with --session {session.id} and --answer)")
        return PAUSED if waiting else 0

    def _listen(self, record: Record, _changed: frozenset[str]) -> None:
        if self._options.jsonl:
            plain = as_object(json.loads(encode_record(record)))
            self._write(dump_line(masked(plain, self._options.reveal)).decode("ascii"))
        match record:
            case EventRecord(partial=False, inner_of="") if self._live:
                self._event(record)
            case ToolRun(ended=0):
                self._note(f"tool: {record.agent} runs {record.name}")
            case ToolRun(error=error) if error:
                self._note(f"tool: {record.name} failed: {error}")
            case Failure():
                self._failure(record)
            case Notice():
                self._note(record.message)
            case Output():
                for text in record.text.splitlines():
                    self._note(f"{record.stream}: {text}")
            case Done() | _:
                pass

    def _event(self, event: EventRecord) -> None:
        if event.author == "user":
            return
        if event.text and not self._options.jsonl:
            self._write(clean(self._safe(event.text)).rstrip("\n") + "\n")
        if event.actions.transfer_to_agent:
            self._note(f"transfer: {event.author} to {event.actions.transfer_to_agent}")

    def _failure(self, failure: Failure) -> None:
        where = f" ({failure.file}:{failure.line})" if failure.file else ""
        self._note(f"error: {failure.message}{where} {failure.hint}".rstrip())

    def _note(self, text: str) -> None:
        self._err.write(one_line(self._safe(text), 2_000) + "\n")
        self._err.flush()

    def _safe(self, text: str) -> str:
        return text if self._options.reveal else mask_text(text)

    def _write(self, text: str) -> None:
        self._out.write(text)
        self._out.flush()


def _asks(ticket: Ticket) -> str:
    question = f": {ticket.message}" if ticket.message else ""
    return f"{ticket.agent} asks for {ticket.name}{question}"
