"""The event stream with what belongs to it: the filter above, the search below, the ways out."""

from collections.abc import Iterable
from pathlib import Path
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message

from adk_tui.core.event_log import EventLog
from adk_tui.core.export import (
    Exported,
    Place,
    as_curl,
    as_jsonl,
    as_python,
    as_session,
    message_before,
)
from adk_tui.core.records import EventRecord
from adk_tui.core.sanitize import file_name, line
from adk_tui.core.session import SessionView
from adk_tui.core.state import initial_state, state_at
from adk_tui.tui.messages import Tell
from adk_tui.tui.widgets.event_stream import EventStream
from adk_tui.tui.widgets.filter_bar import FilterBar
from adk_tui.tui.widgets.search_bar import SearchBar


class EventsPane(Vertical):
    """Holds the list and its two bars; ``act`` does what is not the list's own."""

    DEFAULT_CSS: ClassVar[str] = """
    EventsPane { height: 1fr; }
    EventsPane EventStream { height: 1fr; }
    EventsPane FilterBar { dock: top; }
    EventsPane SearchBar { dock: bottom; }
    """

    class ShowInChat(Message):
        """Go to the chat's item of this event."""

        def __init__(self, event_id: str) -> None:
            super().__init__()
            self.event_id = event_id

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.stream = EventStream(id="events")
        self._filter = FilterBar(lambda: self.stream.log_shown)
        self._search = SearchBar()
        self._sought = ""

    def compose(self) -> ComposeResult:
        """The list comes first: it takes the focus."""
        yield self.stream
        yield self._filter
        yield self._search

    def show(self, log: EventLog) -> None:
        """Show this log."""
        self.stream.show(log, True)
        if self._filter.expression and not self.stream.filtering:
            self._filter.count(self.stream.row_count())

    def filter(self, expression: str) -> None:
        """Show only the events that fit; an empty expression shows all. Raises FilterError."""
        self._filter.set(expression)

    @property
    def writing_filter(self) -> bool:
        """Whether a filter is being written."""
        return self._filter.writing

    def explain(self) -> bool:
        """While a filter is being written: show how; False when none is."""
        if self._filter.writing:
            self._filter.explain()
            return True
        return False

    @property
    def filtered_by(self) -> str:
        """The filter that holds; empty where all events are shown."""
        return self._filter.expression

    def act(self, name: str, view: SessionView) -> None:
        """Do one of the actions of the event stream."""
        if self.stream.act(name):
            return
        index = self.stream.index_at_cursor()
        match name:
            case "filter":
                self._filter.ask()
            case "search":
                self._search.ask(self._sought)
            case _ if index is None:
                self.post_message(Tell("There are no events yet.", warning=True))
            case "in_chat":
                self.post_message(self.ShowInChat(self.stream.log_shown[index].id))
            case _:
                self._copy_run(index, view, python=name == "copy_python")

    def _copy_run(self, index: int, view: SessionView, *, python: bool) -> None:
        message = message_before(index, view.log)
        if message is None or view.ready is None or view.session is None:
            self.post_message(Tell("No message of a user led to this event.", warning=True))
            return
        place = Place(Path(view.ready.folder).name, view.session.user, view.session.id)
        text = as_python(message, place) if python else as_curl(message, place)
        self.stream.copy(text)
        what = "a Python script" if python else "a curl command for adk api_server"
        self.post_message(Tell(f"Copied {what} that sends the message again, secrets masked."))

    @on(FilterBar.Changed)
    def _filtered(self, event: FilterBar.Changed) -> None:
        event.stop()
        accept = event.accept
        self.stream.set_filter(accept, partials=accept is not None and accept.partials)

    @on(EventStream.Counted)
    def _counted(self, event: EventStream.Counted) -> None:
        self._filter.count(event.shown)

    @on(EventStream.Copied)
    def _copied(self, event: EventStream.Copied) -> None:
        many = f"{event.count:,} events" if event.count > 1 else ""
        self.post_message(Tell(f"Copied {many} as {event.kind}.".replace("  ", " ")))

    @on(EventStream.Searched)
    def _ended(self, event: EventStream.Searched) -> None:
        # Not for the screen to hear: Textual lets no message pass the widget that caused it.
        if not event.found:
            self.post_message(Tell(f"No {line(event.what, 60)} found."))

    @on(FilterBar.Closed)
    def _left(self, event: FilterBar.Closed) -> None:
        event.stop()
        self.screen.set_focus(self.stream)

    @on(SearchBar.Asked)
    def _asked(self, event: SearchBar.Asked) -> None:
        event.stop()
        self._sought = event.text
        self.screen.set_focus(self.stream)
        self.stream.search(event.text)

    def shown(self) -> Iterable[EventRecord]:
        """The events in the rows, in order."""
        window = self.stream.window
        return (window.log[window.newest(index)] for index in window.rows)


def export_name(view: SessionView) -> str:
    """A name for the file of a session's events."""
    session = view.session
    return f"{file_name(f'session-{session.id}' if session else 'session')}.jsonl"


def export_bytes(
    path: Path, records: Iterable[EventRecord], view: SessionView, *, reveal: bool
) -> Exported:
    """What goes into a file of that name: ``.json`` is a session file, all else lines of events."""
    if path.suffix.lower() != ".json" or view.session is None:
        return as_jsonl(records, reveal=reveal)
    history = view.log.history()
    begun = initial_state(view.session.state, history)
    state = state_at(history, len(history) - 1, begun)
    return as_session(records, view.session, state, reveal=reveal)
