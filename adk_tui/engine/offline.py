"""A model for when there is no key: it matches words to tools, and says so.

It stands in for a model that the agent gives by name and that cannot be called
because its credentials are not set. It is no language model. The same request
always gets the same answer, by these rules, the first that applies:

| situation                                   | what it does                                    |
|---------------------------------------------|-------------------------------------------------|
| tools have answered in this turn            | goes on with the next step, else reports        |
| the message holds ``tool(a="x")``           | makes exactly these calls, all in parallel      |
| … ``transfer_to_agent(agent_name="x")``     | transfers                                       |
| … a lone call of an undeclared name         | names the tools there are                       |
| it asked for arguments before               | takes them from the message, or asks again      |
| the words point at another agent            | transfers (``matching``; never twice to one)    |
| the words point at a tool                   | calls it with arguments from the message        |
| … several clauses, each a complete call     | calls them in parallel                          |
| … "A, then B"                               | calls B when A has answered                     |
| … an argument another tool can find         | calls that tool first, then the one meant       |
| … a required argument is missing            | asks for it; no value is ever made up           |
| anything else                               | says what it is and what can be called          |

The next step after results: a pending result is reported and waited for; a
failed or rejected one is reported and ends the turn; after an approval, the
tool whose required arguments all occur in the approved call or its answer is
called with them (a tool that speaks of approval first). An output schema, or
ADK's ``set_model_response`` and ``finish_task``, get what the message gives and
visibly empty values; ``exit_loop`` is called where nothing else is left to do.

Text is streamed in chunks, as a real model's is. Token counts are left unset:
there are none.
"""

import asyncio
import inspect
import logging
import os
import re
from collections.abc import AsyncGenerator, Iterator
from typing import Any, cast

from google.adk.apps.app import App
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.workflow import BaseNode
from google.genai import types

from adk_tui.engine.credentials import may_work
from adk_tui.engine.decision import Reader


class OfflineModel(BaseLlm):
    """Stands in for the model named ``model``; ``pace`` is seconds between streamed chunks.

    It keeps the name it stands in for, because ADK's built-in tools refuse to
    run under a name they do not know.
    """

    pace: float = 0.005

    @property
    def capabilities(self) -> Any:
        """An output schema together with tools is fine: no ``set_model_response`` needed."""
        return super().capabilities.model_copy(update={"output_schema_and_tools": True})

    def _legacy_output_schema_and_tools(self) -> bool:
        return False

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        """One answer, by the table in this module's docstring."""
        decision = Reader(llm_request, self.model).decide()
        if isinstance(decision, str):
            parts = [types.Part(text=decision)]
            if stream:
                for chunk in _chunks(decision):
                    piece = types.Content(role="model", parts=[types.Part(text=chunk)])
                    yield LlmResponse(content=piece, partial=True)
                    await asyncio.sleep(self.pace)
        else:
            parts = [
                types.Part(function_call=types.FunctionCall(name=call.name, args=call.args))
                for call in decision
            ]
        yield LlmResponse(
            content=types.Content(role="model", parts=parts),
            partial=False,
            finish_reason=types.FinishReason.STOP,
        )


def _chunks(text: str, size: int = 24) -> Iterator[str]:
    """The text in pieces of about ``size`` characters that end with a word."""
    for found in re.finditer(rf".{{1,{size}}}(?:\s+|\S*\s*|$)", text, re.DOTALL):
        yield found.group(0)


def install(app: App, *, force: bool = False, model: str = "") -> tuple[str, ...]:
    """Put the offline model wherever a model given by name cannot be called.

    ``model`` replaces every model name first; ``force`` replaces all names,
    credentials or not. A model object that the agent made itself stays.
    Returns the names it now stands in for, each once, in tree order.
    """
    names: list[str] = []
    for agent in agents(app.root_agent):
        given: object = getattr(agent, "model", None)
        name = given if isinstance(given, str) else None
        if name == "" and not _inherits(agent):
            name = _default_model(agent)
        if not name:
            continue
        if model:
            name = agent.model = model
        if force or not may_work(name, os.environ):
            agent.model = OfflineModel(model=name)
            names.append(name)
    if names:
        logging.getLogger(_TOKEN_LOG).addFilter(_expects_no_tokens)
    return tuple(dict.fromkeys(names))


_TOKEN_LOG = "google_adk.google.adk.telemetry._metrics"


def _expects_no_tokens(record: logging.LogRecord) -> bool:
    """Keep ADK's complaint about missing token counts out of the agent's output.

    It comes with every answer of the offline model, which has none to give, and
    would hide what the agent itself prints.
    """
    return "missing token usage" not in str(record.msg)


def agents(root: object) -> Iterator[Any]:
    """Every agent and node that can be reached from ``root``, each once, parents first.

    Sub-agents, the nodes of a workflow, agents behind AgentTool and node
    tools, and those a tool's or a node's function refers to by name. ADK has
    no public walk; an attribute missing in some version means fewer are found.
    """
    seen: set[int] = set()
    todo: list[Any] = [root]
    while todo:
        node = todo.pop()
        if isinstance(node, BaseNode) and id(node) not in seen:
            seen.add(id(node))
            yield node
            todo.extend(reversed(list(_below(node))))


def _below(node: Any) -> Iterator[Any]:
    yield from getattr(node, "sub_agents", None) or ()
    children = getattr(node, "_iter_static_children", None)
    if callable(children):
        yield from cast("Iterator[Any]", children())
    for tool in (*(getattr(node, "tools", None) or ()), getattr(node, "tool", None)):
        yield getattr(tool, "agent", None)
        yield getattr(tool, "node", None)
        yield from _mentioned(getattr(tool, "func", tool))
    yield from _mentioned(getattr(node, "_func", None))


def _mentioned(function: Any) -> Iterator[Any]:
    """Agents that a function refers to through its globals or its closure."""
    if not inspect.isfunction(function):
        return
    try:
        names = inspect.getclosurevars(function)
    except (TypeError, ValueError):
        return
    for value in (*names.nonlocals.values(), *names.globals.values()):
        if isinstance(value, BaseNode):
            yield value


def _inherits(agent: Any) -> bool:
    """Whether an agent without a model takes the one of an agent above it."""
    above = getattr(agent, "parent_agent", None)
    while above is not None:
        if hasattr(above, "model"):
            return True
        above = getattr(above, "parent_agent", None)
    return False


def _default_model(agent: Any) -> str:
    default = getattr(agent, "_default_model", "")
    return default if isinstance(default, str) else ""


def _model_of(agent: Any) -> Any:
    while agent is not None:
        if own := getattr(agent, "model", None):
            return own
        if getattr(agent, "parent_agent", None) is None:
            return _default_model(agent) if hasattr(agent, "model") else ""
        agent = agent.parent_agent
    return ""


def is_offline(agent: object) -> bool:
    """Whether the offline model answers for this agent; one without a model inherits it."""
    return hasattr(agent, "model") and isinstance(_model_of(agent), OfflineModel)


def model_name(agent: object) -> str:
    """The name of the model this agent uses, its own or inherited; empty for a node without one."""
    own = _model_of(agent) if hasattr(agent, "model") else ""
    return own if isinstance(own, str) else str(getattr(own, "model", type(own).__name__))
