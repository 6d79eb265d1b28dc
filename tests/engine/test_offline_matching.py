"""Words point at tools and agents by points that can be worked out by hand."""

from typing import Any, Literal

import pytest
from google.adk.tools import FunctionTool

from adk_tui.engine.declarations import Tool, read_tool
from adk_tui.engine.matching import Ask, Call, best_agent, best_tool, exact_calls, plan, steps


def get_stock_price(symbol: str) -> None:
    """Get the current price of a stock by its ticker symbol."""


def find_ticker(company_name: str) -> None:
    """Find the ticker symbol of a company by its name."""


def get_weather(city: str, unit: Literal["celsius", "fahrenheit"] = "celsius") -> None:
    """Get the weather forecast."""


def request_reimbursement(purpose: str, amount: float) -> None:
    """Request the reimbursement of an expense."""


def show_menu() -> None:
    """Show the menu."""


def compare(symbols: list[str]) -> None:
    """Compare stocks."""


def tool(function: Any) -> Tool:
    declaration = FunctionTool(function)._get_declaration()
    assert declaration is not None
    return read_tool(declaration)


FUNCTIONS = [
    get_stock_price, find_ticker, get_weather, request_reimbursement, show_menu, compare,
]  # fmt: skip
TOOLS = tuple(tool(function) for function in FUNCTIONS)
BY_NAME = {t.name: t for t in TOOLS}
AGENTS = {
    "barista": "Takes orders for drinks: espresso, latte, tea.",
    "cashier": "Shows the bill and takes the money.",
    "front_desk": "Welcomes guests.",
}


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        ('get_stock_price(symbol="GOOG")', [("get_stock_price", {"symbol": "GOOG"})]),
        ("please get_weather(city='Paris', unit=celsius).", None),
        ("get_weather(city=Paris)", [("get_weather", {"city": "Paris"})]),
        ('get_weather("Rome", "celsius")', [("get_weather", {"city": "Rome", "unit": "celsius"})]),
        ("show_menu()", [("show_menu", {})]),
        (
            'get_weather(city="a) b(", n=1.5, ok=true, no=null, l=[1, {"k": "v"}])',
            [
                (
                    "get_weather",
                    {"city": "a) b(", "n": 1.5, "ok": True, "no": None, "l": [1, {"k": "v"}]},
                )
            ],
        ),
        (
            'get_weather(city="A") and show_menu()',
            [("get_weather", {"city": "A"}), ("show_menu", {})],
        ),
        ("unknown(a=1)", []),
        ("get_weather(city=", []),
        ("get_weather(**{'a': 1})", [("get_weather", {})]),
        ("get_weather(city=__import__('os').system('x'))", []),
        ("(" * 3000, []),
        ("get_weather" + "(" * 300 + ")" * 300, []),
    ],
)
def test_exact_calls_are_read_as_written(
    text: str, calls: list[tuple[str, dict[str, Any]]] | None
) -> None:
    found, _ = exact_calls(text, BY_NAME)
    if calls is None:
        calls = [("get_weather", {"city": "Paris", "unit": "celsius"})]
    assert [(call.name, call.args) for call in found] == calls


def test_a_lone_call_of_an_undeclared_tool_is_named() -> None:
    assert exact_calls("unknown(a=1)", BY_NAME) == ([], "unknown")
    assert exact_calls("what does unknown(a=1) do?", BY_NAME) == ([], "")
    assert exact_calls("show_menu()", BY_NAME)[1] == ""


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("stock price of GOOG", "get_stock_price"),
        ("a quote for GOOG, the ticker", "find_ticker"),
        ("ticker of Alphabet", "find_ticker"),
        ("how is the weather in Paris?", "get_weather"),
        ("reimburse 200 for the conference", "request_reimbursement"),
        ("show me the menu", "show_menu"),
        ("hello", ""),
        ("what can you do?", ""),
        ("get it and show me", ""),
    ],
)
def test_words_find_the_tool_that_is_meant(text: str, name: str) -> None:
    found, _, points = best_tool(text, TOOLS)
    assert (found.name if found else "") == name
    assert (points >= 2) == bool(name)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("I would like a latte", "barista"),
        ("the bill please", "cashier"),
        ("transfer me to the cashier", "cashier"),
        ("back to the front desk", "front_desk"),
        ("hello", ""),
        ("barista or cashier", ""),
    ],
)
def test_words_find_the_agent_that_is_meant(text: str, name: str) -> None:
    assert best_agent(text, AGENTS)[0] == name


