"""Our routing against ADK's own, on real agent trees: recorded sessions, made ones and random ones.

They may differ in one place, by intent: under a root that is no LlmAgent ADK
routes a text after it has stored it, so ADK is asked with the text appended.
"""

import asyncio
import functools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from google.adk.agents import BaseAgent, LlmAgent, LoopAgent, ParallelAgent, SequentialAgent
from google.adk.agents._agent_router import is_transferable_across_agent_tree
from google.adk.apps.app import ResumabilityConfig
from google.adk.events._rewind_events import _apply_rewinds
from google.adk.events.event import Event
from google.adk.flows.llm_flows.extensions._agent_transfer import _get_transfer_targets
from google.adk.runners import Runner, _find_active_task_scope, _session_for_routing
from google.adk.sessions import InMemorySessionService, Session
from google.adk.workflow import Workflow
from google.genai import types
from hypothesis import given, settings
from hypothesis import strategies as st

from adk_tui.core.agent_tree import Tree
from adk_tui.core.records import EventRecord
from adk_tui.core.reports import AgentNode
from adk_tui.core.routing import active_task, next_agent, resuming_agent, transfer_targets
from adk_tui.engine.tree import describe
from tests.fakes.sessions import aborted, call, event, response, rewind, text, user
from tests.golden_table import read, streams

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*deprecated in favor of Workflow"),
    pytest.mark.filterwarnings("ignore:.*ResumabilityConfig"),
]


def _session(events: Sequence[EventRecord]) -> Session:
    stored = [Event.model_validate_json(e.raw) for e in events if not e.partial and not e.inner_of]
    return Session(id="s", app_name="app", user_id="u", events=stored)


def _runner(root: Any, *, resumable: bool = False) -> Runner:
    runner = Runner(app_name="app", agent=root, session_service=InMemorySessionService())
    runner.resumability_config = ResumabilityConfig(is_resumable=resumable)
    return runner


def _text() -> Event:
    return Event(author="user", content=types.UserContent(parts=[types.Part(text="hi")]))


def _adk_next(root: Any, events: Sequence[EventRecord], *, resumable: bool = False) -> str:
    session = _session(events)
    if not isinstance(root, LlmAgent):
        session.events.append(_text())
    return _runner(root, resumable=resumable)._find_agent_to_run(session, root).name


def _adk_resumes(root: Any, events: Sequence[EventRecord], call_id: str) -> str:
    part = types.Part(
        function_response=types.FunctionResponse(id=call_id, name="x", response={"ok": 1})
    )
    message = types.UserContent(parts=[part])
    session = _session(events)
    if isinstance(root, LlmAgent):
        session = _session_for_routing(session, message)
    else:
        session.events.append(Event(author="user", content=message))
    return _runner(root)._find_agent_to_run(session, root).name


def _llm(name: str, *children: BaseAgent, **fields: Any) -> LlmAgent:
    return LlmAgent(name=name, model="m", sub_agents=list(children), **fields)


# Recorded sessions, on trees of the shape their node paths and authors tell.


def _tree_of(events: Sequence[EventRecord]) -> LlmAgent:
    below: dict[str, list[str]] = {}
    seen: set[str] = {"user"}
    top: list[str] = []
    for one in events:
        path = [part.split("@")[0] for part in one.node_path.split("/") if part]
        path = path if path and one.author in path else [one.author]
        for place, name in enumerate(path):
            if name not in seen and name.isidentifier():
                seen.add(name)
                (below.setdefault(path[place - 1], []) if place else top).append(name)

    def build(name: str) -> LlmAgent:
        return _llm(name, *(build(n) for n in below.get(name, [])))

    agents = [build(n) for n in top] or [_llm("root")]
    return agents[0] if len(agents) == 1 else _llm("the_root", *agents)


@pytest.mark.parametrize("path", streams(), ids=lambda p: p.name)
@pytest.mark.parametrize("resumable", [False, True])
def test_recorded_sessions_route_as_in_adk_at_every_prefix(path: Path, resumable: bool):
    events = read(path)
    root = _tree_of(events)
    ours = describe(root)
    for count in range(len(events) + 1):
        found = next_agent(ours, events[:count], resumable=resumable)
        assert found.agent == _adk_next(root, events[:count], resumable=resumable)
        assert found.why


@pytest.mark.parametrize("path", streams(), ids=lambda p: p.name)
def test_answers_in_recorded_sessions_go_where_adk_sends_them(path: Path):
    events = read(path)
    root = _tree_of(events)
    ours = describe(root)
    for count, one in enumerate(events, 1):
        for made in one.calls if not one.partial else ():
            for end in {count, len(events)}:
                known = events[:end]
                assert resuming_agent(ours, known, made.id).agent == _adk_resumes(
                    root, known, made.id
                )


