"""The offline model on ADK's real Runner: what it does in a turn, and where it is put."""

import asyncio
import json
from typing import Any

import pytest
from google.adk.agents import LlmAgent, LoopAgent, SequentialAgent
from google.adk.apps.app import App
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.tools import FunctionTool, LongRunningFunctionTool, exit_loop, google_search
from google.adk.tools.agent_tool import AgentTool
from google.adk.workflow import START, Workflow
from google.genai import types
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from adk_tui.engine import offline
from adk_tui.engine.offline import OfflineModel, install, is_offline, model_name
from tests.fakes.talking import Talk, text_of

NAME = "gemini-2.5-flash"


class Own(BaseLlm):
    model: str = "own"

    async def generate_content_async(self, llm_request: LlmRequest, stream: bool = False) -> Any:
        yield LlmResponse(content=types.Content(role="model", parts=[types.Part(text="own words")]))


@pytest.fixture(autouse=True)
def _no_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GOOGLE_API_KEY", "GEMINI_API_KEY", "GOOGLE_GENAI_USE_VERTEXAI", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


def get_weather(city: str, unit: str = "celsius") -> dict[str, Any]:
    """Get the weather forecast for a city."""
    return {"city": city, "unit": unit, "sky": "clear"}


def find_code(place: str) -> dict[str, Any]:
    """Find the airport code of a place."""
    return {"code": place[:3].upper()}


def airport_delay(airport_code: str) -> dict[str, Any]:
    """Get the delay at an airport."""
    return {"minutes": 7, "airport": airport_code}


def app_of(agent: Any, **more: Any) -> App:
    app = App(name="test", root_agent=agent, **more)
    install(app)
    return app


def agent(name: str = "root", **more: Any) -> LlmAgent:
    return LlmAgent(name=name, model=more.pop("model", NAME), **more)


async def test_text_is_streamed_in_pieces_that_make_the_final_text() -> None:
    talk = Talk(app_of(agent(tools=[get_weather])), streaming=True)
    heard = await talk.say("hello")
    assert len(heard.partials) > 3
    assert "".join(text_of(event) for event in heard.partials) == heard.text
    assert "the offline model" in heard.text
    assert all(event.id == heard.events[-1].id for event in heard.partials)


async def test_without_streaming_there_is_one_event_and_no_token_count() -> None:
    heard = await Talk(app_of(agent(tools=[get_weather]))).say("hello")
    assert (len(heard.events), heard.partials) == (1, [])
    assert heard.events[0].usage_metadata is None
    assert f"in place of `{NAME}`" in heard.text
    assert "get_weather(city, unit)" in heard.text


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=300))
def test_chunks_lose_nothing(text: str) -> None:
    assert "".join(offline._chunks(text)) == text


async def test_a_call_and_its_report() -> None:
    heard = await Talk(app_of(agent(tools=[get_weather]))).say("weather in Paris in fahrenheit")
    assert heard.calls[0][1] == "get_weather"
    assert heard.calls[0][2]["city"] == "Paris"
    assert "**sky**: clear" in heard.text


async def test_a_missing_argument_is_asked_for_and_taken_from_the_next_message() -> None:
    talk = Talk(app_of(agent(tools=[get_weather])))
    heard = await talk.say("what is the weather?")
    assert heard.calls == []
    assert heard.text == "To call `get_weather` I still need `city`."
    heard = await talk.say("Rome")
    assert heard.calls == [("root", "get_weather", {"city": "Rome"})]


async def test_a_question_can_be_dropped_or_left_for_another_wish() -> None:
    talk = Talk(app_of(agent(tools=[get_weather, find_code])))
    await talk.say("weather")
    assert (await talk.say("never mind")).text == "All right, `get_weather` is not called."
    await talk.say("weather")
    heard = await talk.say("find code for the place Oslo")
    assert heard.calls == [("root", "find_code", {"place": "Oslo"})]


async def test_a_question_is_asked_again_until_it_is_answered() -> None:
    def add(first: int, second: int) -> int:
        """Add two numbers."""
        return first + second

    talk = Talk(app_of(agent(tools=[add])))
    assert "`first` and `second`" in (await talk.say("add something")).text
    assert "`first` and `second`" in (await talk.say("what?")).text
    assert "`second`" in (await talk.say("first 3")).text
    assert (await talk.say("4")).results == [("add", {"result": 7})]


async def test_steps_after_then_wait_for_the_one_before() -> None:
    talk = Talk(app_of(agent(tools=[get_weather, find_code])))
    heard = await talk.say("weather in Paris, then find code of the place Rome")
    assert [len(event.get_function_calls()) for event in heard.events] == [1, 0, 1, 0, 0]
    assert [name for _, name, _ in heard.calls] == ["get_weather", "find_code"]


async def test_a_result_feeds_the_call_that_lacked_it() -> None:
    heard = await Talk(app_of(agent(tools=[airport_delay, find_code]))).say("delay in Oslo")
    assert heard.calls == [
        ("root", "find_code", {"place": "Oslo"}),
        ("root", "airport_delay", {"airport_code": "OSL"}),
    ]


