"""One telling of a session: each event becomes the chat items a person reads."""

from collections.abc import Mapping
from dataclasses import replace

from adk_tui.core.chat_items import (
    AgentText,
    ErrorCard,
    HumanAnswer,
    Mark,
    Thought,
    TicketMark,
    TransferLine,
    UserTurn,
)
from adk_tui.core.chat_list import Slot
from adk_tui.core.chat_pieces import Blobs, is_speech, mark_of, pieces_of
from adk_tui.core.chat_writer import ChatWriter
from adk_tui.core.oddities import error_hint, rejected_tool_problem, state_line, unusual_finish
from adk_tui.core.records import (
    REQUEST_NAMES,
    Blob,
    Call,
    Code,
    EventRecord,
    OtherPart,
    Part,
    Response,
    Text,
)
from adk_tui.core.reports import Failure, ToolRun
from adk_tui.core.streaming import Streams, as_closed
from adk_tui.core.ticket_ledger import USER, Entry, Ledger
from adk_tui.core.tool_cards import ToolCards

TRANSFER_TOOL = "transfer_to_agent"
AGENT_TOOL_GAVE_UP = "stopped waiting on unresolved long-running tool call"


class Telling:
    """One telling of a session, from its first event on."""

    def __init__(self) -> None:
        self.chat = ChatWriter()
        self._streams = Streams(self.chat)
        self._cards = ToolCards(self.chat)
        self._ledger = Ledger()
        self._marks: dict[str, Slot] = {}
        self._lost: set[str] = set()
        self._stopped: set[str] = set()
        self._turns: list[bool] = []
        """For each user turn, whether no rewind told so far has undone it."""
        self._turns_before: dict[str, int] = {}
        self._told_error: Slot | None = None
        self._errors: dict[str, Slot] = {}
        """Error cards by their event; those whose failure is told already are gone."""
        self._transfers: dict[str, tuple[Slot, str]] = {}
        """Transfers that a model asked for, by invocation, until something came of them."""
        self._alarms: dict[str, tuple[Slot, EventRecord, Response]] = {}

    def take(self, event: EventRecord, *, withdrawn: bool) -> None:
        """Take in the next event of the log."""
        if event.inner_of:
            self._inner(event, withdrawn)
            return
        self._follow_transfer(event)
        if event.partial:
            self._streams.add(event, withdrawn=withdrawn)
            return
        if event.invocation_id:
            self._turns_before.setdefault(event.invocation_id, len(self._turns))
            self._streams.end("interrupted", but=event.invocation_id)
            self._cards.end("stopped", but=event.invocation_id)
        touched = self._ledger.feed(event, withdrawn=withdrawn)
        if event.actions.rewind_before_invocation_id:
            self._rewound(event, withdrawn)
        elif event.actions.compaction:
            text = "Older turns were summarised for the model (compaction)."
            self.chat.line(event, text, withdrawn)
        elif event.author == USER and not event.node_path:
            self._user(event, withdrawn)
        else:
            self._agent(event, withdrawn)
        for entry in touched:
            self._cards.follow(entry)
            self._forget_mark(entry)
            self._call_off(entry)

    def finish(
        self, runs: Mapping[str, ToolRun], failures: Mapping[str, Failure], *, idle: bool
    ) -> None:
        """Bring the items up to date after a batch of events."""
        for event_id in [i for i in self._errors if i in failures]:
            self._explain(self._errors.pop(event_id), failures[event_id])
        if idle:
            for slot, _ in self._transfers.values():
                self._mark_transfer(slot, unanswered=True)
            self._streams.end("interrupted")
            self._cards.end("stopped")
        self._streams.flush()
        self._cards.time(runs)

    # What the user does.

    def _user(self, event: EventRecord, withdrawn: bool) -> None:
        blobs = tuple(p for p in event.parts if isinstance(p, Blob))
        for response in event.responses:
            self._human_answer(event, response, withdrawn)
        for call in event.calls:
            self._call(event, call, withdrawn)
        text = event.text or event.input_transcription
        if text or blobs:
            turn = UserTurn(
                key=self.chat.key(event),
                event_id=event.id,
                withdrawn=withdrawn,
                text=text,
                attachments=blobs,
                invocation_id=event.invocation_id,
            )
            self.chat.add(turn)
            self._turns.append(True)
        elif event.actions.state_delta and not event.responses:
            self.chat.line(event, state_line(event.actions.state_delta), withdrawn, "info")
        self._actions(event, withdrawn)
        self._error(event, withdrawn)

    def _human_answer(self, event: EventRecord, response: Response, withdrawn: bool) -> None:
        entry = self._ledger.find(event.invocation_id, response.id)
        reply = entry.replies[-1] if entry is not None and entry.replies else None
        secret = entry is not None and entry.call.kind == "credential"
        answer = HumanAnswer(
            key=self.chat.key(event),
            event_id=event.id,
            withdrawn=withdrawn,
            call_id=response.id,
            name=entry.call.name if entry is not None else response.name,
            response={"credential": "given"} if secret else response.response,
            progress=reply.progress if reply is not None else False,
            problem=reply.problem if reply is not None else "",
            policy=event.policy,
        )
        self.chat.add(answer)
        self._cards.respond(event, response, withdrawn=withdrawn)

    # What agents do.

    def _agent(self, event: EventRecord, withdrawn: bool) -> None:
        places = self._streams.close(event, withdrawn=withdrawn)
        if event.aborted:
            self._sealed(event, withdrawn)
            return
        if event.parts:
            self._streams.end_lane(event)
        before = len(self.chat.items)
        pieces = pieces_of(event.parts)
        if not event.parts and event.output_transcription:
            pieces = [Text(event.output_transcription)]
        last_text = max((i for i, p in enumerate(pieces) if is_speech(p)), default=-1)
        for number, piece in enumerate(pieces):
            if isinstance(piece, Text):
                mark = mark_of(event) if number == last_text else ""
                self._text(event, piece, mark, places, withdrawn)
            else:
                self._part(event, piece, withdrawn)
        for thought, slot in places:
            # What was streamed and is not in the final event was taken back;
            # thoughts stay, since some models do not repeat them.
            if not thought and last_text >= 0:
                self.chat.remove(slot)
            else:
                self._close_place(slot, withdrawn)
        self._actions(event, withdrawn)
        self._error(event, withdrawn, cut=last_text >= 0 and mark_of(event) == "cut")
        if event.has_output and not event.parts:
            self.chat.output(event, withdrawn)
        if event.interrupted and not event.parts:
            self._interrupted(event, withdrawn)
        self._odd(event, withdrawn, silent=len(self.chat.items) == before and last_text < 0)

    def _interrupted(self, event: EventRecord, withdrawn: bool) -> None:
        """A live answer that its user cut off: the news of it may come without the words."""
        self._streams.end_lane(event)
        self._streams.flush()
        last = self.chat.items[-1] if self.chat.items else None
        if isinstance(last, AgentText) and (last.author, last.branch) == (
            event.author,
            event.branch,
        ):
            self.chat.put(Slot(len(self.chat.items) - 1), replace(last, mark="interrupted"))
        else:
            self.chat.line(event, f"{event.author} was interrupted.", withdrawn)

    def _close_place(self, slot: Slot, withdrawn: bool) -> None:
        item = self.chat.get(slot)
        if isinstance(item, (AgentText, Thought)):
            mark = item.mark if isinstance(item, AgentText) else ""
            self.chat.put(slot, as_closed(item, item.text, mark, withdrawn=withdrawn))

    def _text(
        self,
        event: EventRecord,
        part: Text,
        mark: Mark,
        places: list[tuple[bool, Slot]],
        withdrawn: bool,
    ) -> None:
        if not part.text.strip():
            return
        found = next((p for p in places if p[0] == part.thought), None)
        if found is not None:
            places.remove(found)
            item = self.chat.get(found[1])
            if isinstance(item, (AgentText, Thought)):
                self.chat.put(found[1], as_closed(item, part.text, mark, withdrawn=withdrawn))
            return
        self.chat.speech(event, part, mark, withdrawn)

    def _part(self, event: EventRecord, part: "Part | Blobs", withdrawn: bool) -> None:
        match part:
            case Call():
                self._call(event, part, withdrawn)
            case Response():
                self._response(event, part, withdrawn)
            case Code():
                self.chat.code(event, part, withdrawn)
            case tuple():
                self.chat.blobs(event, part, withdrawn)
            case OtherPart():
                self.chat.line(
                    event, f"A part of an unknown kind: {', '.join(part.keys)}", withdrawn
                )
            case _:
                pass

    def _call(self, event: EventRecord, call: Call, withdrawn: bool) -> None:
        if call.name not in REQUEST_NAMES:
            self._cards.add(event, call, withdrawn=withdrawn)
        entry = self._ledger.find(event.invocation_id, call.id)
        if entry is not None and entry.call.event_id == event.id:
            mark = TicketMark(
                key=self.chat.key(event),
                event_id=event.id,
                withdrawn=withdrawn,
                ticket_call_id=call.id,
                name=entry.call.name,
            )
            self._marks[entry.call.key] = self.chat.add(mark)

    def _response(self, event: EventRecord, response: Response, withdrawn: bool) -> None:
        target = event.actions.transfer_to_agent
        if target and response.name == TRANSFER_TOOL:
            line = self.chat.transfer_line(event, withdrawn)
            slot = self._cards.transfer(event, response, line) or self.chat.add(line)
            self._transfers[event.invocation_id] = (slot, target)
            return
        known = self._cards.respond(event, response, withdrawn=withdrawn)
        if not known and self._ledger.find(event.invocation_id, response.id) is None:
            text = f"A response of {response.name} came for a call that is not in this session."
            self.chat.line(event, text, withdrawn, "warning")
        if AGENT_TOOL_GAVE_UP in str(response.response.get("result", "")):
            self._lost_pause(event, response.id, response.name, withdrawn)
        gate = self._ledger.gate_of(event.invocation_id, response.id)
        problem = rejected_tool_problem(gate, event, response) if gate is not None else ""
        if problem and gate is not None:
            hint = "Check what the tool did, then tell the agent's author."
            slot = self.chat.error(event, "tool.unapproved", problem, hint, withdrawn)
            if slot is not None:
                self._alarms[gate.call.key] = (slot, event, response)

    def _actions(self, event: EventRecord, withdrawn: bool) -> None:
        actions = event.actions
        called = any(r.name == TRANSFER_TOOL for r in event.responses)
        if actions.transfer_to_agent and not called:
            self.chat.add(self.chat.transfer_line(event, withdrawn))
        if actions.escalate:
            self.chat.line(
                event, f"{event.author} escalated: the loop ends here.", withdrawn, "info"
            )
        for name, version in actions.artifact_delta.items():
            self.chat.line(event, f"Artifact saved: {name} (version {version})", withdrawn, "info")
        if actions.render_ui_widgets:
            self.chat.line(event, f"Widgets to render: {actions.render_ui_widgets}", withdrawn)
        if event.sources:
            self.chat.line(event, f"Sources: {event.sources}", withdrawn)

    # What goes wrong or is out of the ordinary.

    def _sealed(self, event: EventRecord, withdrawn: bool) -> None:
        for response in event.responses:
            self._cards.respond(event, response, withdrawn=withdrawn)
        self._streams.end("stopped", invocation=event.invocation_id)
        self._cards.end("stopped", of=event)
        if event.invocation_id not in self._stopped:
            self._stopped.add(event.invocation_id)
            self.chat.line(event, "Stopped.", withdrawn)

    def _error(self, event: EventRecord, withdrawn: bool, *, cut: bool = False) -> None:
        if not (event.error_code or event.error_message) or cut:
            return
        slot = self.chat.error(
            event,
            event.error_code,
            event.error_message,
            error_hint(event.error_code, event.error_message),
            withdrawn,
        )
        self._told_error = slot or self._told_error
        if event.id and self._told_error is not None:
            self._errors[event.id] = self._told_error
        if not event.parts:
            self._streams.end_lane(event)
            self._cards.end("error", of=event)

    def _explain(self, slot: Slot, failure: Failure) -> None:
        card = self.chat.get(slot)
        if isinstance(card, ErrorCard):
            told = replace(
                card,
                message=failure.message,
                hint=failure.hint,
                place=f"{failure.file}:{failure.line}" if failure.file else "",
                details=failure.details,
            )
            self.chat.put(slot, told)

    def _follow_transfer(self, event: EventRecord) -> None:
        slot, target = self._transfers.get(event.invocation_id, (None, ""))
        if slot is not None and event.author == target:
            del self._transfers[event.invocation_id]
            self._mark_transfer(slot, unanswered=False)

    def _mark_transfer(self, slot: Slot, *, unanswered: bool) -> None:
        line = self.chat.get(slot)
        if isinstance(line, TransferLine):
            self.chat.put(slot, replace(line, unanswered=unanswered))

    def _odd(self, event: EventRecord, withdrawn: bool, *, silent: bool) -> None:
        if "not a JSON object" in event.problems:
            self.chat.line(event, "An event that cannot be read.", withdrawn, "warning")
            return
        ghosts = set(event.long_running_tool_ids) - {c.id for c in event.calls}
        for ghost in sorted(ghosts):
            text = f"Long-running id {ghost} has no call, so there is nothing to answer."
            self.chat.line(event, text, withdrawn)
        if text := unusual_finish(event, silent=silent):
            self.chat.line(event, text, withdrawn, "warning")

    def _inner(self, event: EventRecord, withdrawn: bool) -> None:
        if event.partial:
            return
        pauses = bool(event.long_running_tool_ids)
        card = self._cards.inner(event.inner_of, pauses=pauses)
        if card is not None:
            self._lost_pause(event, event.inner_of, card.call.name, withdrawn)

    def _lost_pause(self, event: EventRecord, call_id: str, name: str, withdrawn: bool) -> None:
        if call_id in self._lost:
            return
        self._lost.add(call_id)
        text = (
            f"{name} paused for a human inside an AgentTool, which cannot wait: nobody can answer "
            "it. Make it a sub-agent, or give it mode='single_turn'."
        )
        self.chat.line(event, text, withdrawn, "warning")

    def _rewound(self, event: EventRecord, withdrawn: bool) -> None:
        start = self._turns_before.get(event.actions.rewind_before_invocation_id)
        if start is None:
            start = len(self._turns)
        count = sum(self._turns[start:])
        self._turns[start:] = [False] * (len(self._turns) - start)
        what = "1 turn" if count == 1 else f"{count} turns"
        self.chat.line(event, f"Rewound: {what} withdrawn.", withdrawn, "info")

    def _forget_mark(self, entry: Entry) -> None:
        # A call whose tool has itself said that it is done waits for nobody.
        own = entry.state == "final" and all(r.author != USER for r in entry.replies)
        slot = self._marks.pop(entry.call.key, None) if own else None
        if slot is not None:
            self.chat.remove(slot)

    def _call_off(self, entry: Entry) -> None:
        # The answer was given in time, but its event came late.
        alarm = self._alarms.get(entry.call.key)
        if alarm is None or not entry.replies:
            return
        slot, event, response = alarm
        in_time = entry.replies[-1].timestamp <= event.timestamp
        if in_time and not rejected_tool_problem(entry, event, response):
            del self._alarms[entry.call.key]
            self.chat.remove(slot)
