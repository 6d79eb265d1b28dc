"""The loaded agents as plain data."""

from google.adk.agents import LlmAgent, LoopAgent, ParallelAgent, SequentialAgent
from google.adk.tools import AgentTool, FunctionTool, LongRunningFunctionTool, google_search
from google.adk.tools.base_toolset import BaseToolset
from google.adk.workflow import Workflow

from adk_tui.engine.tree import describe
from tests.fakes.scripted import Scripted, say


def look(word: str, times: int = 1) -> str:
    """Looks a word up."""
    return word * times


class Shelf(BaseToolset):
    """Many tools."""

    async def get_tools(self, readonly_context=None):
        raise AssertionError("describing must not open a toolset")

    async def close(self):
        pass


def test_agents_are_told_with_their_kind_model_and_rights():
    leaf = LlmAgent(name="leaf", model="gemini-2.5-flash", disallow_transfer_to_parent=True)
    loop = LoopAgent(name="loop", sub_agents=[leaf])
    both = ParallelAgent(name="both")
    root = SequentialAgent(name="root", description="All.", sub_agents=[loop, both])
    node = describe(root)
    assert (node.name, node.kind, node.description) == ("root", "SequentialAgent", "All.")
    assert [c.kind for c in node.children] == ["LoopAgent", "ParallelAgent"]
    (found,) = node.children[0].children
    assert (found.model, found.kind) == ("gemini-2.5-flash", "LlmAgent")
    assert found.disallow_transfer_to_parent
    assert found.can_transfer
    assert not node.can_transfer


def test_a_subclass_is_told_as_the_adk_class_it_derives_from():
    class Mine(LlmAgent):
        pass

    node = describe(Mine(name="mine", model=Scripted(say("x"), model="own"), instruction="Be."))
    assert (node.kind, node.model, node.instruction) == ("LlmAgent", "own", "Be.")
    made = describe(LlmAgent(name="a", instruction=lambda _context: "x"))
    assert made.instruction == "(made by a function)"


def test_tools_are_told_with_their_kind_and_declaration():
    inner = LlmAgent(name="inner", model="m", description="Helps.")
    root = LlmAgent(
        name="root",
        model="m",
        tools=[
            look,
            LongRunningFunctionTool(look),
            AgentTool(inner),
            google_search,
            Shelf(),
            FunctionTool(look, require_confirmation=True),
            FunctionTool(look, require_confirmation=lambda word: word == "x"),
        ],
    )
    tools = describe(root).tools
    assert [t.kind for t in tools] == [
        "function",
        "long_running",
        "agent",
        "builtin",
        "toolset",
        "function",
        "function",
    ]
    assert [t.confirmation for t in tools][5:] == ["yes", "sometimes"]
    assert tools[0].description == "Looks a word up."
    schema = tools[0].declaration.get("parametersJsonSchema") or tools[0].declaration["parameters"]
    assert set(schema["properties"]) == {"word", "times"}
    assert tools[2].name == "inner"
    assert tools[4].name == "Shelf"


def test_a_tool_whose_declaration_fails_is_still_told():
    def odd(what: "Nowhere") -> str:  # type: ignore[name-defined]  # noqa: F821
        """Odd."""
        return ""

    (tool,) = describe(LlmAgent(name="root", model="m", tools=[odd])).tools
    assert tool.name == "odd"


def test_a_workflow_is_told_with_its_nodes_and_edges():
    def first(node_input: str) -> str:
        return node_input

    second = LlmAgent(name="second", model="m")
    node = describe(Workflow(name="flow", edges=[("START", first, second)]))
    assert node.kind == "Workflow"
    assert not node.can_transfer
    assert [c.name for c in node.children] == ["first", "second"]
    assert ("first", "second", "") in node.edges
