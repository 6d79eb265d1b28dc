"""The few sentences the offline model can say. They name facts and add none."""

import re
from typing import Any, Literal, TypeAlias

from adk_tui.core.jsontools import JsonObject, as_list, as_object, as_text
from adk_tui.engine.declarations import Parameter, Tool

Outcome: TypeAlias = Literal["done", "pending", "approved", "rejected", "failed"]

_PENDING = frozenset({"pending", "in_progress", "running", "queued", "waiting", "submitted"})
_APPROVED = frozenset({"approved", "accepted", "confirmed", "granted", "allowed"})
_REJECTED = frozenset({"rejected", "denied", "declined", "refused", "disapproved"})
_PLAIN = frozenset({"result", "message", "error", "report", "output", "text", "answer"})
_QUESTION = re.compile(r"To call `([^`]+)` I still need")


def outcome(response: JsonObject) -> Outcome:
    """What a tool's response means for the turn, by the words tools commonly use.

    ADK itself gives ``status`` no meaning; its own two texts for a tool that
    needs, or was refused, a confirmation are known here.
    """
    inner = as_object(response.get("result")) or response
    status = as_text(inner.get("status")).lower()
    error = as_text(inner.get("error"))
    verdict = next((inner[k] for k in ("approved", "confirmed") if k in inner), None)
    if "requires confirmation" in error or status in _PENDING:
        return "pending"
    if status in _REJECTED or verdict is False or "call is rejected" in error:
        return "rejected"
    if error or status in ("error", "failed", "failure"):
        return "failed"
    return "approved" if status in _APPROVED or verdict is True else "done"


def value(item: object) -> str:
    """A JSON value in a sentence or a list entry."""
    if item is None:
        return "nothing"
    if isinstance(item, bool):
        return "yes" if item else "no"
    if entries := as_object(item):
        return ", ".join(f"{k}: {value(v)}" for k, v in entries.items())
    if entries := as_list(item):
        return "; ".join(value(v) for v in entries)
    return as_text(item)


def _facts(response: JsonObject) -> str:
    shown = {k: v for k, v in response.items() if v not in (None, "", [], {})}
    if len(shown) == 1:
        name, only = next(iter(shown.items()))
        text = value(only) if name in _PLAIN else f"{name.replace('_', ' ')} {value(only)}"
        return f": {text}" + ("" if text.endswith((".", "!", "?")) else ".")
    lines = [f"- **{k.replace('_', ' ')}**: {value(v)}" for k, v in shown.items()]
    return ":\n\n" + "\n".join(lines) if lines else "."


def report(name: str, response: JsonObject) -> str:
    """A tool's response as Markdown: one sentence, and its facts as a list."""
    body: JsonObject = as_object(response.get("result")) if len(response) == 1 else {}
    meant = outcome(response)
    body = body or response
    if meant in ("approved", "rejected") and set(body) <= {"status", "approved", "confirmed"}:
        body = {}
    facts = _facts(body)
    match meant:
        case "pending":
            return f"`{name}` waits for a person's answer{facts}"
        case "approved":
            return f"`{name}` was approved{facts}"
        case "rejected":
            return f"`{name}` was rejected, so nothing more was done{facts}"
        case "failed":
            return f"`{name}` failed{facts}"
        case "done":
            return f"`{name}` returned {facts.removeprefix(': ') if body else 'nothing.'}".replace(
                " :\n", ":\n", 1
            )


def describe_parameter(p: Parameter) -> str:
    """A parameter as a question names it."""
    hint = p.description
    if p.enum:
        hint = "one of " + ", ".join(str(v) for v in p.enum)
    return f"`{p.name}`" + (f" ({hint})" if hint else "")


def question(tool: Tool, missing: tuple[Parameter, ...]) -> str:
    """The question for required arguments; ``asked_for`` recognises it later."""
    parts = [describe_parameter(p) for p in missing]
    listed = parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + " and " + parts[-1]
    return f"To call `{tool.name}` I still need {listed}."


def asked_for(text: str) -> str:
    """The tool that a text of this model asked arguments for, else empty."""
    found = _QUESTION.search(text)
    return found.group(1) if found else ""


def signature(tool: Tool) -> str:
    """How to write a call of the tool."""
    return f"{tool.name}({', '.join(p.name for p in tool.parameters)})"


def _first_sentence(text: str) -> str:
    return re.split(r"(?<=[.!?])\s|\n", text.strip(), maxsplit=1)[0]


def _received(said: str) -> str:
    """What can truly be said of a text without understanding it."""
    count = len(said.split())
    start = " ".join(said.split()[:12]) + (" …" if count > 12 else "")
    return f"The message has {count} words: “{start}”"


def overview(
    model: str, tools: tuple[Tool, ...], targets: JsonObject, *, said: str = "", agent: str = ""
) -> str:
    """What this model is, and what can be done through it."""
    who = f"**{agent}** here, answered by" if agent else "I am"
    text = f"{who} the offline model, in place of `{model}`. "
    if not tools and not targets:
        return f"{text}This agent has no tools, and I write no text of my own. {_received(said)}"
    text += "I understand no language, I only match your words to what this agent declares.\n"
    for tool in tools:
        text += f"\n- `{signature(tool)}` {_first_sentence(tool.description)}".rstrip()
    for name, description in targets.items():
        text += f"\n- agent `{name}`: {_first_sentence(as_text(description))}".rstrip(": ")
    example = tools[0] if tools else None
    if example:
        args = ", ".join(f'{p.name}="…"' for p in example.required)
        text += f"\n\nTo be exact, write a call: `{example.name}({args})`."
    elif targets:
        text += f'\n\nTo be exact, write: `transfer_to_agent(agent_name="{next(iter(targets))}")`.'
    return text


def no_such_tool(name: str, tools: tuple[Tool, ...]) -> str:
    """The answer to an exact call of a tool that is not declared here."""
    names = ", ".join(f"`{tool.name}`" for tool in tools) or "none"
    return f"This agent declares no tool `{name}`. Its tools: {names}."


def structured(parameters: tuple[Parameter, ...], args: JsonObject) -> dict[str, Any]:
    """An object for an output schema: what the text gave, and visibly empty values for the rest."""
    empty: dict[str, Any] = {
        "integer": 0, "number": 0, "boolean": False, "array": [], "object": {}, "string": "",
    }  # fmt: skip
    full = dict(args)
    for p in parameters:
        if p.required and p.name not in full:
            full[p.name] = p.enum[0] if p.enum and p.type != "array" else empty.get(p.type, "")
            if p.type == "object":
                full[p.name] = structured(p.fields, {})
    return full
