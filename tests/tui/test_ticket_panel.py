"""What the panel shows and lets through, on sessions as ADK would write them."""

import random

import pytest
from textual.pilot import Pilot

from adk_tui.core.commands import Answer, ListSessions, OpenSession, Rewind
from adk_tui.core.records import REQUEST_CONFIRMATION, REQUEST_CREDENTIAL, REQUEST_INPUT
from adk_tui.core.reports import Ready, Record, SessionInfo, SessionList, SessionOpened, Status
from adk_tui.core.wire import COMMAND_NAMES
from adk_tui.tui.app import WorkbenchApp
from adk_tui.tui.footer_hints import footer_hints
from adk_tui.tui.widgets.approvals import ARM
from adk_tui.tui.widgets.footer import Hint, KeyBar
from adk_tui.tui.widgets.ticket_form import TicketForm
from adk_tui.tui.widgets.ticket_list import TicketList
from tests.fakes.driving import rendered, shows, shows_no, tells, until, write
from tests.fakes.fake_engine import TREE, FakeEngine, called, event, responded
from tests.fakes.playing import playing
from tests.tui.test_approvals import (
    PAY,
    PAY_PENDING,
    WIDE,
    answers,
    asked,
    confirmation,
    opened,
    panel,
    silent,
)

HOSTILE = "pay\x1b[2J\x1b]52;c;AAAA\x07[bold red]\u202eevil"


def gated(*, confirmed: bool) -> list[Record]:
    """A confirmation that was answered, and its tool, which has run all the same."""
    hint = "Please approve or reject the tool call brew() by responding."
    call = {"id": "g1", "name": "brew", "args": {"cups": 2}}
    ask = {"originalFunctionCall": call, "toolConfirmation": {"hint": hint, "confirmed": False}}
    answer = {"confirmed": confirmed}
    return [
        event("root", [{"functionCall": call}], id="call"),
        called("root", REQUEST_CONFIRMATION, ask, call_id="q1", waits=True),
        responded("user", REQUEST_CONFIRMATION, answer, call_id="q1"),
        responded("root", "brew", {"status": "brewed"}, call_id="g1"),
    ]


async def test_a_tool_that_ran_although_it_was_rejected_is_told_loudly() -> None:
    async with playing(size=WIDE) as (app, engine, pilot):
        engine.play(*gated(confirmed=True))
        await shows(pilot, "approved brew")
        assert "although" not in rendered(app)
    async with playing(size=WIDE) as (_, engine, pilot):
        engine.play(*gated(confirmed=False))
        await shows(pilot, "brew ran although it was rejected.")


async def test_a_tool_that_ran_though_nobody_answered_and_a_stray_response_are_told() -> None:
    async with playing(size=WIDE) as (_, engine, pilot):
        call, ask, _, ran = gated(confirmed=True)
        engine.play(call, ask, ran)
        await shows(pilot, "brew ran although nobody had answered its request")
        engine.play(responded("root", "ghost", {"ok": 1}, call_id="nowhere"))
        await shows(pilot, "A response of ghost came for a call")


async def test_what_agents_say_reaches_the_panel_as_plain_text() -> None:
    async with playing(size=WIDE) as (app, engine, pilot):
        engine.play(
            called("root", HOSTILE, {HOSTILE: HOSTILE}, call_id="c1", waits=True),
            asked("get_user_choice", {"options": [HOSTILE], "message": HOSTILE}, call_id="c2"),
        )
        await shows(pilot, "pay␛[2J")
        await pilot.press("f4", "down")
        await shows(pilot, "○ pay␛[2J")
        screen = rendered(app)
        assert "\x1b" not in screen
        assert "\u202e" not in screen
        assert "[bold red]" in screen


async def test_secrets_in_arguments_and_earlier_answers_are_masked() -> None:
    async with playing(size=WIDE) as (app, engine, pilot):
        engine.play(
            called("root", "pay", {"api_key": "sk-hushhush1", "n": 1}, call_id="c1", waits=True),
            responded("user", "pay", {"status": "pending", "password": "hush-2"}, call_id="c1"),
        )
        await shows(pilot, "in progress")
        await shows(pilot, "n: 1")
        assert "hush" not in rendered(app)


