"""What ``adk-tui chat`` can take back: the transfers, state edits and titles made in it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol

from adk_tui.console.printer import DIM, WARNING, Printer
from adk_tui.core.commands import Command, EditState, RenameSession, Transfer
from adk_tui.core.sanitize import line
from adk_tui.core.session import SessionView
from adk_tui.core.state import initial_state
from adk_tui.core.undo import Undo, undo_event, undo_rename, undoable

GONE: Final = Undo(None, "", problem="It is no longer in the session.")


class Host(Protocol):
    """What undoing needs of the chat."""

    view: SessionView
    printer: Printer

    def carry_out(self, command: Command) -> bool:
        """Carry out a command; False where it failed, which was then said."""
        ...

    def choose(self, question: str, choices: tuple[str, ...]) -> str:
        """One of the choices, or what else was typed; empty where nothing was."""
        ...


@dataclass(frozen=True, slots=True)
class _Deed:
    """Something done. ``how`` says what takes it back; None while another session is open."""

    what: str
    session_id: str
    how: Callable[[], Undo | None]


class ChatUndo:
    """One step back at a time; what is taken back is not remembered as something new."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._deeds: list[_Deed] = []

    @property
    def count(self) -> int:
        """How many steps back there are."""
        return len(self._deeds)

    def carry_out(self, command: EditState | Transfer | RenameSession) -> bool:
        """Carry out a command, and remember it if it changed something."""
        view = self._host.view
        renamed, newest = len(view.renamed), self._newest()
        if not self._host.carry_out(command):
            return False
        if isinstance(command, RenameSession):
            for told in view.renamed[renamed:]:
                what = f"the title {line(told.title, 40)}"
                self._deeds.append(_Deed(what, told.id, lambda told=told: undo_rename(told)))
        elif view.session is not None and (made := self._newest()) != newest:
            what = "a transfer" if isinstance(command, Transfer) else "a state edit"
            session = view.session.id
            self._deeds.append(_Deed(what, session, lambda: self._event(session, made)))
        return True

    def _newest(self) -> str:
        """The newest event that can be taken back; empty where there is none."""
        return next(iter(undoable(self._host.view.log.history())), "")

    def _event(self, session: str, event_id: str) -> Undo | None:
        view = self._host.view
        if view.session is None or view.ready is None or view.session.id != session:
            return None
        events = view.log.history()
        initial = initial_state(view.session.state, events)
        found = undo_event(events, event_id, view.ready.root, initial, resumable=view.resumable)
        return found or GONE

    def undo(self) -> None:
        """Take the newest deed back; ask first where something came after it."""
        deed = self._deeds[-1]
        say = self._host.printer.say
        what = deed.what.capitalize()
        found = deed.how()
        if found is None:
            say(
                f"{what} was made in session {line(deed.session_id, 40)}."
                " /open that session to take it back.",
                WARNING,
            )
            return
        if found.problem or found.command is None:
            self._deeds.pop()
            say(f"{what} stays. {line(found.problem, 300)}", WARNING)
            return
        if found.warning:
            say(line(found.warning, 300), WARNING)
            answer = self._host.choose(f"Undo {deed.what} all the same? (yes/no)", ("yes", "no"))
            if answer.lower() not in ("y", "yes"):
                say("It stays.", DIM)
                return
        if self._host.carry_out(found.command):
            self._deeds.remove(deed)
            say(f"Undone: {deed.what}. {line(found.words, 200)}", DIM)
