"""The worst names that ADK takes: of agents, models, tools, parameters, artifacts, state keys."""

from google.adk.agents import LlmAgent
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_response import LlmResponse
from google.adk.tools import BaseTool, LongRunningFunctionTool, ToolContext, request_input
from google.genai import types

from .corpus import CORPUS

FLOOD = "Z" + "\u0301" * 200
NASTY = CORPUS["title"] + CORPUS["bidi"] + CORPUS["c1"] + CORPUS["clear"] + CORPUS["invisible"]


class Named(BaseTool):
    """A tool with any name at all."""

    def __init__(self) -> None:
        super().__init__(name=NASTY, description=NASTY)

    def _get_declaration(self) -> types.FunctionDeclaration:
        properties = {NASTY: types.Schema(type=types.Type.STRING, description=NASTY)}
        schema = types.Schema(type=types.Type.OBJECT, properties=properties)
        return types.FunctionDeclaration(name=NASTY, description=NASTY, parameters=schema)

    async def run_async(self, *, args: dict, tool_context: ToolContext) -> dict:
        tool_context.state[NASTY] = NASTY
        part = types.Part(text=NASTY)
        await tool_context.save_artifact(NASTY.replace("/", "_").replace("\0", ""), part)
        return {NASTY: NASTY}


def wait(question: str) -> dict:
    """Waits for a person."""
    return {"status": "pending", NASTY: NASTY}


class Speaker(BaseLlm):
    model: str = NASTY

    async def generate_content_async(self, llm_request, stream=False):
        part = llm_request.contents[-1].parts[-1]
        call = lambda name, **args: types.Part(  # noqa: E731
            function_call=types.FunctionCall(id=NASTY + name, name=name, args=args)
        )
        ask = {"message": NASTY, "response_schema": SCHEMA}
        parts = {
            "tool": [call(NASTY, **{NASTY: NASTY})],
            "wait": [call("wait", question=NASTY)],
            "form": [call("adk_request_input", **ask)],
            "huge": [types.Part(text="m" * 1_000_000 + NASTY)],
        }.get((part.text or "").strip(), [types.Part(text=NASTY)])
        yield LlmResponse(content=types.Content(role="model", parts=parts))


SCHEMA = {
    "type": "object",
    "title": NASTY,
    "properties": {
        "plain": {"type": "string", "title": NASTY, "description": NASTY, "default": NASTY},
        "list": {"type": "array", "items": {"type": "string"}, "default": [NASTY]},
        "one": {"enum": [NASTY, "two"], "default": NASTY},
    },
    "required": ["plain"],
}

helper = LlmAgent(name=FLOOD, description=NASTY, model=Speaker())
root_agent = LlmAgent(
    name="agent_漢字",
    description=NASTY,
    instruction="Speak.",
    model=Speaker(),
    tools=[Named(), LongRunningFunctionTool(wait), request_input],
    sub_agents=[helper],
)
