"""Taking the wheel of the open session: who answers next, its state, and going back.

Everything here is one or two events appended by ADK's own means, and is
verified afterwards: what is told is what the store says then.
"""

from collections.abc import Sequence

from google.adk.errors import StaleSessionError
from google.adk.errors.session_not_found_error import SessionNotFoundError
from google.adk.events.event_actions import EventActions
from google.adk.runners import Runner

from adk_tui.core.agent_tree import Tree
from adk_tui.core.commands import ToolAnswer
from adk_tui.core.forced import forced_hops
from adk_tui.core.jsontools import JsonObject
from adk_tui.core.records import EventRecord
from adk_tui.core.reports import AgentNode
from adk_tui.core.rewind_preview import preview_rewind, state_then
from adk_tui.core.routing import active_task, next_agent, resuming_agent, transfer_targets
from adk_tui.core.state import scope_of
from adk_tui.core.state_check import fleeting
from adk_tui.core.tickets import read_tickets
from adk_tui.engine.failures import EngineError
from adk_tui.engine.gate import Gate
from adk_tui.engine.listing import records_of
from adk_tui.engine.session import Conversation, check_state


class Wheel:
    """Changes where the open session goes. Each method returns what came of it, in words."""

    def __init__(
        self, runner: Runner, conversation: Conversation, gate: Gate, root: AgentNode
    ) -> None:
        self.root = root
        self.resumable = False
        self._runner = runner
        self._conversation = conversation
        self._gate = gate

    async def _records(self) -> list[EventRecord]:
        return records_of((await self._conversation.whole()).events)

    async def transfer(self, agent: str) -> str:
        """Make ``agent`` answer next, and stay.

        Raises:
            EngineError: ``transfer.*``: there is no such agent, or it cannot hold
                the conversation; the message says why.
        """
        await self._conversation.catch_up()
        records = await self._records()
        targets = {t.agent: t for t in transfer_targets(self.root, records)}
        target = targets.get(agent)
        if target is None:
            names = ", ".join(t.agent for t in targets.values() if t.reachable)
            raise _unknown(agent, names)
        if target.active:
            return f"{agent} answers next already."
        if not target.reachable:
            raise EngineError(
                "transfer.unreachable",
                f"{agent} cannot take over the conversation: {target.reason}",
                "The agent tree shows who can. For one message only, anybody may be forced to.",
            )
        for author, hop in target.hops:
            event = await self._conversation.append(author, EventActions(transfer_to_agent=hop))
            records.extend(records_of([event]))
        route = next_agent(self.root, records, resumable=self.resumable)
        if route.agent != agent:
            raise EngineError(
                "transfer.failed",
                f"The transfer was stored, but {route.agent} answers next: {route.why}",
                "Rewind undoes it.",
            )
        return f"{agent} answers next: {route.why}{self._pulls_back(records, agent)}"

    def _pulls_back(self, records: Sequence[EventRecord], agent: str) -> str:
        """A warning of the open tickets whose answer moves the conversation elsewhere."""
        others = {
            ticket.name: route.agent
            for ticket in read_tickets(records)
            if ticket.is_open
            and (route := resuming_agent(self.root, records, ticket.call_id)).agent != agent
        }
        told = "; ".join(f"answering {name} brings {owner} back" for name, owner in others.items())
        return f" But {told}." if told else ""

    async def transfer_once(self, agent: str) -> str:
        """Let ``agent`` take the next message only; an empty name takes that back.

        Raises:
            EngineError: ``transfer.*``: nothing can make it; the message says why.
        """
        if not agent:
            forced, _ = self._gate.target, self._gate.arm("")
            return f"{forced} is no longer forced to answer." if forced else "Nobody was forced."
        await self._conversation.catch_up()
        records = await self._records()
        tree = Tree(self.root)
        if tree.find(agent) is None:
            raise _unknown(agent, ", ".join(node.name for node, _ in tree.order))
        active = next_agent(self.root, records, resumable=self.resumable).agent
        if active == agent:
            return f"{agent} answers next already."
        hops = forced_hops(tree, active, agent)
        why = ""
        if task := active_task(records):
            why = f"{task} works on a delegated task, and the next text is for that."
        elif self.root.kind == "Workflow":
            why = f"{self.root.name} is a workflow, which routes for itself."
        elif not hops:
            why = f"{active} answers next, and has no way to hand over to it."
        if why:
            raise EngineError(
                "transfer.unreachable",
                f"{agent} cannot be made to answer the next message: {why}",
                "The agent tree shows who can hand over.",
            )
        self._gate.arm(agent, hops)
        return f"{agent} is forced to answer the next message, in place of {active}."

    async def told_once(self) -> str:
        """What came of a forced turn, and who answers then; the gate is open again."""
        gate = self._gate
        agent, used, refused = gate.target, gate.used, gate.refused
        gate.arm("")
        if not used:
            return f"{agent} was not made to answer: {refused or 'no model was asked.'}"
        route = next_agent(self.root, await self._records(), resumable=self.resumable)
        return f"{agent} was made to answer; {route.agent} answers next: {route.why}"

    async def still_waits(self, answers: Sequence[ToolAnswer], session_id: str = "") -> None:
        """Keep an answer back whose ticket another process has closed in the meantime.

        ``session_id`` is where the answer belongs, empty for the open session:
        call ids may repeat from one session to another.

        Raises:
            EngineError: ``ticket.closed``: names what no longer waits;
                ``ticket.elsewhere``: another session is open by now.
        """
        if session_id and session_id != self._conversation.id:
            raise EngineError(
                "ticket.elsewhere",
                f"The answer belongs to the session {session_id}, which is no longer the open one;"
                " nothing was sent.",
                "Open that session and answer there.",
            )
        if not await self._conversation.catch_up():
            return
        waiting = {t.call_id for t in read_tickets(await self._records()) if t.is_open}
        closed = ", ".join(a.name for a in answers if a.call_id not in waiting)
        if closed:
            raise EngineError(
                "ticket.closed",
                f"Another process has answered {closed} in the meantime; nothing was sent.",
                "Its answer is in the history. Answer once more to send yours all the same.",
            )

    async def edit_state(self, delta: JsonObject) -> str:
        """Write ``delta`` as one event. Raises EngineError: what is refused, by key name."""
        check_state(delta)
        await self._conversation.catch_up()
        await self._write(delta)
        gone = ", ".join(fleeting(delta))
        return f"ADK does not store {gone}: temp: keys end with a turn." if gone else ""

    async def _write(self, delta: JsonObject) -> None:
        try:
            await self._conversation.append("user", EventActions(state_delta=dict(delta)))
        except (EngineError, StaleSessionError, SessionNotFoundError):
            raise
        except (TypeError, ValueError) as error:
            raise EngineError(
                "state.refused",
                f"The session service refused to store {', '.join(delta)}: {error}",
                "Nothing was written.",
            ) from error

    async def rewind(self, invocation_id: str) -> str:
        """Undo an invocation and everything after it.

        ADK forgets the state that the session was created with; it is written
        back as one event of its own.

        Raises:
            EngineError: ``rewind.unknown``: the session has no such invocation.
        """
        conversation = self._conversation
        await conversation.catch_up()
        records = await self._records()
        plan = preview_rewind(records, invocation_id, conversation.initial)
        if plan is None:
            raise EngineError(
                "rewind.unknown",
                f"This session has no invocation {invocation_id}.",
                "Choose a message of the open session.",
            )
        await self._runner.rewind_async(
            user_id=conversation.user,
            session_id=conversation.id,
            rewind_before_invocation_id=invocation_id,
        )
        state = (await conversation.whole()).state
        place = next(i for i, e in enumerate(records) if e.invocation_id == invocation_id)
        then = state_then(records, place, conversation.initial)
        lost = {
            key: then[key]
            for key in conversation.initial
            if scope_of(key) == "session"
            and then.get(key) is not None
            and state.get(key) != then[key]
        }
        if lost:
            await self._write(lost)
        messages = "1 message is" if plan.turns == 1 else f"{plan.turns} messages are"
        note = f"{messages} undone."
        return note + (f" Brought back what ADK forgot: {', '.join(lost)}." if lost else "")


def _unknown(agent: str, names: str) -> EngineError:
    return EngineError(
        "transfer.unknown", f"There is no agent {agent}.", f"Within reach: {names or 'none'}."
    )
