"""The loaded agents as plain data: who there is, with which tools, and who may transfer.

Nothing is connected or called for it: a toolset (MCP, OpenAPI) is named, not opened.
"""

import inspect
from collections.abc import Callable
from typing import Any, Literal, cast

from google.adk.agents.base_agent import BaseAgent
from google.adk.tools.agent_tool import AgentTool
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.base_toolset import BaseToolset
from google.adk.tools.function_tool import FunctionTool
from google.genai import types

from adk_tui.core.jsontools import JsonObject, nothing
from adk_tui.core.reports import AgentNode, ToolInfo
from adk_tui.engine import offline

_KINDS = (
    "LlmAgent",
    "SequentialAgent",
    "ParallelAgent",
    "LoopAgent",
    "Workflow",
    "RemoteA2aAgent",
    "BaseAgent",
)
"""ADK's classes by which a front end tells agents apart, the most special first."""

MAX_DEPTH = 50
"""Levels of the tree that are told; a workflow may contain itself."""


def describe(root: object) -> AgentNode:
    """The tree below ``root``: an agent, or a workflow with its nodes. Never raises."""
    return _node(root, 0)


def _node(agent: Any, depth: int) -> AgentNode:
    instruction = getattr(agent, "instruction", "")
    children = _children(agent) if depth < MAX_DEPTH else []
    return AgentNode(
        name=str(getattr(agent, "name", "")),
        kind=_kind(agent),
        description=str(getattr(agent, "description", "") or ""),
        model=offline.model_name(agent),
        offline=offline.is_offline(agent),
        mode=_word(getattr(agent, "mode", None)),
        instruction=instruction if isinstance(instruction, str) else "(made by a function)",
        can_transfer=isinstance(agent, BaseAgent) and hasattr(agent, "disallow_transfer_to_parent"),
        disallow_transfer_to_parent=bool(getattr(agent, "disallow_transfer_to_parent", False)),
        disallow_transfer_to_peers=bool(getattr(agent, "disallow_transfer_to_peers", False)),
        tools=tuple(_tool(t) for t in cast("list[Any]", getattr(agent, "tools", None) or [])),
        children=tuple(_node(c, depth + 1) for c in children),
        edges=_edges(agent),
    )


def _word(value: object) -> str:
    return "" if value is None else str(getattr(value, "value", value))


def _kind(agent: object) -> str:
    names = [c.__name__ for c in type(agent).__mro__]
    return next((k for k in _KINDS if k in names), names[0])


def _children(agent: Any) -> list[Any]:
    children = list(getattr(agent, "sub_agents", None) or [])
    graph = getattr(agent, "graph", None)
    known = {id(c) for c in children}
    for node in cast("list[Any]", getattr(graph, "nodes", None) or []):
        if id(node) not in known and getattr(node, "name", "") not in ("", "__START__"):
            children.append(node)
    return children


def _edges(agent: Any) -> tuple[tuple[str, str, str], ...]:
    found: list[tuple[str, str, str]] = []
    graph = getattr(agent, "graph", None)
    for edge in cast("list[Any]", getattr(graph, "edges", None) or []):
        route = edge.route
        labels = cast("list[object]", route if isinstance(route, list) else [route])
        label = ", ".join("" if r is None else str(r) for r in labels)
        found.append((str(edge.from_node.name), str(edge.to_node.name), label))
    return tuple(found)


def _tool(tool: Any) -> ToolInfo:
    if isinstance(tool, BaseToolset):
        return ToolInfo(type(tool).__name__, "toolset", inspect.getdoc(type(tool)) or "")
    if not isinstance(tool, BaseTool):
        if not callable(tool):
            return ToolInfo(str(getattr(tool, "name", type(tool).__name__)), "other")
        tool = FunctionTool(cast("Callable[..., Any]", tool))
    declaration = _declaration(tool)
    if tool.is_long_running:
        kind = "long_running"
    elif isinstance(tool, AgentTool):
        kind = "agent"
    elif isinstance(tool, FunctionTool):
        kind = "function"
    else:
        kind = "other" if declaration else "builtin"
    return ToolInfo(tool.name, kind, tool.description or "", _confirmation(tool), declaration)


def _confirmation(tool: BaseTool) -> Literal["yes", "no", "sometimes"]:
    # The only place where ADK keeps it is private; unknown reads as "no".
    asked = getattr(tool, "_require_confirmation", False)
    if callable(asked):
        return "sometimes"
    return "yes" if asked else "no"


def _declaration(tool: BaseTool) -> JsonObject:
    try:
        found = cast(
            "types.FunctionDeclaration | None",
            cast(Any, tool)._get_declaration(),
        )
        if found is None:
            return nothing()
        return found.model_dump(mode="json", by_alias=True, exclude_none=True)
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}
