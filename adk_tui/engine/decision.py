"""What the offline model does next; the rules are the table in ``offline``'s docstring."""

import json
import re
from typing import Any, TypeAlias, cast

from google.adk.models.llm_request import LlmRequest
from google.genai import types

from adk_tui.core.jsontools import as_object
from adk_tui.engine import wording
from adk_tui.engine.arguments import extract, from_known, take_answer
from adk_tui.engine.conversation import (
    TRANSFER,
    Result,
    Turn,
    agent_name,
    instruction,
    parent,
    read_turn,
    transfer_targets,
)
from adk_tui.engine.declarations import Parameter, Tool, read_parameters, read_tools, stems
from adk_tui.engine.matching import Ask, Call, best_agent, best_tool, exact_calls, plan, steps

Decision: TypeAlias = str | list[Call]
"""Words to say, or calls to make in parallel."""

_ENDINGS = ("finish_task", "set_model_response", "exit_loop")
_MOST_CALLS = 12
_BACK = re.compile(r"\b(?:go|take me|bring me|send me|transfer|hand)\b.*\bback\b", re.IGNORECASE)
_NEVER_MIND = re.compile(r"\s*(?:never ?mind|cancel|forget (?:it|that)|stop|no)\b[\s.!]*", re.I)


class Reader:
    """One request, read, and the decision about it. ``model`` is the name stood in for."""

    def __init__(self, request: LlmRequest, model: str) -> None:
        system = instruction(request.config)
        declared = {tool.name: tool for tool in read_tools(request.config)}
        self.model = model
        self.agent = agent_name(system)
        self.parent = parent(system)
        self.turn: Turn = read_turn(request.contents)
        self.declared = declared
        self.ending = next((declared[name] for name in _ENDINGS if name in declared), None)
        self.targets = transfer_targets(declared.get(TRANSFER), system)
        self.tools = tuple(t for t in declared.values() if t.name not in (*_ENDINGS, TRANSFER))
        self.schema = _output_schema(request.config)

    def decide(self) -> Decision:
        """The answer to the request."""
        decision = self._after_results() if self.turn.results else self._first()
        if isinstance(decision, Ask):
            return wording.question(decision.tool, decision.missing)
        return decision if isinstance(decision, list) else self._end(decision)

    def _first(self) -> Decision | Ask:
        calls, unknown = exact_calls(self.turn.text, self.declared)
        if self.turn.handed_over:
            calls = [call for call in calls if call.name != TRANSFER]
        if calls:
            return calls
        if unknown and not (unknown == TRANSFER and self.turn.handed_over):
            return wording.no_such_tool(unknown, tuple(self.declared.values()))
        if (answer := self._answered_question()) is not None:
            return answer
        if target := self._target():
            return [Call(TRANSFER, {"agent_name": target})]
        if (step := self._next_step()) is not None:
            return step
        greeting = self.agent if self.turn.handed_over else ""
        return wording.overview(
            self.model, self.tools, self.targets, said=self.turn.text, agent=greeting
        )

    def _target(self) -> str:
        """The agent to transfer to, where the words point more at it than at any tool here."""
        text = self.turn.text
        free = {k: v for k, v in self.targets.items() if k not in self.turn.others}
        name, points = best_agent(text, free)
        if self.parent in free and points < 4 and _BACK.search(text):
            return self.parent
        return name if points > best_tool(text, self.tools)[2] else ""

    def _next_step(self) -> list[Call] | Ask | None:
        """The calls of the first step of the message that has not been made yet."""
        made = [_key(call) for call in self.turn.calls]
        if len(made) >= _MOST_CALLS:
            return None
        for step in steps(self.turn.text, self.tools):
            calls = plan(step, self.tools, self.turn.known())
            if isinstance(calls, Ask):
                return calls
            if new := [call for call in calls or () if _key(call) not in made]:
                return new
        return None

    def _answered_question(self) -> Decision | Ask | None:
        """What the message means as the answer to the question asked before; None if none was."""
        name = wording.asked_for(self.turn.asked[-1][1]) if self.turn.asked else ""
        tool = next((t for t in self.tools if t.name == name), None)
        if tool is None:
            return None
        if _NEVER_MIND.fullmatch(self.turn.text):
            return f"All right, `{name}` is not called."
        other, args, points = best_tool(self.turn.text, self.tools)
        if other and other is not tool and points >= 5 and not other.missing(args):
            return None
        said = [text for text, _ in self.turn.asked]
        first = len(said) - 1
        while first > 0 and wording.asked_for(self.turn.asked[first - 1][1]) == name:
            first -= 1
        known = extract(tool, said[first])
        for text in (*said[first + 1 :], self.turn.text):
            known |= take_answer(tool.missing(known), text)
        missing = tool.missing(known)
        return Ask(tool, missing) if missing else [Call(name, known)]

    def _after_results(self) -> Decision | Ask:
        outcomes = {wording.outcome(result.response) for result in self.turn.results}
        if "approved" in outcomes and (calls := self._after_approval()):
            return calls
        report = "\n\n".join(
            wording.report(result.name, result.response)
            for result in self.turn.results
            if result.name not in _ENDINGS
        )
        if outcomes & {"pending", "failed", "rejected"}:
            return report
        if exact_calls(self.turn.text, self.declared)[0]:
            return report
        step = self._next_step()
        if isinstance(step, Ask):
            return f"{report}\n\n{wording.question(step.tool, step.missing)}"
        return step or report

    def _after_approval(self) -> list[Call]:
        """What each approval makes possible, with the approved call's own arguments."""
        made = [_key(call) for call in self.turn.calls]
        calls: list[Call] = []
        for result in self.turn.results:
            if wording.outcome(result.response) == "approved":
                call = self._enabled_by(result)
                if call and _key(call) not in made:
                    calls.append(call)
        return calls if len(made) + len(calls) <= _MOST_CALLS else []

    def _enabled_by(self, result: Result) -> Call | None:
        known = self.turn.around(result)
        found: list[tuple[bool, Call]] = []
        for tool in self.tools:
            args = from_known(tool, {}, known, optional=True)
            if tool.name != result.name and tool.required and not tool.missing(args):
                speaks = bool(stems("approve") & (stems(tool.description) | stems(tool.name)))
                found.append((not speaks, Call(tool.name, args)))
        return min(found, key=lambda pair: pair[0])[1] if found else None

    def _end(self, text: str) -> Decision:
        """Text as the agent must end: plain, by schema, or through one of ADK's ending tools."""
        ending = self.ending
        if ending and ending.name not in {result.name for result in self.turn.results}:
            return [Call(ending.name, self._fill(ending.parameters, text))]
        if self.schema is not None and not ending:
            return json.dumps(self._fill(self.schema, text), ensure_ascii=False)
        return text

    def _fill(self, parameters: tuple[Parameter, ...], text: str) -> dict[str, Any]:
        tool = Tool("", "", parameters, tuple(p for p in parameters if p.required))
        args = from_known(tool, extract(tool, self.turn.text), self.turn.known(), optional=True)
        if tool.parameter("result"):
            args = {**args, "result": text}
        return wording.structured(parameters, args)


def _key(call: Call) -> str:
    return json.dumps([call.name, call.args], sort_keys=True, default=str)


def _output_schema(config: types.GenerateContentConfig | None) -> tuple[Parameter, ...] | None:
    """The fields of the object a request wants as its answer; None where it wants text."""
    schema = cast(Any, getattr(config, "response_json_schema", None))
    schema = schema or cast(Any, getattr(config, "response_schema", None))
    if isinstance(schema, type) and hasattr(schema, "model_json_schema"):
        schema = cast(Any, schema).model_json_schema()
    elif isinstance(schema, types.Schema):
        schema = schema.model_dump(mode="json", by_alias=True, exclude_none=True)
    return read_parameters(as_object(schema)) if as_object(schema).get("properties") else None
