"""Tells the user what was noticed, what went wrong and what has ended, each once."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from adk_tui.core.reports import Done, Failure
    from adk_tui.tui.app import WorkbenchApp


class News:
    """Knows what of the view's notices, failures and ended commands was told already."""

    def __init__(self, app: "WorkbenchApp") -> None:
        self._app = app
        self._notices = self._failures = self._done = 0

    def look(self, changed: frozenset[str]) -> None:
        """Tell what is new."""
        app, view = self._app, self._app.view
        if "notices" in changed:
            for notice in view.notices[self._notices :]:
                app.tell(notice.message, warning=notice.level == "warning")
            self._notices = len(view.notices)
        if "failures" in changed:
            for failure in view.failures[self._failures :]:
                self._failed(failure)
            self._failures = len(view.failures)
        if "done" in changed:
            for done in view.done[self._done :]:
                self._ended(done)
            self._done = len(view.done)

    def _ended(self, done: "Done") -> None:
        app = self._app
        app.sending.ended(done)
        app.undoing.ended(done)
        # While a stop is on its way, what it waits for stands above the prompt.
        if done.note and app.view.status.phase != "stopping":
            app.tell(done.note, warning=not done.ok)
        app.main.command_ended(done)
        if done.ok:
            return
        # What an event shows stands in the chat, explained, and nowhere else.
        if done.failure is not None and app.view.log.find(done.event_id) is None:
            self._failed(done.failure)

    def _failed(self, failure: "Failure") -> None:
        from adk_tui.core.chat_items import ErrorCard

        view = self._app.view
        items = view.transcript.items
        if items and isinstance(items[-1], ErrorCard) and items[-1].message == failure.message:
            return
        self._app.main.show_failure(failure, view)