async def test_two_open_calls_of_one_id_are_both_shown_and_the_older_says_who_gets_the_answer() -> (
    None
):
    async with playing(size=WIDE) as (app, engine, pilot):
        newer = event(
            "root",
            [{"functionCall": {"id": "c1", "name": "pay", "args": {"amount": 9}}}],
            id="later",
            invocationId="inv-2",
            longRunningToolIds=["c1"],
        )
        await opened(app, pilot, engine, PAY, newer)
        await until(pilot, lambda: len(app.view.tickets.open) == 2)
        await shows(pilot, "Another open call has the same id")
        await shows(pilot, "A later call has the same id")
        assert not panel(app).query_one(TicketForm).has_fields
        await pilot.press("a")
        await tells(pilot, "A later call has the same id")
        assert answers(engine) == []
        await pilot.press("down")
        await shows(pilot, "the answer goes to")


async def test_a_call_without_an_id_is_explained_and_takes_no_answer() -> None:
    async with playing(size=WIDE) as (app, engine, pilot):
        part = {"functionCall": {"name": REQUEST_CREDENTIAL, "args": {}}}
        await opened(app, pilot, engine, event("root", [part], id="e"))
        await shows(pilot, "The call has no id, so ADK cannot take an answer to it.")
        await pilot.press("a", "r", "e", "enter")
        await tells(pilot, "The call has no id")
        assert answers(engine) == []


async def test_a_call_whose_own_response_is_final_does_not_nag() -> None:
    async with playing(size=WIDE) as (app, engine, pilot):
        done = responded("root", "pay", {"status": "paid"}, call_id="c1")
        engine.play(PAY, done)
        await until(pilot, lambda: app.view.tickets.tickets)
        await shows(pilot, "Nothing waits for you.")
        await shows_no(pilot, "waits for you\n")
        assert "1 waiting" not in rendered(app)


async def test_a_payload_that_is_no_object_is_sent_back_as_the_value_it_is() -> None:
    async with playing(size=WIDE) as (app, engine, pilot):
        call = {"id": "g1", "name": "brew", "args": {}}
        ask = {"originalFunctionCall": call, "toolConfirmation": {"hint": "How hot?", "payload": 5}}
        await opened(app, pilot, engine, asked(REQUEST_CONFIRMATION, ask))
        await pilot.press("enter")
        form = panel(app).query_one(TicketForm)
        await until(pilot, lambda: form.rows and form.rows[0].editor.has_focus)
        await pilot.press("end", "7", "ctrl+s")
        await until(pilot, lambda: answers(engine))
        assert answers(engine)[0].response == {"confirmed": True, "payload": 57}


@pytest.mark.parametrize("seed", range(6))
async def test_whatever_keys_are_hit_no_ticket_is_answered_twice(seed: int) -> None:
    dice = random.Random(seed)
    async with playing(silent, size=WIDE) as (app, engine, pilot):
        second = called("root", "ship", {}, call_id="c2", waits=True, invocationId="inv-2")
        clock = await opened(app, pilot, engine, PAY, PAY_PENDING, second, confirmation())
        for _ in range(40):
            keys = ["a", "r", "u", "h", "s", "e", "down", "up", "escape", "enter", "ctrl+s", "n"]
            await pilot.press(dice.choice(keys))
            clock.now += dice.choice([0, 0, 0.1, 0.6])
            if app.main.region_name != "approvals":
                await pilot.press("f4")
        given = [a.call_id for a in answers(engine)]
        assert len(given) == len(set(given))
        for command in engine.commands:
            if isinstance(command, Answer):
                assert len({command.invocation_id}) == 1
                assert command.session_id == "s-1"


READY = Ready("shop", TREE, "/agents/shop", "user", "a file", capabilities=COMMAND_NAMES)
ELSEWHERE = SessionList(
    (
        SessionInfo("s-1", "user", 1.0, "here", tickets=1),
        SessionInfo("s-2", "test_user", 1.0, "pay for the trip", tickets=2),
        SessionInfo("s-3", "user", 1.0, "quiet", tickets=0),
        SessionInfo("s-4", "user", 1.0, "not read", tickets=-1),
    )
)


async def elsewhere(pilot: Pilot[int], engine: FakeEngine, app: WorkbenchApp) -> None:
    await until(pilot, lambda: ListSessions() in engine.commands, "the list is asked for")
    engine.play(ELSEWHERE)
    await shows(pilot, "In other sessions")


async def test_other_sessions_with_tickets_are_listed_and_open_on_enter() -> None:
    engine = FakeEngine(first=[READY, SessionOpened("s-1", "user", "shop"), Status("ready")])
    app = WorkbenchApp(engine)
    async with app.run_test(notifications=True, size=WIDE) as pilot:
        await elsewhere(pilot, engine, app)
        await shows(pilot, "↗ 2 waiting")
        for title in ("here", "quiet", "not read"):
            assert title not in rendered(app)
        await pilot.press("f4")
        await until(pilot, lambda: panel(app).has_focus_within)
        await pilot.press("down")
        await shows(pilot, "2 tickets wait in another session")
        panel(app)._armed_at += 60
        await pilot.press("enter")
        await shows(pilot, "This session has only just come up")
        assert OpenSession("s-2", "test_user") not in engine.commands
        panel(app)._armed_at -= 60 + ARM
        await pilot.press("enter")
        await until(pilot, lambda: OpenSession("s-2", "test_user") in engine.commands)


