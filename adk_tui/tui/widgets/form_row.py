"""One field of a form: its label, what to write into, and what is wrong with it."""

import json
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Input, Static, TextArea

from adk_tui.client.forms import Field
from adk_tui.core.sanitize import clean, line, mask, mask_text, restore
from adk_tui.tui.widgets.pick import Pick

YES_NO = ("yes", "no")


class FormRow(Vertical):
    """Draws a leaf field. ``value`` is what was entered, None where nothing was."""

    DEFAULT_CSS: ClassVar[str] = """
    FormRow, FormRow .line { height: auto; }
    FormRow .label { width: auto; max-width: 50%; height: auto; padding-right: 1;
        color: $foreground 72%; }
    FormRow .line > .label { width: 16; }
    FormRow Input, FormRow Pick, FormRow .line > TextArea { width: 1fr; }
    FormRow .wrong { height: auto; color: $text-error; display: none; padding-left: 2; }
    FormRow Input, FormRow Input:focus { height: 1; border: none; padding: 0 1; }
    FormRow TextArea, FormRow TextArea:focus { height: auto; min-height: 2; max-height: 10;
        border: none; padding: 0 1; }
    """

    def __init__(self, field: Field, saved: str | None, *, column: int = 0) -> None:
        """``column`` is the width of the labels, 0 for a label above its editor."""
        super().__init__()
        self.field = field
        self._column = column
        self._saved = saved
        self.editor: Widget = self._editor()
        """What takes the focus."""
        self._wrong = False
        self.begun = self.text
        """What it held before anything was entered."""

    def compose(self) -> ComposeResult:
        """Its parts, from top to bottom."""
        title = Static(label(self.field), classes="label")
        if not self._column:
            yield title
            yield self.editor
        else:
            title.styles.width = self._column
            with Horizontal(classes="line"):
                yield title
                yield self.editor
        yield Static("", classes="wrong", markup=False)

    def _editor(self) -> Widget:
        field, saved = self.field, self._saved
        if field.kind in ("boolean", "enum"):
            options = self.options
            if saved is None and field.has_default and field.kind == "boolean":
                return Pick(YES_NO, 0 if field.default is True else 1)
            if saved is None and field.has_default and field.default in field.options:
                return Pick(options, field.options.index(field.default))
            return Pick(options, options.index(saved) if saved in options else -1)
        text = saved if saved is not None else self._default()
        if field.kind in ("array", "object", "json"):
            return TextArea(text, highlight_cursor_line=False)
        return Input(text, password=field.secret)

    def _default(self) -> str:
        if not self.field.has_default or self.field.default is None:
            return ""
        value = self.field.default
        if isinstance(value, str) and self.field.kind == "string":
            return value
        return json.dumps(mask(value), ensure_ascii=False, default=str)

    @property
    def options(self) -> tuple[str, ...]:
        """What can be picked, as texts."""
        if self.field.kind == "boolean":
            return YES_NO
        return tuple(o if isinstance(o, str) else json.dumps(o) for o in self.field.options)

    @property
    def text(self) -> str | None:
        """What is to be kept as draft."""
        match self.editor:
            case Pick() as pick:
                return self.options[pick.index] if pick.index >= 0 else None
            case Input() as entry:
                return entry.value
            case TextArea() as area:
                return area.text
            case _:
                return None

    @property
    def value(self) -> Any:
        """What was entered; conversion by schema is the check's business."""
        text = self.text
        if text is None:
            return None
        if self.field.kind == "boolean":
            return text == "yes"
        if self.field.kind == "enum":
            return self.field.options[self.options.index(text)]
        if self.field.kind not in ("array", "object", "json") or not text.strip():
            return text
        if self.field.is_plain_list and not text.lstrip().startswith("["):
            return [part for it in text.split("\n") if (part := it.strip())]
        try:
            entered = json.loads(text)
        except (ValueError, RecursionError):
            return text
        return restore(entered, self.field.default) if self.field.has_default else entered

    @property
    def is_wrong(self) -> bool:
        """Whether something is said to be wrong with it."""
        return self._wrong

    def wrong(self, message: str) -> None:
        """Say what is wrong with this field; empty: nothing."""
        self._wrong = bool(message)
        place = self.query_one(".wrong", Static)
        place.display = bool(message)
        place.update(Content("✗ " + clean(message)))


def label(field: Field) -> Content:
    """What stands beside the editor: name, star where it is required, type, description."""
    name = line(" › ".join((*field.path[:-1], field.label or field.name)), 120)
    kind = _word(field)
    about = line(mask_text(field.description), 200)
    return Content.assemble(
        "  " * max(len(field.path) - 1, 0),
        (name + (" *" if field.required else ""), "bold"),
        (f"  ({kind})" if kind else "", "$foreground 62%"),
        (f"  {about}" if about else "", "$foreground 62%"),
    )


def _word(field: Field) -> str:
    match field.kind:
        case "string" | "boolean" | "enum":
            return ""
        case "array":
            return "list, one a line" if field.is_plain_list else "list, as JSON"
        case "object" | "json":
            return "JSON" if field.path else ""
        case "integer" | "number":
            return field.kind
