from adk_tui.core.reports import AgentNode
from adk_tui.core.routing import transfer_targets
from adk_tui.core.tickets import read_tickets
from adk_tui.core.transfer_preview import TransferPreview, preview_transfer
from tests.fakes.sessions import call, event, response, text, user

TREE = AgentNode(
    "root",
    children=(
        AgentNode("billing", children=(AgentNode("refunds"),)),
        AgentNode("hermit", disallow_transfer_to_parent=True),
        AgentNode("steps", kind="SequentialAgent", can_transfer=False),
    ),
)
TALK = [user("hello"), event("root", text("hi"))]


def preview(name: str, events: list, tree: AgentNode = TREE) -> TransferPreview:
    target = next(t for t in transfer_targets(tree, events) if t.agent == name)
    return preview_transfer(tree, events, target, read_tickets(events))


def test_a_reachable_agent_answers_next_at_any_depth() -> None:
    for name in ("billing", "refunds"):
        found = preview(name, TALK)
        assert found.route is not None
        assert found.route.agent == name
        assert not found.no_turn


def test_one_that_cannot_hold_the_conversation_can_take_a_turn() -> None:
    for name in ("hermit", "steps"):
        assert preview(name, TALK) == TransferPreview(None)


def test_a_ticket_of_another_agent_pulls_back_and_one_of_the_target_does_not() -> None:
    asked = [
        user("pay"),
        event("root", call("pay", "c1"), longRunningToolIds=["c1"]),
        event("root", response("pay", "c1", {"status": "pending"})),
    ]
    assert preview("billing", asked).pulled == (("pay", "root"),)
    handed = [*asked, event("root", actions={"transferToAgent": "billing"})]
    assert preview("root", handed).pulled == ()


def test_who_answers_already_and_a_workflow_take_no_single_turn() -> None:
    assert "already" in preview("root", TALK).no_turn
    flow = AgentNode("flow", kind="Workflow", children=(AgentNode("step"),))
    assert "workflow" in preview("step", TALK, flow).no_turn


def test_an_agent_that_may_hand_over_to_nobody_cannot_be_made_to() -> None:
    alone = AgentNode("root", kind="LoopAgent", can_transfer=False, children=(AgentNode("a"),))
    assert "may not hand over" in preview("a", TALK, alone).no_turn


def test_nothing_is_taken_from_a_delegated_task() -> None:
    tree = AgentNode("root", children=(AgentNode("worker", mode="task"), AgentNode("billing")))
    events = [
        user("do it"),
        event("root", call("worker", "t1", request="x")),
        event("worker", text("which one?"), isolationScope="t1"),
    ]
    found = preview("billing", events, tree)
    assert found.route is None
    assert "delegated task" in found.no_turn
