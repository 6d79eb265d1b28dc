"""An agent that does nothing but talk, at a pace one can ask for.

``events S R`` yields events, numbered, for S seconds at R a second, each fourth
one whole and the three before it pieces of it, as a streaming model has them;
``answer N R`` streams an answer of N characters in Markdown at R tokens a
second, four characters to a token, sixteen to a piece.
"""

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator

from google.adk.agents import BaseAgent
from google.adk.agents.invocation_context import InvocationContext
from google.adk.events import Event
from google.genai import types

PROSE = (
    "## Title\n\nThe quick brown fox jumps over the *lazy* dog and `codes` all night, then it"
    " sleeps until **noon** and begins again, as it has done for years.\n\n- one\n- two\n\n"
    "```python\nx = [n * n for n in range(10)]\n```\n\n"
)
PIECE = 16


async def paced(count: int, rate: float) -> AsyncIterator[int]:
    """The numbers below ``count``, each when its time has come."""
    start = time.monotonic()
    for number in range(count):
        await asyncio.sleep(max(0.0, start + number / rate - time.monotonic()))
        yield number


class Storm(BaseAgent):
    """Does what the last user text says."""

    async def _run_async_impl(self, ctx: InvocationContext) -> AsyncGenerator[Event, None]:
        parts = ctx.user_content.parts if ctx.user_content else None
        order, *numbers = ((parts[0].text if parts else "") or "").split()
        ident = ""
        if order == "events":
            seconds, rate = float(numbers[0]), float(numbers[1])
            async for number in paced(int(seconds * rate), rate):
                place = number % 4
                ident = ident if place else Event.new_id()
                yield self._event(ctx, f"number {number}", partial=place < 3, id=ident)
        elif order == "answer":
            length, rate = int(numbers[0]), float(numbers[1])
            text = (PROSE * (length // len(PROSE) + 1))[:length]
            ident = Event.new_id()
            async for number in paced(-(-length // PIECE), rate * 4 / PIECE):
                piece = text[number * PIECE : (number + 1) * PIECE]
                yield self._event(ctx, piece, partial=True, id=ident)
            yield self._event(ctx, text, id=ident)
        yield self._event(ctx, "That was all.")

    def _event(self, ctx: InvocationContext, text: str, **fields: object) -> Event:
        content = types.Content(role="model", parts=[types.Part(text=text)])
        known = {"author": self.name, "invocation_id": ctx.invocation_id, "content": content}
        return Event.model_validate({**known, **fields})


root_agent = Storm(name="storm")
