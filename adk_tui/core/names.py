"""The names that may follow a slash command, from what the view knows."""

from collections.abc import Sequence

from adk_tui.core.actions import BY_SLASH
from adk_tui.core.routing import transfer_targets
from adk_tui.core.sanitize import line
from adk_tui.core.session import SessionView


def names(kind: str, view: SessionView, themes: Sequence[str]) -> list[tuple[str, str]]:
    """For an argument kind of the registry: each name, and a word about it."""
    match kind:
        case "agent":
            if view.ready is None:
                return []
            targets = transfer_targets(view.ready.root, view.log.history())
            return [
                (line(t.agent, 80), "answers next" if t.active else line(t.reason or t.kind, 80))
                for t in targets
            ]
        case "session":
            found = view.sessions.sessions if view.sessions else ()
            return [(line(s.id, 80), line(s.title, 80)) for s in found]
        case "ticket":
            waiting = view.tickets.tickets
            waiting = sorted(waiting, key=lambda t: not t.is_open)
            return [(line(t.key, 120), line(f"{t.name}, {t.state}", 80)) for t in waiting]
        case "theme":
            return [(name, "") for name in sorted(themes)]
        case "action":
            return [(slash, action.title) for slash, action in sorted(BY_SLASH.items())]
        case _:
            return []
