"""Several tickets at once: answered alone, held, and sent together."""

from textual.widgets import TextArea

from tests.e2e.ticket_app import Desk, desk
from tests.fakes.driving import tells


def answers_by_event(it: Desk) -> list[list[str]]:
    """The names of the calls answered by each event of the human's."""
    return [
        [r.name for r in e.responses]
        for e in it.view.log.history()
        if e.author == "user" and e.responses
    ]


async def test_a_resumable_app_records_an_answer_and_says_what_it_still_waits_for() -> None:
    async with desk("desk_resumable") as it:
        await it.order("render ship")
        await it.says("the run goes on once 1 other is answered too: ship")
        await it.press("a", 0)
        await it.says("render: recorded, 1 still waiting. ADK goes on once", "answered too: ship")
        await it.shows("1 waiting")
        assert not [e for e in it.view.log.history() if e.text and e.author != "user"]
        await it.press("r", 0)
        await it.tells('render said {"status": "approved"}', 'ship said {"status": "rejected"}')
        await it.shows("Nothing waits for you.")
        assert answers_by_event(it) == [["render"], ["ship"]]


async def test_silent_calls_are_warned_of_then_held_and_sent_in_one_message() -> None:
    async with desk() as it:
        await it.order("render ship")
        await it.mark(0)
        await it.shows("ship has no response yet")
        events = len(it.view.log)
        await it.pilot.press("a")
        await it.says("Not sent yet: ship returned nothing", "h holds this answer")
        assert len(it.view.log) == events
        await it.pilot.press("h", "a")
        await it.until(lambda: "held" in it.rows, "the mark of a held answer")
        await it.write_json({"box": "gone"}, at=1)
        await it.pilot.press("escape", "h")
        await it.until(lambda: it.rows.count("held") == 2, "two held answers")
        assert len(it.view.log) == events
        ended = len(it.view.done)
        await it.pilot.press("s")
        await it.idle(ended)
        assert answers_by_event(it) == [["render", "ship"]]
        await it.tells('render said {"status": "approved"}; ship said {"box": "gone"}')
        assert [t.state for t in it.view.tickets.tickets] == ["final", "final"]
        assert [len(t.replies) for t in it.view.tickets.tickets] == [1, 1]


async def test_held_answers_of_two_turns_never_go_into_one_message() -> None:
    async with desk() as it:
        await it.order("pay")
        await it.order("pay")
        for at in (0, 1):
            await it.mark(at)
            await it.pilot.press("h", "a")
            await it.until(lambda at=at: it.rows.count("held") == at + 1)
        ended = len(it.view.done)
        await it.pilot.press("s")
        await it.idle(ended)
        assert answers_by_event(it) == [["pay"]]
        assert [t.state for t in it.view.tickets.tickets] == ["open", "final"]
        await it.mark(0)
        ended = len(it.view.done)
        await it.pilot.press("s")
        await it.idle(ended)
        assert answers_by_event(it) == [["pay"], ["pay"]]


async def test_a_held_answer_can_be_let_go() -> None:
    async with desk() as it:
        await it.order("pay")
        await it.mark()
        await it.pilot.press("h", "r")
        await it.until(lambda: "held" in it.rows)
        await it.pilot.press("h")
        await it.until(lambda: "held" not in it.rows)
        events = len(it.view.log)
        await it.pilot.press("s")
        await tells(it.pilot, "No answer is held")
        assert len(it.view.log) == events


async def test_a_confirmation_beside_others_is_dealt_with_by_itself() -> None:
    async with desk() as it:
        await it.order("wipe pay")
        await it.shows("2 waiting")
        names = [t.name for t in it.open]
        await it.press("a", names.index("wipe"))
        await it.tells('"status": "wiped"')
        assert [t.name for t in it.open] == ["pay"]


async def test_text_said_since_the_call_is_told_to_be_hidden_from_the_model() -> None:
    async with desk() as it:
        await it.order("pay")
        await it.order("are you there")
        await it.order("hello")
        await it.says("Your 2 messages since are hidden from the model in this one request.")
        await it.press("a")
        await it.tells('pay said {"status": "approved"')


async def test_each_ticket_keeps_its_own_draft() -> None:
    async with desk() as it:
        await it.order("render ship")
        for at, text in ((0, '{"first": '), (1, '{"second": ')):
            await it.mark(at)
            await it.pilot.press("e")
            await it.until(lambda: isinstance(it.app.focused, TextArea))
            area = it.app.focused
            assert isinstance(area, TextArea)
            area.load_text(text)
            await it.pilot.press("escape")
        assert it.rows.count("draft") == 2
        for at, text in ((0, '{"first": '), (1, '{"second": ')):
            await it.mark(at)
            await it.shows(text.strip())
