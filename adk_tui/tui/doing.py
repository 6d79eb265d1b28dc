"""What all groups of actions share: the app, and whether something is possible now."""

from typing import TYPE_CHECKING

from adk_tui.core.chat_items import AgentText, UserTurn
from adk_tui.tui.actions import BY_NAME, Action, Situation, why_not

if TYPE_CHECKING:
    from adk_tui.core.session import SessionView
    from adk_tui.tui.app import WorkbenchApp


class Doing:
    """A group of actions: one method for each, named after it, given what followed the command."""

    def __init__(self, app: "WorkbenchApp") -> None:
        self._app = app

    @property
    def view(self) -> "SessionView":
        """What is known of the conversation."""
        return self._app.view

    def situation(self) -> Situation:
        """What decides about possible actions."""
        view = self._app.view
        items = view.transcript.items
        return Situation(
            phase=view.status.phase,
            capabilities=self._app.engine.capabilities,
            loaded=view.ready is not None,
            waiting=len(self._app.sending.waiting),
            tickets=len(view.tickets.open),
            answers=any(isinstance(i, AgentText) for i in reversed(items)),
            # From the front: in a long run the one turn is its beginning.
            turns=any(isinstance(i, UserTurn) and not i.withdrawn for i in items),
            failed=self._app.sending.failed is not None,
            undoable=self._app.undoing.count,
        )

    def refuses(self, action: Action | str) -> bool:
        """Whether the action is not possible now; the user is then told why."""
        known = BY_NAME[action] if isinstance(action, str) else action
        if reason := why_not(known, self.situation()):
            self._app.tell(reason, warning=True)
        return bool(reason)
