"""The text the user writes: many lines, a history, pastes folded into chips.

Nothing that was typed is ever lost here: a message leaves the prompt only
when ``clear_sent`` is called for it, and walking through the history keeps the
draft. A key that sends or completes acts at once, by a call and not by a message:
keys typed after it are waiting already, and would change the text in between.
"""

import re
from typing import ClassVar, Protocol

from textual import events
from textual._ansi_sequences import ANSI_SEQUENCES_KEYS
from textual.binding import BindingType
from textual.keys import Keys
from textual.message import Message
from textual.widgets import TextArea

from adk_tui.client.history import History
from adk_tui.core.sanitize import clean
from adk_tui.tui.actions import bindings

PASTE_LINES = 8
PASTE_CHARACTERS = 1_000
"""A paste of more than this is shown as a chip. (One of 100,000 characters costs a second.)"""

_CHIP = re.compile(r"\[pasted [\d,]+ (?:lines|characters)(?: #\d+)?\]")
# A terminal without the kitty protocol sends Alt+Enter as ESC CR, which Textual
# takes for Enter: half a message would be sent.
ANSI_SEQUENCES_KEYS["\x1b\r"] = (Keys.ControlJ,)  # type: ignore[index]
_NEW_LINE = frozenset({"ctrl+j", "alt+enter", "shift+enter", "ctrl+enter"})
_STEPS = {"up": -1, "down": 1, "pageup": -5, "pagedown": 5}
_COMPLETING = frozenset({*_STEPS, "tab", "enter", "escape"})
"""Keys that belong to the completions while there are any."""


class Desk(Protocol):
    """What the prompt asks of its owner, each done when the call returns."""

    def offer(self) -> bool:
        """Bring the completions up to date with the text; whether there are any."""
        ...

    def step(self, by: int) -> None:
        """Move the mark in the completions."""
        ...

    def take(self, *, send: bool) -> None:
        """Take the marked completion; with ``send``, send the message if it is then complete."""
        ...

    def put_away(self) -> None:
        """Close the completions until the text changes."""
        ...

    def send(self) -> None:
        """Send what is in the prompt."""
        ...


class Prompt(TextArea):
    """A TextArea that sends on Enter. It asks its owner for completions before it takes a key."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("prompt")]

    class Typed(Message):
        """The text or the cursor moved."""

    def __init__(self, history: History, desk: Desk, *, id: str | None = None) -> None:
        super().__init__(
            id=id,
            highlight_cursor_line=False,
            tab_behavior="focus",
            placeholder="Message the agent   / commands   @ file",
        )
        self._past = history
        self._desk = desk
        self._chips: dict[str, str] = {}

    def action_act(self, name: str) -> None:
        """The prompt's keys, when they come from the palette or the help screen."""
        keys = {"send": "enter", "newline": "ctrl+j", "complete": "tab"}
        keys |= {"history_back": "up", "history_forward": "down"}
        self._take(keys[name])

    async def _on_key(self, event: events.Key) -> None:
        if self._take(event.key):
            event.stop()
            event.prevent_default()

    def _take(self, key: str) -> bool:
        if key in _COMPLETING and self._desk.offer():
            self._complete(key)
            return True
        if key in _NEW_LINE:
            self.insert("\n")
        elif key == "enter":
            self._desk.send()
        elif key == "up" and self.cursor_at_first_line:
            self._recall(self._past.back(self.text))
        elif key == "down" and self.cursor_at_last_line:
            self._recall(self._past.forward())
        elif key == "backspace" and self._delete_chip():
            pass
        else:
            return False
        return True

    def _complete(self, key: str) -> None:
        if key in _STEPS:
            self._desk.step(_STEPS[key])
        elif key == "escape":
            self._desk.put_away()
        else:
            self._desk.take(send=key == "enter")

    def _recall(self, text: str | None) -> None:
        if text is None:
            return
        self.fill(text, draft=False)

    def fill(self, text: str, *, draft: bool = True) -> None:
        """Put a text into the prompt, the cursor at its end. Long texts become a chip."""
        if draft:
            self._past.leave()
        self.load_text(self._fold(text))
        self.move_cursor(self.document.end)

    @property
    def message(self) -> str:
        """The text with all chips unfolded."""
        return _CHIP.sub(lambda m: self._chips.get(m[0], m[0]), self.text)

    def clear_sent(self, text: str) -> None:
        """The message ``text`` is on its way: remember it and make room for the next."""
        self._past.add(text)
        self.load_text("")
        self._chips.clear()

    def _fold(self, text: str) -> str:
        lines = text.count("\n") + 1
        if lines <= PASTE_LINES and len(text) <= PASTE_CHARACTERS:
            return clean(text)
        what = f"{lines:,} lines" if lines > PASTE_LINES else f"{len(text):,} characters"
        chip = f"[pasted {what}]"
        number = 1
        while self._chips.get(chip, text) != text:
            number += 1
            chip = f"[pasted {what} #{number}]"
        self._chips[chip] = text
        return chip

    async def _on_paste(self, event: events.Paste) -> None:
        event.stop()
        event.prevent_default()
        text = event.text.replace("\r\n", "\n").replace("\r", "\n")
        start, end = self.selection
        self.replace(self._fold(text), *sorted((start, end)), maintain_selection_offset=False)

    def _delete_chip(self) -> bool:
        row, column = self.cursor_location
        if not self.selection.is_empty:
            return False
        for match in _CHIP.finditer(self.document.get_line(row)):
            if match.end() == column and match[0] in self._chips:
                self.delete((row, match.start()), (row, column))
                return True
        return False

    def on_text_area_changed(self) -> None:
        """Let the parent look for completions."""
        self.post_message(self.Typed())
