"""The sessions of the app: open one, begin one, delete one."""

import time
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import Screen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from adk_tui.core.commands import DeleteSession, ListSessions, NewSession, OpenSession
from adk_tui.core.reports import SessionInfo
from adk_tui.core.sanitize import line
from adk_tui.core.session import SessionView
from adk_tui.tui.ages import age
from adk_tui.tui.messages import Submit, Tell
from adk_tui.tui.screens.choose import Confirm


class SessionsScreen(Screen[None]):
    """Newest first. It asks the engine for the list itself, and again after each change."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,f7,q", "dismiss", "Close"),
        Binding("n", "new", "New"),
        Binding("d,delete", "delete", "Delete"),
        Binding("r", "again", "Refresh"),
    ]
    DEFAULT_CSS: ClassVar[str] = """
    SessionsScreen .title { height: 1; background: $panel; padding: 0 1; color: $primary;
        text-style: bold; }
    SessionsScreen OptionList, SessionsScreen OptionList:focus {
        text-wrap: nowrap; text-overflow: ellipsis; height: 1fr; border: none;
        background: $background;
        scrollbar-size-vertical: 1; }
    SessionsScreen .hint { height: 1; background: $panel; padding: 0 1; color: $foreground 62%; }
    """

    def __init__(self, view: SessionView) -> None:
        super().__init__()
        self._view = view
        self._shown: tuple[SessionInfo, ...] = ()

    def compose(self) -> ComposeResult:
        """Its parts, from top to bottom."""
        store = self._view.ready.store if self._view.ready else ""
        yield Static(f"Sessions   {line(store, 200)}", classes="title", markup=False)
        yield OptionList(markup=False)
        yield Static(
            "Enter opens   n new   d deletes   r refreshes   Esc closes",
            classes="hint",
            markup=False,
        )

    def on_mount(self) -> None:
        """Ask for the list; show the one that is known meanwhile."""
        self.query_one(OptionList).focus()
        self.refresh_list()
        self.action_again()

    def refresh_list(self) -> None:
        """Show the list as the view has it now; the mark stays on its session."""
        known = self._view.sessions
        if known is None:
            return
        listing = self.query_one(OptionList)
        at = listing.highlighted
        marked = self._shown[at].id if at is not None and at < len(self._shown) else ""
        self._shown = known.sessions
        listing.clear_options()
        listing.add_options(self._row(s) for s in self._shown)
        ids = [s.id for s in self._shown]
        if ids:
            listing.highlighted = ids.index(marked) if marked in ids else 0

    def _is_open(self, info: SessionInfo) -> bool:
        now = self._view.session
        return now is not None and (now.id, now.user) == (info.id, info.user)

    def _row(self, info: SessionInfo) -> Option:
        when = age(time.time() - info.updated) if info.updated else ""
        events = f"{info.events} events" if info.events >= 0 else ""
        return Option(
            Content.assemble(
                ("▸ " if self._is_open(info) else "  ", "bold $accent"),
                (f"{when:<9}{events:<12}{line(info.user, 14):<12} ", "$foreground 62%"),
                (line(info.title, 60) or "(empty)", "bold" if self._is_open(info) else ""),
                ("   " + line(info.id, 60), "$foreground 62%"),
            )
        )

    def _marked(self) -> SessionInfo | None:
        at = self.query_one(OptionList).highlighted
        return self._shown[at] if at is not None and at < len(self._shown) else None

    @on(OptionList.OptionSelected)
    def _chosen(self, event: OptionList.OptionSelected) -> None:
        info = self._shown[event.option_index]
        if not self._is_open(info):
            self.post_message(Submit(OpenSession(info.id, info.user)))
        self.dismiss()

    def action_new(self) -> None:
        """Begin a session and go to it."""
        self.post_message(Submit(NewSession()))
        self.dismiss()

    def action_again(self) -> None:
        """Ask the engine for the list."""
        self.post_message(Submit(ListSessions()))

    def action_delete(self) -> None:
        """Delete the marked session, after a question."""
        info = self._marked()
        if info is None:
            self.post_message(Tell("There is no session to delete.", warning=True))
            return
        if self._is_open(info):
            self.post_message(
                Tell("The open session cannot be deleted. Open or begin another one first.")
            )
            return

        def answered(choice: str | None) -> None:
            if choice == "yes":
                self.post_message(Submit(DeleteSession(info.id, info.user)))
                self.action_again()

        note = f"{info.events} events are lost" if info.events > 0 else "it cannot be undone"
        title = f"Delete session {line(info.id, 40)}?"
        self.app.push_screen(Confirm(title, "Delete it", note=note), answered)  # pyright: ignore[reportUnknownMemberType]
