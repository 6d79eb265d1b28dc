"""What an empty chat says: who is there, what it can do, and what to type first."""

from collections.abc import Iterator

from adk_tui.core.jsontools import JsonObject, as_list, as_object, as_text, pick
from adk_tui.core.reports import AgentNode, Ready, ToolInfo

SHOWN = 12
"""How many tools or sub-agents are named before the rest is only counted."""


def welcome(ready: Ready) -> str:
    """Markdown for a session in which nothing was said yet."""
    root = ready.root
    parts = [f"**{root.name}** is ready."]
    if root.description:
        parts.append(root.description.strip().split("\n\n")[0])
    facts = [
        _named("tools", [f"`{tool.name}`" for tool in root.tools]),
        _named("sub-agents", [f"`{child.name}`" for child in root.children]),
    ]
    parts.append("\n".join(fact for fact in facts if fact))
    if ready.offline:
        names = ", ".join(f"`{name}`" for name in ready.offline)
        parts.append(
            f"No key was found for {names}, so the *offline model* stands in: it matches your"
            " words to the tools. " + _exact(root)
        )
    return "\n\n".join(part for part in parts if part)


def _named(what: str, names: list[str]) -> str:
    if not names:
        return ""
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return f"- {what}: {', '.join(names[:SHOWN])}{more}"


def _exact(root: AgentNode) -> str:
    example = next(_calls(root), "")
    return f"For exact control write a call: `{example}`" if example else ""


def _calls(node: AgentNode) -> Iterator[str]:
    for tool in node.tools:
        if tool.declaration:
            yield example_call(tool)
    for child in node.children:
        yield f'transfer_to_agent(agent_name="{child.name}")'


def example_call(tool: ToolInfo) -> str:
    """A call of the tool with its required parameters left open, as the offline model reads it."""
    schema = _schema(tool.declaration)
    types = as_object(schema.get("properties"))
    required = [as_text(name) for name in as_list(schema.get("required"))]
    arguments = (f"{name}={_blank(as_object(types.get(name)))}" for name in required)
    return f"{tool.name}({', '.join(arguments)})"


def _schema(declaration: JsonObject) -> JsonObject:
    return as_object(pick(declaration, "parametersJsonSchema") or declaration.get("parameters"))


def _blank(schema: JsonObject) -> str:
    match as_text(schema.get("type")).lower():
        case "integer" | "number":
            return "…"
        case "boolean":
            return "true"
        case _:
            return '"…"'
