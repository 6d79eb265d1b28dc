"""How the next turns run: ADK's RunConfig, and which model answers."""

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content

from adk_tui.core.commands import RunSettings
from adk_tui.core.sanitize import line
from adk_tui.tui.messages import Tell
from adk_tui.tui.screens.asking import Ask
from adk_tui.tui.screens.two_panes import TwoPanes, heading
from adk_tui.tui.screens.values import flat

MUTED = "$foreground 62%"


@dataclass(frozen=True, slots=True)
class _Setting:
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
    _Setting(
        "streaming",
        "Streaming",
        "Ask models for an answer piece by piece, so that it can be read while it comes.",
        lambda on: "on" if on else "off",
    ),
    _Setting(
        "model",
        "Model",
        "The name of a model that answers in the place of every model the agent names. "
        "Models that the agent makes itself, as objects, stay.",
        lambda name: line(name, 80) or "the agent's own",
        str.strip,
        "empty: the agent's own",
    ),
    _Setting(
        "max_llm_calls",
        "Model calls a turn",
        "A turn that asks its models more often than this is ended with an error: a loop costs "
        "no fortune.",
        _calls,
        _number,
        "0: ADK's own limit of 500   -1: no limit",
    ),
    _Setting(
        "tool_thread_pool",
        "Threads for tools",
        "Tools that are no coroutines run on so many threads. With none they run where the agent "
        "runs, and block it meanwhile: nothing streams, and a stop has to wait for them.",
        lambda n: "none, as ADK has it" if not n else str(n),
        _threads,
        "0: none",
    ),
    _Setting(
        "response_modalities",
        "Kinds of answer",
        "What models may answer with: TEXT, IMAGE, AUDIO. Not every model can.",
        lambda kinds: ", ".join(kinds) or "as the model has it",
        _words,
        "for example TEXT IMAGE   empty: as the model has it",
    ),
    _Setting(
        "custom_metadata",
        "Metadata",
        "A JSON object that is stored with every event of the next turns.",
        lambda data: line(flat(dict(data)), 80) if data else "none",
        _metadata,
        'for example {"run": "a"}   empty: none',
    ),
    _Setting(
        "save_input_blobs_as_artifacts",
        "@file becomes an artifact",
        "What you attach with @file is saved as an artifact, and the model sees its name instead "
        "of its bytes.",
        lambda on: "yes" if on else "no, it is sent along",
    ),
)


class SettingsScreen(TwoPanes[RunSettings | None]):
    """Changes a copy; returns it when the screen is left, so that a look changes nothing."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "done", "Use them"),
        Binding("x", "default", "This one as it was"),
        Binding("ctrl+x", "defaults", "All as they were"),
    ]

    def __init__(self, settings: RunSettings) -> None:
        super().__init__()
        self._settings = settings

    def on_mount(self) -> None:
        """Show them."""
        super().on_mount()
        self.head("Run settings", "for the next turns, until you leave")
        self.hints(
            ("Enter", "change", "enter"),
            ("x", "back to default", "x"),
            ("Ctrl+X", "all", "ctrl+x"),
            ("Esc", "use these", "escape"),
        )
        self._draw()

    def _draw(self) -> None:
        self.fill([(s.field, self._row(s)) for s in SETTINGS])

    def _row(self, setting: _Setting) -> Content:
        changed = _differs(self._settings, setting.field)
        return Content.assemble(
            ("● " if changed else "  ", "bold $accent"),
            (f"{setting.label:<27}", ""),
            (setting.shown(self._settings), "bold $accent" if changed else MUTED),
        )

    def detail(self, row: int | None) -> Content:
        """What the marked one does."""
        if row is None:
            return Content("")
        setting = SETTINGS[row]
        now = setting.shown(self._settings)
        usual = setting.shown(RunSettings())
        parts = [heading(setting.label), (setting.help + "\n\n", ""), ("now      ", MUTED)]
        parts += [(now + "\n", "bold"), ("default  ", MUTED), (usual, "")]
        return Content.assemble(*parts)

    def chosen(self, row: int) -> None:
        """Switch it, or ask for its value."""
        setting = SETTINGS[row]
        now = getattr(self._settings, setting.field)
        if setting.read is None:
            self._set(setting, not now)
            return
        read = setting.read

        def answered(text: str | None) -> None:
            if text is None:
                return
            try:
                self._set(setting, read(text))
            except ValueError as error:
                self.post_message(Tell(f"{setting.label}: {error}", warning=True))

        match setting.field:
            case "response_modalities":
                text = " ".join(self._settings.response_modalities)
            case "custom_metadata":
                text = flat(dict(self._settings.custom_metadata)) if now else ""
            case _:
                text = str(now) if now else ""
        hint = f"{setting.hint}   Enter takes it   Esc closes"
        self.app.push_screen(Ask(setting.label, text, hint=hint), answered)  # pyright: ignore[reportUnknownMemberType]

    def _set(self, setting: _Setting, value: Any) -> None:
        self._settings = replace(self._settings, **{setting.field: value})
        self._draw()

    def action_default(self) -> None:
        """The marked one as it is by default."""
        if self.marked is not None:
            setting = SETTINGS[self.marked]
            self._set(setting, getattr(RunSettings(), setting.field))

    def action_defaults(self) -> None:
        """All of them as they are by default."""
        self._settings = RunSettings()
        self._draw()

    def action_done(self) -> None:
        """Use them for the next turns."""
        self.dismiss(self._settings)


def _differs(settings: RunSettings, field: str) -> bool:
    return getattr(settings, field) != getattr(RunSettings(), field)


def differing(settings: RunSettings) -> list[str]:
    """What is not as by default, each in a few words, for the header."""
    return [
        f"{s.label.lower()}: {s.shown(settings)}" for s in SETTINGS if _differs(settings, s.field)
    ]