# Made trees.


def _zoo() -> LlmAgent:
    """Every kind of agent that a transfer may meet."""
    deep = _llm("deep")
    locked_in = _llm("locked_in")
    in_task = _llm("in_task")
    return _llm(
        "root",
        _llm("open", deep),
        _llm("locked", locked_in, disallow_transfer_to_parent=True),
        _llm("loner", disallow_transfer_to_peers=True),
        _llm("worker", in_task, mode="task"),
        _llm("once", mode="single_turn"),
        SequentialAgent(name="steps", sub_agents=[_llm("step_1"), _llm("step_2")]),
        ParallelAgent(name="lanes", sub_agents=[_llm("lane_1")]),
        LoopAgent(name="loop", sub_agents=[_llm("turn")]),
    )


def _names(node: AgentNode) -> list[str]:
    return [node.name, *(n for c in node.children for n in _names(c))]


ROOTS = {
    "llm": _zoo,
    "locked root": lambda: _llm("root", _llm("a"), disallow_transfer_to_parent=True),
    "task root": lambda: _llm("root", _llm("a"), mode="task"),
    "sequential": lambda: SequentialAgent(name="root", sub_agents=[_llm("a"), _llm("b")]),
    "parallel": lambda: ParallelAgent(name="root", sub_agents=[_llm("a"), _llm("b")]),
    "loop": lambda: LoopAgent(name="root", sub_agents=[_llm("a", _llm("b"))]),
    "workflow": lambda: Workflow(name="root", edges=[("START", _llm("a"))]),
}


def _agents(root: Any) -> list[BaseAgent]:
    children = getattr(root, "sub_agents", None) or []
    return [root, *(a for c in children for a in _agents(c))]


@pytest.mark.parametrize("kind", [k for k in ROOTS if k != "workflow"])
def test_the_tree_allows_what_adk_allows(kind: str):
    root = ROOTS[kind]()
    tree = Tree(describe(root))
    for agent in _agents(root):
        node = tree.find(agent.name)
        assert node is not None
        expected = [t.name for t in _get_transfer_targets(agent)]
        assert [t.name for t in tree.targets(node)] == expected
        assert (tree.barrier(node) is None) == is_transferable_across_agent_tree(agent)


def _adk_next_for_text(root: Any, events: Sequence[EventRecord]) -> str:
    """With the roots that ADK does not ask its router about."""
    if isinstance(root, LlmAgent) and root.mode == "task":
        return root.name
    return _adk_next(root, events)


@pytest.mark.parametrize("kind", ROOTS)
def test_a_reachable_target_is_reached_and_stays_and_an_unreachable_one_does_not(kind: str):
    root = ROOTS[kind]()
    ours = describe(root)
    tree = Tree(ours)
    before = [user("hi"), event("root", text("hello"))]
    targets = transfer_targets(ours, before)
    assert [t.agent for t in targets] == _names(ours)
    for target in targets:
        hops = list(target.hops)
        node = tree.find(target.agent)
        parent = tree.parent(node) if node is not None else None
        if not target.reachable:
            assert target.reason
            assert not hops
            hops = [(parent.name, target.agent)] if parent is not None else []
        acts = [event(a, inv="p", actions={"transferToAgent": t}) for a, t in hops]
        moved = [*before, *acts]
        replied = [*moved, event(target.agent, text("I am here"), inv="i2")]
        after = [_adk_next_for_text(root, s) for s in (moved, replied)]
        assert (after == [target.agent] * 2) == (target.reachable or target.active)
        assert [next_agent(ours, s).agent for s in (moved, replied)] == after


def test_the_root_can_always_be_called_back():
    root = _zoo()
    ours = describe(root)
    away = [user("hi"), event("deep", text("hello"))]
    (target,) = [t for t in transfer_targets(ours, away) if t.agent == "root"]
    assert target.reachable
    acts = [event(a, inv="p", actions={"transferToAgent": t}) for a, t in target.hops]
    assert _adk_next(root, away) == "deep"
    assert _adk_next(root, [*away, *acts]) == "root"


# Random sessions.

AUTHORS = st.sampled_from(
    ["root", "open", "deep", "locked", "locked_in", "loner", "worker", "in_task", "once", "steps",
     "step_1", "lane_1", "turn", "stranger", "user"]
)  # fmt: skip
INVOCATIONS = st.sampled_from(["i1", "i2", "i3"])
IDS = st.sampled_from(["c1", "c2"])
BRANCHES = st.sampled_from(["", "steps.step_1", "helper@c1", "tool@c2.helper@c1", "A@1"])
SCOPES = st.sampled_from(["", "", "c1", "worker@1"])


