"""One state key and its value, over the screen."""

from typing import Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Static, TextArea

from adk_tui.core.sanitize import line
from adk_tui.core.state_check import explain, fleeting, refusals
from adk_tui.core.typed import read_json


class _KeyField(Input):
    """Enter goes on to the value, at once: what is typed behind it belongs there."""

    async def action_submit(self) -> None:
        """Go to the next field."""
        self.screen.focus_next()


class EditValue(ModalScreen[dict[str, Any] | None]):
    """Returns what to write as ``{key: value}``, or None.

    What the session service would refuse is told here, before anything is sent.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", "Close"),
        Binding("ctrl+s", "save", "Save", priority=True),
    ]
    DEFAULT_CSS: ClassVar[str] = """
    EditValue { align: center middle; background: $background 60%; }
    EditValue > Vertical { width: 90; max-width: 96%; height: auto; max-height: 90%;
        background: $panel; border: round $border; padding: 0 1; }
    EditValue Input { border: none; height: 1; padding: 0 1; margin: 1 0 0 0;
        background: $surface; }
    EditValue TextArea, EditValue TextArea:focus { height: auto; min-height: 3; max-height: 16;
        border: none; margin: 1 0; background: $surface; }
    EditValue #problem { height: auto; }
    EditValue #hint { height: auto; color: $foreground 62%; }
    """

    def __init__(self, key: str, text: str, *, taken: frozenset[str] = frozenset()) -> None:
        super().__init__()
        self._given = key
        self._text = text
        self._taken = taken

    def compose(self) -> ComposeResult:
        """Its parts, from top to bottom."""
        with Vertical() as box:
            box.border_title = Content(line(self._given, 60) if self._given else "New key")
            if not self._given:
                yield _KeyField(placeholder="key   (user:… and app:… reach further)", compact=True)
            yield TextArea(self._text, compact=True, id="text", tab_behavior="focus")
            yield Static("", id="problem", markup=False)
            yield Static(
                "JSON, or plain text. null unsets: ADK cannot delete a key.\n"
                "Ctrl+S saves, as one event   Tab next field   Esc closes",
                id="hint",
                markup=False,
            )

    def on_mount(self) -> None:
        """Begin where something is missing."""
        self.query_one(TextArea if self._given else Input).focus()

    @on(TextArea.Changed)
    @on(Input.Changed)
    def _look(self) -> None:
        _, words, good = self._read()
        style = "$text-success" if good else "$text-error"
        self.query_one("#problem", Static).update(Content.assemble((words, style)))

    @property
    def _key(self) -> str:
        return self._given or self.query_one(Input).value.strip()

    def _read(self) -> tuple[Any, str, bool]:
        """The value, what to say about it, and whether it can be written."""
        text, key = self.query_one(TextArea).text, self._key
        try:
            value: Any = read_json(text)
            what = "null: the key stays, without a value" if value is None else _KINDS[type(value)]
        except ValueError as error:
            if text.lstrip()[:1] in ("{", "[", '"'):
                return None, f"✗ This is not JSON: {line(str(error), 200)}", False
            value, what = text, "plain text"
        if not key:
            return value, "✗ A key needs a name.", False
        if problems := refusals({key: value}):
            return value, f"✗ {line(explain(problems), 300)}", False
        if fleeting({key: value}):
            return value, "✗ ADK does not store temp: keys: they end with a turn.", False
        if not self._given and key in self._taken:
            what += "; this key exists, and its value will be replaced"
        return value, f"✓ {what}", True

    def action_save(self) -> None:
        """Return what was entered, if it can be written."""
        value, _, good = self._read()
        self._look()
        if good:
            self.dismiss({self._key: value})


_KINDS = {
    str: "text",
    bool: "true or false",
    int: "number",
    float: "number",
    list: "list",
    dict: "object",
}
