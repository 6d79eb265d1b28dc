"""Who answers next, and whether the conversation can be moved to another agent.

ADK has no public API for either. The rules are those of google-adk 2.13's
``agents/_agent_router.py`` (``find_agent_to_run``) and ``runners.py``
(``_find_active_task_scope``); contract tests hold the two against each other.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from adk_tui.core.agent_tree import TASK_MODES, Tree
from adk_tui.core.records import REQUEST_CREDENTIAL, REQUEST_INPUT, EventRecord
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
    history = list(live(events))
    newest = next((e for e in history if e.author != USER), None)
    if (newest is not None and newest.aborted) or (history and history[0].aborted):
        return None
    earlier = history[skip:]
    call_event = next((e for e in earlier if any(c.id == call_id for c in e.calls)), None)
    if call_event is None or not call_event.author:
        return None
    agent = _owner_of_open_call(tree, earlier, call_id) or tree.find(call_event.author)
    if agent is None and call_event.branch:
        opened = {i for i in _run_ids(call_event.branch) if not i.isdigit()}
        callers = (e.author for e in history if any(c.id in opened for c in e.calls))
        agent = next((a for name in callers if (a := tree.find(name)) is not None), None)
    return None if agent is None else tree.delegator(agent)


def _owner_of_open_call(
    tree: Tree, newest_first: Sequence[EventRecord], call_id: str
) -> AgentNode | None:
    """The asker of the newest pause with that id, unless it was answered since.

    It may be older than the newest call with that id. An asker outside the
    tree (a tool's own agent) is stood in for by whoever called it, innermost
    first: the branch ``agent.tool@<call id>`` tells.
    """
    for place, event in enumerate(newest_first):
        if event.author == USER and event.responses:
            answered = {r.id for r in event.responses} | set(_run_ids(event.branch))
            if call_id in answered and not _pauses(event, call_id):
                return None
        if not _pauses(event, call_id):
            continue
        if (agent := tree.find(event.author)) is not None:
            return agent
        authors: dict[str, str] = {}
        for before in newest_first[place:]:
            if before.author != USER:
                for call in before.calls:
                    authors.setdefault(call.id, before.author)
        for run_id in reversed(_run_ids(event.branch)):
            if (agent := tree.find(authors.get(run_id, ""))) is not None:
                return agent
        return None
    return None


def _pauses(event: EventRecord, call_id: str) -> bool:
    return call_id in event.long_running_tool_ids or any(
        c.id == call_id and c.name in (REQUEST_INPUT, REQUEST_CREDENTIAL) for c in event.calls
    )


def _run_ids(branch: str) -> list[str]:
    """The ids behind ``@`` in a branch such as ``lane.tool@c1``, outermost first."""
    found = (segment.rpartition("@") for segment in branch.split("."))
    return [run_id for _, at, run_id in found if at and run_id]


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
