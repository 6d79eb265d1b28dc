import pytest
from textual.events import Key

from adk_tui.core.commands import (
    NewSession,
    OpenSession,
    Reload,
    Restart,
    Rewind,
    Stop,
    Transfer,
)
from adk_tui.core.reports import (
    Done,
    Failure,
    Notice,
    Output,
    Ready,
    Running,
    SessionInfo,
    SessionList,
    SessionOpened,
    Status,
)
from adk_tui.tui.app import TuiOptions, WorkbenchApp
from adk_tui.tui.performer import DOUBLE_PRESS
from tests.fakes.driving import rendered, shows, shows_no, tells, until, write
from tests.fakes.fake_engine import TREE, FakeEngine, called, event, opening, responded, said
from tests.fakes.playing import playing

NARROW = (80, 24)
WIDE = (130, 40)


async def test_the_header_says_who_answers_next_and_that_the_model_is_offline() -> None:
    app = WorkbenchApp(FakeEngine())
    async with app.run_test(notifications=True, size=NARROW) as pilot:
        await shows(pilot, "next → root")
        first = rendered(app).split("\n")[0]
        assert all(part in first for part in ("shop", "OFFLINE MODEL", "● idle"))


async def test_the_running_tool_is_named_with_its_time() -> None:
    async with playing() as (app, engine, pilot):
        await until(pilot, lambda: app.view.ready)
        engine.play(Status("running", command=1, running=(Running("slow_tool", "c", "root", 61),)))
        await shows(pilot, "▶ slow_tool 1m 01s")


async def test_a_wide_terminal_shows_all_panes_and_a_narrow_one_tabs() -> None:
    async with playing(size=WIDE) as (app, engine, pilot):
        engine.play(said("user", "a question"), said("root", "an answer"))
        await shows(pilot, "Nothing waits for you.")
        await until(pilot, lambda: rendered(app).count("an answer") == 2)
        assert "F4 Approvals" not in rendered(app)
        await pilot.resize_terminal(*NARROW)
        await shows(pilot, "F3 Events 2")
        await until(pilot, lambda: rendered(app).count("an answer") == 1)
        await pilot.press("f3")
        await shows(pilot, "text")
        await pilot.press("f4")
        await shows(pilot, "Nothing waits for you.")
        await pilot.press("f2")
        await shows_no(pilot, "Nothing waits for you.")


@pytest.mark.parametrize("size", [NARROW, WIDE], ids=["narrow", "wide"])
async def test_keys_right_behind_that_of_a_pane_are_meant_for_that_pane(
    size: tuple[int, int],
) -> None:
    async with playing(size=size) as (app, engine, pilot):
        engine.play(said("user", "a question"), said("root", "an answer"))
        await until(pilot, lambda: len(app.view.log) == 2)
        await until(pilot, lambda: app.main.filled)
        for key in ("f3", "x"):
            app.post_message(Key(key, None))
        await shows(pilot, "Save 2 events")
        assert app.main.area.prompt.text == ""
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is app.main)
        # In the list of events, f would copy the session.
        for key in ("f2", *"fork"):
            app.post_message(Key(key, key if len(key) == 1 else None))
        await until(pilot, lambda: app.main.area.prompt.text == "fork")
        assert engine.commands == []


async def test_keys_right_behind_that_of_the_output_scroll_it() -> None:
    async with playing(size=WIDE) as (app, engine, pilot):
        engine.play(Output("stdout", "".join(f"line {n}\n" for n in range(100)), 1.0))
        await until(pilot, lambda: app.view.outputs)
        await pilot.press("f10")
        await until(pilot, lambda: app.main.output.display)
        app.post_message(Key("home", None))
        await shows(pilot, "line 0")
        await pilot.press("f10")
        await until(pilot, lambda: not app.main.output.display)
        app.post_message(Key("x", "x"))
        await until(pilot, lambda: app.main.area.prompt.text == "x")


async def test_typing_goes_to_the_prompt_whatever_arrives() -> None:
    async with playing(size=WIDE) as (app, engine, pilot):
        await write(pilot, "ab")
        engine.play(called("root", "pay", {"amount": 1}, call_id="c", waits=True))
        await shows(pilot, "1 waiting")
        await write(pilot, "ar")
        assert app.main.area.prompt.text == "abar"
        assert engine.commands == []


