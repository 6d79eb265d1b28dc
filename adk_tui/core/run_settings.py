"""What can be set for the next turns: names, explanations, and how each value is read and told."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from adk_tui.core.commands import RunSettings
from adk_tui.core.sanitize import line


@dataclass(frozen=True, slots=True)
class Setting:
    """``read`` makes the field's value of what was typed, or raises ValueError."""

    field: str
    label: str
    help: str
    write: Callable[[Any], str]
    read: Callable[[str], Any] | None = None
    hint: str = ""

    def shown(self, settings: RunSettings) -> str:
        """The value in words."""
        return self.write(getattr(settings, self.field))

    def typed(self, settings: RunSettings) -> str:
        """The value as ``read`` takes it; empty for the default."""
        value = getattr(settings, self.field)
        match self.field:
            case "response_modalities":
                return " ".join(value)
            case "custom_metadata":
                return json.dumps(dict(value), ensure_ascii=False, default=str) if value else ""
            case _:
                return str(value) if value else ""


def _number(text: str) -> int:
    try:
        return int(text or "0")
    except ValueError:
        raise ValueError(f"{text!r} is no whole number.") from None


def _threads(text: str) -> int:
    number = _number(text)
    if not 0 <= number <= 64:
        raise ValueError("Between 0 and 64 threads.")
    return number


def _metadata(text: str) -> dict[str, Any]:
    try:
        found: Any = json.loads(text or "{}")
    except (ValueError, RecursionError) as error:
        raise ValueError(f"This is not JSON: {error}.") from error
    if not isinstance(found, dict):
        raise ValueError('A JSON object is needed, for example {"run": "a"}.')
    return {str(k): v for k, v in found.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.replace(",", " ").upper().split())


def _calls(value: int) -> str:
    return "500, as ADK has it" if value == 0 else "no limit" if value < 0 else str(value)


SETTINGS = (
    Setting(
        "streaming",
        "Streaming",
        "Ask models for an answer piece by piece, so that it can be read while it comes.",
        lambda on: "on" if on else "off",
    ),
    Setting(
        "model",
        "Model",
        "The name of a model that answers in the place of every model the agent names. "
        "Models that the agent makes itself, as objects, stay.",
        lambda name: line(name, 80) or "the agent's own",
        str.strip,
        "empty: the agent's own",
    ),
    Setting(
        "max_llm_calls",
        "Model calls a turn",
        "A turn that asks its models more often than this is ended with an error: a loop costs "
        "no fortune.",
        _calls,
        _number,
        "0: ADK's own limit of 500   -1: no limit",
    ),
    Setting(
        "tool_thread_pool",
        "Threads for tools",
        "Tools that are no coroutines run on so many threads. With none they run where the agent "
        "runs, and block it meanwhile: nothing streams, and a stop has to wait for them.",
        lambda n: "none, as ADK has it" if not n else str(n),
        _threads,
        "0: none",
    ),
    Setting(
        "response_modalities",
        "Kinds of answer",
        "What models may answer with: TEXT, IMAGE, AUDIO. Not every model can.",
        lambda kinds: ", ".join(kinds) or "as the model has it",
        _words,
        "for example TEXT IMAGE   empty: as the model has it",
    ),
    Setting(
        "custom_metadata",
        "Metadata",
        "A JSON object that is stored with every event of the next turns.",
        lambda data: line(json.dumps(dict(data), ensure_ascii=False), 80) if data else "none",
        _metadata,
        'for example {"run": "a"}   empty: none',
    ),
    Setting(
        "save_input_blobs_as_artifacts",
        "@file becomes an artifact",
        "What you attach with @file is saved as an artifact, and the model sees its name instead "
        "of its bytes.",
        lambda on: "yes" if on else "no, it is sent along",
    ),
)


def differs(settings: RunSettings, field: str) -> bool:
    """Whether a setting is not as by default."""
    return getattr(settings, field) != getattr(RunSettings(), field)


def differing(settings: RunSettings) -> list[str]:
    """What is not as by default, each in a few words, for the header."""
    return [
        f"{s.label.lower()}: {s.shown(settings)}" for s in SETTINGS if differs(settings, s.field)
    ]
