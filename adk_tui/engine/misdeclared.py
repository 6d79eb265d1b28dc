"""What an agent declares and ADK refuses only when it runs: the name of a model, a tool's types."""

import re
import sys
import traceback
from pathlib import Path
from types import CodeType

from adk_tui.engine.nearby import shown

_NO_MODEL = re.compile(r"Model (\S+) not found\.")
"""How ADK's registry of models refuses a name; it has no class of error for it."""

_DECLARING = "_get_declaration"
"""The method in which every ADK tool describes itself to the model."""


def misdeclared(error: BaseException) -> tuple[str, str, str] | None:
    """Code, sentence and next step where the exception is about a declaration; else None."""
    if isinstance(error, ValueError) and (found := _NO_MODEL.match(str(error))):
        return "model.unknown", f"google-adk knows no model {found[1]}.", _models()
    for frame, _ in traceback.walk_tb(error.__traceback__):
        tool = frame.f_locals.get("self")
        if frame.f_code.co_name == _DECLARING and tool is not None:
            return "tool.declaration", _undescribed(tool, error), _TYPES
    return None


_TYPES = (
    "Give its parameters types that JSON has: str, int, float, bool, list, dict, an Enum, a "
    "Literal or a pydantic model. Then reload, and send the message again."
)


def _models() -> str:
    install = f"{sys.executable} -m pip install"
    return (
        "It takes gemini-… and gemma-… as it is; gpt-… and o3-… after "
        f'{install} "google-adk[openai]"; claude-…, and provider/model of LiteLLM '
        f'(groq/llama-3.3-70b-versatile), after {install} "google-adk[extensions]". Correct the '
        "name, or try another with --model."
    )


def _undescribed(tool: object, error: BaseException) -> str:
    name = getattr(tool, "name", type(tool).__name__)
    code = getattr(getattr(tool, "func", None), "__code__", None)
    place = ""
    if isinstance(code, CodeType):
        place = f" ({shown(Path(code.co_filename))}:{code.co_firstlineno})"
    words = (str(error).strip().splitlines() or [""])[0].partition(". ")[0].rstrip(".")
    why = f"{type(error).__name__}: {words}" if words else type(error).__name__
    return f"google-adk cannot describe the tool {name}{place} to the model: {why}."
