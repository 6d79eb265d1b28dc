"""Which declared tool, or which other agent, the words of a message point at.

Points decide, in whole numbers, so that the outcome can be worked out by hand:

| evidence                                                  | points      |
|-----------------------------------------------------------|-------------|
| a word of the tool's (agent's) name                       | 3 each      |
| all words of the name                                     | 2 more      |
| a word of its description                                 | 1, 3 at most|
| a word of a parameter's name                              | 1, 2 at most|
| one of a parameter's fixed values, or a code in CAPITALS  | 2, once     |
| every required argument found                             | 1 more      |
| "transfer", "talk to", "back to" with an agent's name     | 4 more      |
| "summarize: …" for a tool that takes a whole text         | 10 more     |

A tool needs two points of evidence; an agent one, and more than the best tool.
Words that are in everybody's names (get, list, the …) do not count.
"""

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from adk_tui.core.jsontools import JsonObject, as_list
from adk_tui.engine.arguments import extract, from_known
from adk_tui.engine.declarations import Parameter, Tool, stem, stems, words
from adk_tui.engine.lexicon import BODY, CODES, FREE, STOP

_GENERIC = frozenset(
    stem(w) for w in (*STOP, "list", "fetch", "create", "do", "agent", "tool", "use", "call")
)
_HANDOVER = re.compile(
    r"\b(?:transfer|hand|pass|switch|talk|speak|connect|back|return|bring)\b", re.IGNORECASE
)
_THEN = re.compile(r"[\s,;.]*\b(?:and then|then|afterwards|after that)\b[\s,]*", re.IGNORECASE)
_CALL = re.compile(r"\b([A-Za-z_]\w*)\s*\(")


@dataclass(frozen=True, slots=True)
class Call:
    """A call the offline model wants to make, or made under ``id``."""

    name: str
    args: dict[str, Any]
    id: str = ""


@dataclass(frozen=True, slots=True)
class Ask:
    """A tool was meant, but these required arguments are missing."""

    tool: Tool
    missing: tuple[Parameter, ...]


def _literal(node: ast.expr) -> Any:
    if isinstance(node, ast.Name):
        return {"true": True, "false": False, "null": None, "none": None}.get(
            node.id.lower(), node.id
        )
    if isinstance(node, ast.List | ast.Tuple):
        return [_literal(item) for item in node.elts]
    if isinstance(node, ast.Dict):
        return {
            str(_literal(key)): _literal(item)
            for key, item in zip(node.keys, node.values, strict=True)
            if key is not None
        }
    return ast.literal_eval(node)


def _parse_call(text: str, tool: Tool) -> Call | None:
    """The call at the beginning of ``text``, closed by the first bracket that makes it valid."""
    for found in re.finditer(r"\)", text):
        try:
            node = ast.parse(text[: found.end()].strip(), mode="eval").body
            if not isinstance(node, ast.Call):
                return None
            args = {k.arg: _literal(k.value) for k in node.keywords if k.arg}
            for parameter, positional in zip(tool.parameters, node.args, strict=False):
                args.setdefault(parameter.name, _literal(positional))
            return Call(tool.name, args)
        except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
            continue
    return None


def exact_calls(text: str, tools: Mapping[str, Tool]) -> tuple[list[Call], str]:
    """Every ``tool(a="x")`` in a message, in order, and the name of an undeclared one.

    Values are Python or JSON literals; a bare word is a string. A message that
    is one call of an undeclared name and nothing else reports that name.
    """
    calls: list[Call] = []
    position = 0
    while found := _CALL.search(text, position):
        position = found.end()
        tool = tools.get(found.group(1))
        if tool and (call := _parse_call(text[found.start() :], tool)):
            calls.append(call)
    lone = re.fullmatch(r"\s*([A-Za-z_]\w*)\(.*\)\s*", text, re.DOTALL)
    return calls, lone.group(1) if lone and not calls and lone.group(1) not in tools else ""


def _spoken(text: str) -> frozenset[str]:
    return stems(text) - _GENERIC


def _telling(name: str) -> frozenset[str]:
    """The words of a name that tell it from others; all of them where none does."""
    return (stems(name) - _GENERIC) or stems(name)


