"""Arguments come from the user's own words, by type, and nothing is made up."""

import enum
import re
from typing import Any, Literal, Optional

import pytest
from google.adk.tools import FunctionTool
from google.genai import types
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from adk_tui.engine.arguments import extract, from_known, take_answer
from adk_tui.engine.declarations import Tool, read_tool, read_tools, stem


class Unit(enum.Enum):
    METRIC = "metric"
    IMPERIAL = "imperial"


class Address(BaseModel):
    street: str
    city: str


def get_stock_price(symbol: str) -> None:
    """Get the price of a stock by its ticker symbol."""


def find_ticker(company_name: str) -> None:
    """Find the ticker symbol of a company."""


def request_reimbursement(purpose: str, amount: float) -> None:
    """Request money back."""


def get_weather(
    city: str,
    unit: Literal["celsius", "fahrenheit"] = "celsius",
    days: int = 1,
    when: Optional[str] = None,  # noqa: UP045
    system: Unit = Unit.METRIC,
) -> None:
    """Get the weather.

    Args:
        city: The city's name.
        days: For how many days.
    """


def find_flights(
    origin: str,
    destination: str,
    date: str | None = None,
    direct: bool = False,
    passengers: int = 1,
) -> None:
    """Find flights."""


def order_drink(
    drink: str,
    size: Literal["small", "medium", "large"] = "medium",
    quantity: int = 1,
    extras: list[str] = [],  # noqa: B006
) -> None:
    """Order a drink."""


def book_room(city: str, nights: int, guests: int, breakfast: bool, price: float = 0) -> None:
    """Book a room."""


def cancel_order(order_id: str) -> None:
    """Cancel an order."""


def compare(symbols: list[str]) -> None:
    """Compare stocks."""


def add_numbers(numbers: list[float]) -> None:
    """Add numbers."""


def pick_toppings(toppings: list[Literal["ham", "olives", "cheese"]]) -> None:
    """Pick."""


def send_message(text: str, recipient: str) -> None:
    """Send."""


def convert(amount: float, from_currency: str, to_currency: str) -> None:
    """Convert."""


def ship(address: Address) -> None:
    """Ship."""


def ask(request: str) -> None:
    """Ask."""


def tool(function: Any) -> Tool:
    declaration = FunctionTool(function)._get_declaration()
    assert declaration is not None
    return read_tool(declaration)


