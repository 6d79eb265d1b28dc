"""Whatever happens in whatever order: no ticket is lost or doubled, or waits once answered."""

from dataclasses import dataclass, field, replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from adk_tui.core.event_log import EventLog
from adk_tui.core.records import EventRecord
from adk_tui.core.tickets import Ticket, TicketBook, read_tickets
from tests.fakes.sessions import aborted, call, event, response, rewind, text, user

FINAL = ({"status": "approved"}, {"status": "denied"}, {"file": "x"}, {})
ONGOING = ({"status": "pending"}, {"status": "in progress"}, {"percent": 3})


@dataclass
class Expected:
    """What a person would say about one call, kept by a rule much simpler than the one tested."""

    invocation: str
    call_id: str
    opened: int
    withdrawn: bool = False
    story: list[tuple[int, str]] = field(default_factory=list)
    """What happened to it that no rewind has undone: the place in the session, and what."""

    @property
    def state(self) -> str:
        if self.withdrawn:
            return "withdrawn"
        words = [word for _, word in self.story]
        if "answer" in words:
            return "final"
        ends = [w for w in words if w != "abort"]
        if [w for w in words if w in ("abort", "progress")][-1:] == ["abort"]:
            return "aborted"
        return "updated" if ends else "open"

    def count(self, word: str) -> int:
        return sum(w == word for _, w in self.story)


@dataclass
class World:
    """A session as it is written, and what is expected of its tickets."""

    events: list[EventRecord] = field(default_factory=list)
    tickets: list[Expected] = field(default_factory=list)
    invocations: int = 0

    def alive(self) -> list[Expected]:
        return [t for t in self.tickets if not t.withdrawn]


STEPS = st.lists(
    st.tuples(
        st.sampled_from(
            ["ask", "ask two", "receipt", "progress", "will continue", "answer", "talk", "partial",
             "inner", "abort", "rewind", "echo"]
        ),
        st.integers(0, 5),
        st.integers(0, 3),
    ),
    max_size=25,
)  # fmt: skip


def play(steps: list[tuple[str, int, int]]) -> World:
    """Write a session of these steps. Call ids never repeat; that has tests of its own."""
    world = World()
    for name, which, how in steps:
        step(world, name, which, how)
    return world


def step(world: World, name: str, which: int, how: int) -> None:
    add = world.events.append
    if name in ("ask", "ask two"):
        world.invocations += 1
        inv = f"i{world.invocations}"
        add(user("go", inv=inv))
        ids = [f"{inv}-c{n}" for n in range(2 if name == "ask two" else 1)]
        calls = [call("pay", i, amount=how) for i in ids]
        add(event("root", *calls, inv=inv, longRunningToolIds=ids))
        world.tickets += [Expected(inv, i, len(world.events) - 2) for i in ids]
        return
    if name == "talk":
        add(user("hm", inv=f"t{len(world.events)}"))
        return
    if name == "rewind":
        alive = sorted({t.invocation for t in world.alive()}, key=lambda i: int(i[1:]))
        if alive:
            target = alive[which % len(alive)]
            start = next(t.opened for t in world.alive() if t.invocation == target)
            add(rewind(target, inv=f"r{len(world.events)}"))
            for ticket in world.alive():
                ticket.withdrawn = ticket.opened >= start
                ticket.story = [(at, what) for at, what in ticket.story if at < start]
        return
    alive = world.alive()
    if not alive:
        return
    ticket = alive[which % len(alive)]
    inv, call_id = ticket.invocation, ticket.call_id
    match name:
        case "receipt":
            add(event("root", response("pay", call_id, ONGOING[how % 3]), inv=inv))
        case "partial":
            part = call("pay", f"ghost-{len(world.events)}")
            add(event("root", part, inv=inv, partial=True, longRunningToolIds=[call_id]))
            add(event("root", text("…"), inv=inv, partial=True))
        case "inner":
            paused = event("clerk", call("pay", "inner"), inv=inv, longRunningToolIds=["inner"])
            add(replace(paused, inner_of="outer"))
        case "abort":
            add(aborted("root", response("pay", call_id, {"error": "stopped"}), inv=inv))
            ticket.story.append((len(world.events) - 1, "abort"))
        case "progress" | "will continue":
            more: dict[str, Any] = {"will_continue": True} if name == "will continue" else {}
            body = {"status": "approved"} if more else ONGOING[how % 2]
            add(event("user", response("pay", call_id, body, **more), inv=inv))
            ticket.story.append((len(world.events) - 1, "progress"))
        case "answer":
            add(event("user", response("pay", call_id, FINAL[how % 4]), inv=inv))
            ticket.story.append((len(world.events) - 1, "answer"))
        case "echo":
            add(event("root", text("done"), inv=inv))


def told(tickets: tuple[Ticket, ...]) -> list[tuple[str, str]]:
    return [(t.call_id, t.state) for t in tickets]


@settings(max_examples=300, deadline=None)
@given(STEPS)
def test_each_call_has_one_ticket_in_the_state_its_story_gives_it(
    steps: list[tuple[str, int, int]],
) -> None:
    world = play(steps)
    found = read_tickets(world.events)
    assert told(found) == [(t.call_id, t.state) for t in world.tickets]
    assert len({t.key for t in found}) == len(found)
    for ticket, expected in zip(found, world.tickets, strict=True):
        if not expected.withdrawn:
            people = [r for r in ticket.replies if r.author == "user"]
            assert sum(not r.progress for r in people) == expected.count("answer")
            assert sum(r.progress for r in people) == expected.count("progress")


@settings(max_examples=150, deadline=None)
@given(STEPS, st.lists(st.integers(1, 6), max_size=12))
def test_a_growing_session_tells_the_same_in_whatever_pieces_it_comes(
    steps: list[tuple[str, int, int]], cuts: list[int]
) -> None:
    world = play(steps)
    log, book = EventLog(), TicketBook()
    done = 0
    for size in (*cuts, len(world.events)):
        log.extend(world.events[done : done + size])
        done += size
        changed = book.update(log)
        assert book.tickets == read_tickets(world.events[:done])
        assert book.open == tuple(t for t in book.tickets if t.is_open)
        assert not book.update(log), "nothing new, nothing changed"
        assert changed or not any(
            e.calls and not e.partial and not e.inner_of for e in world.events[done - size : done]
        )


@settings(max_examples=150, deadline=None)
@given(STEPS)
def test_what_was_answered_finally_never_waits_again(steps: list[tuple[str, int, int]]) -> None:
    events: list[EventRecord] = play(steps).events
    closed: set[str] = set()
    for count in range(len(events) + 1):
        tickets = read_tickets(events[:count])
        if count and events[count - 1].actions.rewind_before_invocation_id:
            closed.clear()
        assert not closed & {t.call_id for t in tickets if t.is_open}
        closed |= {t.call_id for t in tickets if t.state == "final"}
