"""What the offline model reads in a request: the turn so far, and who else could answer.

ADK tells a model everything as contents: the user's text, this agent's calls
and their responses, and what other agents did as user text that begins with
"For context:" (``flows/llm_flows/context/_fencing.py``). A turn begins with
the last text that a person wrote.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import cast

from google.genai import types

from adk_tui.core.jsontools import JsonObject, as_object
from adk_tui.engine.declarations import Tool
from adk_tui.engine.matching import Call

TRANSFER = "transfer_to_agent"
_CONTEXT = "For context:"
_INSTRUCTION = "<<<BEGIN_SYSTEM_INSTRUCTION>>>"
_RELAYED = re.compile(r"^\[([^\]]+)\]\s")
_TARGET = re.compile(r"Agent name: (\S+)\nAgent description: (.*?)(?=\n\s*\n|\Z)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Result:
    """What a tool answered to the call ``id``."""

    name: str
    response: JsonObject
    id: str = ""


@dataclass(slots=True)
class Turn:
    """The current turn of one agent.

    ``asked`` are earlier messages of the user and this model's words after
    each, oldest first. ``calls`` and ``results`` belong to this turn.
    ``others`` are the agents that acted in this turn, ``handed_over`` says
    that one of them transferred.
    """

    text: str = ""
    asked: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    calls: list[Call] = field(default_factory=list[Call])
    results: list[Result] = field(default_factory=list[Result])
    others: set[str] = field(default_factory=set[str])
    handed_over: bool = False

    def known(self) -> dict[str, object]:
        """Every argument and every result value of the turn, by name; the newest wins."""
        values: dict[str, object] = {}
        for call in self.calls:
            values.update(call.args)
        for result in self.results:
            values.update(result_values(result))
        return values

    def around(self, result: Result) -> dict[str, object]:
        """The arguments and the result values of one call, by name.

        ADK strips the ids it made itself from a request
        (``remove_client_function_call_id``): then the n-th result of a name
        belongs to the n-th call of that name.
        """
        calls = [call for call in self.calls if call.name == result.name]
        same = [other for other in self.results if other.name == result.name]
        by_id = next((call for call in calls if call.id and call.id == result.id), None)
        place = next(i for i, other in enumerate(same) if other is result)
        call = by_id or (calls[place] if place < len(calls) else None)
        return {**(call.args if call else {}), **result_values(result)}


def result_values(result: Result) -> dict[str, object]:
    """The values of a result by name; of a wrapped object, its own."""
    found = {k: v for k, v in result.response.items() if v is not None}
    return {**found, **as_object(result.response.get("result"))}


def _texts(content: types.Content) -> list[str]:
    return [p.text for p in content.parts or () if p.text and not p.thought]


def read_turn(contents: Iterable[types.Content]) -> Turn:
    """The last turn in a request's contents."""
    turn = Turn()
    said = ""
    for content in contents:
        parts = content.parts or []
        texts = _texts(content)
        if content.role == "model":
            said += "\n".join(texts)
            turn.calls += [
                Call(
                    p.function_call.name or "",
                    dict(p.function_call.args or {}),
                    p.function_call.id or "",
                )
                for p in parts
                if p.function_call
            ]
            continue
        for part in parts:
            if part.function_response:
                answer = part.function_response
                body = as_object(answer.response)
                turn.results.append(Result(answer.name or "", body, answer.id or ""))
                turn.handed_over |= answer.name == TRANSFER
        if not texts or texts[0].startswith(_INSTRUCTION):
            continue
        if texts[0].startswith(_CONTEXT):
            for text in texts[1:]:
                if found := _RELAYED.match(text):
                    turn.others.add(found.group(1))
                    turn.handed_over |= f"called tool `{TRANSFER}`" in text
            continue
        asked = [*turn.asked, (turn.text, said)] if turn.text else turn.asked
        turn, said = Turn(text="\n".join(texts).strip(), asked=asked), ""
    turn.results = [result for result in turn.results if result.name != TRANSFER]
    turn.calls = [call for call in turn.calls if call.name != TRANSFER]
    return turn


def instruction(config: types.GenerateContentConfig | None) -> str:
    """The system instruction as text; ADK writes it as one string."""
    value = cast(object, getattr(config, "system_instruction", None))
    if isinstance(value, types.Content):
        return "\n".join(_texts(value))
    return value if isinstance(value, str) else ""


def transfer_targets(transfer: Tool | None, system: str) -> dict[str, str]:
    """Names and descriptions of the agents this one may transfer to, in ADK's order."""
    if transfer is None:
        return {}
    about = {name: text.strip() for name, text in _TARGET.findall(system)}
    parameter = transfer.parameter("agent_name")
    names = [str(v) for v in parameter.enum] if parameter and parameter.enum else list(about)
    return {name: about.get(name, "") for name in names}


def parent(system: str) -> str:
    """The parent agent that ADK names in the instruction, else empty."""
    found = re.search(r"transfer to your parent agent (\S+?)\.(?:\s|$)", system)
    return found.group(1) if found else ""


def agent_name(system: str) -> str:
    """The agent's own name, as ADK tells it to the model, else empty."""
    found = re.search(r'internal name is "([^"]+)"', system)
    return found.group(1) if found else ""
