"""Who answers next, and whether the conversation can be moved to another agent.

ADK has no public API for either. The rules are those of google-adk 2.13's
``agents/_agent_router.py`` (``find_agent_to_run``) and ``runners.py``
(``_find_active_task_scope``); contract tests hold the two against each other.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from adk_tui.core.agent_tree import TASK_MODES, Tree
from adk_tui.core.records import EventRecord
from adk_tui.core.reports import AgentNode
from adk_tui.core.rewinds import live

USER = "user"
FINISH_TASK = "finish_task"
TASK_ENDED = frozenset({"Task completed.", "Task failed."})


@dataclass(frozen=True, slots=True)
class Route:
    """The agent that a message goes to, and in words why."""

    agent: str
    why: str


@dataclass(frozen=True, slots=True)
class Target:
    """An agent as a choice for a forced transfer.

    ``depth`` is its distance from the root. ``active``: it answers next
    already. ``reason`` says why it cannot be reached. ``hops`` are the
    transfer actions to append, in order, as ``(author, target)``; ADK reads
    them from empty events, which add nothing to the prompt.
    """

    agent: str
    kind: str
    depth: int
    reachable: bool
    active: bool
    reason: str = ""
    hops: tuple[tuple[str, str], ...] = ()


def find_agent(root: AgentNode, name: str) -> AgentNode | None:
    """The agent of that name in the tree (the first one, depth first), None if there is none."""
    return Tree(root).find(name)


def next_agent(root: AgentNode, events: Sequence[EventRecord], *, resumable: bool = False) -> Route:
    """Who answers the next text message. ``events`` is the session, oldest first.

    Under an LlmAgent a session that ends with an answered call goes to the
    owner of the call: a run that was cut off there is taken up again. ADK
    routes before it stores the text there, and after it everywhere else.
    """
    if root.kind == "Workflow":
        return Route(root.name, "A workflow routes for itself.")
    if root.kind == "LlmAgent" and root.mode == "task":
        return Route(root.name, "A root in task mode works until its task is finished.")
    tree = Tree(root)
    if root.kind == "LlmAgent":
        walk = live(events)
        last = next(walk, None)
        if last is not None and last.responses and (last.author == USER or resumable):
            response = last.responses[0]
            owner = _owner(tree, events, response.id, skip=1) if response.id else None
            if owner is not None and not last.aborted:
                return Route(owner.name, f"Its call of {response.name} was answered last.")
    return _by_last_reply(tree, events)


def resuming_agent(root: AgentNode, events: Sequence[EventRecord], call_id: str) -> Route:
    """Who goes on when the call ``call_id`` is answered now, and then stays active."""
    if root.kind == "Workflow":
        return Route(root.name, "A workflow routes for itself.")
    if root.kind == "LlmAgent" and root.mode == "task":
        return Route(root.name, "A root in task mode works until its task is finished.")
    tree = Tree(root)
    owner = _owner(tree, events, call_id, skip=0)
    if owner is None:
        return _by_last_reply(tree, events)
    return Route(owner.name, "It made the call.")


def _owner(
    tree: Tree, events: Sequence[EventRecord], call_id: str, *, skip: int
) -> AgentNode | None:
    """The agent that made the call, or that called the tool it came from.

    ``skip`` newest events are the answer itself. None where ADK routes as if
    no call had been answered: no such call, or the run was stopped since.
    """
    walk = live(events)
    answer = next(walk, None) if skip else None
    earlier: list[EventRecord] = []
    call_event: EventRecord | None = None
    newest = answer if answer is not None and answer.author != USER else None
    for event in walk:
        if newest is None and event.author != USER:
            newest = event
            if newest.aborted:
                return None
        if not earlier and not skip and event.aborted:
            return None
        earlier.append(event)
        if any(c.id == call_id for c in event.calls):
            call_event = event
            break
    if call_event is None or not call_event.author:
        return None
    agent = tree.find(call_event.author)
    if agent is None and call_event.branch:
        agent = _caller_by_branch(tree, call_event, [*walk])
    return None if agent is None else tree.delegator(agent)


def _caller_by_branch(
    tree: Tree, call_event: EventRecord, earlier: Sequence[EventRecord]
) -> AgentNode | None:
    """The agent whose call opened the branch: ``agent.tool@<call id>``, innermost first."""
    authors: dict[str, str] = {}
    for event in earlier:
        for call in event.calls:
            if call.id and event.author:
                authors.setdefault(call.id, event.author)
    for segment in reversed(call_event.branch.split(".")):
        run_id = segment.rpartition("@")[2] if "@" in segment else ""
        agent = tree.find(authors.get(run_id, ""))
        if agent is not None:
            return agent
    return None


def _by_last_reply(tree: Tree, events: Sequence[EventRecord]) -> Route:
    root = tree.root
    for event in live(events):
        if not _is_reply(event):
            continue
        source = tree.find(event.author)
        if (target := event.actions.transfer_to_agent) and source is not None:
            node = next((t for t in tree.targets(source) if t.name == target), None)
            if node is not None and tree.barrier(node) is None:
                return Route(node.name, f"{source.name} transferred to it.")
        if event.author == root.name:
            return Route(root.name, "It replied last.")
        if source is not None and tree.barrier(source) is None:
            chosen = tree.delegator(source)
            if chosen is source:
                return Route(source.name, "It replied last.")
            return Route(chosen.name, f"It delegated a task to {source.name}.")
    return Route(root.name, "The root answers where nobody else may.")


def _is_reply(event: EventRecord) -> bool:
    if event.author == USER or event.aborted:
        return False
    if event.actions.agent_state is not None or event.actions.end_of_agent:
        return False
    return bool(event.parts) or not event.error_code


def active_task(events: Sequence[EventRecord]) -> str:
    """The agent at work on a delegated task that is not finished, else empty.

    While it is, ADK hands the user's text to that task and to nobody else.
    """
    finished: set[str] = set()
    aborted: set[str] = set()
    newest_first = list(live(events))
    for event in newest_first:
        if event.aborted:
            aborted.add(event.invocation_id)
        if not event.isolation_scope:
            continue
        done = next((r for r in event.responses if r.name == FINISH_TASK), None)
        if done is not None and done.response.get("result") in TASK_ENDED:
            finished.add(event.isolation_scope)
    for event in newest_first:
        scope = event.isolation_scope
        if event.actions.compaction or not scope:
            continue
        if scope not in finished and event.invocation_id not in aborted:
            same = (e for e in newest_first if e.isolation_scope == scope and e.author != USER)
            worker = next(same, None)
            return worker.author if worker is not None else scope
    return ""


def transfer_targets(root: AgentNode, events: Sequence[EventRecord]) -> tuple[Target, ...]:
    """Every agent of the tree, in order, as a choice for a forced transfer, with reasons."""
    tree = Tree(root)
    active = next_agent(root, events).agent
    task = active_task(events)
    return tuple(_target(tree, node, depth, active, task) for node, depth in tree.order)


def _target(tree: Tree, node: AgentNode, depth: int, active: str, task: str) -> Target:
    if tree.find(node.name) is not node:
        reason = f"Another agent is called {node.name} too; ADK finds that one."
        return Target(node.name, node.kind, depth, False, False, reason)
    if node.name == active:
        return Target(node.name, node.kind, depth, True, True, "It answers next already.")
    if task:
        reason = f"{task} works on a delegated task; the next text is for that. Finish it first."
    elif node is tree.root:
        # Whatever the root last wrote makes it the one who answers.
        hops = ((node.name, node.name),)
        return Target(node.name, node.kind, depth, True, False, hops=hops)
    else:
        reason = _obstacle(tree, node)
    parent = tree.parent(node)
    if reason or parent is None:
        return Target(node.name, node.kind, depth, False, False, reason)
    hops = ((parent.name, node.name),)
    return Target(node.name, node.kind, depth, True, False, hops=hops)


def _obstacle(tree: Tree, node: AgentNode) -> str:
    """Why a transfer to the agent would not last, empty if it would."""
    root = tree.root
    if root.kind == "Workflow":
        return f"{root.name} is a workflow, which routes for itself."
    if node.mode in TASK_MODES:
        parent = tree.parent(node)
        boss = parent.name if parent is not None else "its parent"
        return f"It works in {node.mode} mode, only on what {boss} delegates to it."
    wall = tree.barrier(node)
    if wall is None:
        inside = next((a for a in tree.chain(node) if a.mode in TASK_MODES), None)
        if inside is None:
            return ""
        return f"It is part of {inside.name}, which works only on delegated tasks."
    name = "It" if wall is node else wall.name
    if not wall.can_transfer:
        return f"{name} is a {wall.kind}, whose steps take no transfers."
    return f"{name} may not transfer to its parent, so the next turn would not stay here."
