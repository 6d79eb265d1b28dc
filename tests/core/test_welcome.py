from adk_tui.core.reports import AgentNode, Ready, ToolInfo
from adk_tui.core.welcome import example_call, welcome

PAY = ToolInfo(
    "pay",
    declaration={
        "name": "pay",
        "parametersJsonSchema": {
            "properties": {"to": {"type": "string"}, "amount": {"type": "number"}, "note": {}},
            "required": ["to", "amount"],
        },
    },
)


def ready(root: AgentNode, **more) -> Ready:
    return Ready(app="a", root=root, folder="/a", user="u", store="memory", **more)


def test_it_names_the_agent_its_tools_and_its_sub_agents():
    root = AgentNode("bank", tools=(PAY,), children=(AgentNode("teller"),), description="A bank.")
    text = welcome(ready(root))
    assert "**bank** is ready." in text
    assert "A bank." in text
    assert "- tools: `pay`" in text
    assert "- sub-agents: `teller`" in text
    assert "offline" not in text


def test_with_the_offline_model_it_says_so_and_gives_a_call_to_copy():
    text = welcome(ready(AgentNode("bank", tools=(PAY,)), offline=("gemini-x",)))
    assert "No key was found for `gemini-x`" in text
    assert '`pay(to="…", amount=…)`' in text


def test_an_agent_with_nothing_but_sub_agents_suggests_a_transfer():
    root = AgentNode("bank", children=(AgentNode("teller"),))
    assert 'transfer_to_agent(agent_name="teller")' in welcome(ready(root, offline=("m",)))


def test_an_agent_with_nothing_at_all_is_still_named():
    assert welcome(ready(AgentNode("bare", tools=(ToolInfo("odd"),)), offline=("m",)))
    assert example_call(ToolInfo("odd")) == "odd()"


def test_many_tools_are_counted_instead_of_listed():
    tools = tuple(ToolInfo(f"t{n}") for n in range(40))
    assert "and 28 more" in welcome(ready(AgentNode("big", tools=tools)))