async def test_a_session_told_again_keeps_mark_form_and_draft() -> None:
    async with playing(size=WIDE) as (app, engine, pilot):
        ask = called("root", "ship", {}, call_id="c2", waits=True)
        await opened(app, pilot, engine, PAY, ask)
        await pilot.press("down", "e")
        form = panel(app).query_one(TicketForm)
        await until(pilot, lambda: form.rows and form.rows[0].editor.has_focus)
        form.rows[0].editor.load_text('{"half": ')
        engine.play(SessionOpened("s-1", "user", "shop", count=2, reason="restart"))
        await until(pilot, lambda: not app.view.tickets.open)
        await write(pilot, "x")
        engine.play(PAY, ask)
        await until(pilot, lambda: len(app.view.tickets.open) == 2)
        assert form.rows[0].editor.has_focus, "nobody who types is interrupted"
        assert panel(app).marked is not None
        assert panel(app).marked.name == "ship"
        assert "half" in form.rows[0].text


async def test_a_session_told_again_keeps_the_form_whatever_is_laid_out_meanwhile() -> None:
    async with playing(size=WIDE) as (app, engine, pilot):
        await opened(app, pilot, engine, PAY)
        await pilot.press("e")
        form = panel(app).query_one(TicketForm)
        await until(pilot, lambda: form.rows and form.rows[0].editor.has_focus)
        engine.play(SessionOpened("s-1", "user", "shop", count=1, reason="restart"))
        await until(pilot, lambda: not app.view.tickets.open)
        await pilot.resize_terminal(120, 40)
        await until(pilot, lambda: app.screen.size.width == 120)
        await pilot.pause()
        assert form.display
        assert form.rows
        assert form.rows[0].editor.has_focus


async def test_a_key_right_after_a_move_acts_on_the_ticket_under_the_mark() -> None:
    async with playing(size=WIDE) as (app, engine, pilot):
        ask = called("root", "ship", {}, call_id="c2", waits=True)
        clock = await opened(app, pilot, engine, PAY, ask)
        clock.now += ARM
        # As when both keys were pressed before the list could tell of the first.
        panel(app).query_one(TicketList).action_cursor_down()
        panel(app).action_act("reject")
        await until(pilot, lambda: answers(engine))
        assert [a.call_id for a in answers(engine)] == ["c2"]


async def test_drafts_of_a_session_wait_there_while_another_one_is_open() -> None:
    async with playing(size=WIDE) as (app, engine, pilot):
        await opened(app, pilot, engine, PAY)
        await pilot.press("e")
        form = panel(app).query_one(TicketForm)
        await until(pilot, lambda: form.rows and form.rows[0].editor.has_focus)
        form.rows[0].editor.load_text('{"mine": 1}')
        await pilot.press("escape")
        engine.play(SessionOpened("s-2", "user", "shop", count=1, reason="open"), PAY)
        await shows_no(pilot, '{"mine": 1}')
        assert panel(app).marked is not None
        engine.play(SessionOpened("s-1", "user", "shop", count=1, reason="open"), PAY)
        await shows(pilot, '{"mine": 1}')


async def test_a_stuck_ticket_is_rewound_only_by_two_presses_apart() -> None:
    async with playing(size=WIDE) as (app, engine, pilot):
        schema = {"type": "integer"}
        ask = asked("adk_request_input", {"message": "How many?", "response_schema": schema})
        bad = responded("user", "adk_request_input", {"result": "many"}, call_id="q1")
        clock = await opened_stuck(app, pilot, engine, ask, bad)
        await pilot.press("w", "w", "w")
        await shows(pilot, "Press w again")
        assert not any(isinstance(c, Rewind) for c in engine.commands)
        clock.now += ARM
        await pilot.press("w")
        await until(pilot, lambda: Rewind("inv-1") in engine.commands)


async def opened_stuck(app: WorkbenchApp, pilot: Pilot[int], engine: FakeEngine, *records: Record):
    from tests.tui.test_approvals import with_clock

    await until(pilot, lambda: app.view.ready)
    clock = with_clock(app)
    engine.play(*records)
    await shows(pilot, "stuck: an answer broke the schema")
    await pilot.press("f4")
    await until(pilot, lambda: panel(app).has_focus_within)
    clock.now += ARM
    return clock


