"""The sentences about what holds right now: a stop on its way, an edited message, a forced turn."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from adk_tui.core.chat_items import UserTurn
from adk_tui.core.rewind_preview import RewindPreview
from adk_tui.core.sanitize import line
from adk_tui.tui.widgets.notes import Note
from adk_tui.tui.widgets.status import with_runs

if TYPE_CHECKING:
    from adk_tui.core.session import SessionView


@dataclass(frozen=True, slots=True)
class Editing:
    """The message ``turn`` is being written anew; ``before`` was in the prompt until then."""

    turn: UserTurn
    preview: RewindPreview | None
    before: str = ""


def what_holds(view: "SessionView", editing: Editing | None) -> list[Note]:
    """The notes above the prompt, the most urgent first."""
    notes: list[Note] = []
    status = view.status
    if status.phase == "stopping":
        detail = _waits_for(view)
        kill = "Esc again ends its process and opens the session again"
        notes.append(Note(f"■ Stopping: {detail}.", kill, "warning"))
    if status.phase == "reloading":
        detail = f" ({line(status.detail, 80)})" if status.detail else ""
        notes.append(Note(f"◌ Loading the code again; the old agent serves until then.{detail}"))
    if editing is not None:
        what = line(editing.turn.text, 40) or "attachments"
        notes.append(Note(f"✎ Instead of “{what}”. {_undoes(editing.preview)}", "Esc leaves it"))
    if view.settings is not None and view.settings.once:
        agent = line(view.settings.once, 60)
        notes.append(Note(f"▸ {agent} answers the next message, once.", "F6, then o takes it back"))
    return notes


def _waits_for(view: "SessionView") -> str:
    """What a stop waits for: tools by name, and what the engine says of them."""
    told = line(view.status.detail, 200)
    if told.startswith("waits"):
        return told
    names = [r.name for r in with_runs(view.status, view, 0.0).running]
    waits = "waits for " + (", ".join(line(n, 60) for n in names[:4]) or "the model")
    return f"{waits}; {told}" if told else waits


def _undoes(preview: RewindPreview | None) -> str:
    """What undoing takes back, in one sentence."""
    if preview is None:
        return "Enter sends it in its place."
    turns = "that message" if preview.turns < 2 else f"that and {preview.turns - 1} later"
    parts = [f"undoes {turns} ({_count(preview.events, 'event')})"]
    if preview.state:
        parts.append(_count(len(preview.state), "state key"))
    if preview.artifacts:
        parts.append(_count(len(preview.artifacts), "artifact"))
    return f"Enter {', '.join(parts)} and sends this."


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
