import json

from textual.pilot import Pilot

from adk_tui.core.commands import Answer, Command, ToolAnswer
from adk_tui.core.records import REQUEST_CONFIRMATION, REQUEST_CREDENTIAL, REQUEST_INPUT
from adk_tui.core.reports import Done, Failure, Record
from adk_tui.tui.app import WorkbenchApp
from adk_tui.tui.widgets.approvals import ARM, Approvals
from adk_tui.tui.widgets.ticket_form import TicketForm
from tests.fakes.driving import rendered, shows, shows_no, tells, until, write
from tests.fakes.fake_engine import FakeEngine, called, event, responded
from tests.fakes.playing import playing

WIDE = (130, 45)
PAY = called("root", "pay", {"amount": 200, "to": "Bo"}, call_id="c1", waits=True)
PAIR = event(
    "root",
    [
        {"functionCall": {"id": "c1", "name": "render", "args": {}}},
        {"functionCall": {"id": "c2", "name": "ship", "args": {}}},
    ],
    id="pair",
    longRunningToolIds=["c1", "c2"],
)
"""Two calls of one event that wait, and return nothing by themselves."""
PAY_PENDING = responded("root", "pay", {"status": "pending", "ticket_id": "T-1"}, call_id="c1")


def silent(command: Command, number: int) -> list[Record]:
    """Takes everything and says nothing, as while a run is under way."""
    return []


def asked(name: str, args: dict[str, object], *, call_id: str = "q1") -> Record:
    return called("root", name, args, call_id=call_id, waits=True)


def confirmation(payload: dict[str, object] | None = None) -> Record:
    wanted: dict[str, object] = {"hint": "Really brew?", "confirmed": False}
    if payload is not None:
        wanted["payload"] = payload
    gated = {"id": "g1", "name": "brew", "args": {"cups": 2}}
    return asked(REQUEST_CONFIRMATION, {"originalFunctionCall": gated, "toolConfirmation": wanted})


