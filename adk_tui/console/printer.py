"""A session told line by line, as it happens, for ``adk-tui chat``.

Nothing that was printed is ever changed: text comes out in finished Markdown
blocks, a tool call as one line when it begins and one when it ends. So there is
no flicker, it suits slow links and screen readers, and the scrollback holds
the whole conversation.

All text of others goes through ``sanitize`` and reaches Rich as ``Text`` or as
Markdown without links, never as markup.
"""

import os
import re
from collections.abc import Sequence
from typing import Final, assert_never

from markdown_it import MarkdownIt
from rich.console import Console
from rich.markdown import Markdown
from rich.style import Style
from rich.text import Text

from adk_tui.console.plain import masked_text
from adk_tui.core.brief import brief, size
from adk_tui.core.chat_items import (
    AgentText,
    Attachments,
    ChatItem,
    CodeCard,
    ErrorCard,
    HumanAnswer,
    Line,
    OutputCard,
    Thought,
    TicketMark,
    ToolCard,
    TransferLine,
    UserTurn,
)
from adk_tui.core.records import Blob
from adk_tui.core.sanitize import clean, line

EARLIER: Final = 20
"""Chat items of a stored session that are shown when it is opened."""

WIDEST: Final = 100
"""Columns of running text; longer lines are hard to read."""

DIM = Style(dim=True)
BOLD = Style(bold=True)
WARNING = Style(color="yellow")
ERROR = Style(color="red")
GOOD = Style(color="green")

_MARKDOWN = MarkdownIt("commonmark").enable("table").enable("strikethrough")
_LINE_END = re.compile(r"\r\n|\r|\n")
_MARKS = {"interrupted": "interrupted", "cut": "cut at the token limit", "stopped": "stopped"}
_ENDS = {"done": ("✓", GOOD), "error": ("✗", ERROR), "stopped": ("■", DIM)}


def make_console() -> Console:
    """A Rich console on stdout that takes nothing in a text for markup."""
    return Console(markup=False, highlight=False, emoji=False)


def finished(text: str) -> int:
    """How many characters of growing Markdown are whole blocks, that nothing can change any more.

    The last block may still grow, so it never counts.
    """
    if "\n\n" not in text:
        return 0
    starts = [t.map[0] for t in _MARKDOWN.parse(text) if t.level == 0 and t.map and t.nesting >= 0]
    if len(starts) < 2:
        return 0
    # Markdown ends a line at a carriage return too.
    ends = [found.end() for found in _LINE_END.finditer(text)]
    return ends[starts[-1] - 1] if 0 < starts[-1] <= len(ends) else 0


