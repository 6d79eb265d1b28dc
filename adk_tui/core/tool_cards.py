"""Tool calls paired with what came of them."""

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, replace

from adk_tui.core.answer_rules import NEEDS_CONFIRMATION
from adk_tui.core.chat_items import CardState, ToolCard, TransferLine
from adk_tui.core.chat_list import Slot
from adk_tui.core.chat_writer import ChatWriter
from adk_tui.core.records import Call, EventRecord, Response
from adk_tui.core.reports import ToolRun
from adk_tui.core.ticket_ledger import USER, Entry

MANY = 25
"""Calls of one tool within one turn of an agent after which that is worth a word."""
WATCHED = 256
"""For how many of the newest calls a measured run is still looked for."""

_TICKET_STATES: Mapping[str, CardState] = {
    "open": "waiting",
    "updated": "waiting",
    "invalid": "waiting",
    "final": "done",
    "stuck": "error",
    "aborted": "stopped",
    "superseded": "stopped",
    "withdrawn": "stopped",
}


@dataclass(slots=True, eq=False)
class _Place:
    slot: Slot
    invocation_id: str
    withdrawn: bool


class ToolCards:
    """The tool cards of a chat, found by their calls."""

    def __init__(self, chat: ChatWriter) -> None:
        self._chat = chat
        self._cards: dict[tuple[str, str], _Place] = {}
        self._running: dict[str, dict[int, _Place]] = {}
        self._watched: OrderedDict[str, _Place] = OrderedDict()
        self._last: dict[tuple[str, str, str], tuple[Call, int]] = {}
        self._by_id: dict[str, _Place] = {}
        self._counts: dict[tuple[str, str, str, str], int] = {}

    def add(self, event: EventRecord, call: Call, *, withdrawn: bool) -> None:
        """A call was made: its card."""
        lane = (event.invocation_id, event.author, event.branch)
        before = self._last.get(lane)
        same = before is not None and (before[0].name, before[0].args) == (call.name, call.args)
        self._count(event, call, withdrawn)
        repeats = before[1] + 1 if before is not None and same else 0
        self._last[lane] = (call, repeats)
        card = ToolCard(
            key=self._chat.key(event),
            event_id=event.id,
            withdrawn=withdrawn,
            author=event.author,
            branch=event.branch,
            call=call,
            started=event.timestamp,
            repeats=repeats,
        )
        place = _Place(self._chat.add(card), event.invocation_id, withdrawn)
        self._cards[event.invocation_id, _id(call)] = place
        self._note_running(place, card)
        if call.id:
            self._by_id[call.id] = place
            self._watched[call.id] = place
            self._watched.move_to_end(call.id)
            if len(self._watched) > WATCHED:
                self._watched.popitem(last=False)

    def _count(self, event: EventRecord, call: Call, withdrawn: bool) -> None:
        key = (event.invocation_id, event.author, event.branch, call.name)
        count = self._counts[key] = self._counts.get(key, 0) + 1
        if count > 1 and count % MANY == 1:
            words = f"{call.name} has been called {count - 1} times in this turn"
            text = f"{words}: it may go in circles. Esc stops the run."
            self._chat.line(event, text, withdrawn, "warning")

    def respond(self, event: EventRecord, response: Response, *, withdrawn: bool) -> bool:
        """A response came. Returns whether its card, or the call of a ticket, is here."""
        place = self._cards.get((event.invocation_id, _id(response)))
        if place is None:
            place = self._by_id.get(response.id) if event.author == USER else None
        if place is None:
            return False
        if withdrawn and not place.withdrawn:
            return True
        card = self._card(place)
        if card is None:
            return True
        asks = event.actions.requested_tool_confirmations
        asks_too = event.actions.requested_auth_configs
        if event.aborted:
            self._put(place, card, replace(card, state="stopped", ended=event.timestamp))
        elif response.id in asks or response.id in asks_too or _is_placeholder(response):
            self._put(place, card, replace(card, state="waiting"))
        else:
            done = replace(
                card,
                response=response,
                response_event_id=event.id,
                state="error" if _failed(response) else "done",
                ended=event.timestamp,
            )
            self._put(place, card, done)
        return True

    def transfer(self, event: EventRecord, response: Response, line: TransferLine) -> Slot | None:
        """A transfer call succeeded: the line takes the card's place. None if there is no card."""
        place = self._cards.pop((event.invocation_id, _id(response)), None)
        if place is None:
            return None
        self._forget_running(place)
        key = self._chat.get(place.slot).key
        self._chat.put(place.slot, replace(line, key=key))
        return place.slot

    def follow(self, entry: Entry) -> None:
        """A ticket changed: the card of its call, or of the call it holds back, follows."""
        ticket = entry.call
        own = self._cards.get((ticket.invocation_id, ticket.call_id))
        if own is not None and (card := self._card(own)) is not None:
            state = _TICKET_STATES[entry.state]
            if entry.state == "withdrawn" and entry.replies and not entry.replies[-1].progress:
                state = "done"
            if state == "done" and card.response is not None and _failed(card.response):
                state = "error"
            ended = 0.0 if state == "waiting" else card.ended
            self._put(own, card, replace(card, state=state, ended=ended))
        gated = self._cards.get((ticket.invocation_id, ticket.gated_id))
        if gated is None or gated.withdrawn != entry.withdrawn:
            return
        card = self._card(gated)
        if card is None or card.response is not None:
            return
        if entry.is_open:
            self._put(gated, card, replace(card, state="waiting"))
        elif entry.state == "final" and card.state == "waiting":
            self._put(gated, card, replace(card, state="running"))
        elif entry.state == "aborted":
            self._put(gated, card, replace(card, state="stopped"))

    def inner(self, call_id: str, *, pauses: bool) -> ToolCard | None:
        """An AgentTool's inner run made an event. Returns its card if that run now waits."""
        place = self._by_id.get(call_id)
        card = self._card(place) if place is not None else None
        if place is None or card is None:
            return None
        self._put(place, card, replace(card, inner=card.inner + 1))
        return card if pauses else None

    def end(
        self, state: CardState, *, of: EventRecord | None = None, but: str | None = None
    ) -> None:
        """Calls that still run will bring no response.

        ``of``: those of the same author, branch and invocation as this event,
        or of its whole invocation when it seals a stopped one. ``but``: those
        of all other invocations. Neither: all.
        """
        for invocation in list(self._running):
            if but is not None and invocation == but:
                continue
            if of is not None and invocation != of.invocation_id:
                continue
            for place in list(self._running[invocation].values()):
                card = self._card(place)
                if card is None:
                    continue
                if of is not None and not of.aborted and not _same_lane(card, of):
                    continue
                self._put(place, card, replace(card, state=state))

    def time(self, runs: Mapping[str, ToolRun]) -> None:
        """Take the times, and the failures, of the runs the engine has measured."""
        if not runs:
            return
        for call_id, place in list(self._watched.items()):
            run = runs.get(call_id)
            if run is None or run.invocation_id != place.invocation_id:
                continue
            card = self._card(place)
            if card is None:
                del self._watched[call_id]
                continue
            started, ended, state = run.started or card.started, card.ended, card.state
            if run.ended and state == "running" and run.error:
                state, ended = "error", run.ended
            elif run.ended and state in ("done", "error"):
                ended = run.ended
                del self._watched[call_id]
            if (started, ended, state) != (card.started, card.ended, card.state):
                timed = replace(card, started=started, ended=ended, state=state)
                self._put(place, card, timed)

    def _card(self, place: _Place) -> ToolCard | None:
        item = self._chat.get(place.slot)
        return item if isinstance(item, ToolCard) else None

    def _put(self, place: _Place, old: ToolCard, new: ToolCard) -> None:
        self._chat.put(place.slot, new)
        if (old.state == "running") != (new.state == "running"):
            if new.state == "running":
                self._note_running(place, new)
            else:
                self._forget_running(place)

    def _note_running(self, place: _Place, card: ToolCard) -> None:
        if card.state == "running":
            self._running.setdefault(place.invocation_id, {})[id(place)] = place

    def _forget_running(self, place: _Place) -> None:
        running = self._running.get(place.invocation_id)
        if running is not None:
            running.pop(id(place), None)
            if not running:
                del self._running[place.invocation_id]


def _id(part: Call | Response) -> str:
    # Some models give no ids; then only the name is left to pair by.
    return part.id or f"name:{part.name}"


def _failed(response: Response) -> bool:
    return bool(response.response.get("error"))


def _is_placeholder(response: Response) -> bool:
    return response.response.get("error") == NEEDS_CONFIRMATION


def _same_lane(card: ToolCard, event: EventRecord) -> bool:
    return card.author == event.author and card.branch == event.branch