async def test_several_exact_calls_run_in_parallel() -> None:
    talk = Talk(app_of(agent(tools=[get_weather, find_code])))
    heard = await talk.say('get_weather(city="A") find_code(place="B") get_weather(city="C")')
    assert len(heard.events[0].get_function_calls()) == 3
    assert [result["city"] for name, result in heard.results if name == "get_weather"] == ["A", "C"]


async def test_an_undeclared_tool_is_told_those_that_are_declared() -> None:
    heard = await Talk(app_of(agent(tools=[get_weather]))).say("fly(to='Paris')")
    assert heard.text == "This agent declares no tool `fly`. Its tools: `get_weather`."


async def test_transfers_by_words_and_exactly_and_never_in_a_circle() -> None:
    billing = agent("billing", description="Sends invoices and refunds.")
    support = agent("support", description="Fixes broken machines.", tools=[get_weather])
    root = agent(description="The desk.", sub_agents=[billing, support])
    talk = Talk(app_of(root))
    heard = await talk.say("I need a refund of my invoice")
    assert heard.calls == [("root", "transfer_to_agent", {"agent_name": "billing"})]
    assert heard.author == "billing"
    heard = await talk.say('transfer_to_agent(agent_name="support")')
    assert heard.calls == [("billing", "transfer_to_agent", {"agent_name": "support"})]
    assert heard.text.startswith("**support** here")
    heard = await talk.say("weather in Paris")
    assert heard.calls == [("support", "get_weather", {"city": "Paris"})]
    heard = await talk.say("please take me back")
    assert heard.calls == [("support", "transfer_to_agent", {"agent_name": "root"})]
    heard = await talk.say("billing and support, refund the broken machine")
    assert len(heard.calls) <= 3


async def test_an_approval_of_one_of_two_requests_pays_only_that_one() -> None:
    def ask_for(purpose: str, amount: int) -> dict[str, Any]:
        """Ask for money."""
        return {"status": "pending"}

    def pay(purpose: str, amount: int) -> str:
        """Pay what was approved."""
        return f"paid {amount} for {purpose}"

    talk = Talk(app_of(agent(tools=[LongRunningFunctionTool(ask_for), pay])))
    heard = await talk.say('ask_for(purpose="a", amount=1) ask_for(purpose="b", amount=2)')
    assert "waits for a person" in heard.text
    heard = await talk.answer({"status": "approved"}, 0)
    assert heard.calls == [("root", "pay", {"purpose": "a", "amount": 1})]
    heard = await talk.answer({"status": "rejected"}, 1)
    assert "`ask_for` was rejected, so nothing more was done" in heard.text


async def test_a_progress_answer_is_reported_as_still_waiting() -> None:
    def slow(job: str) -> dict[str, Any]:
        """Run a slow job."""
        return {"status": "pending"}

    talk = Talk(app_of(agent(tools=[LongRunningFunctionTool(slow)])))
    await talk.say('slow(job="x")')
    assert "waits for a person's answer" in (await talk.answer({"status": "in_progress"})).text
    heard = await talk.answer({"status": "done", "lines": 3})
    assert "**lines**: 3" in heard.text


async def test_an_error_result_ends_the_turn_with_a_sentence() -> None:
    def broken(thing: str) -> dict[str, Any]:
        """Use a broken thing."""
        return {"error": "It is broken."}

    heard = await Talk(app_of(agent(tools=[broken]))).say('broken(thing="x")')
    assert heard.text == "`broken` failed: It is broken."


class Report(BaseModel):
    city: str
    days: int
    urgent: bool = False


async def test_an_output_schema_gets_an_object_that_fits_it() -> None:
    talk = Talk(app_of(agent(output_schema=Report, output_key="report")))
    heard = await talk.say("city: Oslo days: 3")
    assert Report.model_validate_json(heard.text) == Report(city="Oslo", days=3)
    heard = await talk.say("hello")
    assert json.loads(heard.text) == {"city": "", "days": 0}


async def test_an_output_schema_together_with_tools_works_too() -> None:
    talk = Talk(app_of(agent(output_schema=Report, tools=[get_weather])))
    heard = await talk.say('get_weather(city="Oslo")')
    assert Report.model_validate_json(heard.text).city == "Oslo"


async def test_a_loop_ends_by_its_exit_tool() -> None:
    inner = agent("worker", tools=[FunctionTool(exit_loop)])
    heard = await Talk(app_of(LoopAgent(name="loop", sub_agents=[inner]))).say("go on")
    assert [name for _, name, _ in heard.calls] == ["exit_loop"]


async def test_a_task_agent_finishes_its_task() -> None:
    worker = agent("worker", mode="task", description="Looks up weather.", tools=[get_weather])
    heard = await Talk(app_of(agent(sub_agents=[worker]))).say("worker: weather in Oslo")
    names = [name for _, name, _ in heard.calls]
    assert "get_weather" in names
    assert "finish_task" in names


