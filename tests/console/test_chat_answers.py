"""The answers that ``adk-tui chat`` makes of what is typed, without a terminal."""

from typing import Any

import pytest

from adk_tui.console.chat_answers import Answerer
from adk_tui.core.ticket import Ticket


class Typist:
    """Gives the same words to every question, and keeps the questions."""

    def __init__(self, *typed: str) -> None:
        self.questions: list[str] = []
        self._typed = list(typed)

    def ask(self, question: str, **_: Any) -> str:
        """The next words."""
        self.questions.append(question)
        return self._typed.pop(0)

    def edit(self, question: str, default: str) -> str:
        """No form needs it."""
        raise AssertionError(question, default)


def _form(properties: dict[str, Any]) -> Ticket:
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    return Ticket(
        "t", "c", "i", "e", "input", "open", "ask", "adk_request_input", "root", "", 0.0,
        schema=schema,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("items", "typed", "meant"),
    [
        ({"type": "string"}, "Rome, New York ,Oslo", ["Rome", "New York", "Oslo"]),
        ({"type": "string"}, "Rome", ["Rome"]),
        ({"type": "string"}, '["a, b", "c"]', ["a, b", "c"]),
        ({"type": "integer"}, "3, 4", [3, 4]),
        ({"type": "integer"}, "[3, 4]", [3, 4]),
        ({"enum": ["red", "blue"]}, "blue,red", ["blue", "red"]),
        ({"type": "boolean"}, "yes, no", [True, False]),
        ({"type": "object", "properties": {"a": {"type": "integer"}}}, '[{"a": 1}]', [{"a": 1}]),
    ],
)
def test_a_list_is_typed_with_commas_or_as_json(items: Any, typed: str, meant: Any) -> None:
    typist = Typist(typed)
    ticket = _form({"stops": {"type": "array", "items": items}})
    answer = Answerer(typist, lambda _: None, lambda _: None).answer(ticket)
    assert answer.answers[0].response == {"stops": meant}
    kind = "JSON list" if items.get("type") == "object" else "list, commas between"
    assert typist.questions == [f"stops ({kind}):"]


def test_a_list_that_is_wrong_is_asked_for_again() -> None:
    wrong: list[str] = []
    typist = Typist("3, four", "[3, 4", "3,4")
    ticket = _form({"stops": {"type": "array", "items": {"type": "integer"}}})
    answer = Answerer(typist, lambda _: None, wrong.append).answer(ticket)
    assert answer.answers[0].response == {"stops": [3, 4]}
    assert len(wrong) == 2
    assert wrong[0].startswith("stops[1]: ")
    assert wrong[1].startswith("line 1, column")
