from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from adk_tui.core.event_log import EventLog
from adk_tui.core.event_reader import read_event
from adk_tui.core.filter_fields import FIELDS, FLAGS
from adk_tui.core.filters import HELP, FilterError, complete, insert, parse
from adk_tui.core.kinds import KINDS
from adk_tui.core.records import EventRecord


def event(number: int, author: str, *parts: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "id": f"e{number}",
        "invocationId": f"inv-{number // 10}",
        "author": author,
        "timestamp": float(number),
        "content": {"parts": list(parts)},
        **more,
    }


def call(call_id: str, name: str, **args: Any) -> dict[str, Any]:
    return {"functionCall": {"id": call_id, "name": name, "args": args}}


def response(call_id: str, name: str, **body: Any) -> dict[str, Any]:
    return {"functionResponse": {"id": call_id, "name": name, "response": body}}


EVENTS = [
    event(1, "user", {"text": "Price of GOOG, please"}),
    event(2, "stock_agent", call("c1", "get_price", symbol="GOOG"), branch="par.A"),
    event(3, "stock_agent", response("c1", "get_price", price=7), actions={
        "stateDelta": {"cart.items": 1, "user:theme": "dark"}
    }),
    event(4, "stock_agent", {"text": "It is 7"}, partial=True),
    event(5, "stock_agent", {"text": "It is 7 größe"}, modelVersion="m-1"),
    event(11, "pay_agent", call("c2", "pay", amount=1), longRunningToolIds=["c2"], branch="par"),
    event(12, "user", response("c2", "pay", ok=True)),
    event(13, "pay_agent", errorCode="SAFETY", errorMessage="blocked"),
    event(14, "root", response("c3", "transfer_to_agent"), actions={"transferToAgent": "sub"}),
    event(15, "root", actions={"artifactDelta": {"a b.png": 0}}, nodeInfo={"path": "wf@1/one@1"}),
    event(16, "root", errorCode="INVOCATION_ABORTED", errorMessage="stopped"),
    event(17, "root", {"text": "C:\\dir \"quoted\" a/b"}),
]  # fmt: skip
RECORDS = [read_event(e) for e in EVENTS]


def log() -> EventLog:
    made = EventLog()
    made.extend(RECORDS)
    made.extend([read_event(event(18, "inner", {"text": "deep"}), inner_of="c1")])
    return made


def found(expression: str) -> list[int]:
    fits = parse(expression)
    return [int(r.id[1:]) for r in log() if fits(r)]


EVERY = [1, 2, 3, 4, 5, 11, 12, 13, 14, 15, 16, 17, 18]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("", EVERY),
        ("   ", EVERY),
        ("author:stock_agent", [2, 3, 4, 5]),
        ("author:STOCK_*", [2, 3, 4, 5]),
        ("author:*_agent -author:stock_agent", [11, 13]),
        ("-author:user,root", [2, 3, 4, 5, 11, 13, 18]),
        ("kind:call,response", [2, 3, 11, 12, 14]),
        ("kind:call,kind:error", [2, 11, 13]),
        ("kind:answer", [12]),
        ("kind:user", [1]),
        ("kind:partial", [4]),
        ("kind:transfer", [14]),
        ("tool:get_*", [2, 3]),
        ("tool:pay", [11, 12]),
        ("tool:/^p.y$/", [11, 12]),
        ("state:cart.*", [3]),
        ("state:cart", [3]),
        ("state:theme", [3]),
        ("state:user:theme", [3]),
        ("state:car", []),
        ("branch:par", [2, 11]),
        ("branch:par.A", [2]),
        ("inv:inv-1", [11, 12, 13, 14, 15, 16, 17, 18]),
        ("id:e1", [1, 11, 12, 13, 14, 15, 16, 17, 18]),
        ("call:c1", [2, 3, 18]),
        ("node:wf@1", [15]),
        ("to:sub", [14]),
        ('artifact:"a b.png"', [15]),
        ("code:safety", [13]),
        ("model:m-1", [5]),
        ("error", [13]),
        ("stopped", [16]),
        ("ticket", [11]),
        ("partial", [4]),
        ("-partial author:stock_agent", [2, 3, 5]),
        ("inner", [18]),
        ("state", [3]),
        ("artifact", [15]),
        ("transfer", [14]),
        ("error,ticket", [11, 13]),
        ("goog", [1, 2]),
        ("GOOG -user", [2]),
        ("GOOG -author:user", [2]),
        ('"price of goog, please"', [1]),
        ('"error"', []),
        ("text:error", []),
        ("größe", [5]),
        ("GRÖSSE", [5]),
        ("/it is \\d$/", [4]),
        ("text:/^IT IS/", [4, 5]),
        ("/\\bit is/", [4, 5]),
        ('"C:\\\\dir"', [17]),
        ('"\\"quoted\\""', [17]),
        ("/a\\/b/", [17]),
        ("dark", [3]),
    ],
)
def test_expressions_find_their_events(expression: str, expected: list[int]) -> None:
    assert found(expression) == expected