async def test_escape_stops_and_again_replaces_the_process() -> None:
    engine = FakeEngine(lambda command, number: ())
    app = WorkbenchApp(engine)
    async with app.run_test(notifications=True) as pilot:
        await until(pilot, lambda: app.view.ready)
        await pilot.press("escape")
        await tells(pilot, "Nothing is running.")
        engine.play(Status("running", command=1))
        await shows(pilot, "▶ model")
        await pilot.press("escape")
        assert engine.commands == [Stop()]
        engine.play(Status("stopping", command=1))
        await shows(pilot, "■ stopping")
        app.performer._stopped_at += 600
        await pilot.press("escape")
        assert engine.commands == [Stop()], "a bouncing key kills nothing"
        app.performer._stopped_at -= 600 + DOUBLE_PRESS
        await pilot.press("escape")
        assert engine.commands == [Stop(), Stop(force=True)]


async def test_transfer_by_name_by_choice_and_why_not() -> None:
    async with playing(size=WIDE) as (app, engine, pilot):
        await until(pilot, lambda: app.view.ready)
        await write(pilot, "/transfer island")
        await pilot.press("escape", "enter")
        await tells(pilot, "island cannot be reached")
        await write(pilot, "/transfer billing")
        await pilot.press("escape", "enter")
        await until(pilot, lambda: engine.commands == [Transfer("billing")])
        await pilot.press("f6")
        await shows(pilot, "Who answers next?")
        await shows(pilot, "It answers next already")
        await pilot.press("down", "down", "enter")
        await tells(pilot, "island cannot take over: It is a SequentialAgent")
        assert engine.commands == [Transfer("billing")]
        await pilot.press("up", "enter")
        await until(pilot, lambda: engine.commands == [Transfer("billing")] * 2)


async def test_a_failed_load_is_told_with_its_place_and_waits_for_reload() -> None:
    failure = Failure(
        "load.syntax",
        "agent.py cannot be read: invalid syntax.",
        "Correct the line, then press F9.",
        file="/agents/shop/agent.py",
        line=12,
        details="Traceback …",
    )
    engine = FakeEngine(first=[failure, Status("failed")])
    app = WorkbenchApp(engine)
    async with app.run_test(notifications=True) as pilot:
        await write(pilot, "draft")
        await shows(pilot, "/agents/shop/agent.py:12")
        await shows(pilot, "Correct the line")
        await pilot.press("f6")
        await tells(pilot, "The agent is not loaded")
        await pilot.press("f9")
        await until(pilot, lambda: engine.commands == [Reload()])
        engine.play(*opening())
        await shows_no(pilot, "agent.py:12")
        assert app.main.area.prompt.text == "draft"


async def test_a_dead_process_is_a_card_with_its_last_words_and_one_key_restarts() -> None:
    async with playing() as (app, engine, pilot):
        await until(pilot, lambda: app.view.ready)
        engine.play(
            Output("stderr", "last words\n"),
            Failure("process.died", "The engine was killed by signal 9.", "F9 starts it again."),
            Status("dead"),
        )
        await shows(pilot, "killed by signal 9")
        await shows(pilot, "last words")
        await pilot.press("f9")
        await until(pilot, lambda: engine.commands == [Restart()])


async def test_an_error_that_stands_in_the_chat_is_not_told_twice() -> None:
    async with playing(size=(100, 30)) as (app, engine, pilot):
        await until(pilot, lambda: app.view.ready)
        engine.play(
            event("root", [], id="e", errorCode="429", errorMessage="Quota is used up."),
            Done(7, ok=False, failure=Failure("model.429", "Quota is used up."), events=1),
        )
        await shows(pilot, "Quota is used up.")
        await pilot.pause()
        assert rendered(app).count("Quota is used up.") == 1


async def test_output_has_a_badge_until_it_is_seen() -> None:
    async with playing(size=WIDE) as (app, engine, pilot):
        engine.play(Output("stdout", "first\nsecond\n"))
        await shows(pilot, "output +2")
        await pilot.press("f10")
        await shows(pilot, "second")
        await shows_no(pilot, "output +2")
        engine.play(Output("stderr", "\x1b[31mred\x1b[0m\n"))
        await shows(pilot, "␛[31mred")
        await pilot.press("escape")
        await shows_no(pilot, "second")
        assert app.main.region_name == "prompt"


