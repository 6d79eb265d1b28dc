"""The screen one works on: chat, events and approvals, side by side or as tabs."""

from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Input

from adk_tui.client.completion import Vocabulary
from adk_tui.client.history import History
from adk_tui.tui.actions import bindings
from adk_tui.tui.footer_hints import footer_hints
from adk_tui.tui.messages import Act, OpenEvent, Tell
from adk_tui.tui.widgets.footer import KeyBar
from adk_tui.tui.widgets.prompt import Prompt
from adk_tui.tui.widgets.prompt_area import PromptArea
from adk_tui.tui.widgets.status import StatusBar
from adk_tui.tui.widgets.tab_bar import TabBar

if TYPE_CHECKING:
    from adk_tui.core.records import EventRecord
    from adk_tui.core.reports import Done, Failure
    from adk_tui.core.session import SessionView
    from adk_tui.tui.places import Place
    from adk_tui.tui.widgets.approvals import Approvals
    from adk_tui.tui.widgets.chat import ChatView
    from adk_tui.tui.widgets.event_stream import EventStream
    from adk_tui.tui.widgets.events_pane import EventsPane
    from adk_tui.tui.widgets.failure import FailureCard
    from adk_tui.tui.widgets.notes import Note, Notes
    from adk_tui.tui.widgets.output_log import OutputLog

Tab: TypeAlias = Literal["chat", "events", "approvals"]
WIDE = 110
"""Columns from which all three panes stand side by side."""


