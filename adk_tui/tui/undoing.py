"""Remembers what was done here that can be taken back, newest last."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from adk_tui.core.commands import Command, EditState, ListSessions, Transfer
from adk_tui.core.reports import Done, SessionDeleted, SessionRenamed
from adk_tui.core.sanitize import line
from adk_tui.core.session import SessionView
from adk_tui.core.state import initial_state
from adk_tui.core.undo import Undo, undo_delete, undo_event, undo_rename, undoable

if TYPE_CHECKING:
    from adk_tui.tui.app import WorkbenchApp


@dataclass(frozen=True, slots=True)
class _Deed:
    """Something done. ``event_id`` for what is an event of session ``session_id``."""

    what: str
    session_id: str
    event_id: str = ""
    undo: Callable[[], Undo] | None = None


class Undoing:
    """One step back at a time; what is taken back is not remembered as something new."""

    def __init__(self, app: "WorkbenchApp") -> None:
        self._app = app
        self._deeds: list[_Deed] = []
        self._sent: dict[int, Command] = {}
        self._backwards: dict[int, _Deed] = {}
        self._deleted = 0
        self._renamed = 0
        self._own_titles = 0

    @property
    def count(self) -> int:
        """How many steps back there are."""
        return len(self._deeds)

    def sent(self, command_id: int, command: Command) -> None:
        """A command is on its way."""
        if isinstance(command, EditState) or (isinstance(command, Transfer) and not command.once):
            self._sent[command_id] = command

    def look(self, view: SessionView) -> None:
        """See what was deleted or renamed since the last look."""
        fresh = min(view.deletions - self._deleted, len(view.deleted))
        for deleted in islice(view.deleted, len(view.deleted) - fresh, None):
            self._told(deleted)
        for renamed in view.renamed[self._renamed :]:
            self._told(renamed)
        self._deleted, self._renamed = view.deletions, len(view.renamed)

    def _told(self, record: SessionDeleted | SessionRenamed) -> None:
        if isinstance(record, SessionDeleted):
            what = f"the deletion of {line(record.shown or record.id, 40)}"
            user, session = record.user, record.id
            self._deeds.append(_Deed(what, session, undo=lambda: self._bring_back(user, session)))
        elif self._own_titles:
            self._own_titles -= 1
        else:
            what = f"the title {line(record.title, 40)}"
            self._deeds.append(_Deed(what, record.id, undo=lambda: undo_rename(record)))

    def _bring_back(self, user: str, session: str) -> Undo:
        # Not remembered by the deed: all that was ever deleted would stay in memory.
        for deleted in reversed(self._app.view.deleted):
            if (deleted.user, deleted.id) == (user, session):
                return undo_delete(deleted)
        return Undo(None, "", problem="Only the sessions deleted last can be brought back.")

    def ended(self, done: Done) -> None:
        """A command has ended; an edit or a transfer that worked can be taken back."""
        command = self._sent.pop(done.command, None)
        if (deed := self._backwards.pop(done.command, None)) is not None:
            if not done.ok:
                self._own_titles = 0
                self._deeds.append(deed)
            elif deed.undo is not None:
                self._app.submit(ListSessions())
            return
        view = self._app.view
        if command is None or not done.ok or not done.events or view.session is None:
            return
        # Only what the command brought: a long session is too much to walk through.
        newest = next(iter(undoable(view.log.history()[-done.events :])), "")
        if newest:
            what = "a transfer" if isinstance(command, Transfer) else "a state edit"
            self._deeds.append(_Deed(what, view.session.id, newest))

    def undo(self) -> None:
        """Take the newest deed back; ask first where something came after it."""
        deed = self._deeds[-1]
        found = self._how(deed)
        app = self._app
        if found is None:
            app.tell(
                f"{deed.what.capitalize()} was made in session {line(deed.session_id, 40)}."
                " Open that session (F7) to take it back.",
                warning=True,
            )
            return
        if found.problem or found.command is None:
            self._deeds.pop()
            app.tell(f"{deed.what.capitalize()} stays. {line(found.problem, 300)}", warning=True)
            return
        if not found.warning:
            self._do(deed, found)
            return
        from adk_tui.tui.screens.choose import Confirm

        def answered(choice: str | None) -> None:
            if choice == "yes":
                self._do(deed, found)

        app.push_screen(Confirm(f"Undo {deed.what}?", found.words, note=found.warning), answered)

    def _how(self, deed: _Deed) -> Undo | None:
        if deed.undo is not None:
            return deed.undo()
        view = self._app.view
        if view.session is None or view.ready is None or view.session.id != deed.session_id:
            return None
        events = view.log.history()
        initial = initial_state(view.session.state, events)
        return undo_event(
            events, deed.event_id, view.ready.root, initial, resumable=view.resumable
        ) or Undo(None, "", problem="It is no longer in the session.")

    def _do(self, deed: _Deed, found: Undo) -> None:
        if found.command is None or deed not in self._deeds:
            return
        self._deeds.remove(deed)
        if deed.undo is not None and deed.what.startswith("the title"):
            self._own_titles += 1
        self._backwards[self._app.submit(found.command)] = deed
        self._app.tell(f"Undone: {deed.what}. {line(found.words, 200)}")
