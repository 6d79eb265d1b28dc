"""The ticket rule, one event at a time.

ADK writes every kind of pause in one shape: a function call whose id stands in
``Event.long_running_tool_ids``. Its own index of open interrupts
(``events/_interrupts.py``) is internal and not enough for a client: it takes a
progress report for the answer, keeps aborted and rewound tickets open, closes
invalid answers, and knows only one ticket per id. This rule was checked over
recorded sessions of ADK 2.13 and every prefix of them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from adk_tui.core.answer_rules import (
    is_explicitly_final,
    is_progress,
    read_confirmation,
    schema_problem,
)
from adk_tui.core.jsontools import JsonObject, as_list, as_object, as_text, pick
from adk_tui.core.records import (
    REQUEST_CONFIRMATION,
    REQUEST_CREDENTIAL,
    REQUEST_INPUT,
    REQUEST_NAMES,
    Call,
    EventRecord,
    Response,
)
from adk_tui.core.ticket import Reply, Ticket, TicketState

NODE_CONFIRMATION_PREFIX = "wf_tool_confirmation:"
USER = "user"
NODE_KINDS = frozenset({"input", "node_confirmation"})

NO_ID = "The call has no id, so ADK cannot take an answer to it."
NEWER_CALL = "A later call has the same id, and ADK gives every answer to the newest one."
GATED = "Its tool has not run yet: answer the request for {what} first."


@dataclass(slots=True)
class Entry:
    """A ticket while its life is being told."""

    call: Ticket
    withdrawn: bool
    state: TicketState = "open"
    replies: list[Reply] = field(default_factory=list[Reply])
    shown: Ticket | None = None

    @property
    def is_open(self) -> bool:
        """Whether it still waits for a human."""
        return self.state in ("open", "updated", "invalid")


class Ledger:
    """All tickets of a session, fed event by event in the order of the log."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self._by_id: dict[str, list[Entry]] = {}
        self._by_call: dict[tuple[str, str], list[Entry]] = {}
        self._gates: dict[tuple[str, str], Entry] = {}
        self._calls: dict[tuple[str, str], Call] = {}
        self._newest: dict[str, str] = {}
        self._stale: set[str] = set()

    def feed(self, event: EventRecord, *, withdrawn: bool = False) -> list[Entry]:
        """Take in one event; the tickets it opened or changed.

        Partials and events of inner runs never make or touch a ticket. An
        event that a rewind has undone tells of withdrawn tickets only.
        """
        if event.partial or event.inner_of:
            return []
        touched: list[Entry] = []
        for part in event.parts:
            if isinstance(part, Response) and part.id:
                touched += self._answer(event, part, withdrawn)
            elif isinstance(part, Call):
                touched += self._call(event, part, withdrawn)
        for call_id in event.actions.requested_auth_configs:
            touched += self._ask_again(event, call_id, withdrawn)
        for entry in touched:
            self._stale.add(entry.call.call_id)
            self._stale.add(entry.call.gated_id)
        return touched

    def find(self, invocation_id: str, call_id: str) -> Entry | None:
        """The newest ticket with that call id in that invocation."""
        found = self._by_call.get((invocation_id, call_id))
        return found[-1] if found else None

    def gate_of(self, invocation_id: str, call_id: str) -> Entry | None:
        """The newest confirmation or credential request that holds this call back."""
        return self._gates.get((invocation_id, call_id))

    @property
    def ids(self) -> set[str]:
        """The ids of all calls that are tickets or are held back by one."""
        return {*self._by_id, *(call_id for _, call_id in self._gates)}

    def know_calls(self, other: "Ledger") -> None:
        """Know the calls of another ledger as well, which concern no ticket yet."""
        self._calls = {**other._calls, **self._calls}
        self._newest = {**other._newest, **self._newest}

    def show(self) -> bool:
        """Bring ``Entry.shown`` up to date where events since the last time touched it.

        Returns whether any event did.
        """
        stale = bool(self._stale)
        for call_id in self._stale:
            entries = self._by_id.get(call_id, ())
            waiting = sum(e.is_open for e in entries)
            for entry in entries:
                entry.shown = replace(
                    entry.call,
                    state=entry.state,
                    replies=tuple(entry.replies),
                    duplicate_id=entry.is_open and waiting > 1,
                    dead=self._dead(entry) if entry.is_open else "",
                )
        self._stale.clear()
        return stale

    def _call(self, event: EventRecord, call: Call, withdrawn: bool) -> list[Entry]:
        place = (event.invocation_id, call.id)
        if call.id:
            self._calls[place] = call
            if not withdrawn:
                self._newest[call.id] = event.invocation_id
            if call.id in self._by_id:
                self._stale.add(call.id)
        if call.name not in REQUEST_NAMES and call.id not in event.long_running_tool_ids:
            return []
        same_id = self._by_id.setdefault(call.id, [])
        key = f"{call.id}#{len(same_id) + 1}"
        gated = self._calls.get((event.invocation_id, gated_call_id(call)))
        entry = Entry(read_call(event, call, key, gated), withdrawn)
        touched = [entry]
        if withdrawn:
            entry.state = "withdrawn"
        elif entry.call.kind in NODE_KINDS:
            for earlier in reversed(same_id):
                if not (earlier.is_open or earlier.state == "stuck"):
                    break
                earlier.state = "superseded"
                touched.append(earlier)
        same_id.append(entry)
        self._by_call.setdefault(place, []).append(entry)
        self.entries.append(entry)
        if entry.call.gated_id:
            self._gates[event.invocation_id, entry.call.gated_id] = entry
        return touched

    def _answer(self, event: EventRecord, response: Response, withdrawn: bool) -> list[Entry]:
        touched = self._meant(event, response.id, withdrawn)
        for entry in touched:
            if event.aborted:
                if entry.is_open or entry.state == "stuck":
                    entry.state = "aborted"
                continue
            reply, state = _judge(entry, event, response)
            entry.replies.append(reply)
            if not withdrawn:
                entry.state = state
        return touched

    def _meant(self, event: EventRecord, call_id: str, withdrawn: bool) -> list[Entry]:
        # An answer is stored under the invocation of its call. ADK finds that by
        # the newest call with the id, and so does this where a session was not
        # written by ADK's runner.
        place = (event.invocation_id, call_id)
        candidates = self._by_call.get(place)
        if candidates is None and event.author == USER and place not in self._calls:
            candidates = self._by_id.get(call_id)
        if not candidates:
            return []
        meant: list[Entry] = []
        for entry in reversed(candidates):
            if entry.withdrawn != withdrawn:
                continue
            # One id twice in one invocation is one question to ADK.
            same = not meant or entry.call.invocation_id == meant[0].call.invocation_id
            if meant and not (same and entry.is_open):
                break
            meant.append(entry)
        return meant

    def _ask_again(self, event: EventRecord, call_id: str, withdrawn: bool) -> list[Entry]:
        # A credential that did not help is asked for again without a new call.
        gate = self.gate_of(event.invocation_id, call_id)
        if gate is None or gate.call.kind != "credential" or gate.withdrawn or withdrawn:
            return []
        if gate.state != "final":
            return []
        gate.state = "invalid"
        last = gate.replies[-1]
        gate.replies[-1] = replace(last, problem="the tool asked for the credential again")
        return [gate]

    def _dead(self, entry: Entry) -> str:
        call = entry.call
        if not call.call_id:
            return NO_ID
        if self._newest.get(call.call_id) != call.invocation_id:
            return NEWER_CALL
        gate = self.gate_of(call.invocation_id, call.call_id)
        if gate is not None and gate is not entry and gate.is_open:
            return GATED.format(what=gate.call.kind)
        return ""