async def test_agents_in_sequence_each_answer_without_transferring() -> None:
    first, second = agent("first", tools=[get_weather]), agent("second", tools=[find_code])
    talk = Talk(app_of(SequentialAgent(name="line", sub_agents=[first, second])))
    heard = await talk.say("weather in Oslo")
    assert [event.author for event in heard.events] == ["first", "first", "first", "second"]


async def test_a_built_in_tool_does_not_fail_under_the_stand_in() -> None:
    heard = await Talk(app_of(agent(tools=[google_search]))).say("news?")
    assert "the offline model" in heard.text


def test_it_is_put_into_the_whole_tree_and_nowhere_else() -> None:
    own = LlmAgent(name="own", model=Own())
    behind_tool = agent("behind_tool", sub_agents=[agent("below_tool")])
    in_node = agent("in_node")
    child = agent("child", tools=[AgentTool(agent=behind_tool)])
    inheriting = LlmAgent(name="inheriting")
    root = agent(sub_agents=[child, own, inheriting], tools=[get_weather])
    app = App(name="test", root_agent=root)
    assert install(app) == (NAME,)
    for replaced in (root, child, behind_tool, behind_tool.sub_agents[0]):
        assert isinstance(replaced.model, OfflineModel)
        assert (is_offline(replaced), model_name(replaced)) == (True, NAME)
    assert isinstance(own.model, Own)
    assert (is_offline(own), model_name(own)) == (False, "own")
    assert inheriting.model == ""
    assert (is_offline(inheriting), model_name(inheriting)) == (True, NAME)

    flow = Workflow(name="flow", edges=[(START, in_node)])
    assert install(App(name="flow", root_agent=flow)) == (NAME,)
    assert [model_name(node) for node in offline.agents(flow) if is_offline(node)] == [NAME]
    assert model_name(flow) == ""
    assert not is_offline(flow)


def test_an_agent_that_only_a_function_refers_to_is_found() -> None:
    hidden = agent("hidden")

    def node(node_input: str) -> str:
        return hidden.name + node_input

    def use_it(text: str) -> str:
        """Use it."""
        return hidden.name + text

    install(App(name="flow", root_agent=Workflow(name="flow", edges=[(START, node)])))
    assert is_offline(hidden)
    hidden.model = NAME
    install(App(name="tool", root_agent=agent(tools=[use_it])))
    assert is_offline(hidden)


def test_a_root_without_a_model_has_adks_default_replaced() -> None:
    root = LlmAgent(name="root", sub_agents=[LlmAgent(name="child")])
    names = install(App(name="test", root_agent=root))
    assert len(names) == 1
    assert names[0].startswith("gemini-")
    assert (model_name(root), is_offline(root.sub_agents[0])) == (names[0], True)
    assert root.canonical_model is root.sub_agents[0].canonical_model


def test_with_credentials_the_agents_own_model_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOOGLE_API_KEY", "k")
    root = agent(sub_agents=[agent("other", model="openai/gpt-4o")])
    assert install(App(name="test", root_agent=root)) == ("openai/gpt-4o",)
    assert (root.model, is_offline(root)) == (NAME, False)
    assert install(App(name="test", root_agent=agent()), force=True) == (NAME,)


def test_a_model_by_name_can_be_overridden(monkeypatch: pytest.MonkeyPatch) -> None:
    root = agent(sub_agents=[LlmAgent(name="own", model=Own())])
    assert install(App(name="test", root_agent=root), model="gemini-3-pro") == ("gemini-3-pro",)
    monkeypatch.setenv("GOOGLE_API_KEY", "k")
    root = agent(sub_agents=[LlmAgent(name="own", model=Own())])
    assert install(App(name="test", root_agent=root), model="gemini-3-pro") == ()
    assert (root.model, model_name(root.sub_agents[0])) == ("gemini-3-pro", "own")


def test_installing_twice_changes_nothing_more() -> None:
    app = App(name="test", root_agent=agent())
    assert install(app) == (NAME,)
    assert install(app) == ()
    assert model_name(app.root_agent) == NAME


_HEARD = """
weather in Paris Oslo then and find code get_weather(city='A') child root back never mind place of
transfer_to_agent(agent_name='child') x( ) " 3 please
"""
WORDS = _HEARD.split()


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=10).map(" ".join) | st.text(min_size=1)
)
def test_any_message_ends_in_an_answer(text: str) -> None:
    async def turn() -> None:
        child = agent("child", description="Knows places.", tools=[find_code])
        root = agent(tools=[get_weather, airport_delay], sub_agents=[child])
        heard = await Talk(app_of(root)).say(text)
        assert heard.text
        assert len(heard.calls) <= 14

    asyncio.run(turn())


async def test_adk_does_not_complain_that_the_offline_model_counts_no_tokens(
    caplog: pytest.LogCaptureFixture,
) -> None:
    app = App(name="a", root_agent=LlmAgent(name="quiet", model="gemini-2.5-flash"))
    assert install(app, force=True) == ("gemini-2.5-flash",)
    assert await Talk(app).say("hello")
    assert not [r for r in caplog.records if "token usage" in r.getMessage()]
