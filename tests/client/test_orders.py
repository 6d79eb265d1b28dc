"""What the front end says of commands that wait."""

import pytest

from adk_tui.client.orders import describe
from adk_tui.core.commands import Answer, Say, ToolAnswer


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (("pay", "ship"), "answer pay, ship"),
        (("adk_request_confirmation",) * 2, "answer a confirmation"),
        (
            ("adk_request_credential", "adk_request_input"),
            "answer a credential request, a question",
        ),
    ],
)
def test_a_waiting_answer_is_named_as_people_say_it(names: tuple[str, ...], words: str):
    answers = tuple(ToolAnswer(f"c{n}", name, {}) for n, name in enumerate(names))
    assert describe(Answer("i1", answers)) == words


def test_a_waiting_message_is_its_first_line():
    assert describe(Say("one\ntwo")) == "one"
    assert describe(Say("")) == "attachments"
