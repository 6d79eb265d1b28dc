"""What the user wrote and is on its way: nothing of it is lost, whatever becomes of it.

A message stays here until the engine says that it has ended. One that brought
nothing goes back into the prompt, and a message that was to take another's
place is again marked as that.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from adk_tui.core.chat_items import UserTurn
from adk_tui.core.commands import Attachment, Resend, Say
from adk_tui.core.reports import Done, Queued
from adk_tui.core.rewind_preview import RewindPreview, preview_rewind
from adk_tui.core.state import initial_state
from adk_tui.tui.holding import Editing, what_holds

if TYPE_CHECKING:
    from adk_tui.tui.app import WorkbenchApp


@dataclass(frozen=True, slots=True)
class _Sent:
    text: str
    attachments: tuple[Attachment, ...] = ()
    editing: Editing | None = None


class Sending:
    """Messages by command id, and the one that is being edited."""

    def __init__(self, app: "WorkbenchApp") -> None:
        self._app = app
        self._sent: dict[int, _Sent] = {}
        self.editing: Editing | None = None
        self.failed: _Sent | None = None
        """The last message, if its run has failed and nothing was sent since."""

    def say(self, text: str, attachments: tuple[Attachment, ...] = ()) -> None:
        """Send a message, in the place of the edited one if there is one."""
        editing, self.editing = self.editing, None
        command = (
            Say(text, attachments)
            if editing is None
            else Resend(editing.turn.invocation_id, text, attachments)
        )
        self.failed = None
        self._sent[self._app.submit(command)] = _Sent(text, attachments, editing)
        self.show()

    def again(self) -> None:
        """Send the message whose run has failed once more, as a new turn."""
        if self.failed is not None:
            self.say(self.failed.text, self.failed.attachments)

    def edit(self, turn: UserTurn) -> None:
        """Take a message into the prompt; what is sent next takes its place."""
        area = self._app.main.area
        before = self.editing.before if self.editing else area.prompt.message
        self.editing = Editing(turn, self.preview(turn.invocation_id), before)
        self._app.main.write()
        area.prompt.fill(turn.text)
        self.show()

    def end_edit(self) -> None:
        """The message stays as it is; what was in the prompt before comes back."""
        if self.editing is not None:
            self._app.main.area.prompt.fill(self.editing.before)
            self.editing = None
            self.show()

    def preview(self, invocation_id: str) -> RewindPreview | None:
        """What undoing the invocation, with all after it, takes back."""
        view = self._app.view
        if view.session is None:
            return None
        events = view.log.history()
        return preview_rewind(
            events,
            invocation_id,
            initial_state(view.session.state, events),
            view.ready.root if view.ready else None,
            resumable=view.resumable,
        )

    def take_back(self, command_id: int) -> bool:
        """A message that waited is wanted back in the prompt."""
        sent = self._sent.pop(command_id, None)
        if sent is None:
            return False
        self._app.main.write()
        self._restore(sent)
        self.show()
        return True

    def ended(self, done: Done) -> None:
        """A command has ended: a message that brought nothing goes back into the prompt."""
        sent = self._sent.pop(done.command, None)
        if sent is None or done.ok or done.stopped:
            return
        if done.events:
            self.failed = sent
        else:
            self._restore(sent)

    def _restore(self, sent: _Sent) -> None:
        area = self._app.main.area
        if sent.editing is not None and self.editing is None:
            self.editing = sent.editing
        area.take_back(sent.text)

    def show(self) -> None:
        """Show above the prompt what waits to be sent, and what holds until it is taken back."""
        app, phase = self._app, self._app.view.status.phase
        why = "a run is at work" if phase in ("running", "stopping") else f"engine {phase}"
        app.main.area.show_waiting(self.waiting, why)
        if app.main.filled:
            app.main.show_notes(what_holds(app.view, self.editing))

    @property
    def waiting(self) -> tuple[Queued, ...]:
        """What was sent and waits: as the engine tells it, or all of it while none is up."""
        status = self._app.view.status
        if status.queued or status.phase in ("ready", "running", "stopping"):
            return status.queued
        return tuple(Queued(number, sent.text) for number, sent in self._sent.items())
