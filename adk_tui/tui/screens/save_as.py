"""Where to save something: a path, and whether secrets go along."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, TypeAlias

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from adk_tui.client.paths import typed_path
from adk_tui.client.saving import save_new
from adk_tui.core.brief import size
from adk_tui.core.sanitize import line

Make: TypeAlias = Callable[[Path, bool], bytes]
"""Makes what is to be saved, for a path and whether secrets are to be in it; on a thread."""


@dataclass(frozen=True, slots=True)
class Saved:
    """What was written: where, how many bytes, and whether secrets are in it."""

    path: Path
    size: int
    reveal: bool


class SaveAs(ModalScreen[Saved | None]):
    """Asks for a path and writes what ``make`` gives for it, readable by the user alone.

    ``secrets``: what is saved may hold some; then F2 lets them go along. A
    file that is there already is never written over: the new one gets a number.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", "Close"),
        Binding("f2", "reveal", "Mask or reveal secrets", priority=True),
    ]
    DEFAULT_CSS: ClassVar[str] = """
    SaveAs { align: center middle; background: $background 60%; }
    SaveAs > Vertical { width: 80; max-width: 96%; height: auto; background: $panel;
        border: round $border; padding: 1 2; }
    SaveAs Input, SaveAs Input:focus { border: none; height: 1; padding: 0 1;
        background: $surface; }
    SaveAs Static { height: auto; margin-top: 1; color: $foreground 68%; }
    SaveAs #problem { color: $text-error; display: none; }
    SaveAs #problem.-calm { color: $foreground 68%; }
    """

    def __init__(
        self, title: str, name: str, make: Make, *, hint: str = "", secrets: bool = False
    ) -> None:
        super().__init__()
        self._title = title
        self._name = name
        self._make = make
        self._hint = hint
        self._secrets = secrets
        self._reveal = False

    def compose(self) -> ComposeResult:
        """Its parts."""
        with Vertical() as box:
            box.border_title = Content(line(self._title, 70))
            box.border_subtitle = "Enter saves   Esc closes"
            yield Input(self._name, compact=True)
            yield Static("", id="secrets", markup=False)
            yield Static("", id="problem", markup=False)

    def on_mount(self) -> None:
        """Begin in the path, before its ending."""
        self._tell()
        field = self.query_one(Input)
        field.focus()
        field.cursor_position = len(Path(self._name).stem)

    def _tell(self) -> None:
        where = f"A relative path begins in {line(str(Path.cwd()), 200)}."
        rows = [self._hint] if self._hint else []
        rows.append(where)
        if self._secrets:
            rows.append(
                "Secrets go along as they are! F2 masks them."
                if self._reveal
                else "Values that look like secrets are masked. F2 lets them go along."
            )
        text = Content("\n".join(rows))
        if self._reveal:
            text = text.stylize("$text-warning", len("\n".join(rows[:-1])))
        self.query_one("#secrets", Static).update(text)

    def action_reveal(self) -> None:
        """Let secrets go along, or mask them."""
        if self._secrets:
            self._reveal = not self._reveal
            self._tell()

    @on(Input.Submitted)
    def _save(self, event: Input.Submitted) -> None:
        event.stop()
        if not event.value.strip():
            self._problem("Write the name of a file.")
            return
        path = typed_path(event.value.strip())
        if path.is_dir():
            path = path / self._name
        self._problem("Saving …", calm=True)
        # A hundred thousand events take seconds to mask; the screen goes on meanwhile.
        self.run_worker(self._write(path), exclusive=True)

    async def _write(self, path: Path) -> None:
        reveal = self._reveal
        try:
            data = await asyncio.to_thread(self._make, path, reveal)
            written = await asyncio.to_thread(save_new, path.absolute(), data)
        except (OSError, ValueError) as error:
            words = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            self._problem(f"{line(str(path), 200)} cannot be written: {line(words, 200)}.")
            return
        self.dismiss(Saved(written, len(data), reveal))

    def _problem(self, text: str, *, calm: bool = False) -> None:
        problem = self.query_one("#problem", Static)
        problem.set_class(calm, "-calm")
        problem.update(Content(text))
        problem.display = True


def told(saved: Saved, what: str) -> str:
    """One line about what was written."""
    masked = "secrets included" if saved.reveal else "secrets masked"
    return f"{what} saved as {line(str(saved.path), 300)} ({size(saved.size)}, {masked})."
