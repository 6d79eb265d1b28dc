from textual import events

from adk_tui.core.reports import SessionOpened
from adk_tui.core.session import SessionView
from adk_tui.tui.attention import Attention
from tests.fakes.driving import until
from tests.fakes.fake_engine import called, opening
from tests.fakes.playing import playing


def loaded() -> SessionView:
    view = SessionView()
    view.apply(opening())
    return view


def test_a_ticket_that_arrives_unseen_rings_once() -> None:
    written: list[str] = []
    attention = Attention(written.append, enabled=True)
    view = loaded()
    attention.look(view, focused=False)
    view.apply([called("root", "pay;\x1b[2J", {}, call_id="c", waits=True)])
    attention.look(view, focused=False)
    attention.look(view, focused=False)
    assert len(written) == 1
    assert "pay,␛[2J waits for you" in written[0]
    assert written[0].startswith("\a")


def test_nothing_rings_while_the_user_looks_or_has_switched_it_off() -> None:
    for enabled, focused in ((True, True), (False, False)):
        written: list[str] = []
        attention = Attention(written.append, enabled=enabled)
        view = loaded()
        attention.look(view, focused=focused)
        view.apply([called("root", "pay", {}, call_id="c", waits=True)])
        attention.look(view, focused=focused)
        assert written == []


def test_tickets_of_a_session_just_opened_are_no_news() -> None:
    written: list[str] = []
    attention = Attention(written.append, enabled=True)
    view = SessionView()
    view.apply([*opening(), called("root", "pay", {}, call_id="c", waits=True)])
    attention.look(view, focused=False)
    assert written == []


def test_the_same_call_id_in_another_session_rings_again() -> None:
    written: list[str] = []
    attention = Attention(written.append, enabled=True)
    view = loaded()
    for session in ("s-1", "s-2"):
        view.apply([SessionOpened(session, "user", "shop")])
        attention.look(view, focused=False)
        view.apply([called("root", "pay", {}, call_id="c", waits=True)])
        attention.look(view, focused=False)
    assert len(written) == 2


async def test_the_window_that_lost_the_focus_rings_and_one_that_has_it_does_not() -> None:
    async with playing() as (app, engine, pilot):
        await until(pilot, lambda: app.view.ready)
        written: list[str] = []
        app.attention._write = written.append
        engine.play(called("root", "pay", {}, call_id="c1", waits=True))
        await until(pilot, lambda: len(app.view.tickets.open) == 1)
        assert written == []
        app.post_message(events.AppBlur())
        await until(pilot, lambda: not app.app_focus)
        engine.play(called("root", "ship", {}, call_id="c2", waits=True))
        await until(pilot, lambda: written)
        assert "ship waits for you" in written[0]
