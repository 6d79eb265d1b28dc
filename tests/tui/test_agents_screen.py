"""The agent tree: everything about the agents, and the way to their events."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from textual.pilot import Pilot

from adk_tui.core.commands import Transfer
from adk_tui.core.reports import AgentNode, ToolInfo
from adk_tui.tui.app import WorkbenchApp
from adk_tui.tui.screens.agents import AgentsScreen
from adk_tui.tui.widgets.agent_tree import AgentTree
from tests.fakes.driving import rendered, shows, shows_no, until
from tests.fakes.fake_engine import FakeEngine, event, opening, said

LOOK = {
    "name": "look",
    "description": "Looks.",
    "parametersJsonSchema": {"properties": {"at": {"type": "string"}}, "required": ["at"]},
}
TREE = AgentNode(
    "root",
    model="gemini-2.5-flash",
    offline=True,
    description="Greets.",
    instruction="Greet {user:name} and hand over.",
    tools=(
        ToolInfo("look", "function", "Looks around.", "yes", LOOK),
        ToolInfo("wait", "long_running", "Waits."),
        ToolInfo("McpToolset", "toolset"),
    ),
    children=(
        AgentNode("billing", description="Pays.", disallow_transfer_to_peers=True),
        AgentNode("worker", mode="task", description="Works."),
        AgentNode(
            "flow",
            kind="Workflow",
            can_transfer=False,
            edges=(("__START__", "fetch", ""), ("fetch", "write", "ok"), ("write", "fetch", "")),
            children=(AgentNode("fetch", kind="FunctionNode", can_transfer=False),),
        ),
    ),
)


@asynccontextmanager
async def on_agents(
    size: tuple[int, int] = (130, 40),
) -> AsyncIterator[tuple[WorkbenchApp, FakeEngine, Pilot[int]]]:
    engine = FakeEngine(first=opening(TREE))
    app = WorkbenchApp(engine)
    async with app.run_test(notifications=True, size=size) as pilot:
        await until(pilot, lambda: app.view.ready)
        engine.play(said("user", "hi", id="u"), said("root", "hello", id="a"))
        await until(pilot, lambda: len(app.view.log) == 2)
        await pilot.press("f5")
        await until(pilot, lambda: isinstance(app.screen, AgentsScreen))
        await shows(pilot, "asks a model")
        yield app, engine, pilot


async def go_to(pilot: Pilot[int], name: str) -> None:
    pilot.app.screen.query_one(AgentTree).mark(name)
    await until(pilot, lambda: pilot.app.screen.query_one(AgentTree).marked.name == name)  # type: ignore[union-attr]


async def test_the_agent_that_answers_next_is_marked_and_shown_first() -> None:
    async with on_agents() as (app, _, pilot):
        await shows(pilot, "root answers next")
        row = next(r for r in rendered(app).split("\n") if r.lstrip().startswith("▸ root"))
        assert "LlmAgent" in row
        assert "3 tools" in row
        assert "1 event" in row
        await shows(pilot, "gemini-2.5-flash   the offline model stands in for it")
        await shows(pilot, "Greet {user:name} and hand over.")


async def test_tools_open_with_their_declarations_and_what_they_ask() -> None:
    async with on_agents() as (_, _engine, pilot):
        await shows(pilot, "look(at)  asks for approval")
        await shows(pilot, "wait  answers later")
        await shows(pilot, "McpToolset  a set of tools")
        await pilot.press("tab")
        await pilot.press("end", "up", "up", "enter")
        await shows(pilot, '"parametersJsonSchema"')


async def test_the_rights_to_hand_over_are_told() -> None:
    async with on_agents() as (_, _engine, pilot):
        await shows(pilot, "to billing")
        await go_to(pilot, "billing")
        await shows(pilot, "to its peers, by its own settings")
        await shows(pilot, "can be made to answer next: t does it")
        await go_to(pilot, "worker")
        await shows(pilot, "works on a task its parent gives it")


async def test_a_workflow_is_drawn_as_nodes_and_edges() -> None:
    async with on_agents() as (_, _engine, pilot):
        await go_to(pilot, "flow")
        await shows(pilot, "└─→ fetch")
        await shows(pilot, "   └─ok→ write")
        await shows(pilot, "      └─→ ↑ fetch")


async def test_enter_shows_the_events_of_the_agent() -> None:
    async with on_agents() as (app, _, pilot):
        await pilot.press("enter")
        await until(pilot, lambda: app.screen is app.main)
        await shows(pilot, "author:root")
        await shows(pilot, "1 shown")
        await until(pilot, lambda: app.main.region_name == "events")
        assert [e.author for e in app.main.shown_events()] == ["root"]


async def test_enter_shows_the_events_of_a_workflow_s_node() -> None:
    async with on_agents() as (app, engine, pilot):
        path = {"path": "root@1/flow@1/fetch@1"}
        engine.play(
            event("flow", [], id="n", output="fetched", nodeInfo=path),
            said("flow", "mine", id="w"),
        )
        await go_to(pilot, "fetch")
        await shows(pilot, "FunctionNode  1 event")
        await pilot.press("enter")
        await until(pilot, lambda: app.screen is app.main)
        await until(pilot, lambda: [e.id for e in app.main.shown_events()] == ["n"])


async def test_t_hands_the_conversation_over() -> None:
    async with on_agents() as (_, engine, pilot):
        await go_to(pilot, "billing")
        await pilot.press("t")
        await until(pilot, lambda: engine.commands)
        assert engine.commands == [Transfer("billing")]


async def test_on_a_small_screen_the_text_stands_below_the_tree() -> None:
    async with on_agents((80, 24)) as (app, _, pilot):
        rows = rendered(app).split("\n")
        tree = next(n for n, r in enumerate(rows) if "▸ root" in r)
        text = next(n for n, r in enumerate(rows) if "asks a model" in r)
        assert tree < text
        await pilot.press("escape")
        await shows_no(pilot, "asks a model")


async def test_an_answer_meanwhile_moves_the_mark() -> None:
    async with on_agents() as (_, engine, pilot):
        engine.play(said("billing", "me now", id="b"))
        await shows(pilot, "billing answers next")
