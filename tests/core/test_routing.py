"""Who answers next, and which agents can be made to, by plain data alone."""

from adk_tui.core.reports import AgentNode
from adk_tui.core.routing import find_agent, next_agent, resuming_agent, transfer_targets
from tests.fakes.sessions import aborted, call, event, response, rewind, text, user

TREE = AgentNode(
    "conductor",
    children=(
        AgentNode(
            "choir",
            children=(
                AgentNode("soprano"),
                AgentNode("alto", disallow_transfer_to_peers=True),
            ),
        ),
        AgentNode("hermit", disallow_transfer_to_parent=True),
        AgentNode("clerk", mode="task", children=(AgentNode("scribe"),)),
        AgentNode("steps", "SequentialAgent", can_transfer=False, children=(AgentNode("one"),)),
        AgentNode("choir", description="a second one of that name"),
    ),
)


def test_the_root_answers_an_empty_session():
    assert next_agent(TREE, []).agent == "conductor"


def test_whoever_replied_last_answers_next():
    assert next_agent(TREE, [user("hi"), event("alto", text("la"))]).agent == "alto"


def test_an_agent_that_may_not_hand_back_does_not_stay_active():
    assert next_agent(TREE, [user("hi"), event("hermit", text("hm"))]).agent == "conductor"


def test_a_transfer_to_an_unknown_agent_leaves_the_active_one():
    ghost = event("conductor", actions={"transferToAgent": "tenor"})
    assert next_agent(TREE, [event("conductor", text("hi")), ghost]).agent == "conductor"


def test_a_valid_transfer_counts_before_its_target_has_replied():
    moved = event("conductor", actions={"transferToAgent": "choir"})
    assert next_agent(TREE, [moved]).agent == "choir"


def test_a_rewound_transfer_does_not_count():
    moved = event("conductor", inv="i2", actions={"transferToAgent": "choir"})
    assert next_agent(TREE, [user("hi"), moved, rewind("i2", inv="i3")]).agent == "conductor"


def test_an_answer_goes_to_the_owner_of_the_call_unless_the_run_was_stopped():
    asked = [
        event("alto", call("ask", "c1"), longRunningToolIds=["c1"]),
        event("conductor", text("meanwhile"), inv="i2"),
    ]
    assert resuming_agent(TREE, asked, "c1").agent == "alto"
    assert resuming_agent(TREE, [*asked, aborted("conductor", inv="i2")], "c1").agent == "conductor"


def test_a_run_cut_off_at_an_answer_is_taken_up_by_the_owner():
    events = [
        event("alto", call("ask", "c1"), longRunningToolIds=["c1"]),
        event("conductor", text("meanwhile"), inv="i2"),
        event("user", response("ask", "c1", {"ok": 1})),
    ]
    assert next_agent(TREE, events).agent == "alto"


def test_every_agent_is_told_with_the_way_to_it_or_what_is_in_the_way():
    told = {}
    for target in transfer_targets(TREE, []):
        told.setdefault(target.agent, target)
    assert told["conductor"].active
    assert told["soprano"].hops == (("choir", "soprano"),)
    assert told["soprano"].depth == 2
    assert "may not transfer to its parent" in told["hermit"].reason
    assert "task mode" in told["clerk"].reason
    assert "clerk" in told["scribe"].reason
    assert "SequentialAgent" in told["steps"].reason
    assert "steps is a SequentialAgent" in told["one"].reason
    assert all(t.reachable != bool(t.reason) for t in told.values() if not t.active)


def test_of_two_agents_with_one_name_only_the_first_can_be_reached():
    first, second = [t for t in transfer_targets(TREE, []) if t.agent == "choir"]
    assert (first.reachable, second.reachable) == (True, False)
    found = find_agent(TREE, "choir")
    assert found is not None
    assert found.children
    assert find_agent(TREE, "tenor") is None


def test_no_transfer_is_possible_where_a_workflow_routes():
    flow = AgentNode("wf", "Workflow", can_transfer=False, children=(AgentNode("a"),))
    (_, a) = transfer_targets(flow, [])
    assert not a.reachable
    assert "workflow" in a.reason
