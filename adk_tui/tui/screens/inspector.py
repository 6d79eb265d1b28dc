"""Everything about one event: what it says, what the model saw for it, what it changed."""

import asyncio
import time
from bisect import bisect_left
from collections.abc import Sequence
from typing import ClassVar, TypeAlias

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Static

from adk_tui.core.requests import Found
from adk_tui.core.sanitize import line
from adk_tui.core.session import SessionView
from adk_tui.core.summary import kind_of, one_line
from adk_tui.tui.actions import BY_NAME, bindings, key_label
from adk_tui.tui.messages import Act, Tell
from adk_tui.tui.screens.inspector_taking import save_each, tab_data, tab_text
from adk_tui.tui.widgets.document_view import DocumentView
from adk_tui.tui.widgets.event_rows import clock
from adk_tui.tui.widgets.footer import Hint, KeyBar
from adk_tui.tui.widgets.inspector_pages import InspectorPage, InspectorResponse, InspectorTree
from adk_tui.tui.widgets.inspector_request import no_call, request_page
from adk_tui.tui.widgets.inspector_state import state_page
from adk_tui.tui.widgets.inspector_summary import Subject, summary_page
from adk_tui.tui.widgets.inspector_tabs import InspectorTabs
from adk_tui.tui.widgets.json_view import JsonView
from adk_tui.tui.widgets.page_view import Block, PageView
from adk_tui.tui.widgets.search_bar import SearchBar
from adk_tui.tui.widgets.text_lines import Line, wrap
from adk_tui.tui.widgets.waterfall import times_page

TABS = ("summary", "json", "request", "response", "state", "timing")
MUCH = 4_000
"""Events, or hundreds of bytes of a request, from which a thread makes the page of the request:
to find two thousand messages among twenty thousand events would hold up keys."""
LOOK = 0.5
"""Seconds between two looks whether what is shown has changed."""

_Told: TypeAlias = tuple[object, ...]


_EVERYWHERE = frozenset({"f1", "question_mark", "ctrl+p", "ctrl+c"})


