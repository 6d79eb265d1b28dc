"""The line one types a filter into: what may come next, what is wrong, and how to write it."""

from collections.abc import Callable, Iterator
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Static

from adk_tui.core.event_log import EventLog
from adk_tui.core.filters import HELP, Filter, FilterError, complete, insert, parse
from adk_tui.core.sanitize import line

CHOICES = 6
"""Completions shown at a time."""
SHORT = 'author:NAME  kind:call,response  tool:get_*  error  -author:user  "text"  /regex/'


class _Field(Input):
    """Keys that belong to the completions come before the field's own."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "choose(-1)", show=False),
        Binding("down", "choose(1)", show=False),
        Binding("tab", "take", show=False),
        Binding("escape", "close", show=False),
        Binding("pagedown", "page(1)", show=False),
        Binding("pageup", "page(-1)", show=False),
    ]

    class Pressed(Message):
        """One of those keys; ``step`` moves among the completions."""

        def __init__(self, what: str, step: int = 0) -> None:
            super().__init__()
            self.what = what
            self.step = step

    def action_choose(self, step: int) -> None:
        """Another completion."""
        self.post_message(self.Pressed("choose", step))

    def action_take(self) -> None:
        """Take the marked one."""
        self.post_message(self.Pressed("take"))

    def action_page(self, step: int) -> None:
        """Scroll the explanation."""
        self.post_message(self.Pressed("page", step))

    def action_close(self) -> None:
        """Leave."""
        self.post_message(self.Pressed("close"))


class FilterBar(Vertical):
    """Open while one writes a filter, and one line while a filter holds.

    Each change that makes sense is announced at once; what makes none is
    explained below the line, and the filter before it stays.
    """

    DEFAULT_CSS: ClassVar[str] = """
    FilterBar { display: none; height: auto; background: $panel; padding: 0 1; }
    FilterBar Horizontal { height: 1; }
    FilterBar .name { width: auto; color: $text-accent; text-style: bold; }
    FilterBar .count { width: auto; color: $foreground 68%; padding: 0 0 0 2; }
    FilterBar Input, FilterBar Input:focus { width: 1fr; height: 1; border: none; padding: 0;
        background: $panel; }
    FilterBar .below { height: auto; color: $foreground 68%; }
    FilterBar .long { height: auto; max-height: 60vh; color: $foreground 68%; display: none;
        scrollbar-size-vertical: 1; }
    FilterBar .long Static { height: auto; }
    """

    class Changed(Message):
        """Filter by this from now on; None shows everything."""

        def __init__(self, accept: Filter | None) -> None:
            super().__init__()
            self.accept = accept

    class Closed(Message):
        """The writing has ended; the events have the keys again."""

    def __init__(self, log: Callable[[], EventLog], *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._log = log
        self._choices: list[str] = []
        self._at = -1
        self._held = ""
        self._counted = ""

    def compose(self) -> ComposeResult:
        """Its parts."""
        with Horizontal():
            yield Static("Filter ", classes="name", markup=False)
            yield _Field(placeholder=SHORT, compact=True, select_on_focus=False)
            yield Static("", classes="count", markup=False)
        yield Static("", classes="below", markup=False)
        with VerticalScroll(classes="long", can_focus=False):
            yield Static(HELP, markup=False)

    @property
    def expression(self) -> str:
        """The filter that holds, as it was written."""
        return self._held

    @property
    def writing(self) -> bool:
        """Whether a filter is being written."""
        return self.query_one(_Field).has_focus

    def ask(self) -> None:
        """Show it and take the keys; what holds can be changed."""
        self.display = True
        field = self.query_one(_Field)
        field.value = self._held
        field.cursor_position = len(field.value)
        # At once: the next key may be on its way already.
        self.screen.set_focus(field)
        self._tell()

    def explain(self) -> None:
        """Show the whole language, or hide it again."""
        long = self.query_one(".long")
        long.display = not long.display
        self._tell()

    def set(self, expression: str) -> None:
        """Filter by this, as if it had been written here. Raises FilterError."""
        accept = parse(expression)
        self._held = expression if not accept.is_empty else ""
        self.query_one(_Field).value = self._held
        self.post_message(self.Changed(accept if self._held else None))
        self._rest()

    def count(self, shown: int) -> None:
        """How many events fit."""
        words = f"{shown:,} shown" if self._held else ""
        if words != self._counted:
            self._counted = words
            self.query_one(".count", Static).update(Content(words))

    def _rest(self) -> None:
        """Nothing is being written: one line while a filter holds, else nothing."""
        self.display = bool(self._held)
        self.query_one(".below").display = False
        self.query_one(".long").display = False
        self._choices = []

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        event.stop()
        # Of keys in quick succession only what stands there in the end counts.
        if not self.writing or event.value != self.query_one(_Field).value:
            return
        self._at = -1
        accept = self._read(event.value)
        if isinstance(accept, Filter) and not self._half_written():
            self._held = event.value.strip()
            self.post_message(self.Changed(None if accept.is_empty else accept))
        self._tell()

    def _half_written(self) -> bool:
        """Whether the word at the end is the beginning of one that the language knows."""
        field = self.query_one(_Field)
        word = field.value[: field.cursor_position].rpartition(" ")[2].lstrip("-").casefold()
        found = complete(field.value, field.cursor_position, self._log())
        return bool(word) and any(c != word and c.startswith(word) for c in found)

    @staticmethod
    def _read(expression: str) -> Filter | FilterError:
        try:
            return parse(expression)
        except FilterError as error:
            return error

    def _tell(self, *, insist: bool = False) -> None:
        """The completions, or what is wrong; ``insist`` says what is wrong in any case.

        What is half written is no error yet, as long as something completes it.
        """
        field = self.query_one(_Field)
        read = self._read(field.value)
        at = field.cursor_position
        found = complete(field.value, at, self._log())
        # What stands there already completes nothing.
        self._choices = [c for c in found if insert(field.value, at, c)[0] != field.value]
        pairs: list[tuple[str, str]] = []
        if isinstance(read, FilterError) and (insist or not self._choices):
            pairs.append((f"{read.message} (column {read.position + 1})", "$text-error"))
        elif self._choices:
            pairs += self._told_choices()
        keys = "Tab completes   Enter keeps   Esc shows all   "
        keys += "PgDn reads on   F1 hides" if self.query_one(".long").display else "F1 explains"
        pairs += [("\n" if pairs else "", ""), (keys, "$foreground 58%")]
        below = self.query_one(".below", Static)
        below.display = True
        below.update(Content.assemble(*pairs))

    def _told_choices(self) -> Iterator[tuple[str, str]]:
        first = max(0, min(self._at - CHOICES + 1, len(self._choices) - CHOICES))
        for number, choice in enumerate(self._choices[first : first + CHOICES], first):
            marked = number == self._at
            style = "bold $foreground on $block-cursor-background" if marked else ""
            yield f" {line(choice, 30)} ", style
        more = len(self._choices) - first - CHOICES
        if more > 0:
            yield f" +{more}", "$foreground 58%"

    @on(_Field.Pressed)
    def _pressed(self, event: _Field.Pressed) -> None:
        event.stop()
        match event.what:
            case "choose" if self._choices:
                first = -1 if event.step > 0 else len(self._choices)
                at = self._at if self._at >= 0 else first
                self._at = (at + event.step) % len(self._choices)
                self._tell()
            case "take" if self._choices:
                self._take(max(self._at, 0))
            case "page":
                long = self.query_one(".long")
                long.scroll_relative(y=event.step * max(long.size.height - 1, 1), animate=False)
            case "close":
                self._held = ""
                self.query_one(_Field).value = ""
                self.post_message(self.Changed(None))
                self._end()
            case _:
                pass

    def _take(self, number: int) -> None:
        field = self.query_one(_Field)
        text, cursor = insert(field.value, field.cursor_position, self._choices[number])
        field.value = text
        field.cursor_position = cursor

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        if self._at >= 0:
            self._take(self._at)
        elif isinstance(self._read(event.value), FilterError):
            self._tell(insist=True)
        else:
            self.set(event.value.strip())
            self._end()

    def _end(self) -> None:
        self._rest()
        self.post_message(self.Closed())

    def on_click(self, event: events.Click) -> None:
        """A click on the filter that holds changes it."""
        if not self.writing:
            event.stop()
            self.ask()
