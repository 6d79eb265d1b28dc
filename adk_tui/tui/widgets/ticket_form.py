"""The form of the marked ticket."""

import json
from dataclasses import dataclass
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import TextArea

from adk_tui.core.commands import ToolAnswer
from adk_tui.core.tickets import Ticket
from adk_tui.tui.messages import Act


@dataclass(frozen=True, slots=True)
class Outcome:
    answer: ToolAnswer | None
    problem: str = ""


class TicketForm(Vertical):
    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+s", "send", "Send the answer")]
    DEFAULT_CSS: ClassVar[str] = """
    TicketForm { height: auto; display: none; }
    TicketForm TextArea { height: auto; max-height: 10; min-height: 3; border: none; }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._key = ""
        self._draft: dict[str, str] = {}
        self._json = False

    def compose(self) -> ComposeResult:
        yield TextArea(id="json", compact=True)

    def show(self, ticket: Ticket, draft: dict[str, str], *, as_json: bool) -> None:
        area = self.query_one(TextArea)
        if ticket.key != self._key or as_json != self._json:
            self._key, self._draft, self._json = ticket.key, draft, as_json
            if as_json:
                area.load_text(
                    draft.get(
                        "json", json.dumps(ticket.payload or {"status": "approved"}, indent=2)
                    )
                )
        self._draft = draft
        self.display = as_json

    def hide(self) -> None:
        self._key = ""
        self.display = False

    def save(self) -> None:
        if self._json:
            self._draft["json"] = self.query_one(TextArea).text

    def enter(self) -> None:
        if self.display:
            self.query_one(TextArea).focus()

    def action_send(self) -> None:
        self.post_message(Act("approve"))

    def check(self, ticket: Ticket, name: str) -> Outcome:
        if self._json:
            try:
                body = json.loads(self.query_one(TextArea).text)
            except ValueError as error:
                return Outcome(None, f"not JSON: {error}")
        elif ticket.kind == "confirmation":
            body = {"confirmed": name == "approve"}
        else:
            body = {
                "status": {"approve": "approved", "reject": "rejected", "progress": "pending"}[name]
            }
        return Outcome(ToolAnswer(ticket.call_id, ticket.function_name, body, name == "progress"))
