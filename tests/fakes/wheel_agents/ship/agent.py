"""A ship whose crew does what it is told: agents for tests of taking the wheel.

``remember KEY VALUE`` writes state, ``paint NAME TEXT`` saves an artifact, ``pay
AMOUNT`` asks a human, ``sleep SECONDS`` blocks the agent's event loop, ``wait
SECONDS`` does not, ``sink CODE`` ends the process. Anything else is answered
with the speaker's name, what was said, and how many messages of the user the
model was sent.
"""

import asyncio
import os
import time

from google.adk.agents import LlmAgent, SequentialAgent
from google.adk.apps.app import App
from google.adk.models.llm_request import LlmRequest
from google.adk.tools import LongRunningFunctionTool, ToolContext
from google.genai import types

from tests.fakes.scripted import Scripted, Step, call, say


def remember(key: str, value: str, tool_context: ToolContext) -> str:
    """Write state."""
    tool_context.state[key] = value
    return "noted"


async def paint(name: str, text: str, tool_context: ToolContext) -> int:
    """Save an artifact."""
    part = types.Part(inline_data=types.Blob(data=text.encode(), mime_type="text/plain"))
    return await tool_context.save_artifact(name, part)


def pay(amount: str) -> dict[str, str]:
    """Ask a human."""
    return {"status": "pending", "amount": amount}


def sleep(seconds: str) -> str:
    """Block."""
    time.sleep(float(seconds))
    return "slept"


async def wait(seconds: str) -> str:
    """Wait without blocking."""
    await asyncio.sleep(float(seconds))
    return "waited"


def sink(code: str) -> None:
    """End the process."""
    os._exit(int(code))


NAMES = {
    "remember": ("key", "value"),
    "paint": ("name", "text"),
    "pay": ("amount",),
    "sleep": ("seconds",),
    "wait": ("seconds",),
    "sink": ("code",),
}


def obeys(name: str) -> Scripted:
    """A model that does what the last message says."""

    def step(request: LlmRequest) -> Step:
        last = request.contents[-1].parts or []
        done = [p.function_response for p in last if p.function_response]
        if done:
            return say(f"{name}: {done[-1].name} is done.")
        said = [
            "".join(p.text or "" for p in c.parts or [])
            for c in request.contents
            if c.role == "user" and not any(p.function_response for p in c.parts or [])
        ]
        orders = [s for s in said if not s.startswith("For context")] or [""]
        words = orders[-1].split(" ")
        if words[0] in NAMES and words[0] in request.tools_dict:
            arguments = NAMES[words[0]]
            rest = [*words[1 : len(arguments)], " ".join(words[len(arguments) :])]
            return call(words[0], **dict(zip(arguments, rest, strict=True)))
        return say(f"{name}: {said[-1] if said else ''} ({len(said)} said)")

    return Scripted(step)


TOOLS = [remember, paint, LongRunningFunctionTool(pay), sleep, wait, sink]
cook = LlmAgent(name="cook", model=obeys("cook"), tools=[remember])
mate = LlmAgent(name="mate", model=obeys("mate"), tools=[*TOOLS], sub_agents=[cook])
hermit = LlmAgent(
    name="hermit",
    model=obeys("hermit"),
    tools=[sleep],
    disallow_transfer_to_parent=True,
    disallow_transfer_to_peers=True,
)
drill = SequentialAgent(
    name="drill", sub_agents=[LlmAgent(name="runner", model=obeys("runner"), tools=[*TOOLS])]
)
root_agent = LlmAgent(
    name="captain", model=obeys("captain"), tools=[*TOOLS], sub_agents=[mate, hermit, drill]
)
app = App(name="ship", root_agent=root_agent)