class ListPane(Vertical):
    """Holds the chat or the events, and has the keys that both share."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("lists")]

    def action_act(self, name: str) -> None:
        """A registered key was pressed."""
        self.post_message(Act(name))


class MainScreen(Screen[None]):
    """Lays out the panes; what they show is put into them by the app."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("everywhere")]
    AUTO_FOCUS = "Prompt"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (WIDE, "-wide")]  # noqa: RUF012  (Textual's type)

    def __init__(self, title: str, history: History, vocabulary: Vocabulary) -> None:
        super().__init__(classes="-tab-chat")
        # Held here: while the app ends, what comes in last finds them although they are taken down.
        self.status = StatusBar(title, id="status")
        self._tabs = TabBar(id="tabs")
        self._keys = KeyBar(id="keys")
        self._history = history
        self._vocabulary = vocabulary
        self.tab: Tab = "chat"
        self.filled = False
        """Whether the panes are there."""
        self._session = ("", "")
        self._place: Place
        self._stuck = False
        self._chat: ChatView
        self._events: EventsPane
        self._approvals: Approvals
        self._output: OutputLog
        self._failure: FailureCard
        self._notes: Notes

    def compose(self) -> ComposeResult:
        """What the first frame needs, from top to bottom; ``fill`` brings the rest."""
        yield self.status
        yield Horizontal(id="body")
        yield PromptArea(self._history, self._vocabulary, id="foot")
        yield self._keys

    @property
    def area(self) -> PromptArea:
        """The prompt and what belongs to it."""
        return self.query_one(PromptArea)

    @property
    def wide(self) -> bool:
        """Whether all panes are visible at once."""
        return self.has_class("-wide")

    def action_act(self, name: str) -> None:
        """A registered key was pressed.

        Going to a pane does not wait its turn: the keys behind it are meant for that pane.
        """
        if name in ("prompt", "events", "approvals") and self.filled:
            self.go(name)
        else:
            self.post_message(Act(name))

    def go(self, place: str) -> None:
        """To the ``prompt`` (from there: to the chat), the ``events`` or the ``approvals``."""
        match place:
            case "events" | "approvals":
                self.enter(place)
            case _ if self.region_name == "prompt" and (self.tab == "chat" or self.wide):
                self.enter("chat")
            case _:
                self.write()

    def front(self, tab: Tab) -> None:
        """Bring a tab to the front (in a wide terminal all are)."""
        self.tab = tab
        # One look-up of all styles; none in a wide terminal, where they do not depend on the tab.
        others = (f"-tab-{name}" for name in ("chat", "events", "approvals") if name != tab)
        self.remove_class(*others, update=False)
        self.add_class(f"-tab-{tab}", update=not self.wide)

    def enter(self, tab: Tab) -> None:
        """Bring a tab to the front and focus what is in it."""
        self.front(tab)
        pane = self.query_one(f"#{tab}-pane")
        inside = next((w for w in pane.walk_children(Widget) if w.can_focus and w.display), None)
        if inside is not None:
            self.set_focus(inside)

    def write(self) -> None:
        """Focus the prompt; the chat comes to the front, as the answer will be there."""
        self.front("chat")
        self.set_focus(self.area.prompt)

    @property
    def region_name(self) -> str:
        """Which pane has the focus: ``prompt chat events approvals failure output``."""
        node = self.focused
        if node is None or isinstance(node, Prompt):
            return "prompt"
        for name in ("chat", "events", "approvals"):
            if any(a.id == f"{name}-pane" for a in node.ancestors):
                return name
        return node.id or ""

    async def fill(self) -> None:
        """Put the rest in: it imports more than the first frame should wait for."""
        from adk_tui.tui.places import Place
        from adk_tui.tui.widgets.approvals import Approvals
        from adk_tui.tui.widgets.chat import ChatView
        from adk_tui.tui.widgets.events_pane import EventsPane
        from adk_tui.tui.widgets.failure import FailureCard
        from adk_tui.tui.widgets.notes import Notes
        from adk_tui.tui.widgets.output_log import OutputLog

        self._chat, self._events, self._approvals = (
            ChatView(id="chat"),
            EventsPane(),
            Approvals(id="approvals"),
        )
        self._output, self._failure = OutputLog(id="output"), FailureCard(id="failure")
        self._notes = Notes(id="notes")
        self._place = Place()
        with self.app.batch_update():  # pyright: ignore[reportUnknownMemberType]
            await self.mount(self._tabs, before="#body")
            await self.query_one("#body").mount(
                ListPane(self._chat, id="chat-pane"),
                Vertical(
                    ListPane(self._events, id="events-pane"),
                    Vertical(self._approvals, id="approvals-pane"),
                    id="side",
                ),
            )
            await self.mount(self._output, self._failure, before="#foot")
            await self.area.mount(self._notes, before=0)
        self.filled = True

    def show(self, view: "SessionView", changed: frozenset[str]) -> None:
        """Draw what changed. The panes exist before the first change comes."""
        again = "session" in changed and self._session == _identity(view)
        if "session" in changed and not again:
            self._session = _identity(view)
            self._chat.clear()
        if "ready" in changed and view.ready is not None:
            from adk_tui.core.welcome import welcome

            self._chat.welcome(welcome(view.ready))
        if "transcript" in changed:
            self._chat.show(view.transcript, 0 if "session" in changed else view.first_changed)
        if changed & {"events", "session"}:
            self._events.show(view.log)
        if again:
            self._place.lose()
        told = len(view.log) if view.session is not None else 0
        complete = view.session is not None and told >= view.session.count
        self._place.look(self._events.stream, complete=complete)
        if changed & {"tickets", "ready", "status", "session", "sessions", "done", "events"}:
            self._approvals.show(view)
        if changed & {"status", "ready", "session", "events", "tickets"}:
            self.status.show(view)
        if "output" in changed:
            self.output.take(view.outputs)
        self.count_tabs(view)

    def count_tabs(self, view: "SessionView") -> None:
        """What the other tabs hold."""
        counts = {"events": len(view.log.history()), "approvals": len(view.tickets.open)}
        self._tabs.show(self.tab, counts)

    @property
    def output(self) -> "OutputLog":
        """What the agent printed."""
        return self._output

    def show_failure(self, failure: "Failure", view: "SessionView") -> None:
        """Show what went wrong until it is mended."""
        stuck = view.status.phase in ("failed", "dead") or failure.code.startswith(
            ("load.", "process.")
        )
        printed = "".join(o.text for o in list(view.outputs)[-20:] if o.stream != "protocol")
        from adk_tui.tui.widgets.failure import TAIL

        tail = tuple(t for t in printed.splitlines() if t.strip())[-TAIL:] if stuck else ()
        self._stuck = stuck
        self._failure.show(failure, tail, restart=stuck)

    def mended(self, *, sent: bool = False) -> None:
        """The engine works again, or (``sent``) the user goes on: the card has had its time."""
        card = self._failure
        if card.failure is not None and self._stuck is not sent:
            had_focus = card.has_focus
            card.clear()
            if had_focus:
                self.set_focus(self.area.prompt)

    def follow(self) -> None:
        """What comes now is what the user waits for."""
        self._chat.action_follow()

    def show_notes(self, notes: "list[Note]") -> None:
        """Show what holds until it is done or taken back."""
        self._notes.show(notes)

    def marked_event(self, view: "SessionView") -> "EventRecord | None":
        """The event under the cursor of the chat or the events, if one of them has the focus."""
        match self.region_name:
            case "chat":
                item = self._chat.item_at_cursor()
                index = view.log.find(item.event_id) if item and item.event_id else None
            case "events":
                index = self._events.stream.index_at_cursor()
            case _:
                index = None
        return None if index is None else view.log[index]

    def filter_events(self, expression: str) -> None:
        """Show only the events that fit; an empty expression shows all. Raises FilterError."""
        self._events.filter(expression)

    def explain_filter(self) -> bool:
        """Show how a filter is written, if one is being written."""
        return self.filled and self._events.explain()

    def event_act(self, name: str, view: "SessionView") -> None:
        """Do something with the events or the marked one."""
        if self.region_name == "events":
            self._events.act(name, view)
            return

        def act() -> None:
            self.set_focus(self._events.stream)
            self._events.act(name, view)

        self.front("events")
        # What was on top gives the focus back when it goes.
        self.call_after_refresh(act)

    def shown_events(self) -> "list[EventRecord]":
        """The events that the filter lets through."""
        return list(self._events.shown())

    def go_to_event(self, event_id: str) -> None:
        """Put the cursor of the event stream on an event."""
        self._events.stream.go_to_event(event_id)

    def command_ended(self, done: "Done") -> None:
        """Tell the approvals what came of an answer."""
        self._approvals.ended(done)

    @property
    def approvals_panel(self) -> "Approvals":
        """The panel of what waits for a human."""
        return self._approvals

    def approval(self, name: str) -> None:
        """Do something with the marked ticket."""
        self._approvals.action_act(name)

    def open_ticket(self, call_id: str) -> None:
        """Bring the ticket of a call to the front."""
        self.enter("approvals")
        self._approvals.open_call(call_id)

    def refresh_keys(self, view: "SessionView", possible: set[str]) -> None:
        """Fill the footer with what works now."""
        place = self.region_name
        if place == "events" and isinstance(self.focused, Input):
            place = "filter" if self._events.writing_filter else "search"
        running = view.status.phase in ("running", "stopping")
        hints = footer_hints(
            place,
            running=running,
            unread=self.output.unread,
            open_tickets=len(view.tickets.open),
            possible=possible,
            own=self._approvals.hints() if place == "approvals" else (),
        )
        self._keys.show(hints)
        self.count_tabs(view)

    def on_chat_view_open_event(self, event: "ChatView.OpenEvent") -> None:
        """An item of the chat was opened."""
        self.post_message(OpenEvent(event.event_id))

    def on_chat_view_open_ticket(self, event: "ChatView.OpenTicket") -> None:
        """A ticket in the chat was opened."""
        self.open_ticket(event.call_id)

    def on_chat_view_copied(self) -> None:
        """An item of the chat was copied."""
        self.post_message(Tell("Copied."))

    def on_chat_view_show_event(self, event: "ChatView.ShowEvent") -> None:
        """From an item of the chat to its event."""
        self.enter("events")
        if not self._events.stream.go_to_event(event.event_id):
            self.post_message(Tell("The filter hides this event; F, then Esc shows all."))

    def on_events_pane_show_in_chat(self, event: "EventsPane.ShowInChat") -> None:
        """From an event to its item of the chat."""
        if self._chat.go_to_event(event.event_id):
            self.enter("chat")
        else:
            self.post_message(Tell("The chat has no item of its own for this event."))

    def on_event_stream_selected(self, event: "EventStream.Selected") -> None:
        """A row of the event stream was opened."""
        self.post_message(OpenEvent(event.stream.log_shown[event.index].id, event.index))

    def on_descendant_focus(self) -> None:
        """The keys that work depend on the focus."""
        self.post_message(Act("refresh_keys"))


def _identity(view: "SessionView") -> tuple[str, str]:
    return (view.session.id, view.session.user) if view.session else ("", "")