def calls(text: str, known: dict[str, Any] | None = None) -> list[tuple[str, dict[str, Any]]]:
    planned = plan(text, TOOLS, known or {})
    assert isinstance(planned, list)
    return [(call.name, call.args) for call in planned]


def test_one_sentence_is_one_call() -> None:
    assert calls("weather in Paris in celsius") == [
        ("get_weather", {"city": "Paris", "unit": "celsius"})
    ]


def test_clauses_that_are_complete_are_parallel_calls() -> None:
    assert calls("weather in Paris and stock price of GOOG") == [
        ("get_weather", {"city": "Paris"}),
        ("get_stock_price", {"symbol": "GOOG"}),
    ]
    assert calls("weather in Paris, Rome and London") == [
        ("get_weather", {"city": "Paris"}),
        ("get_weather", {"city": "Rome"}),
        ("get_weather", {"city": "London"}),
    ]
    assert calls("reimburse 200 for the conference and 50 for lunch") == [
        ("request_reimbursement", {"purpose": "conference", "amount": 200}),
        ("request_reimbursement", {"purpose": "lunch", "amount": 50}),
    ]


def test_an_and_inside_a_value_splits_nothing() -> None:
    assert calls("reimburse 200 for lunch and dinner") == [
        ("request_reimbursement", {"purpose": "lunch and dinner", "amount": 200})
    ]
    assert calls("compare GOOG, AAPL and MSFT") == [
        ("compare", {"symbols": ["GOOG", "AAPL", "MSFT"]})
    ]


def test_prose_for_a_tool_is_never_cut() -> None:
    def summarize(text: str) -> None:
        """Summarize a text."""

    tools = (*TOOLS, tool(summarize))
    text = "summarize: Paris has weather, and then stock price of GOOG"
    assert steps(text, tools) == [text]
    planned = plan(text, tools, {})
    assert isinstance(planned, list)
    assert [call.name for call in planned] == ["summarize"]
    assert steps("weather in Paris, then the menu", tools) == ["weather in Paris", "the menu"]


def test_a_missing_argument_is_asked_for() -> None:
    planned = plan("what is the weather?", TOOLS, {})
    assert isinstance(planned, Ask)
    assert (planned.tool.name, [p.name for p in planned.missing]) == ("get_weather", ["city"])


def test_a_tool_that_can_find_the_missing_argument_goes_first() -> None:
    assert calls("stock price of Alphabet") == [("find_ticker", {"company_name": "Alphabet"})]
    known = {"company_name": "Alphabet", "symbol": "GOOG"}
    assert calls("stock price of Alphabet", known) == [("get_stock_price", {"symbol": "GOOG"})]


def test_nothing_is_planned_where_no_tool_is_meant() -> None:
    assert plan("hello", TOOLS, {}) is None
    assert plan("", TOOLS, {}) is None
    assert plan("stock price of GOOG", (), {}) is None


def test_the_same_words_always_make_the_same_plan() -> None:
    first = plan("weather in Paris and stock price of GOOG", TOOLS, {})
    assert all(plan("weather in Paris and stock price of GOOG", TOOLS, {}) == first for _ in "abc")
    assert first is not None
    assert isinstance(first, list)
    assert all(isinstance(call, Call) for call in first)
