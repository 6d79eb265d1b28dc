"""The foot of the screen: what waits to be sent, the completions, and the prompt."""

from collections.abc import Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from adk_tui.client.completion import Choice, Vocabulary, complete, mentioned
from adk_tui.client.history import History
from adk_tui.core.sanitize import line
from adk_tui.tui.actions import BY_SLASH
from adk_tui.tui.messages import Act, SendText, Tell
from adk_tui.tui.widgets.prompt import Prompt

if TYPE_CHECKING:
    from adk_tui.core.reports import Queued

_WIDE = 72
"""Characters of a completion: what fits on 80 columns."""


class PromptArea(Vertical):
    """Sends what the user wrote as ``SendText`` (a message) or ``Act`` (a slash command)."""

    DEFAULT_CSS: ClassVar[str] = """
    PromptArea { height: auto; background: $surface; }
    PromptArea #waiting { display: none; height: auto; max-height: 4; padding: 0 1;
        color: $text-warning; }
    PromptArea #choices { display: none; height: auto; max-height: 8; border: none;
        background: $panel; padding: 0 1; scrollbar-size-vertical: 1;
        text-wrap: nowrap; text-overflow: ellipsis; }
    PromptArea Prompt { height: auto; min-height: 1; max-height: 8; padding: 0 1;
        background: $surface; border: none;
        border-left: wide $border-blurred; scrollbar-size-vertical: 1; }
    PromptArea Prompt .text-area--placeholder { color: $foreground 60%; }
    PromptArea Prompt:focus { border: none; border-left: wide $primary; }
    """

    def __init__(self, history: History, vocabulary: Vocabulary, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.past = history
        self._vocabulary = vocabulary
        self._choices: tuple[Choice, ...] = ()
        self._closed_at: str | None = None
        """The text for which the user put the completions away."""
        self._filled = False

    def compose(self) -> ComposeResult:
        """The prompt; what stands above it at times comes after the first frame."""
        yield Prompt(self.past, self, id="prompt")

    def on_mount(self) -> None:
        """Paint first."""
        self.call_after_refresh(self._fill)

    async def _fill(self) -> None:
        choices = OptionList(id="choices", markup=False)
        choices.can_focus = False
        await self.mount(Static(id="waiting", markup=False), choices, before=0)
        self._filled = True
        self.offer()

    @property
    def prompt(self) -> Prompt:
        """The text area."""
        return self.query_one(Prompt)

    def show_waiting(self, queued: "Sequence[Queued]", why: str) -> None:
        """Show what is sent and waits for its turn, and ``why`` it waits."""
        if not self._filled:
            return
        if not self._filled:
            self.call_later(self.show_waiting, queued, why)
            return
        waiting = self.query_one("#waiting", Static)
        waiting.display = bool(queued)
        if not queued:
            return
        lines = [f"waits ({why}): {line(q.summary, 200)}" for q in queued[:3]]
        if len(queued) > 3:
            lines[-1] += f"   … and {len(queued) - 3} more"
        lines[-1] += "   (Alt+↑ takes it back)"
        waiting.update(Content("\n".join(lines)))

    @on(Prompt.Typed)
    @on(Prompt.SelectionChanged)
    def offer(self) -> bool:
        """Show the completions for what stands before the cursor; whether there are any."""
        if not self._filled:
            return False
        prompt = self.prompt
        choices: tuple[Choice, ...] = ()
        if prompt.selection.is_empty and prompt.text not in ("", self._closed_at):
            self._closed_at = None
            row, column = prompt.cursor_location
            before = prompt.document.get_line(row)[:column]
            if len(before) < 2_000 and ("/" in before or "@" in before):
                choices = complete(before, row == 0, self._vocabulary)
                if len(choices) == 1 and before[choices[0].start :] == choices[0].text:
                    choices = ()
        if choices != self._choices:
            self._choices = choices
            self._draw()
        return bool(choices)

    def _draw(self) -> None:
        listing = self.query_one("#choices", OptionList)
        width = max((len(c.text) for c in self._choices), default=0)
        listing.clear_options()
        listing.add_options(
            Option(
                Content.assemble(
                    line(_end_of(c.text), _WIDE).ljust(min(width, 40) + 2),
                    (line(c.note, 120), "$foreground 62%"),
                )
            )
            for c in self._choices
        )
        listing.display = bool(self._choices)
        if self._choices:
            listing.highlighted = 0

    def step(self, by: int) -> None:
        """Move the mark in the completions."""
        listing = self.query_one("#choices", OptionList)
        if self._choices:
            listing.highlighted = ((listing.highlighted or 0) + by) % len(self._choices)

    def put_away(self) -> None:
        """Close the completions until the text changes."""
        self._closed_at = self.prompt.text
        if self._choices:
            self._choices = ()
            self._draw()

    @on(OptionList.OptionSelected, "#choices")
    def _clicked(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self._insert(event.option_index)
        self.screen.set_focus(self.prompt)

    def take(self, *, send: bool) -> None:
        """Take the marked completion; with ``send``, send the message if it is then complete."""
        if not self._choices:
            return
        choice = self._choices[self.query_one("#choices", OptionList).highlighted or 0]
        prompt = self.prompt
        row, column = prompt.cursor_location
        typed = prompt.document.get_line(row)[:column]
        known = next((c for c in self._choices if typed[c.start :] == c.text), None)
        if send and known is not None and known.whole:
            self.put_away()
            self.send()
            return
        self._insert(self._choices.index(choice))
        if send and choice.whole:
            self.put_away()
            self.send()

    def _insert(self, index: int) -> None:
        choice = self._choices[index]
        prompt = self.prompt
        row, column = prompt.cursor_location
        space = " " if choice.whole and choice.start == 0 else ""
        prompt.replace(choice.text + space, (row, choice.start), (row, column))
        self.offer()

    def send(self) -> None:
        """Send what is in the prompt."""
        text = self.prompt.message.strip()
        if not text:
            return
        if text.startswith("/") and not text.startswith("//"):
            self._command(text)
            return
        from adk_tui.client.attach import AttachError, attach

        try:
            attachments = attach(mentioned(text))
        except AttachError as error:
            self.post_message(Tell(str(error), warning=True))
            return
        self.sent(text)
        said = text[1:] if text.startswith("//") else text
        self.post_message(SendText(said, attachments))

    def _command(self, text: str) -> None:
        name, _, argument = text[1:].partition(" ")
        action = BY_SLASH.get(name.strip().lower())
        if action is None:
            near = get_close_matches(name.lower(), BY_SLASH, 1)
            hint = f"Did you mean /{near[0]}?" if near else "/help lists all commands."
            self.post_message(
                Tell(f"There is no /{line(name, 40)}. {hint} (// sends a slash.)", warning=True)
            )
            return
        self.sent(text)
        self.post_message(Act(action.name, argument.strip()))

    def sent(self, text: str) -> None:
        """``text`` is taken: clear the prompt, remember the text."""
        self.prompt.clear_sent(text)
        self.put_away()
        if trouble := self.past.trouble():
            self.post_message(Tell(trouble, warning=True))

    def take_back(self, text: str) -> None:
        """Put a message that was not delivered back, above what has been typed since."""
        draft = self.prompt.message
        self.prompt.fill(text if not draft else f"{text}\n{draft}")


def _end_of(text: str) -> str:
    """Of a long path its end, which tells one file of a folder from another."""
    if text.startswith("@") and len(text) > _WIDE:
        return f"@…{text[2 - _WIDE :]}"
    return text
