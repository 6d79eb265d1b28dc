"""``adk-tui chat``: a conversation line by line, for slow links, screen readers and habits.

While a message is typed, what the engine says is printed above the prompt;
while a run is at work, there is no prompt and Ctrl+C stops the run; what is
typed then is in the next prompt. Everything happens in one thread: the prompt's
event loop, or ours.
"""

import asyncio
import signal
import sys
from collections.abc import AsyncGenerator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, NoReturn

from prompt_toolkit.application import run_in_terminal
from prompt_toolkit.formatted_text import StyleAndTextTuples
from rich.console import Console

from adk_tui.client.attach import AttachError, attach
from adk_tui.client.completion import mentioned
from adk_tui.client.engine import Engine
from adk_tui.console.chat_answers import Answerer, Later
from adk_tui.console.chat_commands import ChatCommands
from adk_tui.console.chat_prompt import Prompt, SharedHistory, WordCompleter
from adk_tui.console.conversation import Conversation
from adk_tui.console.keyboard import Keyboard
from adk_tui.console.plain import NOT_LOADED, failure_text
from adk_tui.console.printer import DIM, ERROR, WARNING, Printer, make_console
from adk_tui.console.tickets import AnswerError, find_ticket
from adk_tui.core.brief import brief
from adk_tui.core.chat_items import UserTurn
from adk_tui.core.commands import Attachment, Command, Resend, Say
from adk_tui.core.consequences import consequences
from adk_tui.core.names import names
from adk_tui.core.reports import Done, Failure, Notice, Record, SessionOpened
from adk_tui.core.sanitize import line
from adk_tui.core.session import SAME_SESSION
from adk_tui.core.tickets import Ticket

PUMP: Final = 0.1
"""Seconds between two looks at what the engine says, while the user types."""


@dataclass(frozen=True, slots=True)
class ChatOptions:
    """``history_file`` None keeps what is typed in memory; ``title`` names the agent.

    With ``debug`` tracebacks are told, ``reveal`` shows secrets.
    """

    title: str = "adk-tui"
    history_file: Path | None = None
    reveal: bool = False
    debug: bool = False