@st.composite
def _sessions(draw: st.DrawFn) -> list[EventRecord]:
    events: list[EventRecord] = []
    for _ in range(draw(st.integers(0, 9))):
        act = draw(st.sampled_from(["text", "call", "response", "transfer", "abort", "rewind",
                                    "error", "state", "end", "finish", "partial"]))  # fmt: skip
        author, inv, call_id = draw(AUTHORS), draw(INVOCATIONS), draw(IDS)
        extra: dict[str, Any] = {}
        if branch := draw(BRANCHES):
            extra["branch"] = branch
        if scope := draw(SCOPES):
            extra["isolationScope"] = scope
        part = text("hm")
        match act:
            case "call":
                part = call("ask", call_id)
                if draw(st.booleans()):
                    extra["longRunningToolIds"] = [call_id]
            case "response":
                part = response("ask", call_id, {"ok": 1})
            case "finish":
                ended = draw(st.sampled_from(["Task completed.", "Task failed.", "no"]))
                part = response("finish_task", call_id, {"result": ended})
            case "transfer":
                extra["actions"] = {"transferToAgent": draw(AUTHORS)}
            case "state":
                extra["actions"] = {"agentState": {}}
            case "end":
                extra["actions"] = {"endOfAgent": True}
            case "partial":
                extra["partial"] = True
            case _:
                pass
        if act == "abort":
            events.append(aborted(author, inv=inv))
        elif act == "rewind":
            events.append(rewind(inv, inv="i9"))
        elif act == "error":
            with_text = [part] if draw(st.booleans()) else []
            events.append(event(author, *with_text, inv=inv, errorCode="X", **extra))
        else:
            events.append(event(author, part, inv=inv, **extra))
    return events


@functools.cache
def _roots() -> tuple[LlmAgent, SequentialAgent]:
    one, two = _llm("step_1", _llm("deep")), _llm("lane_1")
    return _zoo(), SequentialAgent(name="steps", sub_agents=[one, two])


@settings(max_examples=600, deadline=None)
@given(_sessions(), st.booleans())
def test_any_session_routes_as_in_adk(events: list[EventRecord], resumable: bool):
    root, _ = _roots()
    found = next_agent(describe(root), events, resumable=resumable)
    assert found.agent == _adk_next(root, events, resumable=resumable)


@settings(max_examples=300, deadline=None)
@given(_sessions(), st.booleans())
def test_any_session_routes_as_in_adk_under_a_sequence(events: list[EventRecord], resumable: bool):
    _, root = _roots()
    found = next_agent(describe(root), events, resumable=resumable)
    assert found.agent == _adk_next(root, events, resumable=resumable)


@settings(max_examples=600, deadline=None)
@given(_sessions(), IDS)
def test_any_answer_goes_where_adk_sends_it(events: list[EventRecord], call_id: str):
    for root in _roots():
        found = resuming_agent(describe(root), events, call_id)
        assert found.agent == _adk_resumes(root, events, call_id)


@settings(max_examples=300, deadline=None)
@given(_sessions())
def test_a_task_is_at_work_where_adk_says_so(events: list[EventRecord]):
    assert bool(active_task(events)) == (_find_active_task_scope(_session(events)) is not None)


def test_during_a_task_no_transfer_is_offered():
    (path,) = streams("task_delegation")[:1]
    events = read(path)
    root = _llm("root", _llm("other"), _llm("t", mode="task"))
    working = [t for t in transfer_targets(describe(root), events[:3]) if t.agent == "other"]
    assert not working[0].reachable
    assert "delegated task" in working[0].reason
    done = [t for t in transfer_targets(describe(root), events) if t.agent == "other"]
    assert done[0].reachable


def test_a_forced_transfer_lasts_in_adks_own_store():
    async def scenario() -> str:
        root = _zoo()
        service = InMemorySessionService()
        session = await service.create_session(app_name="app", user_id="u")
        (deep,) = [t for t in transfer_targets(describe(root), []) if t.agent == "deep"]
        for author, target in deep.hops:
            act = Event(author=author, invocation_id="p")
            act.actions.transfer_to_agent = target
            await service.append_event(session, act)
        stored = await service.get_session(app_name="app", user_id="u", session_id=session.id)
        assert stored is not None
        assert _apply_rewinds(stored.events) == stored.events
        return _runner(root)._find_agent_to_run(stored, root).name

    assert asyncio.run(scenario()) == "deep"
