"""Where a reader of the events was, by event id: a session told again is another log.

After a reload the engine tells the same session once more, without the
partials, so that rows and indices are others while the events are the same.
"""

from adk_tui.tui.widgets.event_stream import EventStream


class Place:
    """Looks at the events once a tick, and goes back there when they are told again."""

    def __init__(self) -> None:
        self._marked = ""
        self._top = ""
        self._lost = False

    def lose(self) -> None:
        """The same session is told again; its events are coming."""
        self._lost = bool(self._marked or self._top)

    def look(self, stream: EventStream, *, complete: bool) -> None:
        """Keep where the reader is, or go back; ``complete``: all stored events are here."""
        if not self._lost:
            self._remember(stream)
        elif complete:
            self._lost = False
            self._restore(stream)

    def _remember(self, stream: EventStream) -> None:
        if stream.follow:
            self._marked = self._top = ""
            return
        record = stream.record_at_cursor()
        self._marked = record.id if record else ""
        rows, top = stream.window.rows, stream.top_line
        self._top = stream.log_shown[rows[top]].id if 0 <= top < len(rows) else ""

    def _restore(self, stream: EventStream) -> None:
        if self._marked:
            stream.go_to_event(self._marked)
        index = stream.log_shown.find(self._top) if self._top else None
        row = stream.window.row_of(index) if index is not None else None
        if row is not None:
            stream.follow = False
            stream.scroll_to(y=stream.row_top(row), animate=False, immediate=True)
