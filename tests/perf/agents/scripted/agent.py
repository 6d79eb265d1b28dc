"""An agent whose model follows orders, so that a measurement measures everything but the model.

``burst N`` streams N partial answers and one whole one, as fast as they are
taken; ``stream S`` does so for S seconds at up to 500 a second; ``block S``
calls a tool that keeps the agent's event loop busy for S seconds; anything else
is answered at once.
"""

import asyncio
import time
from collections.abc import AsyncGenerator

from google.adk.agents import LlmAgent
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.genai import types


def block(seconds: float) -> dict[str, str]:
    """Does nothing, for that long, on the event loop."""
    time.sleep(seconds)
    return {"status": "unblocked"}


def _content(part: types.Part) -> types.Content:
    return types.Content(role="model", parts=[part])


class Orders(BaseLlm):
    """Does what the last user text says."""

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        last = llm_request.contents[-1].parts[-1]
        if last.function_response:
            yield LlmResponse(content=_content(types.Part(text="The tool has come back.")))
            return
        order, _, number = (last.text or "").partition(" ")
        if order == "block":
            yield LlmResponse(
                content=_content(
                    types.Part(
                        function_call=types.FunctionCall(
                            name="block", args={"seconds": float(number)}
                        )
                    )
                )
            )
        elif order in ("burst", "stream") and stream:
            words: list[str] = []
            end = time.monotonic() + float(number)
            while len(words) < int(number) if order == "burst" else time.monotonic() < end:
                if order == "stream":
                    await asyncio.sleep(0.002)
                words.append(f"word{len(words)} ")
                yield LlmResponse(content=_content(types.Part(text=words[-1])), partial=True)
            yield LlmResponse(content=_content(types.Part(text="".join(words))))
        else:
            yield LlmResponse(content=_content(types.Part(text="Answered at once.")))


root_agent = LlmAgent(name="scripted", model=Orders(model="orders"), tools=[block])
