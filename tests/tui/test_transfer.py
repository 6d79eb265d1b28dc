from adk_tui.core.commands import RunSettings, Transfer
from adk_tui.core.reports import AgentNode, Ready, SessionOpened, Settings, Status
from adk_tui.tui.app import WorkbenchApp
from tests.fakes.driving import rendered, shows, tells, until
from tests.fakes.fake_engine import FakeEngine, called, opening, said
from tests.fakes.playing import playing

WIDE = (130, 40)


async def test_during_a_task_delegation_a_transfer_is_refused_and_says_why() -> None:
    tree = AgentNode("root", children=(AgentNode("worker", mode="task"), AgentNode("billing")))
    engine = FakeEngine(first=opening(tree))
    app = WorkbenchApp(engine)
    async with app.run_test(notifications=True, size=WIDE) as pilot:
        await until(pilot, lambda: app.view.ready)
        engine.play(
            said("user", "do it"),
            called("root", "worker", {"request": "x"}, call_id="t1"),
            said("worker", "which one?", isolationScope="t1"),
        )
        await shows(pilot, "which one?")
        await pilot.press("f6")
        await shows(pilot, "worker works on a delegated task")
        await pilot.press("end")
        await shows(pilot, "Cannot take over. worker works on a delegated task")
        await pilot.press("enter")
        await tells(pilot, "billing cannot take over: worker works on a delegated task")
        await pilot.press("o")
        await tells(pilot, "billing: worker works on a delegated task")
        assert engine.commands == []


async def test_the_screen_follows_who_answers_next() -> None:
    async with playing(size=WIDE) as (app, engine, pilot):
        await until(pilot, lambda: app.view.ready)
        await pilot.press("f6")
        await shows(pilot, "now root")
        engine.play(said("billing", "I am here"))
        await shows(pilot, "now billing")


async def test_a_forced_turn_is_marked_and_taken_back_by_the_same_key() -> None:
    async with playing(size=WIDE) as (app, engine, pilot):
        await until(pilot, lambda: app.view.ready)
        await pilot.press("f6", "down", "o")
        await until(pilot, lambda: engine.commands == [Transfer("billing", once=True)])
        engine.play(Settings(RunSettings(), once="billing"))
        await shows(pilot, "billing answers the next message, once.")
        await pilot.press("f6")
        await shows(pilot, "next message only")
        await pilot.press("down", "o")
        await until(pilot, lambda: engine.commands[-1:] == [Transfer("", once=True)])


async def test_a_narrow_terminal_shows_the_tree_above_what_a_choice_means() -> None:
    app = WorkbenchApp(FakeEngine())
    async with app.run_test(notifications=True, size=(80, 24)) as pilot:
        await until(pilot, lambda: app.view.ready)
        await pilot.press("f6", "down")
        await shows(pilot, "billing answers next, and stays")
        lines = rendered(app).split("\n")
        assert all("▏" not in line for line in lines)
        assert "Esc close" in lines[-1]


async def test_hostile_names_reach_no_terminal() -> None:
    bad = "x\x1b]0;owned\x07\u202e[red]"
    tree = AgentNode(bad, kind=bad, children=(AgentNode(bad + "2", kind=bad, mode=bad),))
    first = [Ready(bad, tree, bad, bad, bad), SessionOpened(bad, bad, bad), Status("ready")]
    app = WorkbenchApp(FakeEngine(first=first))
    async with app.run_test(notifications=True, size=WIDE) as pilot:
        await until(pilot, lambda: app.view.ready)
        await pilot.press("f6", "down")
        await shows(pilot, "Who answers next?")
        assert not {"\x1b", "\x07", "\u202e"} & set(rendered(app))
