"""The sessions of the app: search, open, begin, rename, delete."""

import time
from collections.abc import Callable, Iterable
from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Input

from adk_tui.core.ages import age, ago
from adk_tui.core.commands import (
    DeleteSession,
    ListSessions,
    NewSession,
    OpenSession,
    RenameSession,
)
from adk_tui.core.reports import SessionInfo
from adk_tui.core.sanitize import line
from adk_tui.core.session import SessionView
from adk_tui.core.state_check import explain, refusals
from adk_tui.core.typed import state_of
from adk_tui.tui.messages import Act, Submit, Tell
from adk_tui.tui.screens.asking import Ask
from adk_tui.tui.screens.choose import Confirm
from adk_tui.tui.screens.two_panes import MUTED, TwoPanes, field, heading, section


class SessionsScreen(TwoPanes[None]):
    """Newest first, of all users. It asks for the list itself, and again after each change."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Close"),
        Binding("f7,q", "dismiss", "Close"),
        Binding("slash", "search", "Search"),
        Binding("n", "new", "New"),
        Binding("N", "new_with_state", "New with a state"),
        Binding("t", "rename", "Title"),
        Binding("d,delete", "delete", "Delete"),
        Binding("u,ctrl+z", "undo", "Undo"),
        Binding("r", "again", "Read again"),
    ]
    DEFAULT_CSS: ClassVar[str] = """
    SessionsScreen #search { display: none; height: 1; border: none; padding: 0 1;
        background: $surface; }
    """

    def __init__(self, view: SessionView) -> None:
        super().__init__()
        self._view = view
        self._all: tuple[SessionInfo, ...] = ()
        self._shown: list[SessionInfo] = []

    def above(self) -> Iterable[Widget]:
        """The search line."""
        return (Input(placeholder="title, user or id", compact=True, id="search"),)

    def on_mount(self) -> None:
        """Ask for the list; show the one that is known meanwhile."""
        super().on_mount()
        self.hints(
            ("Enter", "open", "enter"),
            ("/", "search", "slash"),
            ("n", "new", "n"),
            ("N", "new with state", "N"),
            ("Esc", "close", "escape"),
            ("t", "title", "t"),
            ("d", "delete", "d"),
            ("u", "undo", "u"),
            ("Tab", "text", "tab"),
        )
        self.refresh_list()
        self.action_again()

    def follow(self, changed: frozenset[str]) -> None:
        """A new list came, or what was shown of it has changed."""
        if "deleted" in changed:
            self.action_again()
        if changed & {"sessions", "session"}:
            self.refresh_list()

    def refresh_list(self) -> None:
        """Show the list as the view has it now; the mark stays on its session."""
        known = self._view.sessions
        store = line(self._view.ready.store, 200) if self._view.ready else ""
        if known is None:
            self.head("Sessions", store)
            return
        self._all = known.sessions
        wanted = self.query_one("#search", Input).value.strip().lower()
        self._shown = [s for s in self._all if wanted in _searched(s)]
        count = f"{len(self._shown)} of {len(self._all)}" if wanted else str(len(self._all))
        self.head("Sessions", f"{count}   {store}")
        here = next((i for i, s in enumerate(self._shown) if self._is_open(s)), 0)
        self.fill([(f"{s.user}/{s.id}", self._row(s)) for s in self._shown], here)

    def _is_open(self, info: SessionInfo) -> bool:
        now = self._view.session
        return now is not None and (now.id, now.user) == (info.id, info.user)

    def _row(self, info: SessionInfo) -> Content:
        opened = self._is_open(info)
        when = age(time.time() - info.updated) if info.updated else ""
        waits = f"⚑{info.tickets} " if info.tickets > 0 else "   "
        turns = f"{info.turns:>3} " if info.turns >= 0 else "    "
        mine = self._view.ready is None or info.user == self._view.ready.user
        return Content.assemble(
            ("▸ " if opened else "  ", "bold $accent"),
            (f"{when:<9}", MUTED),
            (turns, MUTED),
            (f"{waits:<4}", "bold $text-warning"),
            ("" if mine else f"{line(info.user, 12)}  ", "$text-accent"),
            ("├ " if info.parent else "", MUTED),
            (line(info.title, 80) or "(empty)", "bold" if opened else "" if info.title else MUTED),
        )

    def detail(self, row: int | None) -> Content:
        """All that is known of the marked session."""
        if row is None:
            what = "No session fits the search." if self._all else "No session is stored yet."
            return Content.assemble((what, MUTED), ("\nn begins one.", MUTED))
        info = self._shown[row]
        when = time.strftime("%Y-%m-%d %H:%M", time.localtime(info.updated)) if info.updated else ""
        waits = f"{info.tickets} open" if info.tickets > 0 else "none" if info.tickets == 0 else ""
        parts = [
            heading(line(info.title, 300) or "(empty)"),
            *field("", "open now" if self._is_open(info) else "", "$text-success"),
            *field("id", line(info.id, 100)),
            *field("user", line(info.user, 100)),
            *field("changed", f"{when}  ({ago(time.time() - info.updated)})" if when else ""),
            *field("turns", str(info.turns) if info.turns >= 0 else "not counted"),
            *field("events", str(info.events) if info.events >= 0 else "not counted"),
            *field("tickets", waits, "bold $text-warning" if info.tickets > 0 else ""),
        ]
        if info.parent or info.relatives:
            parts.append(section("relatives"))
            for relative in dict.fromkeys((info.parent, *info.relatives)):
                if relative:
                    what = "forked from" if relative == info.parent else "of one family"
                    name = f"{self._title(relative, info.user)}\n"
                    parts += [(f"{what:<13} ", MUTED), (name, "")]
        return Content.assemble(*parts)

    def _title(self, session_id: str, user: str) -> str:
        found = (s for s in self._all if (s.id, s.user) == (session_id, user))
        info = next(found, None)
        if info is None:
            return f"{line(session_id, 60)} (deleted)"
        return f"{line(info.title, 60) or '(empty)'}   {line(info.id, 12)}"

    def _marked(self, what: str) -> SessionInfo | None:
        row = self.marked
        if row is None:
            self.post_message(Tell(f"There is no session to {what}.", warning=True))
            return None
        return self._shown[row]

    def chosen(self, row: int) -> None:
        """Open it and go there."""
        info = self._shown[row]
        if not self._is_open(info):
            self.post_message(Submit(OpenSession(info.id, info.user)))
        self.dismiss()

    # Search

    def action_search(self) -> None:
        """Show only what fits."""
        search = self.query_one("#search", Input)
        search.display = True
        self.set_focus(search)

    @on(Input.Changed, "#search")
    def _typed(self) -> None:
        self.refresh_list()

    @on(Input.Submitted, "#search")
    def _searched_for(self, event: Input.Submitted) -> None:
        event.stop()
        self.set_focus(self.rows)

    def action_leave(self) -> None:
        """End the search; without one, close."""
        search = self.query_one("#search", Input)
        if search.display:
            search.value = ""
            search.display = False
            self.set_focus(self.rows)
            self.refresh_list()
        else:
            self.dismiss()

    # What can be done

    def action_new(self) -> None:
        """Begin a session and go to it."""
        self.post_message(Submit(NewSession()))
        self.dismiss()

    def action_new_with_state(self) -> None:
        """Begin a session with a state."""

        def answered(text: str | None) -> None:
            if text is None:
                return
            try:
                state = state_of(text)
                problem = explain(refusals(state))
            except ValueError as error:
                state, problem = {}, str(error)
            if problem:
                self.post_message(Tell(f"No session was made. {problem}", warning=True))
                return
            self.post_message(Submit(NewSession(state)))
            self.dismiss()

        hint = "Enter begins the session   user: and app: keys reach further   Esc closes"
        self._ask(
            Ask("State of the new session", hint=hint, empty="city=Paris n=3, or JSON"), answered
        )

    def _ask(self, screen: Ask, answered: Callable[[str | None], None]) -> None:
        self.app.push_screen(screen, answered)  # pyright: ignore[reportUnknownMemberType]

    def action_again(self) -> None:
        """Ask the engine for the list."""
        self.post_message(Submit(ListSessions()))

    def action_rename(self) -> None:
        """Give the marked session a title."""
        info = self._marked("rename")
        if info is None:
            return

        def answered(title: str | None) -> None:
            if title is not None:
                self.post_message(Submit(RenameSession(info.id, info.user, title)))
                self.action_again()

        hint = "Enter saves   empty: its first message again   Esc closes"
        known = line(info.title, 200) if info.named else ""
        self._ask(Ask("Title", known, hint=hint, empty=line(info.title, 60)), answered)

    def action_delete(self) -> None:
        """Delete the marked session, after a question."""
        info = self._marked("delete")
        if info is None:
            return
        if self._is_open(info):
            words = "The open session cannot be deleted. Open or begin another one first."
            self.post_message(Tell(words, warning=True))
            return

        def answered(choice: str | None) -> None:
            if choice == "yes":
                self.post_message(Submit(DeleteSession(info.id, info.user)))
                self.action_again()

        events = f"{info.events} events; " if info.events > 0 else ""
        title = f"Delete “{line(info.title, 40) or line(info.id, 40)}”?"
        note = f"{events}u brings it back until you leave adk-tui"
        self.app.push_screen(Confirm(title, "Delete it", note=note), answered)  # pyright: ignore[reportUnknownMemberType]

    def action_undo(self) -> None:
        """Take back the last deletion or title."""
        self.post_message(Act("undo"))


def _searched(info: SessionInfo) -> str:
    return f"{info.title} {info.user} {info.id}".lower()
