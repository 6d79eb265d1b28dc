"""The session's state, by scope: look at it, change it, compare it with what it was."""

from collections.abc import Mapping
from typing import Any, ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content

from adk_tui.core.commands import EditState
from adk_tui.core.records import EventRecord
from adk_tui.core.sanitize import clean, line
from adk_tui.core.session import SessionView
from adk_tui.core.state import StateChange, by_scope, diff, initial_state, scope_of, state_at
from adk_tui.core.summary import kind_of, one_line
from adk_tui.tui.messages import Act, Submit, Tell
from adk_tui.tui.screens.choose import Choose, Entry
from adk_tui.tui.screens.edit_value import EditValue
from adk_tui.tui.screens.two_panes import MUTED, TwoPanes, field, heading, many, section
from adk_tui.tui.screens.values import flat, pretty, shown

REACH = {
    "session": "this session",
    "user": "this user, all sessions",
    "app": "all users of this app",
    "temp": "this turn only",
}
LONGEST = 50_000
"""Characters of a value that are drawn."""


class StateScreen(TwoPanes[None]):
    """Left the keys, right the marked value in full and when it was written."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Close"),
        Binding("f8,q", "dismiss", "Close"),
        Binding("e", "edit", "Edit"),
        Binding("n", "add", "New key"),
        Binding("d,delete", "unset", "Set to null"),
        Binding("c", "compare", "Compare with an earlier event"),
        Binding("m", "reveal", "Mask or reveal secrets"),
        Binding("u,ctrl+z", "undo", "Undo"),
    ]

    def __init__(self, view: SessionView, *, reveal: bool = False) -> None:
        super().__init__()
        self._view = view
        self._reveal = reveal
        self._state: Mapping[str, Any] = {}
        self._keys: list[str] = []
        self._changes: tuple[StateChange, ...] = ()
        self._since: int | None = None
        """The event it is compared with, as an index into the history; -1: before the first."""

    def on_mount(self) -> None:
        """Show the state."""
        super().on_mount()
        self._draw()

    def follow(self, changed: frozenset[str]) -> None:
        """An event may have written to the state."""
        if "session" in changed:
            self._since = None
        if changed & {"events", "session"}:
            self._draw()

    @property
    def _events(self) -> "tuple[EventRecord, ...]":
        return tuple(self._view.log.history())

    def _state_at(self, index: int) -> dict[str, Any]:
        session, events = self._view.session, self._events
        if session is None:
            return {}
        return state_at(events, index, initial_state(session.state, events))

    def _draw(self) -> None:
        self._state = self._state_at(len(self._events) - 1)
        compares = self._since is not None
        self.hints(
            ("Enter", "edit", "enter"),
            ("n", "new key", "n"),
            ("d", "set to null", "d"),
            ("c", "compare", "c"),
            ("Esc", "all keys" if compares else "close", "escape"),
            ("m", "mask" if self._reveal else "reveal", "m"),
            ("u", "undo", "u"),
            ("Tab", "text", "tab"),
        )
        if self._since is None:
            self._draw_keys()
        else:
            self._draw_changes(self._since)

    def _draw_keys(self) -> None:
        self.head("State", many(len(self._state), "key"), revealed=self._reveal)
        rows: list[tuple[str, Content]] = []
        for scope, values in by_scope(self._state).items():
            for number, (key, value) in enumerate(values.items()):
                where = f"   {REACH[scope]}" if number == 0 else ""
                rows.append(
                    (
                        key,
                        Content.assemble(
                            (line(key, 60), "bold"),
                            ("  " + line(flat(self._safe(key, value)), 200), ""),
                            (where, MUTED),
                        ),
                    )
                )
        self._keys = [key for key, _ in rows]
        self.fill(rows)

    def _draw_changes(self, index: int) -> None:
        self._changes = diff(self._state_at(index), self._state)
        compared = f"compared with {self._when(index)}: {len(self._changes)} differ"
        self.head("State", compared, revealed=self._reveal)
        rows = [
            (
                c.key,
                Content.assemble(
                    ({"added": "+ ", "removed": "- ", "changed": "~ "}[c.kind], "bold $accent"),
                    (line(c.key, 60), "bold"),
                    ("  " + line(flat(self._safe(c.key, c.before)), 80), "$text-error")
                    if c.kind != "added"
                    else ("", ""),
                    (" → ", MUTED),
                    (line(flat(self._safe(c.key, c.after)), 80), "$text-success"),
                ),
            )
            for c in self._changes
        ]
        self._keys = [key for key, _ in rows]
        self.fill(rows)

    def _safe(self, key: str, value: Any) -> object:
        return value if self._reveal else shown(key, value)

    def _when(self, index: int) -> str:
        if index < 0:
            return "the beginning"
        event = self._events[index]
        return f"event {index + 1} ({line(event.author, 30)}, {kind_of(event)})"

    def detail(self, row: int | None) -> Content:
        """The marked value in full, and when it was written."""
        if row is None and self._since is not None:
            return Content("The state is as it was then.")
        if row is None:
            return Content("The state is empty.\nn adds a key; so does /state KEY=VALUE.")
        key = self._keys[row]
        parts = [heading(line(key, 200))]
        if self._since is not None:
            change = self._changes[row]
            for label, value, there in (
                ("then", change.before, change.kind != "added"),
                ("now", change.after, change.kind != "removed"),
            ):
                parts.append(section(label))
                parts.append((self._text(key, value) + "\n" if there else "(not there)\n", ""))
            return Content.assemble(*parts)
        parts += field("reaches", REACH[scope_of(key)])
        events = self._events
        written = [i for i, e in enumerate(events) if key in e.actions.state_delta]
        if written:
            by = events[written[-1]]
            parts += field("written", f"{len(written)}×, last by {line(by.author, 40)}")
        else:
            parts += field("written", "when the session was created, or by another session")
        parts.append(("\n" + self._text(key, self._state.get(key)), ""))
        return Content.assemble(*parts)

    def _text(self, key: str, value: Any) -> str:
        return clean(pretty(self._safe(key, value))[:LONGEST])

    def chosen(self, row: int) -> None:
        """Edit it; what is masked has to be revealed first, or the mask would be written."""
        key = self._keys[row]
        value = self._state.get(key)
        if self._safe(key, value) != value:
            name = line(key, 60)
            words = f"{name} holds a secret: m reveals it here, /state {name}=VALUE replaces it."
            self.post_message(Tell(words, warning=True))
            return
        self._edit(key, pretty(value))

    def action_leave(self) -> None:
        """From a comparison to all keys; from there, close."""
        if self._since is None:
            self.dismiss()
        else:
            self._since = None
            self._draw()

    # Changing it

    def action_edit(self) -> None:
        """Edit the marked value as JSON."""
        row = self.marked
        if row is None:
            self.action_add()
        else:
            self.chosen(row)

    def action_add(self) -> None:
        """Add a key."""
        self._edit("", "")

    def _edit(self, key: str, text: str) -> None:
        self._ask(EditValue(key, text, taken=frozenset(self._state)))

    def _ask(self, screen: EditValue) -> None:
        def done(delta: dict[str, Any] | None) -> None:
            if delta is not None:
                self.post_message(Submit(EditState(delta)))

        self.app.push_screen(screen, done)  # pyright: ignore[reportUnknownMemberType]

    def action_unset(self) -> None:
        """Set the marked key to null."""
        row = self.marked
        if row is None:
            self.post_message(Tell("There is no key.", warning=True))
            return
        key = self._keys[row]
        if self._state.get(key) is None:
            self.post_message(Tell(f"{line(key, 60)} is null already. ADK cannot delete a key."))
            return
        self.post_message(Submit(EditState({key: None})))
        self.post_message(Tell(f"{line(key, 60)} is set to null. ADK cannot delete a key."))

    def action_undo(self) -> None:
        """Take back the last edit."""
        self.post_message(Act("undo"))

    # Comparing

    def action_compare(self) -> None:
        """Choose an event; only what differs since then is shown."""
        events = self._events
        entries = [
            Entry(
                str(i),
                f"{i + 1:>4}  {line(e.author, 20)}",
                one_line(e, 80),
                mark="Δ" if e.actions.state_delta else " ",
            )
            for i, e in enumerate(events)
        ]
        entries.insert(0, Entry("-1", "      the beginning"))
        entries.reverse()

        def chosen(answer: str | None) -> None:
            if answer is not None:
                self._since = int(answer)
                self._draw()

        hint = "Δ wrote to the state   Enter shows what differs since then   Esc closes"
        at = next((n for n, e in enumerate(entries) if n and e.mark == "Δ"), 0)
        screen = Choose("Compare with the state after …", entries, hint=hint, at=at)
        self.app.push_screen(screen, chosen)  # pyright: ignore[reportUnknownMemberType]

    def action_reveal(self) -> None:
        """Show what is masked, or mask it again."""
        self._reveal = not self._reveal
        self._draw()