@pytest.mark.parametrize(
    ("function", "text", "expected"),
    [
        (get_stock_price, "stock price of GOOG", {"symbol": "GOOG"}),
        (get_stock_price, "What is the price of $BRK.B?", {"symbol": "BRK.B"}),
        (get_stock_price, "symbol goog", {"symbol": "goog"}),
        (get_stock_price, "stock price of Alphabet", {}),
        (get_stock_price, "I want a price", {}),
        (find_ticker, "ticker of Alphabet", {"company_name": "Alphabet"}),
        (find_ticker, "What's the ticker symbol for Apple?", {"company_name": "Apple"}),
        (find_ticker, "find the ticker for the Coca Cola Company", None),
        (find_ticker, "find ticker Tesla", {"company_name": "Tesla"}),
        (
            request_reimbursement,
            "reimburse 200 for the conference",
            {"purpose": "conference", "amount": 200},
        ),
        (
            request_reimbursement,
            "Please reimburse me $1,200.50 for my trip to Paris",
            {"purpose": "trip to Paris", "amount": 1200.5},
        ),
        (request_reimbursement, "I need a reimbursement of 40 dollars", {"amount": 40}),
        (request_reimbursement, "reimburse the conference", {"purpose": "conference"}),
        (get_weather, "weather in Paris in celsius", {"city": "Paris", "unit": "celsius"}),
        (get_weather, "weather in New York for 3 days", {"city": "New York", "days": 3}),
        (get_weather, "Paris weather tomorrow", {"city": "Paris", "when": "tomorrow"}),
        (get_weather, "weather in Rome, in imperial", {"city": "Rome", "system": "imperial"}),
        (get_weather, "what is the weather?", {}),
        (get_weather, "weather city=Oslo days=2", {"city": "Oslo", "days": 2}),
        (get_weather, 'weather city: "Los Angeles"', {"city": "Los Angeles"}),
        (
            find_flights,
            "flights from Berlin to Paris",
            {"origin": "Berlin", "destination": "Paris"},
        ),
        (
            find_flights,
            "find direct flights from Berlin to New York on 2026-05-01 for 2 passengers",
            {
                "origin": "Berlin",
                "destination": "New York",
                "date": "2026-05-01",
                "direct": True,
                "passengers": 2,
            },
        ),
        (find_flights, "fly to Rome tomorrow", {"destination": "Rome", "date": "tomorrow"}),
        (
            find_flights,
            "not direct flights from A1 to B2",
            {"origin": "A1", "destination": "B2", "direct": False},
        ),
        (order_drink, "I would like a large latte", {"drink": "latte", "size": "large"}),
        (order_drink, "order two lattes", {"drink": "lattes", "quantity": 2}),
        (
            order_drink,
            "a small flat white with extras oat milk and sugar",
            {"drink": "flat white", "size": "small", "extras": ["oat milk", "sugar"]},
        ),
        (
            book_room,
            "book a room in Oslo for 3 nights and 2 guests without breakfast",
            {"city": "Oslo", "nights": 3, "guests": 2, "breakfast": False},
        ),
        (book_room, "a room in Oslo with breakfast", {"city": "Oslo", "breakfast": True}),
        (cancel_order, "cancel order 17", {"order_id": "17"}),
        (cancel_order, "cancel my order #A-17", {"order_id": "A-17"}),
        (cancel_order, "cancel it", {}),
        (compare, "compare GOOG, AAPL and MSFT", {"symbols": ["GOOG", "AAPL", "MSFT"]}),
        (add_numbers, "add 1, 2.5 and 3", {"numbers": [1, 2.5, 3]}),
        (pick_toppings, "olives and ham please", {"toppings": ["olives", "ham"]}),
        (send_message, "send Bob: hello", {"text": "hello", "recipient": "Bob"}),
        (send_message, "message to Bob: hello there", {"text": "hello there", "recipient": "Bob"}),
        (
            convert,
            "convert 20 USD to EUR",
            {"amount": 20, "from_currency": "USD", "to_currency": "EUR"},
        ),
        (ship, "ship it", {}),
        (ship, 'ship street="Main 1" city=Oslo', {"address": {"street": "Main 1", "city": "Oslo"}}),
        (ask, "what is this?", {"request": "what is this?"}),
        (ask, "ask: what is this?", {"request": "what is this?"}),
    ],
)
def test_arguments_are_taken_from_a_plain_sentence(
    function: Any, text: str, expected: dict[str, Any] | None
) -> None:
    found = extract(tool(function), text)
    if expected is None:
        assert set(found) == {p.name for p in tool(function).required}
    else:
        assert found == expected


@pytest.mark.parametrize(
    ("function", "missing", "text", "expected"),
    [
        (get_weather, ("city",), "Paris", {"city": "Paris"}),
        (get_weather, ("city",), "in New York, please", {"city": "New York"}),
        (get_weather, ("city",), "it's New York.", {"city": "New York"}),
        (get_weather, ("city",), "the city is Rome", {"city": "Rome"}),
        (request_reimbursement, ("amount",), "200 euros", {"amount": 200}),
        (request_reimbursement, ("amount",), "a lot", {}),
        (request_reimbursement, ("purpose",), "lunch with Bob", {"purpose": "lunch with Bob"}),
        (
            request_reimbursement,
            ("purpose", "amount"),
            "200 for the conference",
            {"purpose": "conference", "amount": 200},
        ),
        (
            request_reimbursement,
            ("purpose", "amount"),
            "conference, 200",
            {"purpose": "conference", "amount": 200},
        ),
        (get_stock_price, ("symbol",), "goog", {"symbol": "goog"}),
        (get_stock_price, ("symbol",), "it is GOOG", {"symbol": "GOOG"}),
        (find_flights, ("origin", "destination"), "Oslo, Rome", None),
        (book_room, ("breakfast",), "yes", {"breakfast": True}),
        (book_room, ("breakfast",), "no", {"breakfast": False}),
        (book_room, ("nights",), "three", {"nights": 3}),
        (book_room, ("nights",), "2.5", {}),
        (order_drink, ("drink",), "", {}),
        (pick_toppings, ("toppings",), '["ham"]', {"toppings": ["ham"]}),
    ],
)
def test_the_next_message_answers_what_was_asked(
    function: Any, missing: tuple[str, ...], text: str, expected: dict[str, Any] | None
) -> None:
    wanted = tuple(p for p in tool(function).parameters if p.name in missing)
    found = take_answer(wanted, text)
    assert found == ({"origin": "Oslo", "destination": "Rome"} if expected is None else expected)