def _judge(entry: Entry, event: EventRecord, response: Response) -> tuple[Reply, TicketState]:
    """The reply, and the state of the ticket after it."""
    kind = entry.call.kind
    state = entry.state
    progress = False
    problem = ""
    if event.author != USER:
        progress = not is_explicitly_final(response)
        if state in ("open", "updated") and not progress and kind in ("long_running", "choice"):
            state = "final"
    elif kind == "confirmation":
        problem = read_confirmation(response.response)[1]
        if state != "final":
            state = "invalid" if problem else "final"
    elif kind in NODE_KINDS:
        problem = schema_problem(response.response, entry.call.schema)
        # ADK stores an answer before it checks it, and checks all stored
        # answers again each time the invocation goes on.
        if problem or state == "stuck":
            state = "stuck"
        elif state != "superseded":
            state = "final"
    elif kind == "credential":
        state = "final"
    else:
        progress = is_progress(response)
        if state != "final":
            state = "updated" if progress else "final"
    policy = event.policy if event.author == USER else ""
    reply = Reply(
        event.id, event.timestamp, event.author, response.response, progress, problem, policy
    )
    return reply, state


def gated_call_id(call: Call) -> str:
    """The id of the call that a confirmation or credential request holds back, else empty."""
    match call.name:
        case str(name) if name == REQUEST_CONFIRMATION:
            return as_text(as_object(pick(call.args, "originalFunctionCall")).get("id"))
        case str(name) if name == REQUEST_CREDENTIAL:
            return as_text(pick(call.args, "functionCallId"))
        case _:
            return ""