class Clock:
    """A clock that stands still until it is told."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def panel(app: WorkbenchApp) -> Approvals:
    return app.main.query_one(Approvals)


def answers(engine: FakeEngine) -> list[ToolAnswer]:
    return [a for c in engine.commands if isinstance(c, Answer) for a in c.answers]


def with_clock(app: WorkbenchApp) -> Clock:
    clock = Clock()
    panel(app)._clock = clock
    return clock


async def opened(
    app: WorkbenchApp, pilot: Pilot[int], engine: FakeEngine, *records: Record
) -> Clock:
    """The panel with these tickets, focused and armed."""
    await until(pilot, lambda: app.view.ready)
    clock = with_clock(app)
    engine.play(*records)
    await until(pilot, lambda: app.view.tickets.open)
    await pilot.press("f4")
    await until(pilot, lambda: panel(app).has_focus_within)
    await until(pilot, lambda: panel(app).marked is not None)
    clock.now += ARM
    return clock


async def test_a_ticket_shows_who_asks_what_and_what_an_answer_does() -> None:
    async with playing(size=WIDE) as (_, engine, pilot):
        engine.play(PAY, PAY_PENDING)
        await shows(pilot, "long-running tool, asked by root")
        await shows(pilot, "amount: 200")
        await shows(pilot, "→ ")


async def test_approve_sends_the_reference_with_it_and_once_however_often_it_is_pressed() -> None:
    async with playing(silent, size=WIDE) as (app, engine, pilot):
        await opened(app, pilot, engine, PAY, PAY_PENDING)
        await pilot.press("a", "a", "a")
        await until(pilot, lambda: answers(engine))
        await tells(pilot, "on its way")
        assert answers(engine) == [
            ToolAnswer("c1", "pay", {"status": "approved", "ticket_id": "T-1"})
        ]
        command = engine.commands[0]
        assert isinstance(command, Answer)
        assert command.invocation_id == "inv-1"


async def test_reject_and_progress() -> None:
    async with playing(size=WIDE) as (app, engine, pilot):
        await opened(app, pilot, engine, PAY, PAY_PENDING)
        await pilot.press("u")
        await until(pilot, lambda: len(answers(engine)) == 1)
        assert answers(engine)[0].will_continue
        await until(pilot, lambda: not panel(app).work(app.view.tickets.open[0]).sending)
        await pilot.press("r")
        await until(pilot, lambda: len(answers(engine)) == 2)
        assert answers(engine)[1].response["status"] == "rejected"


async def test_a_key_within_half_a_second_of_a_tickets_arrival_does_nothing() -> None:
    async with playing(size=WIDE) as (app, engine, pilot):
        await until(pilot, lambda: app.view.ready)
        clock = with_clock(app)
        await pilot.press("f4")
        await until(pilot, lambda: panel(app).has_focus_within)
        engine.play(PAY)
        await until(pilot, lambda: panel(app).marked is not None)
        clock.now += ARM - 0.01
        await pilot.press("a")
        await tells(pilot, "only just come up")
        assert answers(engine) == []
        clock.now += 0.02
        await pilot.press("a")
        await until(pilot, lambda: len(answers(engine)) == 1)


async def test_after_an_answer_the_next_ticket_does_not_take_a_bouncing_key() -> None:
    async with playing(size=WIDE) as (app, engine, pilot):
        second = called("root", "ship", {}, call_id="c2", waits=True, invocationId="inv-2")
        await opened(app, pilot, engine, PAY, second)
        await pilot.press("a")
        await until(pilot, lambda: len(answers(engine)) == 1)
        engine.play(responded("user", "pay", {"status": "approved"}, call_id="c1"))
        await until(pilot, lambda: panel(app).marked and panel(app).marked.name == "ship")
        await pilot.press("a")
        await tells(pilot, "only just come up")
        assert len(answers(engine)) == 1


async def test_keys_do_nothing_while_the_focus_is_elsewhere() -> None:
    async with playing(size=WIDE) as (app, engine, pilot):
        await until(pilot, lambda: app.view.ready)
        engine.play(PAY)
        await shows(pilot, "1 waiting")
        await pilot.press("f3", "a", "r", "u")
        await pilot.press("f2", "a", "r")
        await pilot.pause()
        assert answers(engine) == []


async def test_json_that_is_none_stays_with_the_reason_and_is_sent_when_mended() -> None:
    async with playing(size=WIDE) as (app, engine, pilot):
        await opened(app, pilot, engine, PAY, PAY_PENDING)
        await pilot.press("e")
        form = app.main.query_one(TicketForm)
        await until(pilot, lambda: form.rows and form.rows[0].editor.has_focus)
        area = form.rows[0].editor
        area.load_text('{"status": ')
        await pilot.press("ctrl+s")
        await shows(pilot, "line 1, column")
        assert answers(engine) == []
        area.load_text('{"status": "granted", "limit": 5}')
        await pilot.press("ctrl+s")
        await until(pilot, lambda: answers(engine))
        assert answers(engine)[0].response == {"status": "granted", "limit": 5}


async def test_escape_leaves_and_keeps_the_draft() -> None:
    async with playing(size=WIDE) as (app, engine, pilot):
        await opened(app, pilot, engine, PAY, PAY_PENDING)
        await pilot.press("e")
        form = app.main.query_one(TicketForm)
        await until(pilot, lambda: form.rows and form.rows[0].editor.has_focus)
        form.rows[0].editor.load_text('{"half": ')
        await pilot.press("escape", "escape")
        await until(pilot, lambda: app.main.region_name == "prompt")
        engine.play(called("root", "ship", {}, call_id="c2", waits=True))
        await until(pilot, lambda: len(app.view.tickets.open) == 2)
        await pilot.press("f4", "down", "up")
        await shows(pilot, '{"half":')


async def test_a_failed_send_opens_the_ticket_again_and_says_why() -> None:
    def script(command: Command, number: int) -> list[Record]:
        return [Done(number, ok=False, failure=Failure("session.stale", "Changed elsewhere."))]

    async with playing(script, size=WIDE) as (app, engine, pilot):
        await opened(app, pilot, engine, PAY, PAY_PENDING)
        await pilot.press("a")
        await shows(pilot, "Changed elsewhere.")
        await pilot.press("a")
        await until(pilot, lambda: len(answers(engine)) == 2)


async def test_a_confirmation_is_answered_under_its_own_id_with_its_payload() -> None:
    async with playing(size=WIDE) as (app, engine, pilot):
        await opened(app, pilot, engine, confirmation({"sugar": 1}))
        await shows(pilot, "Really brew?")
        await pilot.press("enter")
        await until(pilot, lambda: panel(app).query_one(TicketForm).rows[0].editor.has_focus)
        await pilot.press("end", "2")
        await pilot.press("ctrl+s")
        await until(pilot, lambda: answers(engine))
        sent = answers(engine)[0]
        assert (sent.call_id, sent.name) == ("q1", REQUEST_CONFIRMATION)
        assert sent.response["confirmed"] is True
        assert str(sent.response["payload"]["sugar"]) == "12"


async def test_a_confirmation_without_payload_is_rejected_by_one_key() -> None:
    async with playing(size=WIDE) as (app, engine, pilot):
        await opened(app, pilot, engine, confirmation())
        await pilot.press("r")
        await until(pilot, lambda: answers(engine))
        assert answers(engine)[0].response == {"confirmed": False}


FORM = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "description": "who"},
        "seats": {"type": "integer"},
        "window": {"type": "boolean"},
        "meal": {"type": "string", "enum": ["fish", "none"]},
    },
    "required": ["name", "seats"],
}


async def test_a_form_is_built_from_the_schema_and_checked_beside_the_field() -> None:
    async with playing(size=WIDE) as (app, engine, pilot):
        ask = asked(REQUEST_INPUT, {"message": "Which seat?", "response_schema": FORM})
        await opened(app, pilot, engine, ask)
        await shows(pilot, "Which seat?")
        await shows(pilot, "○ fish")
        await pilot.press("enter")
        form = panel(app).query_one(TicketForm)
        await until(pilot, lambda: form.rows[0].editor.has_focus)
        await write(pilot, "Ada")
        await pilot.press("enter")
        await write(pilot, "two")
        await pilot.press("ctrl+s")
        await shows(pilot, "✗ ")
        assert answers(engine) == []
        await pilot.press("backspace", "backspace", "backspace", "2", "enter", "right", "enter")
        await pilot.press("right", "ctrl+s")
        await until(pilot, lambda: answers(engine))
        assert answers(engine)[0].response == {
            "name": "Ada",
            "seats": 2,
            "window": True,
            "meal": "fish",
        }


async def test_a_choice_preselects_nothing() -> None:
    async with playing(size=WIDE) as (app, engine, pilot):
        ask = asked("get_user_choice", {"options": ["red", "blue"]})
        await opened(app, pilot, engine, ask)
        await shows(pilot, "○ red")
        await pilot.press("a")
        form = panel(app).query_one(TicketForm)
        await until(pilot, lambda: form.has_focus_within, "yes alone chooses nothing")
        await pilot.press("ctrl+s")
        await shows(pilot, "must be one of red, blue")
        assert answers(engine) == []
        await pilot.press("right", "right", "ctrl+s")
        await until(pilot, lambda: answers(engine))
        assert answers(engine)[0].response == {"result": "blue"}


async def test_a_credential_is_never_echoed() -> None:
    scheme = {"type": "apiKey", "in": "header", "name": "x-key"}
    config = {"authScheme": scheme, "rawAuthCredential": {"authType": "apiKey"}}
    async with playing(size=WIDE) as (app, engine, pilot):
        ask = asked(REQUEST_CREDENTIAL, {"functionCallId": "g", "authConfig": config})
        await opened(app, pilot, engine, ask)
        await pilot.press("enter")
        form = panel(app).query_one(TicketForm)
        await until(pilot, lambda: form.rows[0].editor.has_focus)
        await write(pilot, "topsecretvalue")
        assert "topsecretvalue" not in rendered(app)
        await pilot.press("ctrl+s")
        await until(pilot, lambda: answers(engine))
        assert "topsecretvalue" in json.dumps(answers(engine)[0].response)


async def test_several_answers_of_one_turn_are_held_and_sent_together() -> None:
    async with playing(size=WIDE) as (app, engine, pilot):
        clock = await opened(app, pilot, engine, PAIR)
        await pilot.press("a")
        await shows(pilot, "unpaired")
        assert answers(engine) == []
        await pilot.press("h")
        await shows(pilot, "Which answer is to be kept?")
        await pilot.press("a", "down")
        clock.now += ARM
        await pilot.press("h", "r")
        assert answers(engine) == []
        await pilot.press("s")
        await until(pilot, lambda: len(answers(engine)) == 2)
        assert len([c for c in engine.commands if isinstance(c, Answer)]) == 1
        assert [a.response["status"] for a in answers(engine)] == ["approved", "rejected"]


async def test_one_of_several_silent_calls_is_answered_alone_only_on_insistence() -> None:
    async with playing(size=WIDE) as (app, engine, pilot):
        clock = await opened(app, pilot, engine, PAIR)
        await pilot.press("a", "a", "a")
        await shows(pilot, "a once more sends it")
        assert answers(engine) == [], "a bouncing key is no insistence"
        clock.now += ARM
        await pilot.press("a")
        await until(pilot, lambda: len(answers(engine)) == 1)


async def test_an_answered_ticket_stands_in_the_history_and_takes_another_only_on_insistence() -> (
    None
):
    async with playing(size=WIDE) as (app, engine, pilot):
        clock = await opened(app, pilot, engine, PAY, PAY_PENDING)
        engine.play(responded("user", "pay", {"status": "approved"}, call_id="c1"))
        await shows(pilot, "Nothing waits for you.")
        await pilot.press("l")
        await shows(pilot, "Answered and closed")
        await shows(pilot, 'answer: {"status": "approved"}')
        clock.now += ARM
        await pilot.press("a")
        await tells(pilot, "This ticket is answered. n gives another answer.")
        assert answers(engine) == []
        await pilot.press("n")
        await shows(pilot, "Write another answer")
        clock.now += ARM
        await pilot.press("a")
        await until(pilot, lambda: len(answers(engine)) == 1)


async def test_a_rewound_ticket_disappears() -> None:
    async with playing(size=WIDE) as (_, engine, pilot):
        engine.play(PAY)
        await shows(pilot, "1 waiting")
        undo = {"rewindBeforeInvocationId": "inv-1"}
        engine.play(event("user", [], id="undo", actions=undo, invocationId="inv-9"))
        await shows_no(pilot, "1 waiting")
        await shows(pilot, "Nothing waits for you.")


async def test_open_tickets_are_counted_in_the_narrow_tabs() -> None:
    async with playing(size=(80, 24)) as (_, engine, pilot):
        engine.play(PAY)
        await shows(pilot, "F4 Approvals 1")
