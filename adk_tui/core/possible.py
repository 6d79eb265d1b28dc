"""What can be done right now, and if not, why, in a sentence: no key is ever dead."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from adk_tui.core.action import Action

if TYPE_CHECKING:
    from adk_tui.core.reports import Phase


@dataclass(frozen=True, slots=True)
class Situation:
    """What decides whether an action is possible now."""

    phase: "Phase" = "starting"
    capabilities: frozenset[str] = frozenset()
    loaded: bool = False
    waiting: int = 0
    answers: int = 0
    turns: int = 0
    tickets: int = 0
    undoable: int = 0
    failed: bool = False


_ALWAYS = frozenset({"leave", "answered", "another", "policies", "rewind_ticket"})
"""Actions of the approvals that may have something to act on though nothing is open."""


_ON_AN_AGENT = frozenset(
    [
        "agents",
        "artifacts",
        "edit",
        "fork",
        "new",
        "open",
        "rename",
        "rewind",
        "sessions",
        "settings",
        "state",
        "transfer",
        "undo",
    ]
)


def why_not(action: Action, now: Situation) -> str:
    """Why the action is not possible now, as a sentence; empty when it is."""
    if action.name == "stop":
        if now.phase == "reloading":
            return "A reload cannot be stopped; the old agent serves until it is done."
        if now.phase not in ("running", "stopping"):
            return "Nothing is running."
    if action.where == "approvals" and action.name not in _ALWAYS:
        return "" if now.tickets else "Nothing waits for you."
    if action.name == "unqueue" and not now.waiting:
        return "Nothing waits to be sent."
    if action.name == "retry" and not now.failed:
        return "No run has failed since the last message."
    if action.name == "copy" and not now.answers:
        return "The agent has not said anything yet."
    if action.name in ("rewind", "edit", "fork") and not now.turns:
        return "There is no message yet."
    if action.name == "undo" and not now.undoable:
        return "There is nothing to undo: no transfer, state edit, new title or deletion."
    if action.name in _ON_AN_AGENT and not now.loaded:
        return _not_loaded(now.phase)
    if action.needs and now.loaded and action.needs not in now.capabilities:
        return f"{action.title}: this engine cannot do that ({action.needs} is not offered)."
    return ""


def _not_loaded(phase: "Phase") -> str:
    if phase == "failed":
        return "The agent is not loaded. Mend it, then press F9 or type /reload."
    if phase == "dead":
        return "The engine process has ended. Press F9 or type /reload to start it again."
    return "The agent is still being loaded."