def read_call(event: EventRecord, call: Call, key: str, gated: Call | None) -> Ticket:
    """The ticket that a call opens. ``gated`` is the call it holds back, where known."""
    base = Ticket(
        key=key,
        call_id=call.id,
        invocation_id=event.invocation_id,
        event_id=event.id,
        kind="long_running",
        state="open",
        name=call.name,
        function_name=call.name,
        agent=event.author,
        branch=event.branch,
        opened=event.timestamp,
        args=call.args,
        gated_id=gated_call_id(call),
    )
    args = call.args
    match call.name:
        case str(name) if name == REQUEST_CONFIRMATION:
            original = as_object(pick(args, "originalFunctionCall"))
            asked = as_object(pick(args, "toolConfirmation"))
            return replace(
                base,
                kind="confirmation",
                name=as_text(original.get("name")) or call.name,
                args=as_object(original.get("args")),
                message=as_text(asked.get("hint")),
                payload=_payload(asked.get("payload")),
                bare_payload=not isinstance(asked.get("payload"), (Mapping, type(None))),
            )
        case str(name) if name == REQUEST_CREDENTIAL:
            auth = as_object(pick(args, "authConfig"))
            return replace(
                base,
                kind="credential",
                name=gated.name if gated else call.name,
                args=gated.args if gated else {},
                message=as_text(as_object(pick(auth, "authScheme")).get("description")),
                auth=auth,
            )
        case str(name) if name == REQUEST_INPUT:
            return _read_input(base, event, args)
        case "get_user_choice":
            options = tuple(as_text(o) for o in as_list(args.get("options")))
            return replace(
                base, kind="choice", options=options, message=as_text(args.get("message"))
            )
        case _:
            return base


def _read_input(base: Ticket, event: EventRecord, args: JsonObject) -> Ticket:
    schema = pick(args, "responseSchema")
    asked = replace(
        base,
        kind="input",
        name=_node_name(event) if pick(args, "interruptId") else base.name,
        message=as_text(args.get("message")),
        schema=as_object(schema) or None,
        payload=_payload(args.get("payload")),
    )
    if not base.call_id.startswith(NODE_CONFIRMATION_PREFIX):
        return asked
    gated = as_object(args.get("payload"))
    return replace(
        asked,
        kind="node_confirmation",
        name=as_text(pick(gated, "toolName")) or asked.name,
        args=as_object(gated.get("args")),
        payload=_payload(pick(gated, "confirmationPayload")),
    )


def _node_name(event: EventRecord) -> str:
    """The name of the workflow node that asks: ``wf@1/ask@1`` is ``ask``."""
    return event.node_path.rsplit("/", 1)[-1].split("@", 1)[0] or event.author


def _payload(value: object) -> JsonObject | None:
    if value is None:
        return None
    found = as_object(value)
    return found if found or value == {} else {"value": value}