@pytest.mark.parametrize(
    ("expression", "position", "message"),
    [
        ("colour:red", 0, "there is no field 'colour'; there are author, kind"),
        ("error colour:red", 6, "there is no field"),
        ("kind:cal", 5, "there is no kind 'cal'; there are"),
        ("author:", 7, "author: needs a value"),
        ("kind:call,", 10, "kind: needs a value"),
        ("a,", 2, "a word is missing here"),
        ("text:", 5, "text: needs a word"),
        ('tool:"get', 5, 'the closing " is missing'),
        ("a /b", 2, "the closing / is missing"),
        ("a /(/", 2, "not a regular expression: missing )"),
        ("http://x", 0, "Put text with a colon in double quotes"),
    ],
)
def test_bad_expressions_say_what_is_wrong_and_where(
    expression: str, position: int, message: str
) -> None:
    with pytest.raises(FilterError, match=r"\w") as caught:
        parse(expression)
    assert message in caught.value.message
    assert caught.value.position == position


WORDS = st.sampled_from(
    [
        *FIELDS,
        *FLAGS,
        *KINDS,
        *' \t,,--::**??""//\\([{|+.^$',
        "author:",
        "text:",
        "a",
        "user",
        "ß",
        "\ud800",
        "\x00",
        "(?P<",
        "(?i)",
        "{99999}",
        "[[a]",
    ]
)
EXPRESSIONS = st.one_of(
    st.lists(WORDS, max_size=12).map("".join), st.text(st.characters(), max_size=20)
)


@given(EXPRESSIONS)
@example("/(?P<a>/")
@example("/a{99999999999}/")
@example("/" + "(" * 500 + "/")
@example("author:" + "*" * 300 + "b")
@example(",")
@example("-")
@example("--a")
def test_parsing_raises_nothing_but_filter_errors(expression: str) -> None:
    try:
        fits = parse(expression)
    except FilterError as error:
        within = 0 <= error.position <= len(expression)
        assert within, error.message  # noqa: PT017
        return
    for record in RECORDS:
        assert fits(record) in (True, False)


@given(EXPRESSIONS, st.integers(-2, 40))
def test_completion_never_raises_and_can_be_put_in(expression: str, cursor: int) -> None:
    for choice in complete(expression, cursor, log()):
        text, at = insert(expression, cursor, choice)
        assert text[:at].endswith(choice)


def last_choices(expression: str) -> list[str]:
    return complete(expression, len(expression), log())


def test_completion_offers_flags_and_fields_first() -> None:
    offered = last_choices("")
    assert offered[0] == "error"
    assert {"author:", "tool:", "text:", *FLAGS} <= set(offered)
    assert last_choices("au") == ["author:"]
    assert last_choices("-tick") == ["ticket"]
    assert "author:stock_agent" in last_choices("sto")


@pytest.mark.parametrize(
    ("expression", "choice", "result"),
    [
        ("author:st", "author:stock_agent", "author:stock_agent"),
        ("kind:call,re", "response", "kind:call,response"),
        ("kind:call,", "response", "kind:call,response"),
        ("kind:call tool:g", "tool:get_price", "kind:call tool:get_price"),
        ("-author:us", "author:user", "-author:user"),
        ("state:ca", "state:cart.items", "state:cart.items"),
        ("state:user:", "state:user:theme", "state:user:theme"),
        ("inv:", "inv:inv-1", "inv:inv-1"),
        ("artifact:a", 'artifact:"a b.png"', 'artifact:"a b.png"'),
        ("to:", "to:sub", "to:sub"),
    ],
)
def test_completion_knows_the_values_in_the_log(expression: str, choice: str, result: str) -> None:
    assert choice in last_choices(expression)
    assert insert(expression, len(expression), choice) == (result, len(result))
    assert found(result)


def test_completion_in_the_middle_replaces_only_its_word() -> None:
    assert insert("author:us error", 9, "author:user") == ("author:user error", 11)
    assert insert("author:usXX error", 9, "author:user") == ("author:user error", 11)


def test_hostile_names_are_not_offered() -> None:
    made = EventLog()
    made.extend([read_event(event(1, "evil\x1b[2J")), read_event(event(2, "fine"))])
    assert complete("author:", 7, made) == ["author:fine"]


def test_everything_in_the_language_is_in_its_help() -> None:
    for word in (*FIELDS, *FLAGS, *KINDS):
        assert word in HELP
    assert all(len(row) <= 100 for row in HELP.splitlines() if not row.startswith("kinds"))


def test_a_search_finds_text_behind_unicode_escapes() -> None:
    record = read_event(b'{"id":"a","author":"b","content":{"parts":[{"text":"\\u0068ello"}]}}')
    assert parse("hello")(record)


def test_a_search_does_not_find_names_of_fields() -> None:
    record: EventRecord = RECORDS[0]
    assert b"timestamp" in record.raw
    assert not parse("timestamp")(record)
    assert parse("").is_empty
    assert not parse("x").is_empty


@pytest.mark.parametrize(
    ("expression", "asked"),
    [
        ("partial", True),
        ("kind:text,partial", True),
        ("author:a PARTIAL", True),
        ("-partial", False),
        ("-kind:text,partial", False),
        ('"partial"', False),
        ("tool:partial", False),
    ],
)
def test_a_filter_knows_whether_it_asks_for_partials(expression: str, asked: bool) -> None:
    assert parse(expression).partials is asked
