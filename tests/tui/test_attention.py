from adk_tui.core.session import SessionView
from adk_tui.tui.attention import Attention
from tests.fakes.fake_engine import called, opening


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
