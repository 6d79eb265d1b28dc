"""Whether an agent's models answer: ``… adk_tui.engine.reach TARGET [MODEL]``.

Loads the agent as the engine does and asks each of its models for one token,
without running the agent. One JSON object a line on stdout:
``{"model", "error", "hint"}``, ``error`` empty where it answered.
"""

import asyncio
import json
import sys
from collections.abc import Iterator
from typing import Any

from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.genai import types

from adk_tui.engine import loader
from adk_tui.engine.failures import classify
from adk_tui.engine.load_errors import LoadError

FAILED = 3


def _models(node: Any) -> Iterator[BaseLlm]:
    model: object = getattr(node, "canonical_model", None)
    if isinstance(model, BaseLlm):
        yield model
    for child in getattr(node, "sub_agents", None) or ():
        yield from _models(child)
    for tool in getattr(node, "tools", None) or ():
        if (agent := getattr(tool, "agent", None)) is not None:
            yield from _models(agent)


async def _ask(model: BaseLlm, name: str) -> None:
    request = LlmRequest(
        model=name,
        contents=[types.Content(role="user", parts=[types.Part(text="Answer with one word: ok")])],
        config=types.GenerateContentConfig(max_output_tokens=16),
    )
    async for response in model.generate_content_async(request):
        if response.error_code and response.error_code != "MAX_TOKENS":
            raise RuntimeError(f"{response.error_code}: {response.error_message}")


def main() -> int:
    """Ask; returns 0, or 3 where the agent does not load."""
    target, override = [*sys.argv[1:], ""][:2]
    out, sys.stdout = sys.stdout, sys.stderr
    try:
        loaded = loader.load(target)
    except LoadError as error:
        print(f"{error.failure.message} {error.failure.hint}", file=sys.stderr)
        return FAILED
    asked: set[str] = set()
    for model in _models(loaded.app.root_agent):
        name = override or model.model
        if name in asked:
            continue
        asked.add(name)
        told = {"model": name, "error": "", "hint": ""}
        try:
            asyncio.run(_ask(model, name))
        except Exception as error:
            failure = classify(error, folder=loaded.folder)
            told |= {"error": failure.message, "hint": failure.hint}
        print(json.dumps(told), file=out, flush=True)
    return 0
