"""The form of the marked ticket: fields by its kind and schema, or a JSON editor."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.message import Message
from textual.widgets import Input

from adk_tui.client.answers import (
    Checked,
    Choice,
    Decision,
    Entered,
    Value,
    approve_response,
    check,
    parse_json,
)
from adk_tui.client.credentials import Credential, credential_fields
from adk_tui.client.forms import Field, Path, assemble, form_fields, sample_schema
from adk_tui.client.schemas import Problem, convert, path_text
from adk_tui.client.schemas import problems as problems_of
from adk_tui.core.sanitize import mask, restore
from adk_tui.core.tickets import Ticket
from adk_tui.tui.messages import Tell
from adk_tui.tui.widgets.footer import Hint
from adk_tui.tui.widgets.form_row import FormRow, label
from adk_tui.tui.widgets.pick import Pick

JSON = Field((), "", "json", "Answer as JSON")
COLUMN = 36
"""The most columns that labels take before they go over several lines."""


def fields_of(ticket: Ticket) -> tuple[Field, ...]:
    """What a person has to fill in; nothing where yes or no is enough."""
    match ticket.kind:
        case "credential":
            return credential_fields(ticket.auth)
        case "input":
            return form_fields(ticket.schema)
        case "choice":
            return (Field((), "", "enum", "Choose", required=True, options=ticket.options),)
        case "confirmation":
            return form_fields(sample_schema(ticket.payload)) if ticket.payload else ()
        case "long_running" | "node_confirmation":
            return ()


def leaves(fields: tuple[Field, ...]) -> Iterator[Field]:
    """The fields to draw: those of objects one by one."""
    for field in fields:
        if field.kind == "object" and field.fields:
            yield from leaves(field.fields)
        else:
            yield field


def draft_json(ticket: Ticket) -> str:
    """What the JSON editor begins with: no secret, and no approval to be sent by mistake."""
    return json.dumps(mask(_draft(ticket)), indent=2, ensure_ascii=False, default=str)


def _draft(ticket: Ticket) -> Any:
    match ticket.kind:
        case "long_running":
            return {**approve_response(ticket), "status": ""}
        case "confirmation" | "node_confirmation":
            return {"confirmed": None, **({"payload": ticket.payload} if ticket.payload else {})}
        case "input" | "choice" | "credential":
            return {}


class TicketForm(VerticalScroll, can_focus=False):
    """Keeps its draft in the mapping it was given, so that leaving it loses nothing."""

    class Send(Message):
        """Send what is entered; ``progress`` keeps the ticket open."""

        def __init__(self, *, progress: bool) -> None:
            super().__init__()
            self.progress = progress

    class Drawn(Message):
        """Other fields than before are on the screen, with another need of room."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "send(False)", "Send the answer", priority=True),
        Binding("ctrl+g", "send(True)", "Send as progress; the ticket stays open", priority=True),
        Binding("tab", "step(1)", "Next field"),
        Binding("shift+tab", "step(-1)", "Field before"),
    ]
    DEFAULT_CSS: ClassVar[str] = """
    TicketForm { height: auto; display: none; padding: 0 1;
        scrollbar-size-vertical: 1; }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._ticket: Ticket | None = None
        self._draft: dict[str, str] = {}
        self._as_json: bool = False
        self._fields: tuple[Field, ...] = ()
        self._drawn = True
        self._entering = False

    async def recompose(self) -> None:
        """Draw the fields; then go into them, if that was asked for meanwhile."""
        await super().recompose()
        self._drawn = True
        self.post_message(self.Drawn())
        if self._entering:
            self.enter()

    def compose(self) -> ComposeResult:
        """Its parts, from top to bottom."""
        fields = tuple(leaves(self._fields))
        column = 0
        if len(fields) > 1 or (fields and fields[0].kind not in ("array", "object", "json")):
            column = min(max((label(f).cell_length for f in fields), default=0) + 2, COLUMN)
        for field in fields:
            saved = self._draft.get(self._name_of(field))
            if saved is None and self._as_json and self._ticket is not None:
                saved = draft_json(self._ticket)
            yield FormRow(field, saved, column=column)

    def hints(self) -> list[Hint]:
        """The keys that work while the focus is in the form, for the footer."""
        kind = self._ticket.kind if self._ticket is not None else ""
        final = self._as_json and kind == "long_running"
        confirms = kind == "confirmation" and not self._as_json
        found = [Hint("Ctrl+S", "send as final" if final else "confirm" if confirms else "send",
                      "key:ctrl+s")]  # fmt: skip
        if final:
            found.append(Hint("Ctrl+G", "send as progress", "key:ctrl+g"))
        if any(isinstance(r.editor, Pick) and r.editor.has_focus for r in self.rows):
            found.append(Hint("← →", "choose", "key:right"))
        if len(self.rows) > 1:
            found.append(Hint("Tab", "next field", "key:tab"))
        return [*found, Hint("Esc", "back", "key:escape")]

    def _name_of(self, field: Field) -> str:
        return "json" if self._as_json else path_text(field.path) or "value"

    def show(self, ticket: Ticket, draft: dict[str, str], *, as_json: bool, locked: bool) -> None:
        """Draw the form of this ticket, with what was entered before; none while ``locked``."""
        before = self._ticket.key if self._ticket else ""
        same = before == ticket.key and as_json == self._as_json and draft is self._draft
        self._ticket, self._draft, self._as_json = ticket, draft, as_json
        fields = (JSON,) if as_json else fields_of(ticket)
        if locked:
            fields = ()
        if same and fields == self._fields:
            return
        if not fields and not self._fields and self._drawn:
            return
        self._fields = fields
        self.display = bool(fields)
        self._drawn = False
        self._entering = False
        self.refresh(recompose=True)

    def hide(self) -> None:
        """There is no ticket."""
        self._ticket = None
        self._fields = ()
        self.display = False

    @property
    def drawn(self) -> bool:
        """Whether what is on the screen is the form of this ticket."""
        return self._drawn

    @property
    def has_fields(self) -> bool:
        """Whether there is anything to fill in."""
        return bool(self._fields)

    @property
    def rows(self) -> list[FormRow]:
        """The drawn fields; none while those on the screen still belong to another ticket."""
        return list(self.query(FormRow)) if self._drawn else []

    def save(self) -> None:
        """Keep what is entered as the draft."""
        for row in self.rows:
            name, text = self._name_of(row.field), row.text
            if text is None:
                self._draft.pop(name, None)
            elif text != row.begun or name in self._draft:
                self._draft[name] = text

    def enter(self) -> bool:
        """Go into the first field, once it is drawn; False where there is none."""
        self._entering = not self._drawn
        rows = self.rows
        if rows:
            rows[0].editor.focus()
        return bool(self._fields)

    def action_send(self, progress: bool) -> None:
        """Send what is entered."""
        self.post_message(self.Send(progress=progress))

    @on(Input.Submitted)
    @on(Pick.Done)
    def _next(self, event: Input.Submitted | Pick.Done) -> None:
        event.stop()
        if self.rows and self.rows[-1].editor.has_focus:
            self.post_message(Tell("Ctrl+S sends the answer."))
        else:
            self.action_step(1)

    def action_step(self, by: int) -> None:
        """Go to another field; after the last comes the first."""
        editors = [row.editor for row in self.rows]
        at = next((n for n, e in enumerate(editors) if e.has_focus), None)
        if at is not None:
            self.screen.set_focus(editors[(at + by) % len(editors)])

    def check(self, name: str) -> Checked:
        """The answer that the action ``name`` gives with what is entered, or what is wrong."""
        ticket = self._ticket
        if ticket is None or not self._drawn:
            return Checked(None)
        entered = self._entered(ticket, name)
        found = entered if isinstance(entered, Checked) else check(ticket, entered)
        if name not in ("reject", "progress") and not self._as_json:
            found = self._with_missing(found)
        self._tell(found.problems)
        return found

    def _with_missing(self, found: Checked) -> Checked:
        """An empty text fits a schema, but who leaves a required field empty overlooked it."""
        values = {row.field.path: row.value for row in self.rows}
        left_out = _untouched(self._fields, values)
        empty = {
            path_text(f.path)
            for f in leaves(self._fields)
            if f.required and f.path and f.kind == "string" and f.path not in left_out
            and not values.get(f.path)
        }  # fmt: skip
        if not empty:
            return found
        missing = tuple(Problem(p, "is missing") for p in sorted(empty))
        return Checked(None, (*missing, *(p for p in found.problems if p.path not in empty)))

    def _entered(self, ticket: Ticket, name: str) -> Entered | Checked:
        if name == "reject":
            if ticket.kind in ("input", "choice", "credential"):
                return Checked(
                    None, (Problem("", "This cannot be rejected: answer it, or rewind."),)
                )
            return Decision(confirmed=False)
        if self._as_json:
            rows = self.rows
            text = (rows[0].text if rows else None) or ""
            value, problems = parse_json(text)
            if problems:
                return Checked(None, problems)
            return Value(restore(value, _draft(ticket)), name == "progress")
        if name == "progress":
            if ticket.kind != "long_running":
                return Value({}, progress=True)
            return Value({"status": "in_progress"}, progress=True)
        values = {row.field.path: row.value for row in self.rows}
        for path in _untouched(self._fields, values):
            del values[path]
        answer = assemble(self._fields, values) if self._fields else None
        match ticket.kind:
            case "confirmation" if self._fields:
                schema = sample_schema(ticket.payload)
                payload = convert(answer, schema)
                if wrong := problems_of(payload, schema):
                    return Checked(None, wrong)
                if ticket.bare_payload:
                    payload = payload.get("value")
                return Decision(True, payload, has_payload=True)
            case "long_running" | "confirmation" | "node_confirmation":
                return Decision(True)
            case "credential":
                texts = {k: v for k, v in _texts(answer).items() if v}
                return Credential(**texts)
            case "choice":
                return Choice(answer if isinstance(answer, str) else "")
            case "input":
                return Value(answer)

    def _tell(self, problems: tuple[Problem, ...]) -> None:
        for row in self.rows:
            row.wrong("; ".join(_words(p, row) for p in problems if self._belongs(p, row)))
        wrong = next((r for r in self.rows if r.is_wrong), None)
        if wrong is not None:
            if self.has_focus_within:
                wrong.editor.focus()
            wrong.scroll_visible()

    def unplaced(self, problems: tuple[Problem, ...]) -> str:
        """The problems that belong to no field, in one text."""
        return "; ".join(
            f"{p.path}: {p.message}" if p.path else p.message
            for p in problems
            if not any(self._belongs(p, row) for row in self.rows)
        )

    @staticmethod
    def _belongs(problem: Problem, row: FormRow) -> bool:
        field = path_text(row.field.path)
        if not field:
            # The one field is the whole answer.
            return True
        return problem.path == field or problem.path.startswith((field + ".", field + "["))


def _words(problem: Problem, row: FormRow) -> str:
    inside = problem.path and problem.path != path_text(row.field.path)
    return f"{problem.path}: {problem.message}" if inside else problem.message


def _untouched(fields: tuple[Field, ...], values: Mapping[Path, Any]) -> set[Path]:
    """The paths inside of optional objects into which nothing was entered: those are left out."""
    found: set[Path] = set()
    for field in fields:
        if field.kind == "object" and field.fields:
            inner = {f.path for f in leaves(field.fields)}
            if not field.required and all(values.get(p) in ("", None) for p in inner):
                found |= inner & set(values)
            else:
                found |= _untouched(field.fields, values)
    return found


def _texts(answer: object) -> dict[str, str]:
    if not isinstance(answer, Mapping):
        return {}
    return {str(k): str(v) for k, v in answer.items() if v is not None}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
