"""What a forced transfer will do, told before it is done."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from adk_tui.core.agent_tree import Tree
from adk_tui.core.event_reader import read_event
from adk_tui.core.records import EventRecord
from adk_tui.core.reports import AgentNode
from adk_tui.core.routing import Route, Target, active_task, next_agent, resuming_agent
from adk_tui.core.ticket import Ticket


@dataclass(frozen=True, slots=True)
class TransferPreview:
    """``route`` is who answers next after the transfer, None where it would not last.

    ``pulled`` are open tickets whose answer moves the conversation on to
    another agent, as ``(tool, agent)``. ``no_turn`` says why the target cannot be
    given the next message alone either; empty when it can.
    """

    route: Route | None
    pulled: tuple[tuple[str, str], ...] = ()
    no_turn: str = ""


def preview_transfer(
    root: AgentNode,
    events: Sequence[EventRecord],
    target: Target,
    tickets: Iterable[Ticket],
    *,
    resumable: bool = False,
) -> TransferPreview:
    """Follow the transfer by the routing rule. ``events`` is the session, oldest first."""
    active = next_agent(root, events, resumable=resumable).agent
    no_turn = _no_turn(root, events, target, active)
    if not target.reachable:
        return TransferPreview(None, no_turn=no_turn)
    then = [*events, *(_hop(author, agent) for author, agent in target.hops)]
    route = next_agent(root, then, resumable=resumable)
    pulled = tuple(
        (ticket.name, owner)
        for ticket in tickets
        if ticket.is_open
        and not ticket.dead
        and (owner := resuming_agent(root, then, ticket.call_id).agent) != route.agent
    )
    return TransferPreview(route, pulled, no_turn)


def _hop(author: str, agent: str) -> EventRecord:
    return read_event({"author": author, "actions": {"transferToAgent": agent}})


def _no_turn(root: AgentNode, events: Sequence[EventRecord], target: Target, active: str) -> str:
    """Why the active agent's next model answer cannot be a transfer to the target."""
    tree = Tree(root)
    if target.agent == active:
        return "It answers next already."
    if task := active_task(events):
        return f"{task} works on a delegated task, and the next text is for that."
    if root.kind == "Workflow":
        return f"{root.name} is a workflow, which routes for itself."
    node = tree.find(active)
    if node is None or node.kind != "LlmAgent" or not tree.targets(node):
        return f"{active} answers next, and may not hand over to anybody."
    return ""
