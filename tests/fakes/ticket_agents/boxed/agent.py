"""An agent wrapped in a tool, inside which nobody can wait for a human."""

from google.adk.agents import LlmAgent
from google.adk.tools.agent_tool import AgentTool
from google.genai import types
from orders import Orders, tools


class Boss(Orders):
    """Sends every message to the clerk."""

    async def generate_content_async(self, llm_request, stream=False):
        """One answer."""
        async for answer in super().generate_content_async(llm_request, stream):
            part = answer.content.parts[0]
            if part.function_call:
                request = {"request": part.function_call.name}
                part.function_call = types.FunctionCall(name="clerk", args=request)
            yield answer


clerk = LlmAgent(name="clerk", model=Orders(), tools=tools(), description="Does the work.")
root_agent = LlmAgent(name="boss", model=Boss(), tools=[AgentTool(clerk)])
