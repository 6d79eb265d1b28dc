"""The slash commands of ``adk-tui chat``: one method for each, named after its action.

The registry is that of the full screen, so what a command is called, what may
follow it and when it is possible is the same in both.
"""

import json
import time
from collections.abc import Callable
from typing import Final, Protocol

from adk_tui.client.engine import Engine
from adk_tui.console.chat_keeping import ChatArtifacts, choose_settings
from adk_tui.console.chat_undo import ChatUndo
from adk_tui.console.printer import DIM, WARNING, Printer
from adk_tui.core import filters
from adk_tui.core.action_text import usage
from adk_tui.core.actions import ACTIONS, BY_SLASH
from adk_tui.core.ages import ago
from adk_tui.core.chat_items import AgentText, UserTurn
from adk_tui.core.commands import (
    Command,
    EditState,
    Fork,
    ListSessions,
    NewSession,
    OpenSession,
    Reload,
    RenameSession,
    Restart,
    Rewind,
    Transfer,
)
from adk_tui.core.jsontools import JsonObject, as_object
from adk_tui.core.kinds import kind_of
from adk_tui.core.masking import mask
from adk_tui.core.possible import Situation, why_not
from adk_tui.core.reports import AgentNode
from adk_tui.core.routing import find_agent, transfer_targets
from adk_tui.core.sanitize import line
from adk_tui.core.session import SessionView
from adk_tui.core.state import initial_state, state_at
from adk_tui.core.state_check import explain, refusals
from adk_tui.core.summary import one_line
from adk_tui.core.typed import state_of, value_of

LATEST: Final = 50
"""Events, and lines of output, that are shown when no more is asked for."""

COMMANDS: Final = tuple(a for a in ACTIONS if a.slash and not a.full_screen)
"""The actions that the line mode knows."""

KEYS: Final = (
    ("Enter", "send the message"),
    ("Ctrl+J, Esc Enter", "begin a new line"),
    ("↑ ↓", "what was sent before"),
    ("Tab", "complete a /command, a name or an @file"),
    ("Ctrl+C", "stop the run (pressed again, end its process); at the prompt, drop the line"),
    ("Ctrl+D", "leave"),
)


class Host(Protocol):
    """What the commands need of the chat."""

    view: SessionView
    engine: Engine
    printer: Printer
    reveal: bool
    leaving: bool
    draft: str

    def carry_out(self, command: Command) -> bool:
        """Carry out a command; False where it failed, which was then said."""
        ...

    def choose(self, question: str, choices: tuple[str, ...]) -> str:
        """One of the choices, or what else was typed; empty where nothing was."""
        ...

    def ask(self, question: str, default: str = "") -> str | None:
        """What is typed in answer, ``default`` to begin with; None at Ctrl+C or Ctrl+D."""
        ...

    def replace_message(self, turn: UserTurn) -> None:
        """Let the user write another message, and send it in the place of this one."""
        ...

    def offer(self, key: str = "", *, again: bool = False) -> None:
        """Ask for the answers to open tickets, or to one of them."""
        ...