class Inspector(Screen[int | None]):
    """Opened on an event of the log; returns the index of the event it was closed on."""

    CSS_PATH = "inspector.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings("inspector"),
        *(b for b in bindings("everywhere") if b.key in _EVERYWHERE),
    ]

    def __init__(self, view: SessionView, index: int, *, reveal: bool = False) -> None:
        super().__init__()
        self._source = view
        self._subject = Subject(view, index, reveal)
        self._tab = "summary"
        self._raw = False
        self._drawn: dict[str, _Told] = {}
        self._search = ""
        self._counted = (-1, -1)
        self._rows: list[int] = []

    def compose(self) -> ComposeResult:
        """Its parts, from top to bottom."""
        yield Static("", id="title", markup=False)
        yield InspectorTabs(id="tabs")
        with Vertical(id="pages"):
            yield InspectorPage(id="summary")
            yield InspectorTree(id="json")
            yield InspectorPage(id="request")
            yield InspectorTree(id="raw-request")
            yield InspectorResponse(id="response")
            yield InspectorPage(id="state")
            yield InspectorPage(id="timing")
        yield SearchBar(id="search")
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        """Show the summary; look from time to time whether a call has ended."""
        self._show_tab("summary")
        self.set_interval(LOOK, self._draw)

    @property
    def index(self) -> int:
        """The event that is looked at, as an index of the log."""
        return self._subject.index

    @property
    def place(self) -> str:
        """Where the event stands among those that j and k go through."""
        log, index = self._source.log, self._subject.index
        known = (log.generation, log.version)
        if known != self._counted:
            self._counted = known
            self._rows = [i for i in range(len(log)) if self._whole(i) == i]
        whole = self._whole(index)
        kind = "Event" if whole == index else "Piece of event"
        return f"{kind} {bisect_left(self._rows, whole) + 1} of {len(self._rows)}"

    def _whole(self, index: int) -> int:
        """The event that has all of a piece, or the event itself."""
        log = self._source.log
        closed = log.closed_by(index) if log[index].partial else None
        return index if closed is None else closed

    # Drawing

    def _page(self) -> Widget:
        name = "raw-request" if self._tab == "request" and self._raw else self._tab
        return self.query_one(f"#{name}")

    def _body(self) -> PageView | JsonView:
        page = self._page()
        if isinstance(page, (PageView, JsonView)):
            return page
        return page.query_one(JsonView)

    def _show_tab(self, tab: str) -> None:
        self._tab = tab
        page = self._page()
        for child in self.query_one("#pages").children:
            child.display = child is page
        self.query_one(InspectorTabs).show(tab)
        self._draw()
        self._body().focus()
        self._show_keys()

    def _situation(self) -> _Told:
        """What a page depends on besides the tab: when it is the same, nothing is drawn."""
        view, s = self._source, self._subject
        found = s.found()
        call = found.call if found else None
        running = sum(not c.ended for c in view.calls.values())
        closed = view.log.closed_by(s.index) if s.record.partial else None
        return (
            s.index,
            s.reveal,
            view.log.generation,
            view.log.rewinds,
            closed,
            call and (call.id, call.ended, len(view.calls), len(view.runs)),
            running,
            view.tickets.tickets if self._tab == "summary" else None,
        )

    def _draw(self) -> None:
        if self._subject.index >= len(self._source.log):
            # Another session was opened behind it.
            self.dismiss(None)
            return
        told = self._situation()
        if self._tab == "timing" and told[-2]:
            told = (*told, time.time())
        name = self._page().id or ""
        before = self._drawn.get(name)
        if before == told:
            return
        self._drawn[name] = told
        fresh = before is None or before[:1] != told[:1]
        self._draw_title()
        match self._tab:
            case "summary":
                self._pages("#summary", summary_page(self._subject), fresh)
            case "json":
                self.query_one("#json", JsonView).show(
                    self._subject.record.raw, revealed=self._subject.reveal
                )
            case "request":
                self._draw_request(fresh)
            case "response":
                self.query_one(InspectorResponse).show(self._subject)
            case "state":
                self._pages("#state", state_page(self._subject), fresh)
            case _:
                self._pages("#timing", times_page(self._source, self._subject.record), fresh)

    def _pages(self, where: str, blocks: Sequence[Block], fresh: bool) -> None:
        self.query_one(where, PageView).show(blocks, fresh=fresh)

    def _draw_title(self) -> None:
        record, log = self._subject.record, self._source.log
        said = one_line(record, 200, reveal=self._subject.reveal, log=log)
        self.query_one("#title", Static).update(
            Content.assemble(
                (self.place, "bold $primary"),
                (f"   {line(record.author, 32)}  {kind_of(record)}", "bold"),
                (f"   {clock(record.timestamp).strip()}", "$foreground 62%"),
                ("   SECRETS SHOWN" if self._subject.reveal else "", "bold $text-warning"),
                (f"   {said}", "$foreground 62%"),
            )
        )

    def _draw_request(self, fresh: bool) -> None:
        found = self._subject.found()
        if found is None:
            words = no_call(self._subject)
            self._pages(
                "#request", [Block("none", [], lambda w: wrap([(words, "")], w), fixed=True)], fresh
            )
            self.query_one("#raw-request", JsonView).show({"none": words})
        elif self._raw:
            self.query_one("#raw-request", JsonView).show(
                found.call.request or b"{}", revealed=self._subject.reveal
            )
        elif len(self._source.log) + len(found.call.request) // 100 < MUCH:
            self._pages("#request", request_page(self._subject, found), fresh)
        else:
            if fresh:
                head: Line = [("Comparing the request with the session …", "line--muted")]
                self._pages("#request", [Block("wait", head)], fresh)
            work = self._find_request(self._subject, found, fresh)
            self.run_worker(work, group="request", exclusive=True)

    async def _find_request(self, subject: Subject, found: Found, fresh: bool) -> None:
        try:
            blocks = await asyncio.to_thread(request_page, subject, found)
        except IndexError:
            # Another session was opened meanwhile.
            return
        if subject == self._subject:
            self._pages("#request", blocks, fresh)

    def on_resize(self) -> None:
        """The facts above the response are wrapped to the width."""
        self._drawn.pop("response", None)
        if self.is_mounted:
            self._draw()

    def _show_keys(self) -> None:
        names = ["copy_tab", "reveal", "find", "save_data"]
        if self._tab == "request":
            names.insert(0, "raw")
        hints = [Hint("1-6", "tabs", "next_tab")]
        tree = self._tab in ("json", "response") or (self._tab == "request" and self._raw)
        if tree:
            hints += [Hint("→ ←", "open, close", "key:right"), Hint("y", "value", "key:y")]
            hints.append(Hint("Y", "path", "key:Y"))
        elif not self._body_is_text():
            words = "go to event" if self._tab == "timing" else "open, fold"
            hints.append(Hint("Enter", words, "key:enter"))
        hints.append(Hint("Esc", "close", "back"))
        hints.append(Hint("k j", "other events", "next_event"))
        for name in names:
            action = BY_NAME[name]
            label = action.footer or action.title.lower()
            hints.append(Hint(key_label(action.keys[0]), label, name))
        self.query_one(KeyBar).show(hints)

    def _body_is_text(self) -> bool:
        body = self._body()
        return isinstance(body, PageView) and body.reading

    # What a person does

    def action_act(self, name: str) -> None:
        """A registered key was pressed."""
        action = BY_NAME[name]
        if action.where == "inspector":
            self.act(name)
        else:
            self.post_message(Act(name))

    def act(self, name: str) -> None:
        """Do one of the inspector's actions."""
        if name.startswith("tab_"):
            self._show_tab(name.removeprefix("tab_"))
            return
        match name:
            case "next_tab" | "last_tab":
                step = 1 if name == "next_tab" else -1
                self._show_tab(TABS[(TABS.index(self._tab) + step) % len(TABS)])
            case "next_event" | "last_event":
                self._go(1 if name == "next_event" else -1)
            case "find":
                self.query_one(SearchBar).ask(self._search)
            case "raw":
                if self._tab == "request":
                    self._raw = not self._raw
                self._show_tab("request")
            case "reveal":
                s = self._subject
                self._subject = Subject(s.view, s.index, not s.reveal)
                self._draw()
                self._show_keys()
            case "copy_tab":
                self._copy()
            case "save_data":
                self._save()
            case "to_counterpart":
                self._cross()
            case _:
                self.dismiss(self._subject.index)

    def _go(self, step: int) -> None:
        log, at = self._source.log, self._subject.index + step
        # Pieces of an answer that is there as a whole are passed over, as in the list.
        while 0 <= at < len(log) and self._whole(at) != at:
            at += step
        if 0 <= at < len(log):
            self._move(at)
        else:
            edge = "last" if step > 0 else "first"
            self.post_message(Tell(f"This is the {edge} event."))

    def _move(self, index: int) -> None:
        self._subject = Subject(self._source, index, self._subject.reveal)
        self._draw()

    def _cross(self) -> None:
        record, log = self._subject.record, self._source.log
        for part in (*record.calls, *record.responses):
            others = [at for at in log.by_call(part.id) if at != self._subject.index]
            if part.id and others:
                later = [at for at in others if at > self._subject.index]
                self._move((later or others)[0])
                return
        self.post_message(Tell("This event has neither a call nor a response to go to."))

    def _copy(self) -> None:
        if self._tab == "timing":
            text, what = self.query_one("#timing", PageView).page_text(), "The times as text"
        else:
            text, what = tab_text(self._tab, self._subject)
        if not text:
            self.post_message(Tell(f"There is no {self._tab} to copy.", warning=True))
            return
        self._body().copy(text)
        hidden = "" if self._subject.reveal else ", secrets masked"
        self.post_message(Tell(f"{what} copied{hidden}."))

    def _save(self) -> None:
        if data := tab_data(self._tab, self._subject):
            save_each(self, data, self._subject.index + 1)
        else:
            self.post_message(Tell("No images or other data in what is shown. c copies the text."))

    # What the parts say

    @on(SearchBar.Asked)
    def _asked(self, event: SearchBar.Asked) -> None:
        self._search = event.text
        body = self._body()
        body.search(event.text)
        body.focus()

    @on(DocumentView.Searched)
    def _searched(self, event: DocumentView.Searched) -> None:
        if not event.found:
            self.post_message(Tell(f"No {line(event.what, 60)} in this tab."))

    @on(PageView.Followed)
    def _followed(self, event: PageView.Followed) -> None:
        self._move(event.index)

    @on(JsonView.Copied)
    def _copied(self, event: JsonView.Copied) -> None:
        self.post_message(Tell(f"Copied the {event.kind}."))

    @on(InspectorTabs.Chosen)
    def _chosen(self, event: InspectorTabs.Chosen) -> None:
        self._show_tab(event.tab)
