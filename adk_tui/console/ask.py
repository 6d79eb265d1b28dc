"""``adk-tui ask``: messages in, answers out, for scripts and pipelines.

The agent's words go to stdout and nothing else does; tool calls, tickets,
notices and what the agent prints go to stderr.
"""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TextIO

from adk_tui.client.engine import Engine
from adk_tui.console.conversation import Conversation, NotLoaded
from adk_tui.console.plain import dump_line, exit_code, failure_text, masked_text, record_json
from adk_tui.console.tickets import AnswerError, prepare
from adk_tui.core.commands import Answer, Command, Say
from adk_tui.core.oddities import error_hint
from adk_tui.core.records import EventRecord
from adk_tui.core.reports import Done, Failure, Notice, Output, Record, ToolRun
from adk_tui.core.sanitize import clean
from adk_tui.core.sanitize import line as one_line
from adk_tui.core.tickets import Ticket

PAUSED = 2
"""Exit code when a ticket is open at the end."""

INTERRUPTED = 130


@dataclass(frozen=True, slots=True)
class AskOptions:
    """``answers`` are responses by ticket id or tool name; ``jsonl`` prints records, not words.

    With ``debug`` tracebacks are told, ``reveal`` shows secrets.
    """

    answers: Mapping[str, Any]
    jsonl: bool = False
    reveal: bool = False
    debug: bool = False


class Ask:
    """Runs turns and says what came of them."""

    def __init__(self, engine: Engine, options: AskOptions, out: TextIO, err: TextIO) -> None:
        self._options = options
        self._out = out
        self._err = err
        self._used: set[str] = set()
        self._live = False
        self._heard: set[str] = set()
        self._error_event: EventRecord | None = None
        self._failed: Failure | None = None
        self._talk = Conversation(engine, self._listen)

    def interrupt(self) -> bool:
        """Stop what runs and end; for a signal handler. False: nothing runs."""
        return self._talk.interrupt()

    def run(self, messages: Iterable[str]) -> int:
        """Answer what waits already, then all messages, one after the other.

        Returns the exit code: 0 done, 1 error, 2 paused on an open ticket, 3
        the agent does not load, 130 interrupted. What failed is the last thing
        told: ADK logs long tracebacks, in which it would drown.
        """
        code = self._run(messages)
        if self._failed is not None:
            text = failure_text(self._failed, debug=self._options.debug)
            for row in f"error: {text}".splitlines():
                self._note(row)
        return code

    def _run(self, messages: Iterable[str]) -> int:
        with self._talk as talk:
            try:
                talk.wait_until_ready()
                self._live = True
                if not self._answer_all():
                    return self._broken()
                for message in messages:
                    if not (self._turn(Say(message)) and self._answer_all()):
                        return self._broken()
            except NotLoaded as error:
                self._failed = error.failure
                return exit_code(error.failure)
            except KeyboardInterrupt:
                return INTERRUPTED
            return self._paused()

    def _broken(self) -> int:
        if self._talk.interrupted:
            self._note("interrupted")
            return INTERRUPTED
        return 1

    def _answer_all(self) -> bool:
        """Give the prepared answers to the tickets that are open, until none fits."""
        while True:
            try:
                answer = self._prepared()
            except AnswerError as error:
                self._note(f"error: {error}")
                return False
            if answer is None:
                return True
            if not self._turn(answer):
                return False

    def _turn(self, command: Command) -> bool:
        self._error_event = None
        done = self._talk.run(command)
        if self._talk.interrupted:
            return False
        if done.failure is not None:
            self._failed = done.failure
            return False
        if self._error_event is not None:
            event = self._error_event
            words = event.error_message or "the model gave no reason"
            self._failed = Failure(
                event.error_code,
                f"{event.author}: {event.error_code}: {words}",
                error_hint(event.error_code, event.error_message),
            )
            return False
        if done.note:
            self._note(done.note)
        return done.ok

    def _prepared(self) -> Answer | None:
        """The prepared answers to the open tickets of one invocation, in one message."""
        found: list[Answer] = []
        for ticket in self._talk.view.tickets.open:
            if found and ticket.invocation_id != found[0].invocation_id:
                continue
            given = self._options.answers
            name = next((n for n in (ticket.key, ticket.call_id, ticket.name) if n in given), None)
            if name is not None and ticket.key not in self._used and not ticket.dead:
                self._used.add(ticket.key)
                found.append(prepare(ticket, given[name]))
        if not found:
            return None
        return Answer(found[0].invocation_id, tuple(a for f in found for a in f.answers))

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
            self._write(dump_line(record_json(record, self._options.reveal)).decode("ascii"))
        match record:
            case EventRecord(partial=False, inner_of=""):
                # A session that is told again brings back what was said.
                if self._live and record.id not in self._heard:
                    self._event(record)
                self._heard.add(record.id)
            case ToolRun(ended=0):
                self._note(f"tool: {record.agent} runs {record.name}")
            case ToolRun(error=error) if error:
                self._note(f"tool: {record.name} failed: {error}")
            case Failure():
                self._failed = record
            case Notice():
                self._note(record.message)
            case Output():
                for text in record.text.splitlines():
                    self._note(f"{record.stream}: {text}")
            case Done() | _:
                pass

    def _event(self, event: EventRecord) -> None:
        if event.error_code and not event.aborted:
            self._error_event = event
        if event.author == "user":
            return
        if event.text.strip() and not self._options.jsonl:
            text = clean(masked_text(event.text, self._options.reveal))
            self._write(text.rstrip("\n") + "\n")
        if event.actions.transfer_to_agent:
            self._note(f"transfer: {event.author} to {event.actions.transfer_to_agent}")

    def _note(self, text: str) -> None:
        with suppress(OSError, ValueError):
            self._err.write(one_line(masked_text(text, self._options.reveal), 2_000) + "\n")
            self._err.flush()

    def _write(self, text: str) -> None:
        self._out.write(text)
        self._out.flush()


def _asks(ticket: Ticket) -> str:
    question = f": {ticket.message}" if ticket.message else ""
    return f"{ticket.agent} asks for {ticket.name}{question}"
