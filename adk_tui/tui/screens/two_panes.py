"""A list, and beside it everything about the marked row; below each other where it is narrow."""

from collections.abc import Iterable, Sequence
from typing import ClassVar, TypeVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.widget import Widget
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from adk_tui.tui.screens.following import Following
from adk_tui.tui.widgets.footer import Hint, KeyBar

R = TypeVar("R")
MUTED = "$foreground 62%"
"""The style of what is beside the matter."""
WIDE = 100
"""Columns from which the two stand side by side."""


class TwoPanes(Following[R]):
    """What its screens have in common: title, list, detail, keys that can be clicked.

    A subclass fills the rows (``fill``), says what stands beside the marked one
    (``detail``) and what Enter does (``chosen``).
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "move(1)", show=False),
        Binding("k", "move(-1)", show=False),
        Binding("tab,shift+tab", "other_pane", "Scroll the text beside", show=False),
    ]
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (WIDE, "-wide")]  # noqa: RUF012  (Textual's type)
    DEFAULT_CSS: ClassVar[str] = """
    TwoPanes { background: $background; }
    TwoPanes .title { height: 1; background: $panel; padding: 0 1; }
    TwoPanes #panes { height: 1fr; }
    TwoPanes #list, TwoPanes #list:focus { height: 1fr; border: none; padding: 0;
        background: $background; scrollbar-size-vertical: 1;
        text-wrap: nowrap; text-overflow: ellipsis; }
    TwoPanes #beside { height: 1fr; padding: 0 1; scrollbar-size-vertical: 1; }
    TwoPanes #detail { height: auto; }
    TwoPanes.-wide #list { width: 55%; }
    TwoPanes.-wide #beside { width: 1fr; border-left: vkey $border-blurred; }
    TwoPanes.-wide #beside:focus { border-left: vkey $primary; }
    TwoPanes.-narrow #panes { layout: vertical; }
    TwoPanes.-narrow #list { width: 100%; height: 1fr; }
    TwoPanes.-narrow #beside { width: 100%; height: 1fr; border-top: solid $border-blurred; }
    TwoPanes.-narrow #beside:focus { border-top: solid $primary; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._ids: list[str] = []

    def compose(self) -> ComposeResult:
        """Its parts, from top to bottom."""
        yield Static("", classes="title", markup=False)
        yield from self.above()
        with Horizontal(id="panes"):
            yield OptionList(id="list", markup=False)
            with VerticalScroll(id="beside"):
                yield Static("", id="detail", markup=False)
        yield KeyBar(id="keys")

    def above(self) -> Iterable[Widget]:
        """What stands between the title and the list."""
        return ()

    def on_mount(self) -> None:
        """The arrow keys work at once."""
        self.rows.focus()

    @property
    def rows(self) -> OptionList:
        """The list."""
        return self.query_one("#list", OptionList)

    @property
    def marked(self) -> int | None:
        """The number of the marked row."""
        at = self.rows.highlighted
        return at if at is not None and at < len(self._ids) else None

    def head(self, title: str, more: str = "", *, revealed: bool = False) -> None:
        """Say what the screen is, in its first line."""
        warning = "   SECRETS SHOWN" if revealed else ""
        content = Content.assemble(
            (title, "bold $primary"),
            (f"   {more}", MUTED),
            (warning, "bold $text-warning"),
        )
        self.query_one(".title", Static).update(content)

    def hints(self, *keys: tuple[str, str, str]) -> None:
        """Fill the last line: ``(key, label, Textual's name of the key)``."""
        self.query_one(KeyBar).show([Hint(k, label, f"key:{name}") for k, label, name in keys])

    def fill(self, rows: Sequence[tuple[str, Content]], at: int | None = None) -> None:
        """Show these rows as ``(id, text)``; the mark stays on its id, or goes to ``at``."""
        marked = self.marked
        wanted = self._ids[marked] if marked is not None else ""
        ids = [i for i, _ in rows]
        listing = self.rows
        scroll = listing.scroll_offset
        self._ids = ids
        listing.clear_options()
        listing.add_options(Option(text) for _, text in rows)
        if ids:
            listing.highlighted = ids.index(wanted) if wanted in ids else min(at or 0, len(ids) - 1)
            listing.scroll_to(y=scroll.y, animate=False)
            listing.scroll_to_highlight()
        self.tell_detail()

    def tell_detail(self) -> None:
        """Draw what stands beside the marked row."""
        self.query_one("#detail", Static).update(self.detail(self.marked))

    def detail(self, row: int | None) -> Content:
        """What stands beside the marked row; ``row`` None: there is none."""
        raise NotImplementedError(f"{row}")

    def chosen(self, row: int) -> None:
        """Enter was pressed on a row."""
        raise NotImplementedError(f"{row}")

    @on(OptionList.OptionHighlighted, "#list")
    def _moved(self) -> None:
        self.tell_detail()
        self.query_one("#beside").scroll_home(animate=False)

    @on(OptionList.OptionSelected, "#list")
    def _selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        if event.option_index < len(self._ids):
            self.chosen(event.option_index)

    def action_move(self, by: int) -> None:
        """To the next row, or the one before."""
        if by > 0:
            self.rows.action_cursor_down()
        else:
            self.rows.action_cursor_up()

    def action_other_pane(self) -> None:
        """From the list to the text beside it, and back."""
        beside = self.query_one("#beside")
        self.set_focus(self.rows if beside.has_focus else beside)


def heading(text: str) -> tuple[str, str]:
    """The first line of the text beside."""
    return text + "\n", "bold $primary"


def field(label: str, value: str, style: str = "") -> list[tuple[str, str]]:
    """A line of a label and its value; nothing where there is no value."""
    return [(f"{label:<10} ", MUTED), (value + "\n", style)] if value else []


def many(number: int, what: str) -> str:
    """A number of things: ``1 key``, ``2 keys``."""
    return f"{number:,} {what}" + ("" if number == 1 else "s")


def section(label: str) -> tuple[str, str]:
    """A heading over some lines."""
    return f"\n{label}\n", MUTED