async def test_long_arguments_never_hide_what_an_answer_does_and_can_be_read_by_key() -> None:
    async with playing(size=(80, 24)) as (app, engine, pilot):
        lines = {f"key{n:02}": {"value": n} for n in range(12)}
        await opened(app, pilot, engine, called("root", "pay", lines, call_id="c1", waits=True))
        await shows(pilot, "→ root goes on and stays active.")
        await shows(pilot, "a approve   final answer")
        assert "key11" not in rendered(app)
        await pilot.press(*["shift+down"] * 20)
        await shows(pilot, "key11")


def footer(app: WorkbenchApp) -> str:
    """The keys that the footer names, as ``a approve``."""
    return "  ".join(f"{h.key} {h.label}" for h in app.main.query_one(KeyBar).hints)


async def test_the_footer_names_only_keys_that_do_something_to_the_marked_ticket() -> None:
    async with playing(size=WIDE) as (app, engine, pilot):
        choice = asked("get_user_choice", {"options": ["red", "blue"]})
        clock = await opened(app, pilot, engine, PAY, choice)
        clock.now += ARM
        await until(pilot, lambda: footer(app).startswith("a approve  r reject  u progress"))
        await pilot.press("down")
        await until(pilot, lambda: footer(app).startswith("Enter open  e edit JSON  h hold"))
        await pilot.press("enter")
        await until(pilot, lambda: footer(app).startswith("Ctrl+S send  ← → choose  Esc back"))
        await pilot.press("a", "r")
        await tells(pilot, "only Ctrl+S sends")
        assert not answers(engine)
        await pilot.press("escape", "up", "e")
        await until(
            pilot,
            lambda: footer(app).startswith(
                "Ctrl+S send as final  Ctrl+G send as progress  Esc back"
            ),
        )
        await pilot.press("escape", "e", "a")
        await until(pilot, lambda: len(answers(engine)) == 1)
        engine.play(
            responded("user", "pay", {"status": "approved"}, call_id="c1"),
            responded("user", "get_user_choice", {"result": "red"}, call_id="q1"),
        )
        await until(pilot, lambda: footer(app).startswith("l history  Esc leave"))


def test_the_footer_of_the_panel_leaves_escape_to_the_panel_while_something_runs() -> None:
    own = [Hint("Esc", "leave", "leave")]
    hints = footer_hints(
        "approvals", running=True, unread=0, open_tickets=0, possible=set(), own=own
    )
    assert [h.label for h in hints if h.key == "Esc"] == ["leave"]


async def test_tab_goes_round_in_a_form_and_a_list_is_written_one_a_line() -> None:
    async with playing(size=WIDE) as (app, engine, pilot):
        schema = {
            "type": "object",
            "properties": {
                "name": {"type": "string"},
                "sizes": {"type": "array", "items": {"type": "integer"}},
                "tags": {"type": "array", "items": {"type": "string"}},
            },
        }
        question = {"message": "What?", "response_schema": schema}
        await opened(app, pilot, engine, asked(REQUEST_INPUT, question))
        await pilot.press("enter")
        form = panel(app).query_one(TicketForm)
        await until(pilot, lambda: form.rows and form.rows[0].editor.has_focus)
        await write(pilot, "moth")
        await pilot.press("tab", "1", "enter", "x", "tab", "a", "space", "b", "enter", "c", "tab")
        await until(pilot, lambda: form.rows[0].editor.has_focus)
        await pilot.press("ctrl+s")
        await shows(pilot, "sizes[1]: must be a whole number")
        await until(pilot, lambda: form.rows[1].editor.has_focus)
        await pilot.press("backspace", "2", "ctrl+s")
        await until(pilot, lambda: answers(engine))
        assert answers(engine)[0].response == {
            "name": "moth",
            "sizes": [1, 2],
            "tags": ["a b", "c"],
        }


async def test_what_was_permitted_holds_for_the_ticket_it_was_offered_for() -> None:
    async with playing(size=WIDE) as (app, engine, pilot):
        ask = called("root", "ship", {}, call_id="c2", waits=True)
        clock = await opened(app, pilot, engine, PAY, ask)
        await pilot.press("p")
        await shows(pilot, "Approve pay for this session")
        engine.play(responded("user", "pay", {"status": "rejected"}, call_id="c1"))
        await until(pilot, lambda: panel(app).marked and panel(app).marked.name == "ship")
        clock.now += ARM
        await pilot.press("enter")
        await shows(pilot, "Nothing was permitted")
        assert not answers(engine)
        assert not panel(app)._sending.workshop.policies.given
