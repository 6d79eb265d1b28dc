"""What the agent's process printed, in the order it did."""

from collections.abc import Sequence
from itertools import groupby
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.widgets import Log

from adk_tui.core.reports import Output
from adk_tui.core.sanitize import clean, line, mask_text
from adk_tui.tui.messages import Act

LINES = 10_000
_STREAMS = {"stdout": "out", "stderr": "err", "protocol": "stray"}


def label(output: Output) -> str:
    """Where a piece of output came from: the stream, and the tool that ran."""
    return f"{_STREAMS[output.stream]} {line(output.tool, 24)}".rstrip()


class OutputLog(Log):
    """Fills itself only while it is shown: until then it counts what is new."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "close", "Close the output"),
    ]
    DEFAULT_CSS: ClassVar[str] = """
    OutputLog { display: none; height: 40%; min-height: 6; padding: 0 1; background: $surface;
        border: none; border-top: solid $border-blurred; border-title-color: $foreground 62%;
        scrollbar-size-vertical: 1; scrollbar-size-horizontal: 1; }
    OutputLog:focus { border-top: solid $primary; border-title-color: $foreground; }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(highlight=False, max_lines=LINES, auto_scroll=True, id=id)
        self.border_title = "Output of the agent"
        self._last: Output | None = None
        self._waiting: list[Output] = []
        self._open = ""
        """Whose line is not ended yet."""
        self.unread = 0

    def take(self, outputs: Sequence[Output]) -> None:
        """Take in what is new at the end of ``outputs``, which drops its oldest at times."""
        new: list[Output] = []
        for output in reversed(outputs):
            if output is self._last:
                break
            new.append(output)
        if not new:
            return
        self._last = new[0]
        new.reverse()
        self._waiting.extend(new)
        if self.display:
            self._write_waiting()
        else:
            self.unread += sum(o.text.count("\n") or 1 for o in new)
            del self._waiting[:-LINES]

    def _write_waiting(self) -> None:
        pieces = groupby(self._waiting, key=label)
        self.write("".join(self._labelled(name, [o.text for o in those]) for name, those in pieces))
        self._waiting.clear()

    def _labelled(self, name: str, texts: list[str]) -> str:
        out: list[str] = []
        for text in clean(mask_text("".join(texts))).splitlines(keepends=True):
            if self._open and self._open != name:
                # What comes from elsewhere never goes on in another's line.
                out.append("\n")
            if self._open != name:
                out.append(f"{name} │ ")
            out.append(text)
            self._open = "" if text.endswith("\n") else name
        return "".join(out)

    def toggle(self) -> bool:
        """Show or hide it; True when it is shown now."""
        self.display = not self.display
        if self.display:
            self.unread = 0
            self._write_waiting()
            self.scroll_end(animate=False)
        return bool(self.display)

    def action_close(self) -> None:
        """Hide it again."""
        self.post_message(Act("output"))