class Chat:
    """One conversation with a person."""

    def __init__(
        self, engine: Engine, options: ChatOptions, console: Console | None = None
    ) -> None:
        self.engine = engine
        self.reveal = options.reveal
        self.leaving = False
        self.draft = ""
        self._options = options
        self._console = console or make_console()
        self.printer = Printer(self._console, reveal=options.reveal, debug=options.debug)
        self._talk = Conversation(engine, self._listen)
        self.view = self._talk.view
        self._commands = ChatCommands(self)
        self._keyboard = Keyboard()
        self._past = SharedHistory(options.history_file)
        self._prompt = Prompt(
            self._keyboard,
            self._past,
            WordCompleter(self.vocabulary, lambda: self.view.log),
            self._toolbar,
            self._pump,
        )
        self._answerer = Answerer(
            self._prompt,
            lambda text: self.printer.say(text),
            lambda text: self.printer.say(text, ERROR),
        )
        self._offered: set[str] = set()
        self._failure_told: Failure | None = None
        self._session = ""
        self._opening = False
        self._told_again = False
        self._unprinted = ""

    def run(self) -> int:
        """Until the user leaves. Returns the exit code: 0, or 3 if the agent is not loaded."""
        before = {signal.SIGINT: signal.signal(signal.SIGINT, self._interrupt)}
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
            # Not killed on the spot: the terminal is given back as it was.
            before[number] = signal.signal(number, _leave)
        try:
            with self._keyboard.held(), self._talk:
                self.printer.say(
                    f"adk-tui chat with {line(self._options.title, 60)}."
                    " /help lists the commands, Ctrl+D leaves.",
                    DIM,
                )
                while not self.leaving:
                    # Ctrl+C may come just after the run that it was meant for.
                    with suppress(KeyboardInterrupt):
                        self._turn()
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
        return NOT_LOADED if self.view.status.phase == "failed" else 0

    def _interrupt(self, _number: int, _frame: object) -> None:
        if not self._talk.interrupt():
            raise KeyboardInterrupt

    def _turn(self) -> None:
        draft, self.draft = self.draft, ""
        try:
            text = self._prompt.read(self._name, draft).strip()
        except EOFError:
            self.leaving = True
            return
        finally:
            self._flush()
            if trouble := self._past.file.trouble():
                self.printer.say(line(trouble, 300), WARNING)
        if text.startswith("/") and not text.startswith("//"):
            self._commands.do(text)
        elif text:
            self._say(text.removeprefix("/") if text.startswith("//") else text)
        if not self.leaving:
            self.offer()

    def _name(self) -> str:
        route = self.view.route()
        return line(route.agent if route else self._options.title, 40)

    def _say(self, text: str) -> None:
        attachments = self._attached(text)
        if attachments is not None:
            self._send(text, Say(text, attachments))

    def _attached(self, text: str) -> tuple[Attachment, ...] | None:
        """The files that a message names; None where they cannot be sent: it is a draft again."""
        try:
            return attach(mentioned(text))
        except AttachError as error:
            self.printer.say(str(error), WARNING)
            self.draft = text
            return None

    def _send(self, text: str, command: Say | Resend) -> None:
        self.printer.typed(text)
        ended_well = self.carry_out(command)
        if self.printer.take_back(text) and not ended_well:
            self.draft = text

    # What the commands need

    def carry_out(self, command: Command) -> bool:
        """Carry out a command and say what came of it; False where it failed."""
        done = self._talk.run(command)
        self._flush()
        if self._talk.interrupted:
            # A run that had begun tells so itself.
            if not done.events:
                self.printer.say(done.note or "Stopped.", WARNING)
        elif done.failure is not None and not done.event_id:
            self._fail(done.failure)
        elif done.note:
            self.printer.say(done.note, DIM)
        return done.ok

    def choose(self, question: str, choices: tuple[str, ...]) -> str:
        """One of the choices, or what else was typed; empty where nothing was."""
        try:
            return self._prompt.ask(question, choices=choices).strip()
        except (KeyboardInterrupt, EOFError):
            return ""
        finally:
            self._flush()

    def ask(self, question: str, default: str = "") -> str | None:
        """What is typed in answer, ``default`` to begin with; None at Ctrl+C or Ctrl+D."""
        try:
            return self._prompt.ask(question, default=default).strip()
        except (KeyboardInterrupt, EOFError):
            return None
        finally:
            self._flush()

    def replace_message(self, turn: UserTurn) -> None:
        """Let the user write another message, and send it in the place of this one."""
        question = "In the place of this message (Ctrl+C: it stays):"
        try:
            text = self._prompt.edit(question, turn.text).strip()
        except (KeyboardInterrupt, EOFError):
            text = ""
        finally:
            self._flush()
        attachments = self._attached(text) if text else None
        if attachments is not None:
            self._send(text, Resend(turn.invocation_id, text, attachments))

    def offer(self, key: str = "", *, again: bool = False) -> None:
        """Ask for the answers to open tickets, each once, or (``again``) to what is asked for."""
        if key:
            try:
                self._answer(find_ticket(self.view.tickets, key))
            except AnswerError as error:
                self.printer.say(str(error), WARNING)
            return
        if not again and self._new_tickets() and self._keyboard.typed_ahead():
            # These keys were meant for the prompt: they must not answer anything.
            self._offered |= {t.key for t in self.view.tickets.open}
            self._tell_waiting()
        keys = [t.key for t in self.view.tickets.open] if again else []
        while True:
            ticket = next((t for t in self.view.tickets.open if t.key in keys), None) or next(
                iter(self._new_tickets()), None
            )
            if ticket is None:
                return
            if ticket.key in keys:
                keys.remove(ticket.key)
            if not self._answer(ticket):
                return

    def _new_tickets(self) -> list[Ticket]:
        return [t for t in self.view.tickets.open if t.key not in self._offered and not t.dead]

    def _answer(self, ticket: Ticket) -> bool:
        """Ask for one answer and send it. False where the user goes on with something else."""
        self._offered.add(ticket.key)
        self._describe(ticket)
        try:
            answer = self._answerer.answer(ticket)
        except Later as later:
            self._flush()
            self.draft = later.typed
            self.printer.say("It stays open; /approvals answers it.", DIM)
            return not later.typed
        self._flush()
        return self.carry_out(answer)

    def _describe(self, ticket: Ticket) -> None:
        say = self.printer.say
        say(line(f"! {ticket.name}, asked by {ticket.agent} ({ticket.key})", 200), WARNING)
        if ticket.message:
            say(f"  {ticket.message}")
        if ticket.args:
            say(f"  {brief(ticket.args, 400, reveal=self.reveal)}")
        if ticket.payload:
            say(f"  payload: {brief(ticket.payload, 400, reveal=self.reveal)}")
        for reply in ticket.replies:
            who = "you" if reply.author == "user" else reply.author
            problem = f"  ({reply.problem})" if reply.problem else ""
            text = brief(reply.response, 200, reveal=self.reveal)
            say(line(f"  {who}: {text}{problem}", 300), DIM)
        ready = self.view.ready
        if ready is not None:
            log = self.view.log.history()
            for sentence in consequences(ticket, ready.root, log, self.view.resumable):
                say(f"  {sentence}", DIM)

    def vocabulary(self, kind: str) -> Sequence[tuple[str, str]]:
        """What may follow a slash command."""
        return names(kind, self.view, ())

    # What the engine says

    def _listen(self, record: Record, changed: frozenset[str]) -> None:
        match record:
            case SessionOpened():
                self._opening = True
                self._told_again = record.reason in SAME_SESSION and self._session == record.id
                self._session = record.id
                if not self._told_again:
                    self.printer.begin()
                    self._offered.clear()
            case Failure():
                self._fail(record)
            case Notice():
                self.printer.say(record.message, WARNING if record.level == "warning" else DIM)
            case _:
                pass
        items = self.view.transcript.items
        if self._opening:
            if self._talk.ready:
                self._opening = False
                self._opened()
        elif "transcript" in changed or isinstance(record, Done):
            # An error that came last so far may not be printed yet.
            first = max(self.view.first_changed - 1, 0)
            self.printer.show(items[first:], ended=isinstance(record, Done))

    def _opened(self) -> None:
        items = self.view.transcript.items
        if self._told_again:
            self.printer.show(items, ended=True)
            return
        self.printer.say(f"Session {self._session}.", DIM)
        self.printer.history(items)
        self._tell_waiting()

    def _tell_waiting(self) -> None:
        waiting = self.view.tickets.open
        if waiting:
            called = ", ".join(dict.fromkeys(line(t.name, 60) for t in waiting))
            verb = "waits" if len(waiting) == 1 else "wait"
            self.printer.say(
                f"! {len(waiting)} {verb} for you ({called}); /approvals answers.", WARNING
            )

    def _fail(self, failure: Failure) -> None:
        if failure is self._failure_told:
            return
        self._failure_told = failure
        self.printer.error(failure_text(replace(failure, hint="", details="")), failure.hint)
        if failure.details and self._options.debug:
            self.printer.say(failure.details, DIM)
        if failure.code.startswith(("load.", "process.", "python.")):
            self.printer.say("/reload starts the agent again; what you typed is kept.", DIM)

    async def _pump(self) -> AsyncGenerator[None, None]:
        """Beside the prompt: take what the engine says and print it above."""
        while True:
            await asyncio.sleep(PUMP)
            records = self.engine.records()
            if not records:
                continue
            with self._console.capture() as captured:
                self._talk.fold(records)
            self._unprinted += captured.get()
            if self._unprinted:
                await run_in_terminal(self._flush)
            yield

    def _flush(self) -> None:
        text, self._unprinted = self._unprinted, ""
        if text:
            sys.stdout.write(text)
            sys.stdout.flush()

    def _toolbar(self) -> StyleAndTextTuples:
        view = self.view
        parts: list[str] = []
        if view.ready is None:
            detail = f": {view.status.detail}" if view.status.detail else ""
            parts.append(f"{self._options.title} {view.status.phase}{detail}")
        else:
            route = view.route()
            parts += [view.ready.app, f"next: {route.agent if route else '?'}"]
            if view.ready.offline:
                parts.append("offline model")
            if view.status.phase != "ready":
                parts.append(view.status.phase)
        if waiting := len(view.tickets.open):
            parts.append(f"{waiting} waiting")
        if view.usage.total:
            parts.append(f"{view.usage.total:,} tokens")
        return [("", line("  ·  ".join(parts), 200))]


def _leave(number: int, _frame: object) -> NoReturn:
    raise SystemExit(128 + number)
