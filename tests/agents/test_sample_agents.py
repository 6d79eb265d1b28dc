"""The sample agents, from loading to the last word, on the real Runner with the offline model."""

import ast
import importlib.util
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from google.adk.apps.app import App
from google.adk.cli.utils.agent_loader import AgentLoader

from adk_tui.engine import offline
from adk_tui.engine.loader import load
from tests.fakes.talking import Heard, Talk, text_of

AGENTS = Path(__file__).parents[2] / "agents"
NAMES = ("coffee_shop", "reimbursement", "stock", "summary", "travel")


@pytest.fixture(autouse=True)
def _no_credentials(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in ("GOOGLE_API_KEY", "GEMINI_API_KEY", "GOOGLE_GENAI_USE_VERTEXAI", "AGENT_MODEL"):
        monkeypatch.delenv(name, raising=False)
    path = list(sys.path)
    environment = dict(os.environ)
    yield
    sys.path[:] = path
    os.environ.clear()
    os.environ.update(environment)
    _forget()


def _forget() -> None:
    """The next load makes new agents: one that has the offline model would keep it."""
    for module in [m for m in sys.modules if m.partition(".")[0] in NAMES]:
        del sys.modules[module]


@pytest.fixture(params=[False, True], ids=["unary", "streaming"])
def streaming(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


def talk(name: str, streaming: bool = False) -> Talk:
    app = load(str(AGENTS / name)).app
    assert offline.install(app) == ("gemini-2.5-flash",)
    return Talk(app, streaming=streaming)


def called(heard: Heard) -> list[tuple[str, dict[str, Any]]]:
    return [(name, args) for _, name, args in heard.calls]


@pytest.mark.parametrize("name", NAMES)
def test_each_is_loaded_alike_by_adks_own_loader_and_by_ours(name: str) -> None:
    theirs: Any = AgentLoader(str(AGENTS)).load_agent(name)
    assert not isinstance(theirs, App)
    _forget()
    ours = load(str(AGENTS / name))
    assert ours.app.root_agent is not None
    assert ours.app.root_agent.name == theirs.name == name
    assert (ours.app_name, ours.folder) == (name, AGENTS / name)


@pytest.mark.parametrize("name", NAMES)
def test_the_model_comes_from_the_environment(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENT_MODEL", "gemini-3-pro")
    root = load(str(AGENTS / name)).app.root_agent
    models = {agent.model for agent in offline.agents(root) if hasattr(agent, "model")}
    assert models == {"gemini-3-pro"}


@pytest.mark.parametrize("name", NAMES)
def test_each_imports_google_adk_and_the_standard_library_only(name: str) -> None:
    tree = ast.parse((AGENTS / name / "agent.py").read_text())
    assert ast.get_docstring(tree)
    for node in ast.walk(tree):
        names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        for module in names:
            top = module.partition(".")[0]
            assert top in sys.stdlib_module_names or module.startswith("google.adk")


async def test_stock_answers_with_a_price_that_says_it_is_a_sample(streaming: bool) -> None:
    chat = talk("stock", streaming)
    heard = await chat.say("stock price of GOOG")
    assert called(heard) == [("get_stock_price", {"symbol": "GOOG"})]
    assert "sample data, not a live quote" in heard.text
    assert "279.7" in heard.text
    if streaming:
        assert "".join(text_of(event) for event in heard.partials) == heard.text


async def test_stock_finds_the_ticker_before_the_price() -> None:
    chat = talk("stock")
    assert called(await chat.say("ticker of Alphabet")) == [
        ("find_ticker", {"company_name": "Alphabet"})
    ]
    heard = await chat.say("stock price of Alphabet")
    assert [name for name, _ in called(heard)] == ["find_ticker", "get_stock_price"]
    assert "No quote for XYZ" in (await chat.say("stock price of XYZ")).text
    assert "No company named" in (await chat.say("ticker of Nobody Ltd")).text


async def test_stock_takes_a_live_price_and_falls_back_when_the_network_is_silent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chat = talk("stock")
    module = sys.modules["stock.agent"]
    (tmp_path / "yfinance.py").write_text(
        "class Ticker:\n"
        "    def __init__(self, symbol):\n        self.symbol = symbol\n"
        "    @property\n    def fast_info(self):\n"
        "        if self.symbol != 'GOOG':\n            raise ConnectionError('no network')\n"
        "        return {'last_price': 123.456}\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "yfinance", raising=False)
    live = dict((await chat.say("stock price of GOOG")).results)["get_stock_price"]
    assert (live["price"], live["source"]) == (123.46, "live quote by Yahoo Finance")
    sample = dict((await chat.say("stock price of AAPL")).results)["get_stock_price"]
    assert sample["source"] == module.SAMPLE_NOTE
    monkeypatch.delitem(sys.modules, "yfinance", raising=False)


def test_stock_needs_no_package_for_its_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    load(str(AGENTS / "stock"))
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert sys.modules["stock.agent"]._live_price("GOOG") is None


async def test_reimbursement_pays_small_amounts_at_once(streaming: bool) -> None:
    chat = talk("reimbursement", streaming)
    heard = await chat.say("reimburse 40 for lunch")
    assert called(heard) == [("request_reimbursement", {"purpose": "lunch", "amount": 40})]
    assert "Paid 40 euros for lunch." in heard.text


async def test_reimbursement_pays_after_an_approval(streaming: bool) -> None:
    chat = talk("reimbursement", streaming)
    heard = await chat.say("reimburse 200 for the conference")
    assert heard.results[0][1]["status"] == "pending"
    assert heard.results[0][1]["ticket_id"].startswith("R-")
    assert "waits for a person's answer" in heard.text
    heard = await chat.answer({"status": "approved"})
    assert called(heard) == [("pay", {"purpose": "conference", "amount": 200})]
    assert "Paid 200 euros for conference." in heard.text


async def test_reimbursement_says_that_it_was_rejected(streaming: bool) -> None:
    chat = talk("reimbursement", streaming)
    await chat.say("reimburse 200 for the conference")
    heard = await chat.answer({"status": "rejected"})
    assert called(heard) == []
    assert "was rejected, so nothing more was done" in heard.text


async def test_reimbursement_pays_nothing_without_an_approval_and_nothing_twice() -> None:
    chat = talk("reimbursement")
    heard = await chat.say('pay(purpose="yacht", amount=99999)')
    assert heard.results[0][1]["status"] == "refused"
    await chat.say("reimburse 200 for the conference")
    await chat.answer({"status": "approved"})
    heard = await chat.say('pay(purpose="conference", amount=200)')
    assert "were paid before" in heard.text
    heard = await chat.say('pay(purpose="conference", amount=201)')
    assert heard.results[0][1]["status"] == "refused"
    assert "must be more than zero" in (await chat.say("reimburse 0 for lunch")).text


async def test_reimbursement_asks_for_what_is_missing() -> None:
    chat = talk("reimbursement")
    assert "still need `purpose`" in (await chat.say("reimburse 250")).text
    heard = await chat.say("a new chair")
    assert called(heard) == [("request_reimbursement", {"purpose": "new chair", "amount": 250})]


async def test_coffee_shop_transfers_there_and_back(streaming: bool) -> None:
    chat = talk("coffee_shop", streaming)
    heard = await chat.say("I would like a large latte and two small teas")
    assert called(heard) == [
        ("transfer_to_agent", {"agent_name": "barista"}),
        ("order_drink", {"drink": "latte", "size": "large"}),
        ("order_drink", {"drink": "tea", "size": "small", "quantity": 2}),
    ]
    assert heard.author == "barista"
    heard = await chat.say("back to the front desk")
    assert called(heard) == [("transfer_to_agent", {"agent_name": "coffee_shop"})]
    heard = await chat.say("when are you open?")
    assert (heard.author, called(heard)) == ("coffee_shop", [("opening_hours", {})])


async def test_coffee_shop_takes_the_money_after_a_confirmation(streaming: bool) -> None:
    chat = talk("coffee_shop", streaming)
    await chat.say("a large latte please")
    heard = await chat.say("I want to pay by card")
    assert [name for name, _ in called(heard)] == [
        "transfer_to_agent",
        "take_payment",
        "adk_request_confirmation",
    ]
    assert chat.pending[-1].name == "adk_request_confirmation"
    assert len((await chat.state())["orders"]) == 1
    heard = await chat.answer({"confirmed": True})
    assert ("take_payment", {"status": "paid", "total": 4.6, "method": "card"}) in heard.results
    assert heard.author == "cashier"
    assert (await chat.state())["orders"] == []


async def test_coffee_shop_keeps_the_bill_after_a_rejection() -> None:
    chat = talk("coffee_shop")
    await chat.say("a large latte please")
    await chat.say("I want to pay in cash")
    heard = await chat.answer({"confirmed": False})
    assert "was rejected" in heard.text
    assert len((await chat.state())["orders"]) == 1
    await chat.say("show_bill()")
    await chat.say('take_payment(method="cash")')
    await chat.answer({"confirmed": True})
    await chat.say("pay in cash")
    assert "nothing to pay" in (await chat.answer({"confirmed": True})).text


async def test_summary_hands_the_inner_agents_words_to_the_user(streaming: bool) -> None:
    chat = talk("summary", streaming)
    heard = await chat.say("summarize: ADK is a toolkit. It runs agents.")
    assert called(heard) == [("summarizer", {"request": "ADK is a toolkit. It runs agents."})]
    answers = [event for event in heard.events if event.get_function_responses()]
    assert answers[-1].actions.skip_summarization
    assert "“ADK is a toolkit. It runs agents.”" in str(heard.results)
    models = [event for event in heard.events if event.get_function_calls()]
    assert len(models) == 1
    heard = await chat.say("count words: one two three")
    assert heard.results == [("count_words", {"words": 3, "characters": 13})]


async def test_travel_calls_two_tools_in_parallel(streaming: bool) -> None:
    chat = talk("travel", streaming)
    heard = await chat.say("flights from Berlin to Paris and weather in Paris in celsius")
    assert [len(event.get_function_calls()) for event in heard.events] == [2, 0, 0]
    assert called(heard) == [
        ("search_flights", {"origin": "Berlin", "destination": "Paris"}),
        ("get_weather", {"city": "Paris", "unit": "celsius"}),
    ]


async def test_travel_passes_temporary_state_within_one_turn_only(streaming: bool) -> None:
    chat = talk("travel", streaming)
    heard = await chat.say(
        "find flights from Oslo to Rome for 2 passengers, then price the trip in USD"
    )
    results = dict(heard.results)
    cheapest = min(flight["price"] for flight in results["search_flights"]["flights"])
    assert results["price_trip"]["total"] == round(cheapest * 2 * 1.1, 2)
    assert not any(key.startswith("temp:") for key in await chat.state())
    assert "Search flights first" in (await chat.say("price the trip")).text


async def test_travel_takes_optional_parameters_and_asks_for_required_ones() -> None:
    chat = talk("travel")
    heard = await chat.say("direct flights from Oslo to Rome on 2026-05-01")
    assert called(heard)[0][1] == {
        "origin": "Oslo",
        "destination": "Rome",
        "date": "2026-05-01",
        "direct": True,
    }
    assert all(flight["stops"] == 0 for flight in heard.results[0][1]["flights"])
    assert "`origin`" in (await chat.say("search flights")).text
    heard = await chat.say("Oslo, Rome")
    assert called(heard)[0][1] == {"origin": "Oslo", "destination": "Rome"}


async def test_travel_has_a_tool_that_raises(streaming: bool) -> None:
    chat = talk("travel", streaming)
    with pytest.raises(ConnectionError, match="did not answer for flight XY100"):
        await chat.say("check seats of flight XY100")
    heard = await chat.say("weather in Rome for 2 days")
    assert len(heard.results[0][1]["temperatures"]) == 2