async def test_notices_are_shown_without_markup() -> None:
    async with playing() as (app, engine, pilot):
        engine.play(Notice("kept in [bold]elsewhere[/bold]\x1b[2J", "warning"))
        await tells(pilot, "[bold]elsewhere[/bold]")
        assert "\x1b" not in rendered(app)


async def test_sessions_are_listed_opened_and_begun() -> None:
    rows = (SessionInfo("s-1", "user", 1.0, "today", 4), SessionInfo("s-2", "test_user", 1.0))
    async with playing(size=WIDE) as (app, engine, pilot):
        await until(pilot, lambda: app.view.ready)
        await pilot.press("f7")
        await until(pilot, lambda: engine.commands)
        engine.play(SessionList(rows))
        await shows(pilot, "today")
        await pilot.press("d")
        await tells(pilot, "cannot be deleted")
        await pilot.press("down", "enter")
        await until(pilot, lambda: OpenSession("s-2", "test_user") in engine.commands)
        await pilot.press("f7", "n")
        await until(pilot, lambda: NewSession() in engine.commands)


async def test_a_new_session_begins_with_an_empty_screen() -> None:
    async with playing(size=WIDE) as (_, engine, pilot):
        engine.play(said("user", "remember me"))
        await shows(pilot, "remember me")
        engine.play(SessionOpened("s-2", "user", "shop", reason="new"))
        await shows_no(pilot, "remember me")


async def test_rewind_gives_the_text_back() -> None:
    async with playing(size=WIDE) as (app, engine, pilot):
        engine.play(said("user", "wrong question"), said("root", "answer"))
        await shows(pilot, "wrong question")
        await write(pilot, "/rewind")
        await pilot.press("enter")
        await shows(pilot, "Rewind to before")
        await pilot.press("enter")
        await until(pilot, lambda: Rewind("inv-1") in engine.commands)
        assert app.main.area.prompt.text == "wrong question"


async def test_state_is_shown_masked_and_set_by_a_command() -> None:
    async with playing(size=WIDE) as (app, engine, pilot):
        await until(pilot, lambda: app.view.ready)
        delta = {"stateDelta": {"city": "Paris", "api_key": "sk-very-secret-1234567890"}}
        engine.play(event("root", [{"text": "noted"}], id="e", actions=delta))
        await shows(pilot, "noted")
        await pilot.press("f8")
        await shows(pilot, "Paris")
        assert "very-secret" not in rendered(app)
        await pilot.press("m")
        await shows(pilot, "very-secret")
        await pilot.press("escape")
        await write(pilot, "/state n=3")
        await pilot.press("enter")
        await until(pilot, lambda: getattr(engine.commands[-1], "delta", None) == {"n": 3})


async def test_an_event_opens_as_json() -> None:
    async with playing(size=WIDE) as (_, engine, pilot):
        engine.play(said("user", "hello", id="first-event"))
        await shows(pilot, "hello")
        await pilot.press("f3", "enter")
        await shows(pilot, "Event 1 of 1")
        await shows(pilot, "first-event")
        await pilot.press("escape")
        await shows_no(pilot, "Event 1 of 1")


async def test_the_agent_tree_shows_models_tools_and_transfers() -> None:
    async with playing(size=WIDE) as (app, engine, pilot):
        await until(pilot, lambda: app.view.ready)
        await pilot.press("f5")
        await shows(pilot, "island")
        await pilot.press("down")
        await shows(pilot, "gemini-2.5-flash")
        await pilot.press("t")
        await until(pilot, lambda: engine.commands == [Transfer("billing")])


async def test_the_help_names_the_keys_of_the_focused_pane() -> None:
    app = WorkbenchApp(FakeEngine())
    async with app.run_test(notifications=True, size=WIDE) as pilot:
        await until(pilot, lambda: app.view.ready)
        await pilot.press("f3", "question_mark")
        await shows(pilot, "In this pane (events)")
        await shows(pilot, "Go to the next error")
        await pilot.press("escape")
        await pilot.press("f2")
        await pilot.press("question_mark")
        assert app.main.area.prompt.text == "?"


