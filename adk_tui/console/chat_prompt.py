"""The prompt of ``adk-tui chat``: keys, completion, history and the line at the bottom."""

from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from pathlib import Path
from typing import Final

from prompt_toolkit import PromptSession
from prompt_toolkit.application import get_app
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.filters import Condition, has_completions
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.history import History as PromptHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.styles import Style

from adk_tui.client.completion import Vocabulary, complete
from adk_tui.client.history import History
from adk_tui.console.keyboard import Keyboard
from adk_tui.core import filters
from adk_tui.core.actions import BY_SLASH
from adk_tui.core.event_log import EventLog
from adk_tui.core.sanitize import line

STYLE: Final = Style.from_dict(
    {"prompt": "bold", "bottom-toolbar": "noreverse dim", "warning": "ansiyellow"}
)


REFRESH: Final = 1.0
"""Seconds after which the line at the bottom is drawn again if it changed."""


class SharedHistory(PromptHistory):
    """The history file of the full screen, as prompt-toolkit wants to see it."""

    def __init__(self, file: Path | None) -> None:
        super().__init__()
        self.file = History(file)

    def load_history_strings(self) -> Iterable[str]:
        """What was typed before, newest first."""
        return reversed(self.file.entries)

    def store_string(self, string: str) -> None:
        """Keep a message."""
        self.file.add(string)


class WordCompleter(Completer):
    """Commands, what may follow them, filter words and ``@files``."""

    def __init__(self, vocabulary: Vocabulary, log: Callable[[], EventLog]) -> None:
        self._vocabulary = vocabulary
        self._log = log

    def get_completions(
        self,
        document: Document,
        complete_event: CompleteEvent,  # noqa: ARG002
    ) -> Iterable[Completion]:
        """The choices for what stands before the cursor."""
        before = document.current_line_before_cursor
        word, space, expression = before.partition(" ")
        action = BY_SLASH.get(word[1:].lower()) if word.startswith("/") else None
        if space and action is not None and action.argument == "filter":
            yield from self._filter(expression)
            return
        for choice in complete(before, document.cursor_position_row == 0, self._vocabulary):
            named = BY_SLASH.get(choice.text.removeprefix("/")) if not space else None
            if named is not None and named.full_screen:
                continue
            yield Completion(
                choice.text,
                start_position=choice.start - len(before),
                display_meta=line(choice.note, 80),
            )

    def _filter(self, expression: str) -> Iterable[Completion]:
        for choice in filters.complete(expression, len(expression), self._log()):
            whole, _ = filters.insert(expression, len(expression), choice)
            yield Completion(whole, start_position=-len(expression), display=choice)


def key_bindings() -> KeyBindings:
    """Enter sends; Ctrl+J and Esc Enter begin a new line, as in the full screen."""
    keys = KeyBindings()

    @keys.add("enter")
    def send(event: KeyPressEvent) -> None:
        state = event.current_buffer.complete_state
        if state is not None and state.current_completion is not None:
            event.current_buffer.apply_completion(state.current_completion)
        else:
            event.current_buffer.validate_and_handle()

    @keys.add("c-j")
    @keys.add("escape", "enter")
    def new_line(event: KeyPressEvent) -> None:
        # Enter that was pressed while a run was at work arrives as Ctrl+J: it begins no message.
        if event.current_buffer.text:
            event.current_buffer.insert_text("\n")

    @keys.add("escape", filter=has_completions)
    def close(event: KeyPressEvent) -> None:
        event.current_buffer.cancel_completion()

    return keys


def message_keys() -> KeyBindings:
    """The same for a message, where Ctrl+C drops the words and the prompt stays.

    A prompt that ended and began again would lose what is typed in between.
    """
    keys = key_bindings()

    @keys.add("c-c", filter=Condition(lambda: bool(get_app().current_buffer.text)))
    def drop(event: KeyPressEvent) -> None:
        event.current_buffer.reset()

    return keys


class Prompt:
    """Reads what the user types. ``pump`` runs beside it, in the same thread."""

    def __init__(
        self,
        keyboard: Keyboard,
        history: PromptHistory,
        completer: Completer,
        toolbar: Callable[[], StyleAndTextTuples],
        pump: Callable[[], AsyncGenerator[None, None]],
    ) -> None:
        self._keyboard = keyboard
        self._toolbar = toolbar
        self._pump = pump
        self._session: PromptSession[str] = PromptSession(
            input=keyboard,
            history=history,
            completer=completer,
            complete_while_typing=Condition(self._completes),
            key_bindings=message_keys(),
            multiline=True,
            prompt_continuation="  ",
            bottom_toolbar=toolbar,
            style=STYLE,
            erase_when_done=False,
            reserve_space_for_menu=4,
            refresh_interval=REFRESH,
        )
        self._plain: PromptSession[str] = PromptSession(
            input=keyboard,
            bottom_toolbar=toolbar,
            style=STYLE,
            refresh_interval=REFRESH,
        )

    def _completes(self) -> bool:
        text = self._session.default_buffer.document.current_line_before_cursor
        return text.startswith("/") or "@" in text

    def read(self, name: Callable[[], str], default: str = "") -> str:
        """A message. Raises KeyboardInterrupt at Ctrl+C on no words, and EOFError at Ctrl+D.

        ``name`` may change while the user types.
        """

        def shown() -> StyleAndTextTuples:
            return [("class:prompt", f"{name()}> ")]

        return self._session.prompt(shown, default=default, pre_run=self._run_pump)

    def ask(
        self, question: str, *, default: str = "", secret: bool = False, choices: Sequence[str] = ()
    ) -> str:
        """One line in answer to a question, kept in no history. Raises as ``read``."""
        shown: StyleAndTextTuples = [("class:prompt", f"{question} ")]
        return self._plain.prompt(
            shown,
            default=default,
            is_password=secret,
            completer=_Choices(choices),
            complete_while_typing=False,
            pre_run=self._run_pump,
        )

    def edit(self, question: str, default: str) -> str:
        """Several lines, like JSON. Raises as ``read``."""
        return PromptSession[str](
            input=self._keyboard,
            multiline=True,
            key_bindings=key_bindings(),
            bottom_toolbar=self._toolbar,
            style=STYLE,
        ).prompt([("class:prompt", f"{question}\n")], default=default, pre_run=self._run_pump)

    def _run_pump(self) -> None:
        app = get_app()

        async def run() -> None:
            async for _ in self._pump():
                app.invalidate()

        app.create_background_task(run())


class _Choices(Completer):
    """A fixed list of words."""

    def __init__(self, choices: Sequence[str]) -> None:
        self._choices = choices

    def get_completions(
        self,
        document: Document,
        complete_event: CompleteEvent,  # noqa: ARG002
    ) -> Iterable[Completion]:
        """Those that begin with what was typed."""
        typed = document.text_before_cursor
        for choice in self._choices:
            if choice.lower().startswith(typed.lower()):
                yield Completion(choice, start_position=-len(typed))
