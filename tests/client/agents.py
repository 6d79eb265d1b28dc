"""Agents written to a folder by tests, driven by words instead of a model."""

from pathlib import Path

AGENT = '''
import os, sys, time
from google.adk.agents import LlmAgent
from google.adk.models import BaseLlm, LlmResponse
from google.genai import types
{imports}

def act(word: str) -> dict:
    """Does what the word says."""
    print("acting", word, flush=True)
    name, _, rest = word.partition(" ")
    if name == "block":
        time.sleep(3600)
    if name == "exit":
        os._exit(int(rest))
    if name == "segfault":
        import ctypes
        ctypes.string_at(0)
    return {{"did": word}}

class Words(BaseLlm):
    async def generate_content_async(self, llm_request, stream=False):
        last = llm_request.contents[-1].parts[-1]
        if last.text and last.text.startswith("act "):
            call = types.FunctionCall(name="act", args={{"word": last.text[4:]}})
            part = types.Part(function_call=call)
        else:
            part = types.Part(text={answer})
        yield LlmResponse(content=types.Content(role="model", parts=[part]))

root_agent = LlmAgent(name="root", model=Words(model="words"), tools=[act])
'''


def write_agent(folder: Path, *, answer: str = '"heard"', imports: str = "") -> Path:
    """An agent whose tool ``act`` runs for messages like ``act exit 3``."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "agent.py").write_text(AGENT.format(answer=answer, imports=imports))
    return folder
