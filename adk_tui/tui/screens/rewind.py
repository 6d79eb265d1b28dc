"""Going back to before a message: what that takes back is shown before it is done."""

from collections.abc import Sequence
from typing import ClassVar, Literal, TypeAlias

from textual.binding import Binding, BindingType
from textual.content import Content

from adk_tui.core.chat_items import UserTurn
from adk_tui.core.rewind_preview import RewindPreview, preview_rewind
from adk_tui.core.sanitize import line, mask_text
from adk_tui.core.session import SessionView
from adk_tui.core.state import StateChange, initial_state
from adk_tui.tui.screens.two_panes import MUTED, TwoPanes, heading, many, section
from adk_tui.tui.screens.values import flat, shown

Purpose: TypeAlias = Literal["rewind", "edit", "fork"]
MOST = 30
"""Lines of one kind shown in the preview."""


class RewindScreen(TwoPanes[tuple[Purpose, UserTurn] | None]):
    """Returns what to do with which message."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "dismiss(None)", "Close"),
        Binding("m", "finish('edit')", "Edit and send again"),
        Binding("f", "finish('fork')", "Fork from before it"),
    ]

    def __init__(self, view: SessionView, turns: Sequence[UserTurn], at: int) -> None:
        super().__init__()
        self._view = view
        self._turns = list(turns)
        self._at = at

    def on_mount(self) -> None:
        """Begin at the message one came from."""
        super().on_mount()
        self.hints(
            ("Enter", "rewind", "enter"),
            ("m", "edit and send again", "m"),
            ("f", "fork from before it", "f"),
            ("Esc", "close", "escape"),
            ("Tab", "text", "tab"),
        )
        self.head("Rewind to before …", "the message and all after it are undone, not deleted")
        self.fill([(str(n), self._row(n)) for n in range(len(self._turns))], self._at)

    def _row(self, number: int) -> Content:
        turn = self._turns[number]
        text = line(mask_text(turn.text), 200) or "(attachments)"
        return Content.assemble((f"{number + 1:>4}  ", MUTED), (text, ""))

    def detail(self, row: int | None) -> Content:
        """What is undone."""
        if row is None:
            return Content.assemble(("There is no message that could be undone.", MUTED))
        turn = self._turns[row]
        events = self._view.log.history()
        ready, session = self._view.ready, self._view.session
        preview = preview_rewind(
            events,
            turn.invocation_id,
            initial_state(session.state, events) if session else {},
            ready.root if ready else None,
            resumable=self._view.resumable,
        )
        if preview is None:
            return Content("This message is no longer in the session.")
        return Content.assemble(*told(turn.text, preview))

    def chosen(self, row: int) -> None:
        """Rewind."""
        self.dismiss(("rewind", self._turns[row]))

    def action_finish(self, purpose: Purpose) -> None:
        """Do this with the marked message."""
        if self.marked is not None:
            self.dismiss((purpose, self._turns[self.marked]))


def told(text: str, preview: RewindPreview) -> list[tuple[str, str]]:
    """A preview in words, for a person."""
    turns, events = many(preview.turns, "message"), many(preview.events, "event")
    parts = [heading(line(mask_text(text), 300) or "(attachments)")]
    parts.append((f"Undone: {turns}, {events}. They stay in the session, folded.\n", ""))
    if preview.route is not None:
        parts += [("Then answers ", MUTED), (line(preview.route.agent, 60) + "\n", "bold")]
    parts.append(section("state"))
    if not preview.state:
        parts.append(("stays as it is\n", ""))
    for change in preview.state[:MOST]:
        parts += changed(change)
    if len(preview.state) > MOST:
        parts.append((f"… and {len(preview.state) - MOST} more\n", MUTED))
    if preview.shared:
        keys = ", ".join(line(k, 40) for k in preview.shared[:MOST])
        parts.append((f"stays, as other sessions share it: {keys}\n", "$text-warning"))
    if preview.artifacts:
        parts.append(section("artifacts"))
        for artifact in preview.artifacts[:MOST]:
            name = line(artifact.name, 80)
            then = (
                f"back to version {artifact.before}"
                if artifact.before >= 0
                else "emptied: ADK cannot delete a single version"
            )
            parts += [(name, "bold"), (f"  version {artifact.now} → {then}\n", "")]
    for label, tickets in (("wait no more", preview.withdrawn), ("wait again", preview.reopened)):
        if tickets:
            parts.append(section(f"tickets that {label}"))
            parts += [(f"⚑ {line(t.name, 60)}\n", "$text-warning") for t in tickets[:MOST]]
    return parts


def changed(change: StateChange) -> list[tuple[str, str]]:
    """One state key: what it holds, and what it will hold."""
    before = flat(shown(change.key, change.before)) if change.kind != "added" else ""
    after = flat(shown(change.key, change.after)) if change.kind != "removed" else ""
    parts = [(line(change.key, 60), "bold"), ("  ", "")]
    if before:
        parts.append((line(before, 120), "$text-error"))
    parts.append((" → ", MUTED))
    parts.append((line(after or "removed", 120) + "\n", "$text-success" if after else MUTED))
    return parts
