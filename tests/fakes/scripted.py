"""A model for tests that plays a script: one step per request, the last one again and again.

An agent under test imports it from its own ``agent.py``:

    from tests.fakes.scripted import Scripted, call, fail, say, stream, think
    root_agent = LlmAgent(name="root", model=Scripted(call("add", a=1), say("Done.")))

A step may also be a function of the request that returns a step.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, field, replace
from typing import Any

from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.genai import types
from pydantic import Field


@dataclass(frozen=True)
class Step:
    """One answer. ``text`` is streamed in its pieces; ``usage`` is (prompt, output) tokens."""

    text: tuple[str, ...] = ()
    thought: str = ""
    calls: tuple[types.FunctionCall, ...] = ()
    error: BaseException | None = None
    error_code: str = ""
    error_message: str = ""
    finish: str = "STOP"
    usage: tuple[int, int] = (7, 3)
    wait: float = 0.0
    before: Callable[[], object] = field(default=lambda: None)


def say(text: str, **more: Any) -> Step:
    """Answer with one text."""
    return Step(text=(text,), **more)


def stream(*pieces: str, **more: Any) -> Step:
    """Answer with a text that comes in pieces."""
    return Step(text=pieces, **more)


def think(thought: str, text: str) -> Step:
    """Think first, then answer."""
    return Step(thought=thought, text=(text,))


def call(name: str, /, **args: Any) -> Step:
    """Call one tool."""
    return Step(calls=(types.FunctionCall(name=name, args=args),))


def calls(*steps: Step) -> Step:
    """Call several tools at once: ``calls(call("a"), call("b", x=1))``."""
    return Step(calls=tuple(c for s in steps for c in s.calls))


def transfer(agent: str) -> Step:
    """Hand the conversation over as a model does."""
    return call("transfer_to_agent", agent_name=agent)


def fail(error: BaseException, *pieces: str) -> Step:
    """Raise, after the pieces of text were streamed."""
    return Step(text=pieces, error=error)


def after(seconds: float, step: Step) -> Step:
    """The step, after a wait that lets the event loop run."""
    return replace(step, wait=seconds)


Script = Step | Callable[[LlmRequest], Step]


class Scripted(BaseLlm):
    """Plays ``script``; ``requests`` are the requests it got, in order."""

    model: str = "scripted"
    script: list[Any] = Field(default_factory=list)
    requests: list[Any] = Field(default_factory=list)

    def __init__(self, *script: Script, model: str = "scripted") -> None:
        super().__init__(model=model)
        self.script = list(script)
        self.requests = []

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        """Play the next step."""
        step = self.script[min(len(self.requests), len(self.script) - 1)]
        self.requests.append(llm_request)
        if callable(step):
            step = step(llm_request)
        step.before()
        if step.wait:
            await asyncio.sleep(step.wait)
        if stream:
            if step.thought:
                yield _response([types.Part(text=step.thought, thought=True)], partial=True)
            if len(step.text) > 1 or step.error:
                for piece in step.text:
                    yield _response([types.Part(text=piece)], partial=True)
        if step.error is not None:
            raise step.error
        parts = [types.Part(text=step.thought, thought=True)] if step.thought else []
        if step.text:
            parts.append(types.Part(text="".join(step.text)))
        parts.extend(types.Part(function_call=c.model_copy()) for c in step.calls)
        if step.error_code:
            yield LlmResponse(error_code=step.error_code, error_message=step.error_message)
            return
        prompt, output = step.usage
        yield _response(
            parts,
            partial=False,
            finish_reason=types.FinishReason(step.finish),
            usage_metadata=types.GenerateContentResponseUsageMetadata(
                prompt_token_count=prompt,
                candidates_token_count=output,
                total_token_count=prompt + output,
            ),
            model_version=self.model,
        )


def _response(parts: list[types.Part], **more: Any) -> LlmResponse:
    return LlmResponse(content=types.Content(role="model", parts=parts), **more)
