"""The session's state as it is now, by scope, and a way to change it."""

import json
from collections.abc import Mapping
from typing import Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen, Screen
from textual.widgets import Input, OptionList, Static, TextArea
from textual.widgets.option_list import Option

from adk_tui.core.commands import EditState
from adk_tui.core.sanitize import clean, line, mask
from adk_tui.core.session import SessionView
from adk_tui.core.state import by_scope, initial_state, state_at
from adk_tui.tui.messages import Submit

WORDS = {
    "session": "this session",
    "user": "this user, all sessions",
    "app": "all users of this app",
    "temp": "this invocation only",
}


def current_state(view: SessionView) -> dict[str, Any]:
    """The state after the last event: the stored one, with what has happened since."""
    opened = view.session
    if opened is None:
        return {}
    events = view.log.history()
    initial = initial_state(opened.state, events)
    return state_at(events, len(events) - 1, initial)


class StateScreen(Screen[None]):
    """Left the keys, right the marked value in full."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,f8,q", "dismiss", "Close"),
        Binding("e", "edit", "Edit"),
        Binding("n", "add", "New key"),
        Binding("m", "reveal", "Mask or reveal secrets"),
    ]
    DEFAULT_CSS: ClassVar[str] = """
    StateScreen .title { height: 1; background: $panel; padding: 0 1; color: $primary;
        text-style: bold; }
    StateScreen Horizontal { height: 1fr; }
    StateScreen OptionList, StateScreen OptionList:focus {
        text-wrap: nowrap; text-overflow: ellipsis; width: 48%; height: 1fr; border: none;
        background: $background;
        border-right: vkey $border-blurred; scrollbar-size-vertical: 1; }
    StateScreen VerticalScroll { width: 1fr; padding: 0 1; scrollbar-size-vertical: 1; }
    StateScreen #value { height: auto; }
    StateScreen .hint { height: 1; background: $panel; padding: 0 1; color: $foreground 62%; }
    """

    def __init__(self, view: SessionView, *, reveal: bool = False) -> None:
        super().__init__()
        self._source = view
        self._reveal = reveal
        self._state: Mapping[str, Any] = {}
        self._keys: list[str] = []
        self._version = -1

    def compose(self) -> ComposeResult:
        """Its parts, from top to bottom."""
        yield Static("State", classes="title", markup=False)
        with Horizontal():
            yield OptionList(markup=False)
            with VerticalScroll():
                yield Static("", id="value", markup=False)
        yield Static(
            "Enter or e edits   n new key   m masks or reveals   Esc closes",
            classes="hint",
            markup=False,
        )

    def on_mount(self) -> None:
        """Show the state; follow it while it changes."""
        self.query_one(OptionList).focus()
        self._look()
        self.set_interval(0.5, self._look)

    def _look(self) -> None:
        if self._source.log.version == self._version:
            return
        self._version = self._source.log.version
        self._draw()

    def _draw(self) -> None:
        listing = self.query_one(OptionList)
        at = listing.highlighted
        marked = self._keys[at] if at is not None and at < len(self._keys) else ""
        self._state = current_state(self._source)
        self._keys = []
        rows: list[Option] = []
        for scope, values in by_scope(self._state).items():
            for number, (key, value) in enumerate(values.items()):
                where = WORDS[scope] if number == 0 else ""
                shown = self._safe({key: value}).get(key)
                rows.append(
                    Option(
                        Content.assemble(
                            (line(key, 60), "bold"),
                            ("  " + line(_flat(shown), 80), ""),
                            (f"   {where}", "$foreground 62%"),
                        )
                    )
                )
                self._keys.append(key)
        listing.clear_options()
        listing.add_options(rows)
        if self._keys:
            listing.highlighted = self._keys.index(marked) if marked in self._keys else 0
        else:
            self.query_one("#value", Static).update(
                Content("The state is empty. n adds a key; so does /state KEY=VALUE.")
            )

    def _safe(self, value: Mapping[str, Any]) -> Mapping[str, Any]:
        if self._reveal:
            return value
        masked = mask(value)
        return masked if isinstance(masked, Mapping) else {}

    @on(OptionList.OptionHighlighted)
    def _moved(self, event: OptionList.OptionHighlighted) -> None:
        key = self._keys[event.option_index]
        value = self._safe({key: self._state.get(key)}).get(key)
        text = json.dumps(value, indent=2, ensure_ascii=False, default=str)
        self.query_one("#value", Static).update(
            Content.assemble((line(key, 80) + "\n", "bold $primary"), (clean(text[:50_000]), ""))
        )

    @on(OptionList.OptionSelected)
    def _chosen(self) -> None:
        self.action_edit()

    def action_edit(self) -> None:
        """Edit the marked value as JSON."""
        at = self.query_one(OptionList).highlighted
        if at is None or at >= len(self._keys):
            self.action_add()
            return
        key = self._keys[at]
        self._open(EditValue(key, _pretty(self._state.get(key))))

    def action_add(self) -> None:
        """Add a key."""
        self._open(EditValue("", ""))

    def _open(self, screen: "EditValue") -> None:
        def done(delta: dict[str, Any] | None) -> None:
            if delta is not None:
                self.post_message(Submit(EditState(delta)))

        self.app.push_screen(screen, done)  # pyright: ignore[reportUnknownMemberType]

    def action_reveal(self) -> None:
        """Show what is masked, or mask it again."""
        self._reveal = not self._reveal
        self._draw()


class EditValue(ModalScreen[dict[str, Any] | None]):
    """One key and its value as JSON; returns what to write, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", "Close"),
        Binding("ctrl+s", "save", "Save", priority=True),
    ]
    DEFAULT_CSS: ClassVar[str] = """
    EditValue { align: center middle; background: $background 60%; }
    EditValue > Vertical { width: 90; max-width: 96%; height: auto; max-height: 90%;
        background: $panel; border: round $border; padding: 0 1; }
    EditValue Input { border: none; height: 1; padding: 0 1; margin-bottom: 1; }
    EditValue TextArea { height: auto; min-height: 3; max-height: 16; border: none; }
    EditValue #problem { height: auto; color: $text-error; }
    EditValue #hint { height: auto; color: $foreground 62%; margin-top: 1; }
    """

    def __init__(self, key: str, text: str) -> None:
        super().__init__()
        self._given = key
        self._text = text

    def compose(self) -> ComposeResult:
        """Its parts, from top to bottom."""
        with Vertical() as box:
            box.border_title = Content(line(self._given, 60) if self._given else "New key")
            if not self._given:
                yield Input(placeholder="key   (user: and app: reach further)", compact=True)
            yield TextArea(self._text, compact=True, id="text")
            yield Static("", id="problem", markup=False)
            yield Static(
                "JSON, or plain text   null unsets (ADK cannot delete a key)   Ctrl+S saves"
                "   Esc closes",
                id="hint",
                markup=False,
            )

    def on_mount(self) -> None:
        """Begin where something is missing."""
        self.query_one(TextArea if self._given else Input).focus()

    def action_save(self) -> None:
        """Return what was entered, if it makes sense."""
        key = self._given or self.query_one(Input).value.strip()
        text = self.query_one(TextArea).text
        problem = self.query_one("#problem", Static)
        if not key:
            problem.update("A key needs a name.")
            return
        try:
            value: Any = json.loads(text)
        except (ValueError, RecursionError) as error:
            if text.lstrip()[:1] in ("{", "[", '"'):
                problem.update(Content(f"This is not JSON: {error}"))
                return
            value = text
        self.dismiss({key: value})


def _flat(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def _pretty(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False, default=str)
