from pathlib import Path

import pytest
from textual import events

from adk_tui.core.commands import Say
from adk_tui.core.reports import Done, Failure, Queued, Status
from adk_tui.tui.app import TuiOptions, WorkbenchApp
from tests.fakes.driving import rendered, shows, shows_no, tells, until, write
from tests.fakes.fake_engine import FakeEngine
from tests.fakes.playing import playing


def says(engine: FakeEngine) -> list[str]:
    return [c.text for c in engine.commands if isinstance(c, Say)]


async def test_enter_sends_and_clears(tmp_path: Path) -> None:
    engine = FakeEngine()
    app = WorkbenchApp(engine, TuiOptions(history_file=tmp_path / "h.jsonl"))
    async with app.run_test(notifications=True) as pilot:
        await write(pilot, "hello you")
        await pilot.press("enter")
        await until(pilot, lambda: says(engine) == ["hello you"])
        assert app.main.area.prompt.text == ""
        await pilot.press("up")
        assert app.main.area.prompt.text == "hello you"
        await pilot.press("down")
        assert app.main.area.prompt.text == ""
    assert (tmp_path / "h.jsonl").read_text() == '"hello you"\n'


@pytest.mark.parametrize("key", ["ctrl+j", "alt+enter", "shift+enter"])
async def test_new_lines_do_not_send(key: str) -> None:
    async with playing() as (app, engine, pilot):
        await pilot.press("a", key, "b")
        assert app.main.area.prompt.text == "a\nb"
        assert app.main.area.prompt.size.height == 2
        assert says(engine) == []


async def test_the_prompt_grows_up_to_eight_lines() -> None:
    app = WorkbenchApp(FakeEngine())
    async with app.run_test(notifications=True) as pilot:
        await pilot.press(*["x", "ctrl+j"] * 12)
        await until(pilot, lambda: app.main.area.prompt.size.height == 8)


async def test_a_blank_message_is_not_sent() -> None:
    async with playing() as (_, engine, pilot):
        await pilot.press("space", "enter")
        await pilot.pause()
        assert says(engine) == []


async def test_a_long_paste_is_a_chip_and_is_sent_in_full() -> None:
    engine = FakeEngine()
    app = WorkbenchApp(engine)
    text = "\n".join(f"line {n}" for n in range(120))
    async with app.run_test(notifications=True) as pilot:
        await write(pilot, "see ")
        prompt = app.main.area.prompt
        prompt.post_message(events.Paste(text.replace("\n", "\r\n")))
        await shows(pilot, "see [pasted 120 lines]")
        prompt.post_message(events.Paste(text + "!"))
        await shows(pilot, "[pasted 120 lines #2]")
        await pilot.press("backspace")
        assert prompt.text == "see [pasted 120 lines]"
        await pilot.press("enter")
        await until(pilot, lambda: says(engine) == ["see " + text])


async def test_one_long_line_is_a_chip_too() -> None:
    app = WorkbenchApp(FakeEngine())
    async with app.run_test(notifications=True) as pilot:
        app.main.area.prompt.post_message(events.Paste("x" * 100_000))
        await shows(pilot, "[pasted 100,000 characters]")
        assert app.main.area.prompt.message == "x" * 100_000


async def test_pasted_escape_sequences_reach_no_terminal() -> None:
    app = WorkbenchApp(FakeEngine())
    async with app.run_test(notifications=True) as pilot:
        app.main.area.prompt.post_message(events.Paste("a\x1b[31mb"))
        await until(pilot, lambda: "b" in app.main.area.prompt.text)
        assert "\x1b" not in rendered(app)


async def test_tab_completes_a_command_and_enter_runs_it() -> None:
    app = WorkbenchApp(FakeEngine())
    async with app.run_test(notifications=True) as pilot:
        await write(pilot, "/he")
        await shows(pilot, "/help")
        await pilot.press("tab")
        assert app.main.area.prompt.text == "/help "
        await pilot.press("enter")
        await shows(pilot, "In the prompt")


async def test_enter_takes_the_marked_command_at_once() -> None:
    async with playing() as (app, engine, pilot):
        await until(pilot, lambda: app.view.ready)
        await write(pilot, "/ne")
        await shows(pilot, "/new")
        await pilot.press("enter")
        await until(pilot, lambda: [type(c).__name__ for c in engine.commands] == ["NewSession"])


async def test_escape_puts_completions_away_and_keeps_the_text() -> None:
    app = WorkbenchApp(FakeEngine())
    async with app.run_test(notifications=True) as pilot:
        await write(pilot, "/re")
        await shows(pilot, "/reload")
        await pilot.press("escape")
        await shows_no(pilot, "/reload")
        assert app.main.area.prompt.text == "/re"


async def test_an_unknown_command_stays_and_is_told() -> None:
    async with playing() as (app, engine, pilot):
        await write(pilot, "/relod now")
        await pilot.press("enter")
        await tells(pilot, "Did you mean /reload?")
        assert app.main.area.prompt.text == "/relod now"
        assert engine.commands == []


