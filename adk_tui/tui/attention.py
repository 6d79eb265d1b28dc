"""Calls the user back to the terminal when something waits and nobody looks."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from adk_tui.core.records import REQUEST_INPUT
from adk_tui.core.sanitize import line

if TYPE_CHECKING:
    from adk_tui.core.session import SessionView


class Attention:
    """Rings and notifies once for each ticket that arrives while the window has no focus.

    ``write`` writes to the terminal. OSC 9 (iTerm2, kitty, WezTerm, Windows
    Terminal) and OSC 777 (urxvt, foot, Ghostty) are ignored where unknown.
    """

    def __init__(self, write: Callable[[str], None], *, enabled: bool) -> None:
        self._write = write
        self._enabled = enabled
        self._known: set[tuple[str, str]] = set()
        self._session = ""

    def look(self, view: "SessionView", *, focused: bool) -> None:
        """The tickets may have changed; those of a session just opened are no news."""
        session = view.session.id if view.session else ""
        new = [t for t in view.tickets.open if (session, t.key) not in self._known]
        self._known |= {(session, t.key) for t in view.tickets.tickets}
        fresh, self._session = session != self._session, session
        if not new or fresh or focused or not self._enabled:
            return
        # ; ends a field of OSC 777; control characters are gone after line().
        name = "a question" if new[-1].name == REQUEST_INPUT else new[-1].name
        text = line(f"{name} waits for you", 80).replace(";", ",")
        self._write(f"\a\x1b]9;adk-tui: {text}\x1b\\\x1b]777;notify;adk-tui;{text}\x1b\\")