class ChatCommands:
    """Does what a slash command says."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._printer = host.printer
        self._undoing = ChatUndo(host)

    def situation(self) -> Situation:
        """What decides about possible commands."""
        view = self._host.view
        items = view.transcript.items
        return Situation(
            phase=view.status.phase,
            capabilities=self._host.engine.capabilities,
            loaded=view.ready is not None,
            answers=any(isinstance(i, AgentText) for i in reversed(items)),
            turns=any(isinstance(i, UserTurn) and not i.withdrawn for i in reversed(items)),
            tickets=len(view.tickets.open),
            undoable=self._undoing.count,
        )

    def do(self, text: str) -> None:
        """Carry out ``/command argument``, or say why not."""
        word, _, argument = text[1:].partition(" ")
        action = BY_SLASH.get(word.lower())
        if action is None:
            self._warn(
                f"There is no command /{line(word, 40)}. /help lists them; // sends a slash."
            )
            return
        if action not in COMMANDS:
            self._warn(f"/{action.slash} needs the full screen: adk-tui run.")
            return
        if reason := why_not(action, self.situation()):
            self._warn(reason)
            return
        method: Callable[[str], None] = getattr(self, action.name)
        method(argument.strip())

    def _warn(self, text: str) -> None:
        self._printer.say(text, WARNING)

    def _row(self, text: str) -> None:
        indent = len(text) - len(text.lstrip(" "))
        self._printer.say(" " * indent + line(text, 400))

    def help(self, argument: str) -> None:
        """All commands and keys, or one command."""
        wanted = argument.lstrip("/").lower()
        found = [a for a in COMMANDS if not wanted or wanted in (a.slash, a.name)]
        if not found:
            self._warn(f"There is no command /{line(wanted, 40)}.")
        for action in found:
            self._row(f"  {usage(action):<22} {action.help}")
        if not wanted:
            for key, what in KEYS:
                self._row(f"  {key:<22} {what}")
            self._row("  @file                  attach a file; Tab completes the path")

    def stop(self, _: str) -> None:
        """Only possible while something runs, and then Ctrl+C does it."""

    def events(self, argument: str) -> None:
        """The newest events, those that a filter lets through."""
        try:
            accept = filters.parse(argument)
        except filters.FilterError as error:
            self._warn(f"{error} Write for example: /events author:stock error")
            return
        log = self._host.view.log
        found = [e for e in log if not e.partial and accept(e)]
        if len(found) > LATEST:
            self._printer.say(f"… {len(found) - LATEST} earlier", DIM)
        for event in found[-LATEST:]:
            clock = time.strftime("%H:%M:%S", time.localtime(event.timestamp))
            inner = "  " if event.inner_of else ""
            words = one_line(event, 160, reveal=self._host.reveal)
            self._row(f"{clock}  {inner}{line(event.author, 20):<14} {kind_of(event):<11} {words}")
        if not found:
            self._printer.say("No event fits." if argument else "There are no events yet.", DIM)

    def approvals(self, argument: str) -> None:
        """What waits, and its answers; with a ticket's id only that one, answered ones too."""
        view = self._host.view
        if argument:
            self._host.offer(argument, again=True)
            return
        for ticket in view.tickets.open:
            when = f", {ago(time.time() - ticket.opened)}" if ticket.opened else ""
            self._row(f"  {ticket.key}  {ticket.name}, asked by {ticket.agent}{when}")
        self._host.offer(again=True)

    def agents(self, _: str) -> None:
        """The agent tree."""
        ready, route = self._host.view.ready, self._host.view.route()
        if ready is not None:
            self._tree(ready.root, 0, route.agent if route else "")

    def _tree(self, node: AgentNode, depth: int, active: str) -> None:
        mark = "▸" if node.name == active else " "
        model = f", {node.model}" + (" (offline model)" if node.offline else "")
        tools = f", tools: {', '.join(t.name for t in node.tools)}" if node.tools else ""
        self._row(f"{mark} {'  ' * depth}{node.name} ({node.kind}{model if node.model else ''})")
        if node.description or tools:
            self._printer.say(f"    {'  ' * depth}{line(node.description + tools, 300)}", DIM)
        for child in node.children:
            self._tree(child, depth + 1, active)

    def transfer(self, argument: str) -> None:
        """Choose who answers next."""
        view = self._host.view
        if view.ready is None:
            return
        targets = transfer_targets(view.ready.root, view.log.history())
        if not argument:
            for target in targets:
                mark = "▸" if target.active else " "
                why = "" if target.reachable or target.active else f"  cannot: {target.reason}"
                self._row(f"{mark} {'  ' * target.depth}{target.agent}{why}")
            names = tuple(t.agent for t in targets if t.reachable)
            argument = self._host.choose("Who answers next? (Enter: as it is)", names)
            if not argument:
                return
        if find_agent(view.ready.root, argument) is None:
            self._warn(f"There is no agent {line(argument, 60)}. /agents lists them.")
            return
        self._undoing.carry_out(Transfer(argument))

    def sessions(self, _: str) -> None:
        """The stored sessions; one may be opened."""
        host = self._host
        if not host.carry_out(ListSessions()) or host.view.sessions is None:
            return
        here = host.view.session
        for session in host.view.sessions.sessions[:LATEST]:
            mark = "▸" if here is not None and session.id == here.id else " "
            when = ago(time.time() - session.updated) if session.updated else ""
            count = f"{session.events} events" if session.events >= 0 else ""
            self._row(f"{mark} {session.id}  {session.user}  {when}  {count}  {session.title}")
        self._printer.say("/open ID opens one; the first letters of its id will do.", DIM)

    def new(self, argument: str) -> None:
        """A new session, with a state where one is given."""
        try:
            state = state_of(argument)
        except ValueError as error:
            self._warn(str(error))
            return
        if self._storable(state, "No session was made."):
            self._host.carry_out(NewSession(state))

    def _storable(self, state: JsonObject, otherwise: str) -> bool:
        """Whether a session service takes the state; if not, which key it refuses is said."""
        if problems := refusals(state):
            self._warn(line(f"{otherwise} {explain(problems)}", 500))
        return not problems

    def open(self, argument: str) -> None:
        """The session with this id, or whose id begins like this."""
        host = self._host
        if not argument:
            self.sessions("")
            return
        if not host.carry_out(ListSessions()) or host.view.sessions is None:
            return
        found = [s for s in host.view.sessions.sessions if s.id.startswith(argument)]
        exact = [s for s in found if s.id == argument] or found
        if len(exact) > 1:
            names = ", ".join(line(s.id, 60) for s in exact[:5])
            self._warn(f"{len(exact)} sessions begin with {line(argument, 60)}: {names}.")
        elif exact:
            host.carry_out(OpenSession(exact[0].id, exact[0].user))
        else:
            host.carry_out(OpenSession(argument))

    def state(self, argument: str) -> None:
        """Show the state, or set one key."""
        host = self._host
        if argument:
            key, equals, text = argument.partition("=")
            if not equals or not key.strip():
                self._warn("Write /state KEY=VALUE; VALUE is JSON or plain text.")
                return
            delta = {key.strip(): value_of(text)}
            if self._storable(delta, "Nothing was written."):
                self._undoing.carry_out(EditState(delta))
            return
        view = host.view
        if view.session is None:
            return
        log = view.log.history()
        state = state_at(log, len(log) - 1, initial_state(view.session.state, log))
        shown = state if host.reveal else as_object(mask(state))
        if not shown:
            self._printer.say("The state is empty. /state KEY=VALUE sets one key.", DIM)
        for key, value in shown.items():
            self._row(f"  {key} = {json.dumps(value, ensure_ascii=False, default=str)}")

    def rewind(self, argument: str) -> None:
        """Undo a message and all that followed; its text comes back to the prompt."""
        turns = self._turns()
        for number, turn in enumerate(turns, 1):
            if number > len(turns) - LATEST:
                self._row(f"  {number}  {line(turn.text, 100)}")
        typed = argument or self._host.choose("Undo from which message on? (Enter: none)", ())
        if not typed:
            return
        if not typed.isdecimal() or not 0 < int(typed) <= len(turns):
            self._warn(
                f"There is no message {line(typed, 20)}: write a number from 1 to {len(turns)}."
            )
            return
        turn = turns[int(typed) - 1]
        if self._host.carry_out(Rewind(turn.invocation_id)):
            self._host.draft = turn.text

    def _turns(self) -> list[UserTurn]:
        items = self._host.view.transcript.items
        found = (i for i in items if isinstance(i, UserTurn) and not i.withdrawn)
        return [i for i in found if i.invocation_id]

    def edit(self, _: str) -> None:
        """Write the last message anew; it is sent in the place of the old one."""
        if turns := self._turns():
            self._host.replace_message(turns[-1])

    def fork(self, argument: str) -> None:
        """A new session with everything so far, under a title where one is given."""
        self._host.carry_out(Fork(title=argument))

    def rename(self, argument: str) -> None:
        """Give the session a title; without one, ask for it."""
        session = self._host.view.session
        if session is None:
            return
        title: str | None = argument
        if not argument:
            question = "Title (empty: its first message; Ctrl+C: as it is):"
            title = self._host.ask(question, line(session.title, 200))
        if title is not None:
            self._undoing.carry_out(RenameSession(session.id, session.user, title))

    def undo(self, _: str) -> None:
        """Take back the last transfer, state edit or new title of this chat."""
        self._undoing.undo()

    def artifacts(self, _: str) -> None:
        """The files of the session; one may be looked at and saved, or added."""
        ChatArtifacts(self._host).show()

    def settings(self, _: str) -> None:
        """How the next turns run; each setting may be changed."""
        choose_settings(self._host)

    def reload(self, _: str) -> None:
        """Load the code again; after a death, start the process again."""
        dead = self._host.view.status.phase == "dead"
        if self._host.carry_out(Restart() if dead else Reload()):
            self._printer.say("The agent was loaded again.", DIM)

    def output(self, _: str) -> None:
        """What the agent's process printed last."""
        text = "".join(o.text for o in self._host.view.outputs)
        lines = text.splitlines()
        for row in lines[-LATEST:]:
            self._printer.say(line(row, 1000))
        if not lines:
            self._printer.say("The agent's process has printed nothing.", DIM)

    def quit(self, _: str) -> None:
        """Leave."""
        self._host.leaving = True