def test_both_dialects_of_declarations_are_read_alike() -> None:
    schema = types.Schema(
        type=types.Type.OBJECT,
        properties={
            "city": types.Schema(type=types.Type.STRING, description="The city."),
            "unit": types.Schema(type=types.Type.STRING, enum=["celsius", "fahrenheit"]),
            "days": types.Schema(any_of=[types.Schema(type=types.Type.INTEGER)], nullable=True),
        },
        required=["city"],
    )
    found = read_tool(types.FunctionDeclaration(name="w", description="W.", parameters=schema))
    assert [(p.name, p.type, p.required) for p in found.parameters] == [
        ("city", "string", True),
        ("unit", "string", False),
        ("days", "integer", False),
    ]
    assert found.parameters[1].enum == ("celsius", "fahrenheit")
    assert found.parameters[0].description == "The city"
    assert tool(get_weather).parameter("days").description == "For how many days"  # type: ignore[union-attr]


def test_a_schema_that_refers_to_itself_ends() -> None:
    schema = {
        "$defs": {"N": {"properties": {"next": {"$ref": "#/$defs/N"}}, "type": "object"}},
        "properties": {"node": {"$ref": "#/$defs/N"}, "odd": {"$ref": "#/$defs/Odd"}},
        "type": "object",
    }
    found = read_tool(types.FunctionDeclaration(name="t", parameters_json_schema=schema))
    assert [p.name for p in found.parameters] == ["node", "odd"]


def test_tools_without_declarations_are_left_out() -> None:
    config = types.GenerateContentConfig(tools=[types.Tool(google_search=types.GoogleSearch())])
    assert read_tools(config) == ()
    assert read_tools(None) == ()


def test_a_code_one_tool_returned_is_the_code_another_wants() -> None:
    known = {"ticker": "GOOG", "amount": 3, "purpose": "x"}
    assert from_known(tool(get_stock_price), {}, known) == {"symbol": "GOOG"}
    assert from_known(tool(find_ticker), {}, known) == {}
    assert from_known(tool(request_reimbursement), {"amount": 5}, known) == {
        "amount": 5,
        "purpose": "x",
    }


def test_words_of_one_family_share_a_stem() -> None:
    for family in (
        ("reimburse", "reimbursed", "reimbursement", "reimbursing"),
        ("price", "prices"),
        ("summarize", "summarizer", "summarise", "summarising"),
        ("order", "orders", "ordering", "ordered"),
        ("pay", "pays", "payment", "paying"),
    ):
        assert len({stem(word) for word in family}) == 1, family


ALL = [
    get_stock_price, find_ticker, request_reimbursement, get_weather, find_flights, order_drink,
    book_room, cancel_order, compare, add_numbers, pick_toppings, send_message, convert, ship,
]  # fmt: skip
TOOLS = [tool(function) for function in ALL]
_HEARD = """
weather price of in for to from with GOOG Paris New York 3 two 200 $5 order large small and no not
breakfast nights the a please tomorrow 2026-05-01 'quoted' "Bob" : , . ? celsius ham #17 yes true
city=Rome purpose: x
"""
VOCABULARY = _HEARD.split()


def _leaves(value: object) -> list[object]:
    if isinstance(value, dict):
        return [leaf for item in value.values() for leaf in _leaves(item)]
    if isinstance(value, list):
        return [leaf for item in value for leaf in _leaves(item)]
    return [value]


@settings(max_examples=400, deadline=None)
@given(
    st.sampled_from(TOOLS),
    st.lists(st.sampled_from(VOCABULARY), max_size=12).map(" ".join) | st.text(max_size=60),
)
def test_no_value_is_ever_made_up(declared: Tool, text: str) -> None:
    numbers = {"zero": "0", "one": "1", "two": "2", "three": "3", "four": "4", "five": "5"}
    heard = re.sub(r"\b(" + "|".join(numbers) + r")\b", lambda m: numbers[m.group(1).lower()],
                   text, flags=re.IGNORECASE).lower()  # fmt: skip
    for args in (extract(declared, text), take_answer(declared.required, text)):
        for leaf in _leaves(args):
            if isinstance(leaf, bool):
                continue
            if isinstance(leaf, int | float):
                assert f"{leaf:g}" in heard.replace(",", "")
            else:
                assert all(word in text.lower() for word in str(leaf).lower().split())