class Printer:
    """Prints each chat item once, as far as it is known."""

    def __init__(self, console: Console, *, reveal: bool = False, debug: bool = False) -> None:
        self._console = console
        self._reveal = reveal
        self._debug = debug
        self._told: dict[str, str] = {}
        self._speaker = ""
        self._typed: list[str] = []

    def typed(self, text: str) -> None:
        """The user typed this here, so it stands on the screen already."""
        self._typed.append(text)

    def take_back(self, text: str) -> bool:
        """Whether what was typed has not become part of the session; then it never will."""
        if text not in self._typed:
            return False
        self._typed.remove(text)
        return True

    def begin(self) -> None:
        """Another session is on: nothing of it was printed."""
        self._told.clear()
        self._speaker = ""

    def history(self, items: Sequence[ChatItem]) -> None:
        """What a session held when it was opened: its end, and how much there is before."""
        earlier = max(0, len(items) - EARLIER)
        if earlier:
            self.say(f"… {earlier} earlier lines of this session", DIM)
            self.skip(items[:earlier])
        self.show(items[earlier:], ended=True)

    def skip(self, items: Sequence[ChatItem]) -> None:
        """Take these as printed."""
        for item in items:
            self._told[item.key] = "all"

    def show(self, items: Sequence[ChatItem], *, ended: bool = False) -> None:
        """Print what is new in these items.

        An error that comes last is printed only once its run has ``ended``: what
        the end says of it, its cause and the next step, then stands with it.
        """
        for number, item in enumerate(items, 1):
            if self._told.get(item.key) == "all":
                continue
            if isinstance(item, ErrorCard) and number == len(items) and not ended:
                continue
            if item.withdrawn:
                self._told[item.key] = "all"
            elif isinstance(item, AgentText):
                self._text(item)
            elif isinstance(item, ToolCard):
                self._card(item)
            elif not (isinstance(item, Thought) and item.streaming):
                self._told[item.key] = "all"
                self._whole(item)

    def say(self, text: str, style: Style | None = None) -> None:
        """One or more lines of our own, or of others: sanitized and masked here."""
        shown = clean(masked_text(text, self._reveal))
        self._console.print(Text(shown, style or Style()), soft_wrap=True)

    def answer(self, text: str) -> None:
        """Markdown of an agent."""
        shown = Markdown(clean(masked_text(text, self._reveal)), hyperlinks=False)
        self._console.print(shown, width=min(WIDEST, self._console.width))

    def _text(self, item: AgentText) -> None:
        told = self._told.get(item.key, "")
        if not item.text.startswith(told):
            # The final text is not what was streamed: an agent's callback changed it.
            self._speak(item.author)
            self.say("(said differently in the end)", DIM)
            told = ""
        rest = item.text[len(told) :]
        cut = finished(rest) if item.streaming else len(rest)
        if cut and rest[:cut].strip():
            self._speak(item.author)
            self.answer(rest[:cut])
        self._told[item.key] = told + rest[:cut] if item.streaming else "all"
        if not item.streaming and item.mark:
            self.say(f"({_MARKS[item.mark]})", WARNING)

    def _speak(self, author: str) -> None:
        if author != self._speaker:
            self._speaker = author
            self.say(f"{line(author, 80)}:", BOLD)

    def _card(self, item: ToolCard) -> None:
        told = self._told.get(item.key, "")
        if not told:
            self._speaker = ""
            repeats = f" (call {item.repeats + 1} like this)" if item.repeats else ""
            args = ", ".join(
                f"{line(k, 60)}={self._brief(v, 80, k)}" for k, v in item.call.args.items()
            )
            self.say(line(f"→ {item.call.name}({args}){repeats}", 300), DIM)
            self._told[item.key] = "begun"
        if item.state not in _ENDS:
            return
        self._told[item.key] = "all"
        mark, style = _ENDS[item.state]
        took = f" {(item.ended - item.started) * 1000:,.0f} ms" if item.ended else ""
        result = self._brief(item.response.response, 200) if item.response else ""
        colon = f": {result}" if result else ""
        self.say(line(f"{mark} {item.call.name}{took}{colon}", 300), style)

    def _brief(self, value: object, limit: int, key: str = "") -> str:
        if key:
            # The key decides with the value whether this is a secret.
            whole = brief({key: value}, limit + len(key) + 6, reveal=self._reveal)
            return whole.partition(": ")[2].removesuffix("}")
        return brief(value, limit, reveal=self._reveal)

    def _whole(self, item: ChatItem) -> None:
        match item:
            case UserTurn():
                self._user(item)
            case Thought():
                self.say(line(f"thought: {item.text}", 160), DIM)
            case TransferLine():
                why = f" ({item.reason})" if item.reason else ""
                self._speaker = ""
                self.say(line(f"── {item.source} hands over to {item.target}{why}", 300), DIM)
            case TicketMark():
                self.say(line(f"! {item.name} waits for you", 200), WARNING)
            case HumanAnswer():
                word = "progress" if item.progress else "answer"
                text = self._brief(item.response, 200)
                who = f"by your policy ({item.policy})" if item.policy else "you"
                self.say(line(f"{who}, {word} to {item.name}: {text}", 300), DIM)
                if item.problem:
                    self.say(f"  {item.problem}", ERROR)
            case ErrorCard():
                self._speaker = ""
                bare = item.details or item.code in item.message
                words = item.message if bare else f"{item.code}: {item.message}".rstrip(": ")
                self.error(f"{words} ({item.place})" if item.place else words, item.hint)
                if item.details and self._debug:
                    self.say(item.details, DIM)
            case Attachments():
                self._blobs(item.author, item.blobs)
            case CodeCard():
                self.say(f"{item.code.label}:", DIM)
                self.say(item.code.text)
            case OutputCard():
                self._speak(item.author)
                self.answer(item.text)
            case Line():
                style = {"info": Style(), "warning": WARNING, "muted": DIM}[item.tone]
                self.say(line(item.text, 300), style)
            case AgentText() | ToolCard():
                raise AssertionError("printed piece by piece")
            case _:
                assert_never(item)

    def error(self, message: str, hint: str = "") -> None:
        """What went wrong, and the next step."""
        self.say(f"✗ {message}", ERROR)
        if hint:
            self.say(f"  {hint}")

    def _user(self, item: UserTurn) -> None:
        self._speaker = ""
        if item.text in self._typed:
            self._typed.remove(item.text)
        elif item.text:
            self.say(f"you: {item.text}", BOLD)
        self._blobs("you", item.attachments)

    def _blobs(self, author: str, blobs: Sequence[Blob]) -> None:
        for blob in blobs:
            name = blob.name or os.path.basename(blob.uri) or "a file"  # noqa: PTH119  (a URI)
            self.say(line(f"[{author}: {name}, {blob.mime_type}, {size(blob.size)}]", 200), DIM)
