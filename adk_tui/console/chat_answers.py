"""Tickets answered inline in ``adk-tui chat``: question by question, never yes by default.

What is sent is made and checked by ``client.answers``, as in the panel of the
full screen. Enter on an empty line, Ctrl+C and Ctrl+D always mean "later": the
ticket stays open.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import fields as dataclass_fields
from typing import Any, Final, Protocol

from adk_tui.client.answers import (
    Checked,
    Choice,
    Credential,
    Decision,
    Entered,
    Problem,
    Value,
    approve_response,
    check,
    parse_json,
)
from adk_tui.client.credentials import credential_fields, login_url
from adk_tui.client.forms import Field, Path, assemble, form_fields
from adk_tui.core.brief import brief
from adk_tui.core.commands import Answer
from adk_tui.core.sanitize import line, mask, restore
from adk_tui.core.tickets import Ticket

YES: Final = frozenset({"y", "yes", "a", "approve"})
NO: Final = frozenset({"n", "no", "r", "reject"})
PROGRESS: Final = frozenset({"u", "progress"})
EDIT: Final = frozenset({"e", "edit"})


class Later(Exception):
    """The ticket stays open. ``typed`` is what was written instead of an answer."""

    def __init__(self, typed: str = "") -> None:
        super().__init__(typed)
        self.typed = typed


class Asker(Protocol):
    """Puts one question to the user; raises KeyboardInterrupt or EOFError to leave."""

    def ask(
        self,
        question: str,
        *,
        default: str = "",
        secret: bool = False,
        choices: tuple[str, ...] = (),
    ) -> str:
        """One line."""
        ...

    def edit(self, question: str, default: str) -> str:
        """Several lines."""
        ...


class Answerer:
    """Asks for the answer to a ticket. ``say`` prints a line, ``problem`` one that is wrong."""

    def __init__(
        self, asker: Asker, say: Callable[[str], None], problem: Callable[[str], None]
    ) -> None:
        self._asker = asker
        self._say = say
        self._problem = problem
        self._draft: dict[Path, str] = {}

    def answer(self, ticket: Ticket) -> Answer:
        """The answer to send. Raises Later where the user does not want to give one now."""
        self._draft = {}
        try:
            while True:
                checked = check(ticket, self._enter(ticket))
                if checked.answer is not None:
                    return Answer(ticket.invocation_id, (checked.answer,))
                self._tell(checked)
        except (KeyboardInterrupt, EOFError):
            raise Later from None

    def _enter(self, ticket: Ticket) -> Entered:
        match ticket.kind:
            case "long_running":
                return self._long_running(ticket)
            case "confirmation" | "node_confirmation":
                return self._confirmation(ticket)
            case "choice":
                return self._choice(ticket)
            case "credential":
                return self._credential(ticket)
            case "input":
                return self._form(ticket)

    def _decide(self, question: str, words: str, known: frozenset[str]) -> str:
        typed = self._asker.ask(f"{question} {words}")
        word = typed.strip().lower()
        if word not in known:
            raise Later(typed.strip())
        return word

    def _long_running(self, ticket: Ticket) -> Entered:
        words = "[y]es [n]o [u] progress [e]dit, Enter: later"
        word = self._decide(f"Approve {line(ticket.name, 60)}?", words, YES | NO | PROGRESS | EDIT)
        if word in PROGRESS:
            note = self._asker.ask("How far is it?")
            if not note.strip():
                raise Later
            return Value({"status": "in_progress", "message": note}, progress=True)
        if word in EDIT:
            return self._json(approve_response(ticket))
        return Decision(word in YES)

    def _confirmation(self, ticket: Ticket) -> Entered:
        words = "[y]es [n]o [e]dit, Enter: later"
        word = self._decide(f"Confirm {line(ticket.name, 60)}?", words, YES | NO | EDIT)
        if word in EDIT:
            answer: dict[str, Any] = {"confirmed": False}
            if ticket.payload is not None:
                answer["payload"] = ticket.payload
            return self._json(answer)
        return Decision(word in YES)

    def _json(self, default: Mapping[str, Any]) -> Value:
        text = json.dumps(mask(dict(default)), indent=2, ensure_ascii=False)
        while True:
            text = self._asker.edit("The answer as JSON; Esc Enter or Ctrl+J new line:", text)
            if not text.strip():
                raise Later
            value, wrong = parse_json(text)
            if not wrong:
                return Value(restore(value, dict(default)))
            self._tell(Checked(None, wrong))

    def _choice(self, ticket: Ticket) -> Entered:
        for number, option in enumerate(ticket.options, 1):
            self._say(f"  {number}  {line(option, 200)}")
        typed = self._asker.ask("Which one? (number or text, Enter: later)", choices=ticket.options)
        typed = typed.strip()
        if not typed:
            raise Later
        if typed in ticket.options:
            return Choice(typed)
        if typed.isdecimal() and 0 < int(typed) <= len(ticket.options):
            return Choice(ticket.options[int(typed) - 1])
        return Choice(typed)

    def _credential(self, ticket: Ticket) -> Entered:
        if url := login_url(ticket.auth):
            self._say(f"Log in at: {url}")
        entered = self._fill(credential_fields(ticket.auth))
        names = {f.name for f in dataclass_fields(Credential)}
        return Credential(**{p[0]: str(v) for p, v in entered.items() if p and p[0] in names})

    def _form(self, ticket: Ticket) -> Entered:
        fields = form_fields(ticket.schema)
        return Value(assemble(fields, self._fill(fields)))

    def _fill(self, fields: tuple[Field, ...]) -> dict[Path, Any]:
        entered: dict[Path, Any] = {}
        for number, field in enumerate(_leaves(fields)):
            typed = self._ask_field(field)
            if not typed and number == 0 and field.required and not field.has_default:
                raise Later
            self._draft[field.path] = "" if field.secret else typed
            if typed:
                entered[field.path] = _value(field, typed)
        return entered

    def _ask_field(self, field: Field) -> str:
        if field.description:
            self._say(f"  {field.description}")
        label = line(".".join((*field.path[:-1], field.label or field.name)), 80)
        kinds = {"enum": "/".join(brief(o, 40) for o in field.options), "boolean": "yes/no"}
        kinds |= {"json": "JSON", "integer": "number", "number": "number"}
        kinds["array"] = "list, commas between" if field.is_plain_list else "JSON list"
        kind = kinds.get(field.kind, "")
        notes = [n for n in (kind, "" if field.required else "optional") if n]
        note = f" ({', '.join(notes)})" if notes else ""
        default = self._draft.get(field.path, "")
        if not default and field.has_default and field.default is not None:
            default = _shown(field)
        choices = tuple(str(o) for o in field.options)
        while True:
            typed = self._asker.ask(
                f"{label}{note}:", default=default, secret=field.secret, choices=choices
            )
            wrong = _unreadable(field, typed)
            if not wrong:
                return typed if field.secret else typed.strip()
            self._problem(wrong)

    def _tell(self, checked: Checked) -> None:
        for problem in checked.problems:
            self._problem(_sentence(problem))


def _leaves(fields: tuple[Field, ...]) -> list[Field]:
    found: list[Field] = []
    for field in fields:
        found += _leaves(field.fields) if field.kind == "object" and field.fields else [field]
    return found


def _shown(field: Field) -> str:
    if field.kind == "boolean":
        return "yes" if field.default else "no"
    if isinstance(field.default, str) and field.kind in ("string", "enum"):
        return field.default
    return json.dumps(field.default, ensure_ascii=False, default=str)


def _value(field: Field, typed: str) -> Any:
    match field.kind:
        case "enum":
            return next((o for o in field.options if str(o) == typed), typed)
        case "array" | "json" | "object":
            if _by_commas(field, typed):
                return [item for part in typed.split(",") if (item := part.strip())]
            return parse_json(typed)[0]
        case _:
            return typed


def _by_commas(field: Field, typed: str) -> bool:
    return field.is_plain_list and not typed.lstrip().startswith("[")


def _unreadable(field: Field, typed: str) -> str:
    """Why what was typed is no value of the field's kind; ranges and the like are checked later."""
    as_json = field.kind in ("array", "json", "object") and not _by_commas(field, typed)
    if typed.strip() and as_json:
        problems = parse_json(typed)[1]
        return _sentence(problems[0]) if problems else ""
    return ""


def _sentence(problem: Problem) -> str:
    return f"{problem.path}: {problem.message}" if problem.path else problem.message