def burst(app: WorkbenchApp, *keys: str) -> None:
    """Keys that all wait when the first one is taken, as from a fast typist or over SSH."""
    for key in keys:
        name, character = (key, None) if len(key) > 1 else (key, key)
        app.post_message(events.Key(name, character))


async def test_keys_typed_right_after_enter_belong_to_the_next_message() -> None:
    async with playing() as (app, engine, pilot):
        await until(pilot, lambda: app.view.ready)
        burst(app, *"one", "enter", *"two", "enter", *"three")
        await until(pilot, lambda: app.main.area.prompt.text == "three")
        assert says(engine) == ["one", "two"]


async def test_completions_follow_the_text_however_fast_it_is_typed() -> None:
    async with playing() as (app, engine, pilot):
        await until(pilot, lambda: app.view.ready)
        burst(app, *"/th", "tab", *"adk-li", "tab", "enter", *"hello", "enter", *"/no", *"x")
        await until(pilot, lambda: app.main.area.prompt.text == "/nox")
        assert app.theme == "adk-light"
        assert says(engine) == ["hello"]
        burst(app, "enter", *"y")
        await tells(pilot, "There is no /nox.")
        assert app.main.area.prompt.text == "/noxy"


async def test_two_slashes_send_one() -> None:
    async with playing() as (_, engine, pilot):
        await write(pilot, "//etc")
        await pilot.press("enter")
        await until(pilot, lambda: says(engine) == ["/etc"])


async def test_a_mentioned_file_goes_along(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("content")
    async with playing() as (app, engine, pilot):
        app.main.area.prompt.fill(f"read @{tmp_path}/a.txt ")
        await pilot.press("enter")
        await until(pilot, lambda: engine.commands)
        said = engine.commands[0]
        assert isinstance(said, Say)
        assert [a.name for a in said.attachments] == ["a.txt"]


async def test_files_under_a_long_path_are_told_apart_in_the_menu(tmp_path: Path) -> None:
    folder = tmp_path / ("deep" * 20)
    folder.mkdir()
    for name in ("autumn.txt", "spring.txt"):
        (folder / name).touch()
    async with playing(size=(80, 24)) as (app, _, pilot):
        app.main.area.prompt.fill(f"@{folder}")
        await write(pilot, "/")
        await shows(pilot, "/autumn.txt")
        await shows(pilot, "/spring.txt")


async def test_a_missing_file_keeps_the_message_in_the_prompt(tmp_path: Path) -> None:
    async with playing() as (app, engine, pilot):
        app.main.area.prompt.fill("read @nothing.txt")
        await pilot.press("enter")
        await tells(pilot, "@nothing.txt cannot be attached")
        assert app.main.area.prompt.text == "read @nothing.txt"
        assert engine.commands == []


async def test_what_is_sent_while_loading_waits_in_sight_and_can_be_taken_back() -> None:
    engine = FakeEngine(lambda command, number: (), first=[Status("loading")])
    app = WorkbenchApp(engine)
    async with app.run_test(notifications=True) as pilot:
        await write(pilot, "early bird")
        await pilot.press("enter")
        await shows(pilot, "early bird")
        assert app.main.area.prompt.text == ""
        await pilot.press("alt+up")
        await until(pilot, lambda: app.main.area.prompt.text == "early bird")
        await until(pilot, lambda: type(engine.commands[-1]).__name__ == "Cancel")


async def test_what_the_engine_queues_is_shown() -> None:
    async with playing() as (app, engine, pilot):
        await until(pilot, lambda: app.view.ready)
        engine.play(Status("running", command=1, queued=(Queued(2, "and then this"),)))
        await shows(pilot, "waits (a run is at work): and then this")


async def test_a_message_that_was_not_delivered_returns_to_the_prompt() -> None:
    def script(command: object, number: int) -> list[Done]:
        return [Done(number, ok=False, failure=Failure("session.stale", "It changed.", "Again."))]

    app = WorkbenchApp(FakeEngine(script))
    async with app.run_test(notifications=True) as pilot:
        await until(pilot, lambda: app.view.ready)
        await write(pilot, "dear agent")
        await pilot.press("enter")
        await shows(pilot, "It changed.")
        assert app.main.area.prompt.text == "dear agent"


async def test_a_draft_survives_a_death_of_the_engine_and_quitting_keeps_it_in_the_history(
    tmp_path: Path,
) -> None:
    engine = FakeEngine()
    app = WorkbenchApp(engine, TuiOptions(history_file=tmp_path / "h.jsonl"))
    async with app.run_test(notifications=True) as pilot:
        await until(pilot, lambda: app.view.ready)
        await write(pilot, "half a thou")
        engine.play(Failure("process.died", "The agent died.", "F9."), Status("dead"))
        await shows(pilot, "The agent died.")
        assert app.main.area.prompt.text == "half a thou"
        await pilot.press("ctrl+q")
    assert (tmp_path / "h.jsonl").read_text() == '"half a thou"\n'