async def test_the_palette_finds_every_action() -> None:
    async with playing(size=WIDE) as (app, engine, pilot):
        await until(pilot, lambda: app.view.ready)
        await pilot.press("ctrl+p")
        await shows(pilot, "Stop the run")
        await write(pilot, "new ses")
        await shows(pilot, "Start a new session")
        await pilot.press("enter")
        await until(pilot, lambda: engine.commands == [NewSession()])


async def test_what_an_engine_cannot_do_is_told() -> None:
    engine = FakeEngine(capabilities=frozenset({"say"}))
    app = WorkbenchApp(engine)
    async with app.run_test(notifications=True, size=WIDE) as pilot:
        await until(pilot, lambda: app.view.ready)
        for key in ("f6", "f7"):
            await pilot.press(key)
        await tells(pilot, "Transfer: this engine cannot do that")
        await tells(pilot, "Sessions: this engine cannot do that")
        assert engine.commands == []


async def test_events_are_filtered_by_a_command() -> None:
    async with playing(size=NARROW) as (app, engine, pilot):
        engine.play(said("user", "a question"), said("root", "an answer"))
        await shows(pilot, "an answer")
        await write(pilot, "/events author:user")
        await pilot.press("escape", "enter")
        await shows(pilot, "a question")
        await shows_no(pilot, "an answer")
        await pilot.press("f2")
        await write(pilot, "/events all")
        await pilot.press("escape", "enter")
        await until(pilot, lambda: app.main.region_name == "events")
        await shows(pilot, "an answer")


async def test_ctrl_c_twice_quits() -> None:
    app = WorkbenchApp(FakeEngine())
    async with app.run_test(notifications=True) as pilot:
        await pilot.press("ctrl+c")
        await tells(pilot, "Ctrl+C again quits")
        assert app.return_value is None
        await pilot.press("ctrl+c")
        await until(pilot, lambda: app.return_value == 0)


@pytest.mark.parametrize("theme", ["adk-dark", "adk-light", "no-such-theme"])
async def test_themes_are_chosen_by_option_and_command(theme: str) -> None:
    app = WorkbenchApp(FakeEngine(), TuiOptions(theme=theme))
    async with app.run_test(notifications=True) as pilot:
        assert app.theme == (theme if theme.startswith("adk-") else "adk-dark")
        await write(pilot, "/theme nord")
        await pilot.press("escape", "enter")
        await until(pilot, lambda: app.theme == "nord")


async def test_hostile_names_and_texts_reach_no_terminal() -> None:
    bad = "x\x1b]0;owned\x07\u202e[red]"
    engine = FakeEngine(
        first=[
            Ready(bad, TREE, bad, bad, bad, offline=(bad,)),
            SessionOpened(bad, bad, bad),
            Status("ready"),
        ]
    )
    app = WorkbenchApp(engine)
    async with app.run_test(notifications=True, size=WIDE) as pilot:
        engine.play(
            said("user", bad),
            said(bad, bad),
            called(bad, bad, {bad: bad}, call_id="c", waits=True),
            responded(bad, bad, {bad: bad}, call_id="c"),
            Failure(bad, bad, bad, file=bad, line=1, details=bad),
            Output("stdout", bad),
            SessionList((SessionInfo(bad, bad, 1.0, bad),)),
        )
        await shows(pilot, "1 waiting")
        for key in ("f10", "f4", "f5", "f7", "f8", "f1"):
            await pilot.press(key)
            await pilot.pause()
            text = rendered(app)
            assert not {"\x1b", "\x07", "\u202e"} & set(text), key
            if key in ("f5", "f7", "f8", "f1"):
                await pilot.press("escape")


async def test_a_burst_of_events_is_announced_in_few_ticks() -> None:
    async with playing(size=WIDE) as (app, engine, pilot):
        await until(pilot, lambda: app.view.ready)
        ticks: list[frozenset[str]] = []
        show = app.bridge._announce
        app.bridge._announce = lambda changed: (ticks.append(changed), show(changed))[1]
        engine.play(*(said("root", f"m{n}", id=f"e{n}") for n in range(5_000)))
        await until(pilot, lambda: len(app.view.log) == 5_000)
        assert len(ticks) < 50
        await shows(pilot, "m4999")
