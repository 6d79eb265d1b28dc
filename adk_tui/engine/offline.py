"""A model for when there is no key."""

from collections.abc import AsyncGenerator
from typing import Any, cast

from google.adk.apps.app import App
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.genai import types


class OfflineModel(BaseLlm):
    """Stands in for the model named ``model``."""

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        """Answer without a network."""
        text = "I am the offline model."
        content = types.Content(role="model", parts=[types.Part(text=text)])
        if stream:
            yield LlmResponse(content=content, partial=True)
        yield LlmResponse(content=content, partial=False, finish_reason=types.FinishReason.STOP)


def install(app: App, *, force: bool = False, model: str = "") -> tuple[str, ...]:
    """Put the offline model where a model needs credentials that are not set."""
    names: list[str] = []
    todo: list[Any] = [app.root_agent]
    while todo:
        agent = todo.pop()
        own = getattr(agent, "model", None)
        if isinstance(own, str) and own:
            names.append(own)
            agent.model = OfflineModel(model=model or own)
        todo.extend(getattr(agent, "sub_agents", ()) or ())
    return tuple(dict.fromkeys(names))


def is_offline(agent: object) -> bool:
    """Whether the offline model answers for this agent."""
    return isinstance(getattr(agent, "model", None), OfflineModel)


def model_name(agent: object) -> str:
    """The name of the model in use, empty for an agent without one."""
    own = cast(Any, getattr(agent, "model", ""))
    return own if isinstance(own, str) else str(getattr(own, "model", ""))
