"""Says the corpus wherever an agent can say something: each word is one way."""

import sys

from google.adk.agents import LlmAgent
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_response import LlmResponse
from google.adk.tools import FunctionTool, LongRunningFunctionTool, ToolContext
from google.genai import types

from .corpus import CORPUS, SURROGATES

ALL = "\n".join(text for name, text in CORPUS.items() if name != "long")
LONG = CORPUS["long"]


async def tell(what: dict, tool_context: ToolContext) -> dict:
    """Puts the corpus into a result, the state, artifacts and the output."""
    for text in (*CORPUS.values(), SURROGATES):
        for stream in (sys.stdout, sys.stderr):
            stream.buffer.write(text.encode("utf-8", "surrogatepass") + b"\n")
            stream.flush()
    for name, text in CORPUS.items():
        tool_context.state[f"{name}{text[:60]}"] = {text[:60]: text[:3000]}
    tool_context.state["half"] = SURROGATES
    blob = types.Blob(mime_type=f"text/{CORPUS['title'][:20]}", data=ALL.encode())
    for name in ("clear", "bidi", "markup", "title"):
        part = types.Part(inline_data=blob)
        await tool_context.save_artifact(CORPUS[name].replace("/", "_"), part)
    return {**CORPUS, "half": SURROGATES, ALL[:300]: [ALL]}


def fails(why: str) -> dict:
    """Raises the corpus."""
    raise ValueError(ALL)


def ask(question: str) -> dict:
    """Asks a person."""
    return {"status": "pending", "note": ALL}


def confirm_me(what: str) -> dict:
    """Is confirmed first."""
    return {"what": what}


async def gated(what: str, tool_context: ToolContext) -> dict:
    """Asks for a confirmation with a hint."""
    if not tool_context.tool_confirmation:
        tool_context.request_confirmation(hint=ALL, payload={ALL[:200]: ALL})
        return {"error": ALL}
    return {"what": what}


class Speaker(BaseLlm):
    model: str = "speaker\x1b]0;owned\x07"

    async def generate_content_async(self, llm_request, stream=False):
        part = llm_request.contents[-1].parts[-1]
        word = (part.text or "").strip()
        call = lambda name, **args: types.Part(  # noqa: E731
            function_call=types.FunctionCall(id=f"{name}{CORPUS['clear']}", name=name, args=args)
        )
        parts = {
            "text": [types.Part(text=ALL)],
            "long": [types.Part(text=LONG)],
            "thought": [types.Part(text=ALL, thought=True), types.Part(text="thought enough")],
            "tell": [call("tell", what={**CORPUS, "half": SURROGATES})],
            "ask": [call("ask", question=ALL)],
            "gated": [call("gated", what=ALL)],
            "fails": [call("fails", why=ALL)],
            "nobody": [call(CORPUS["title"], why=ALL)],
            "code": [types.Part(executable_code=types.ExecutableCode(code=ALL, language="PYTHON"))],
        }.get(word, [types.Part(text=f"heard {word}")])
        if word == "error":
            yield LlmResponse(error_code=CORPUS["clear"], error_message=ALL)
            return
        content = types.Content(role="model", parts=parts)
        if stream and word == "text":
            for at in range(0, len(ALL), 97):
                piece = types.Part(text=ALL[at : at + 97])
                yield LlmResponse(partial=True, content=types.Content(role="model", parts=[piece]))
        yield LlmResponse(content=content)


root_agent = LlmAgent(
    name="speaking",
    description=ALL,
    instruction="Speak. " + ALL.replace("{", "(").replace("}", ")"),
    model=Speaker(),
    tools=[tell, fails, LongRunningFunctionTool(ask), FunctionTool(gated)],
)
