"""What an answer to a ticket will do, told before it is given.

Each sentence is a fact of google-adk 2.13 that was seen by running it; none
promises what the model or the tool will make of the answer.
"""

from collections.abc import Iterable, Sequence

from adk_tui.core.agent_tree import Tree
from adk_tui.core.records import EventRecord
from adk_tui.core.reports import AgentNode
from adk_tui.core.rewinds import live
from adk_tui.core.routing import USER, resuming_agent
from adk_tui.core.ticket import Ticket
from adk_tui.core.tickets import read_tickets


def siblings(ticket: Ticket, tickets: Iterable[Ticket]) -> tuple[Ticket, ...]:
    """The other open tickets of the same invocation: one message may answer all of them."""
    return tuple(
        t
        for t in tickets
        if t.is_open and t.invocation_id == ticket.invocation_id and t.key != ticket.key
    )


def awaited_with(
    ticket: Ticket, tickets: Iterable[Ticket], events: Sequence[EventRecord]
) -> tuple[Ticket, ...]:
    """The open tickets whose calls stand beside this one and have had no response at all.

    A resumable app waits for all of them. One that is not calls the model with
    calls that have no response, which Gemini may refuse.
    """
    responded: set[tuple[str, str]] = set()
    together: set[str] = set()
    for event in live(events):
        for response in event.responses:
            responded.add((event.invocation_id, response.id))
        if event.id == ticket.event_id and event.invocation_id == ticket.invocation_id:
            together |= {c.id for c in event.calls}
    return tuple(
        t
        for t in siblings(ticket, tickets)
        if t.call_id in together and (t.invocation_id, t.call_id) not in responded
    )


def consequences(
    ticket: Ticket, tree: AgentNode, events: Sequence[EventRecord], resumable: bool
) -> tuple[str, ...]:
    """What answering this ticket now will do: sentences for a person, the weightiest first.

    ``events`` is the session, oldest first. Plain sentences with names from
    the agent in them: whoever draws them sanitizes.
    """
    if ticket.dead:
        return (ticket.dead,)
    tickets = read_tickets(events)
    told: list[str] = []
    if ticket.state == "stuck":
        return (
            "An earlier answer broke the schema, and ADK reads it again each time: "
            "no answer helps any more. Rewind this turn.",
        )
    if not ticket.is_open:
        told.append("It has been answered. Another answer is accepted, and the last one counts.")
    if ticket.duplicate_id:
        told.append(
            f"Another open ticket has the id {ticket.call_id}: the answer goes to the newest call."
        )
    told += _unpaired(ticket, tickets, events, resumable)
    told += _sequence(ticket, Tree(tree), resumable)
    told.append(_resumes(ticket, tree, events))
    told += _hidden_text(ticket, events)
    told.append(
        "The app is resumable: the run goes on where it paused."
        if resumable
        else "The app is not resumable: the answer starts a new run."
    )
    return tuple(told)


def _unpaired(
    ticket: Ticket, tickets: Sequence[Ticket], events: Sequence[EventRecord], resumable: bool
) -> list[str]:
    others = awaited_with(ticket, tickets, events)
    if not others:
        return []
    names = ", ".join(dict.fromkeys(t.name for t in others))
    rest = still_waiting(len(others))
    gates = ticket.kind in ("confirmation", "credential")
    if resumable and gates:
        return [f"{ticket.name} is dealt with at once; the model is asked once {rest}: {names}."]
    if resumable:
        return [f"The answer is recorded; the run goes on once {rest}: {names}."]
    if gates or ticket.kind in ("input", "node_confirmation"):
        return []
    return [
        f"{names} has no response yet, and the model will see a call without one, which it may "
        "refuse. Hold this answer and send all of them together."
    ]


def still_waiting(count: int) -> str:
    """How many other tickets an invocation waits for, in words."""
    return "1 other is answered too" if count == 1 else f"{count} others are answered too"


def _sequence(ticket: Ticket, tree: Tree, resumable: bool) -> list[str]:
    agent = tree.find(ticket.agent)
    if resumable or agent is None:
        return []
    for inner in tree.chain(agent):
        outer = tree.parent(inner)
        if outer is None or outer.kind not in ("SequentialAgent", "LoopAgent"):
            continue
        place = next((i for i, c in enumerate(outer.children) if c is inner), -1)
        later = [c.name for c in outer.children[place + 1 :]]
        if outer.kind == "LoopAgent":
            return [f"The loop {outer.name} will not go on: the app is not resumable."]
        if later:
            return [
                f"The later steps of {outer.name} will not run ({', '.join(later)}): "
                "the app is not resumable."
            ]
    return []


def _resumes(ticket: Ticket, tree: AgentNode, events: Sequence[EventRecord]) -> str:
    agent = resuming_agent(tree, events, ticket.call_id).agent
    if tree.kind == "Workflow":
        return f"{agent} goes on at the node that waits."
    node = Tree(tree).find(agent)
    if node is not None and node is not tree and Tree(tree).barrier(node) is not None:
        return f"{agent} goes on; the next message goes to {tree.name} again."
    return f"{agent} goes on and stays active."


def _hidden_text(ticket: Ticket, events: Sequence[EventRecord]) -> list[str]:
    # The request is built from the history up to the call, the call and the
    # answer. Confirmations and credentials run the tool again first and are
    # paired with the gated call, so the same holds for them.
    if ticket.kind in ("input", "node_confirmation"):
        return []
    texts = 0
    for event in live(events):
        if event.id == ticket.event_id and event.invocation_id == ticket.invocation_id:
            break
        if event.author == USER and event.text.strip():
            texts += 1
    else:
        return []
    if not texts:
        return []
    what = "Your message since the call is" if texts == 1 else f"Your {texts} messages since are"
    return [f"{what} hidden from the model in this one request."]