def score_tool(tool: Tool, text: str, args: JsonObject) -> int:
    """Points for a tool by the table above; 0 where the evidence is too thin."""
    spoken = _spoken(text)
    name = _telling(tool.name)
    hits = len(name & stems(text))
    points = 3 * hits + (2 if name and hits == len(name) else 0)
    points += min(3, len((stems(tool.description) - _GENERIC - name) & spoken))
    named = frozenset[str]().union(*(p.stems for p in tool.parameters)) - name - _GENERIC
    points += min(2, len(named & spoken))
    telling = any(
        p.name in args and (p.enum or p.words & CODES) and p.type != "boolean"
        for p in tool.parameters
    )
    points += 2 if telling else 0
    if points < 2:
        return 0
    return points + (1 if tool.required and not tool.missing(args) else 0)


def score_agent(name: str, description: str, text: str) -> int:
    """Points for another agent by the table above."""
    spoken = _spoken(text)
    own = _telling(name)
    hits = len(own & stems(text))
    points = 3 * hits + (2 if own and hits == len(own) else 0)
    points += min(3, len((stems(description) - _GENERIC - own) & spoken))
    return points + (4 if hits and _HANDOVER.search(text) else 0)


def best_agent(text: str, targets: Mapping[str, str]) -> tuple[str, int]:
    """The one agent with the most points, or an empty name where two share them."""
    ranked = sorted(
        ((score_agent(name, about, text), name) for name, about in targets.items()), reverse=True
    )
    if not ranked or not ranked[0][0] or (len(ranked) > 1 and ranked[0][0] == ranked[1][0]):
        return "", 0
    return ranked[0][1], ranked[0][0]


def takes_prose(tool: Tool) -> bool:
    """Whether a tool wants a whole text, and not a value out of it."""
    return any(p.words & (FREE | BODY) for p in tool.required)


def best_tool(text: str, tools: tuple[Tool, ...]) -> tuple[Tool | None, dict[str, Any], int]:
    """The tool with the most points (the first declared of equals), its arguments, the points."""
    best: tuple[Tool | None, dict[str, Any], int] = (None, {}, 0)
    lead = text.partition(":")[0] if ":" in text else ""
    for tool in tools:
        args = extract(tool, text)
        points = score_tool(tool, text, args)
        if takes_prose(tool) and len(lead.split()) <= 4 and _telling(tool.name) & stems(lead):
            points += 10
        if points > best[2]:
            best = (tool, args, points)
    return best


def _continues(tool: Tool, clause: str) -> Call | None:
    """A clause without a tool of its own ("and AAPL") as one more call of the one before."""
    args = extract(tool, clause)
    telling = re.search(r"[A-Z]|\d", clause) or any(
        p.enum and p.name in args for p in tool.parameters
    )
    return Call(tool.name, args) if telling and args and not tool.missing(args) else None


def _clauses(text: str, tools: tuple[Tool, ...]) -> list[Call]:
    """Parallel calls where every clause of the text makes a complete one, else nothing."""
    parts = re.split(r"\s*(?:;|,|\?|\.\s|\b(?:and|also|plus|as well as)\b)\s*", text)
    clauses = [part for part in parts if words(part)]
    calls: list[Call] = []
    if len(clauses) < 2:
        return calls
    by_name = {tool.name: tool for tool in tools}
    for clause in clauses:
        tool, args, _ = best_tool(clause, tools)
        if tool and not tool.missing(args):
            calls.append(Call(tool.name, args))
        elif calls and (call := _continues(by_name[calls[-1].name], clause)):
            calls.append(call)
        else:
            return []
    return calls


def steps(text: str, tools: tuple[Tool, ...]) -> list[str]:
    """A message in the steps it names: "A, then B". Prose for a tool is never cut."""
    tool = best_tool(text, tools)[0]
    return [text] if tool and takes_prose(tool) else _THEN.split(text)


def plan(text: str, tools: tuple[Tool, ...], known: JsonObject) -> list[Call] | Ask | None:
    """The calls a message asks for: one, several in parallel, or what is missing for one.

    A missing argument that another tool can find (the tool's name or
    description speaks of it, and its own arguments are all there) makes that
    tool go first; its result is then among ``known``.
    """
    tool, args, _ = best_tool(text, tools)
    if tool is None:
        return None
    many = any(len(as_list(v)) > 1 for v in args.values())
    if not many and not takes_prose(tool) and len(calls := _clauses(text, tools)) > 1:
        return calls
    args = from_known(tool, args, known)
    missing = tool.missing(args)
    if not missing:
        return [Call(tool.name, args)]
    for other in tools:
        about = stems(other.name) | stems(other.description)
        if other is not tool and any(p.stems <= about for p in missing):
            found = extract(other, text, ignore=stems(tool.name))
            if other.required and not other.missing(found):
                return [Call(other.name, found)]
    return Ask(tool, missing)
