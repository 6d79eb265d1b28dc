"""Filtering, searching, copying and saving events, by real keys on the whole app."""

import json
import shlex
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from google.adk.sessions.session import Session
from textual.pilot import Pilot
from textual.widgets import Input

from adk_tui.core.event_log import EventLog
from adk_tui.core.reports import Record
from adk_tui.tui.app import WorkbenchApp
from adk_tui.tui.screens.inspector import Inspector
from adk_tui.tui.screens.save_as import SaveAs
from adk_tui.tui.widgets.event_stream import EventStream
from adk_tui.tui.widgets.filter_bar import FilterBar
from tests.fakes.driving import rendered, shows, shows_no, tells, until, write
from tests.fakes.fake_engine import FakeEngine, called, event, responded, said
from tests.fakes.playing import playing
from tests.tui.hosts import Host

SECRET = "sk-proj-" + "a1" * 20


def session() -> list[Record]:
    turn = {"invocationId": "inv-2"}
    return [
        said("user", "first question", id="u1"),
        called("root", "look", {"at": "sky"}, call_id="c1"),
        responded("root", "look", {"n": 1}, call_id="c1"),
        said("root", "an answer", id="a1"),
        said("user", f"second with {SECRET}", id="u2", **turn),
        event("billing", [], id="x", errorCode="429", errorMessage="quota", **turn),
        said("billing", "sorry", id="a2", **turn),
    ]


@asynccontextmanager
async def on_events(
    size: tuple[int, int] = (130, 40),
) -> AsyncIterator[tuple[WorkbenchApp, FakeEngine, Pilot[int]]]:
    async with playing(size=size) as (app, engine, pilot):
        await until(pilot, lambda: app.view.ready)
        engine.play(*session())
        await until(pilot, lambda: len(app.view.log) == 7)
        await pilot.press("f3")
        await until(pilot, lambda: isinstance(app.focused, EventStream))
        yield app, engine, pilot


def ids(app: WorkbenchApp) -> list[str]:
    return [e.id for e in app.main.shown_events()]


async def typed(pilot: Pilot[int], text: str) -> None:
    await pilot.press(*({":": "colon", ",": "comma", "*": "asterisk"}.get(c, c) for c in text))


async def test_a_filter_holds_while_it_is_typed_and_after_enter() -> None:
    async with on_events() as (app, _, pilot):
        await pilot.press("F")
        await typed(pilot, "author:billing")
        await until(pilot, lambda: ids(app) == ["x", "a2"])
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.focused, EventStream))
        await shows(pilot, "Filter author:billing")
        await shows(pilot, "2 shown")


async def test_of_keys_in_quick_succession_what_stands_there_in_the_end_filters() -> None:
    bar = FilterBar(EventLog)
    host = Host(bar)
    async with host.run_test(message_hook=host.heard.append) as pilot:
        bar.ask()
        field = bar.query_one(Input)
        field.value = "look"
        field.value = "look ticket"
        await until(pilot, lambda: any(isinstance(m, FilterBar.Changed) for m in host.heard))
        changes = [m for m in host.heard if isinstance(m, FilterBar.Changed)]
        assert {m.accept and m.accept.expression for m in changes} == {"look ticket"}


async def test_events_that_arrive_are_filtered_too() -> None:
    async with on_events() as (app, engine, pilot):
        await pilot.press("F")
        await typed(pilot, "author:billing")
        await pilot.press("enter")
        engine.play(said("root", "hidden", id="h"), said("billing", "more", id="m"))
        await until(pilot, lambda: ids(app) == ["x", "a2", "m"])
        await shows(pilot, "3 shown")


async def test_tab_takes_the_completion_and_the_arrows_choose_another() -> None:
    async with on_events() as (app, _, pilot):
        await pilot.press("F")
        await typed(pilot, "aut")
        await shows(pilot, "author:")
        await pilot.press("tab")
        field = app.main.query_one(FilterBar).query_one(Input)
        assert field.value == "author:"
        await shows(pilot, "author:billing")
        await pilot.press("down", "down", "tab")
        assert field.value.startswith("author:")
        assert field.value != "author:"
        taken = field.value.removeprefix("author:")
        await until(pilot, lambda: {e.author for e in app.main.shown_events()} == {taken})


async def test_what_is_wrong_is_said_in_place_and_the_filter_before_stays() -> None:
    async with on_events() as (app, _, pilot):
        await pilot.press("F")
        await typed(pilot, "error")
        await until(pilot, lambda: ids(app) == ["x"])
        await pilot.press("space")
        await typed(pilot, "kind:nosuch")
        await shows(pilot, "there is no kind 'nosuch'")
        assert ids(app) == ["x"]
        await pilot.press("enter")
        assert app.main.query_one(FilterBar).writing
        await shows(pilot, "(column 12)")


async def test_f1_explains_the_language_and_esc_shows_all_again() -> None:
    async with on_events() as (app, _, pilot):
        await pilot.press("F")
        await shows(pilot, "Tab completes")
        await pilot.press("f1")
        await shows(pilot, "Terms side by side must all hold.")
        await pilot.press("pagedown", "pagedown")
        await shows(pilot, "kinds: ")
        await typed(pilot, "error")
        await until(pilot, lambda: ids(app) == ["x"])
        await pilot.press("escape")
        await until(pilot, lambda: len(ids(app)) == 7)
        assert isinstance(app.focused, EventStream)
        await shows_no(pilot, "Filter")


async def test_a_filter_can_be_changed_where_it_was_left() -> None:
    async with on_events() as (app, _, pilot):
        await pilot.press("F")
        await typed(pilot, "author:billing")
        await pilot.press("enter", "F", "space")
        await typed(pilot, "error")
        await until(pilot, lambda: ids(app) == ["x"])


async def test_the_slash_command_sets_the_same_filter() -> None:
    async with on_events() as (app, _, pilot):
        await pilot.press("f2")
        await write(pilot, "/events error")
        await pilot.press("enter")
        await until(pilot, lambda: ids(app) == ["x"])
        await shows(pilot, "Filter error")
        await pilot.press("f2")
        await write(pilot, "/events all")
        await pilot.press("enter")
        await until(pilot, lambda: len(ids(app)) == 7)


async def test_a_search_goes_on_with_n_and_hides_nothing() -> None:
    async with on_events() as (app, _, pilot):
        await pilot.press("home", "slash")
        await write(pilot, "look")
        await pilot.press("enter")
        stream = app.main.query_one(EventStream)
        await until(pilot, lambda: stream.has_focus and stream.cursor == 1)
        await pilot.press("n")
        await until(pilot, lambda: stream.cursor == 2)
        await pilot.press("N")
        await until(pilot, lambda: stream.cursor == 1)
        assert len(ids(app)) == 7
        await pilot.press("slash")
        await write(pilot, "nowhere")
        await pilot.press("enter")
        await tells(pilot, "No nowhere found.")


async def test_jumps_go_to_errors_turns_and_counterparts() -> None:
    async with on_events() as (app, _, pilot):
        stream = app.main.query_one(EventStream)
        for key, row in (
            ("home", 0),
            ("e", 5),
            ("[", 4),
            ("[", 0),
            ("down", 1),
            ("c", 2),
            ("c", 1),
        ):
            await pilot.press({"[": "left_square_bracket"}.get(key, key))
            await until(pilot, lambda row=row: stream.cursor == row, f"{key} to {row}")


async def test_from_an_event_to_the_chat_and_back() -> None:
    async with on_events() as (app, _, pilot):
        stream = app.main.query_one(EventStream)
        stream.go_to_event("a1")
        await pilot.press("o")
        await until(pilot, lambda: app.main.region_name == "chat")
        marked = app.main.marked_event(app.view)
        assert marked is not None
        assert marked.id == "a1"
        stream.go_to_event("u1")
        await pilot.press("e")
        await until(pilot, lambda: app.main.region_name == "events")
        record = stream.record_at_cursor()
        assert record is not None
        assert record.id == "a1"


async def test_an_event_is_copied_as_text_json_curl_and_python() -> None:
    async with on_events() as (app, _, pilot):
        app.main.query_one(EventStream).go_to_event("a2")
        await pilot.press("y")
        assert "text: sorry" in app.clipboard
        await pilot.press("Y")
        assert json.loads(app.clipboard)["id"] == "a2"
        await pilot.press("C")
        words = shlex.split(app.clipboard.replace("\\\n", ""))
        body = json.loads(words[words.index("-d") + 1])
        assert (body["appName"], body["userId"], body["sessionId"]) == ("shop", "user", "s-1")
        assert body["newMessage"]["parts"][0]["text"].startswith("second with")
        assert SECRET not in app.clipboard
        await pilot.press("P")
        compile(app.clipboard, "script", "exec")
        assert "InMemoryRunner" in app.clipboard
        assert SECRET not in app.clipboard


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


async def test_the_shown_events_are_saved_as_lines_with_secrets_masked(folder: Path) -> None:
    async with on_events() as (app, _, pilot):
        await pilot.press("F")
        await typed(pilot, "author:user")
        await pilot.press("enter", "x")
        await shows(pilot, "Save 2 events")
        await pilot.press("enter")
        await tells(pilot, "2 events saved as")
        (path,) = folder.iterdir()
        assert path.suffix == ".jsonl"
        assert path.stat().st_mode & 0o777 == 0o600
        lines = path.read_text().splitlines()
        assert [json.loads(line)["id"] for line in lines] == ["u1", "u2"]
        assert SECRET not in path.read_text()
        assert app.screen is app.main


async def test_a_session_for_adk_web_is_saved_with_secrets_where_asked(folder: Path) -> None:
    async with on_events() as (app, _, pilot):
        await pilot.press("x")
        await until(pilot, lambda: isinstance(app.screen, SaveAs))
        await shows(pilot, "Values that look like secrets are masked.")
        await pilot.press("f2")
        await shows(pilot, "Secrets go along as they are!")
        await pilot.press("home", "ctrl+k")
        await write(pilot, "out.json")
        await pilot.press("enter")
        await tells(pilot, "secrets included")
        body = json.loads((folder / "out.json").read_text())
        session = Session.model_validate(body)
        assert [e.id for e in session.events] == [e.id for e in app.view.log]
        assert SECRET in (folder / "out.json").read_text()


async def test_esc_saves_nothing(folder: Path) -> None:
    async with on_events() as (app, _, pilot):
        await pilot.press("x")
        await until(pilot, lambda: isinstance(app.screen, SaveAs))
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is app.main)
        assert not list(folder.iterdir())


async def test_the_palette_does_what_the_keys_do() -> None:
    async with on_events() as (app, _, pilot):
        await pilot.press("f2", "ctrl+p")
        await write(pilot, "only events that fit")
        await shows(pilot, "Show only events that fit")
        await pilot.press("enter")
        await until(pilot, lambda: app.main.query_one(FilterBar).writing)


async def test_the_footer_names_the_keys_of_the_pane() -> None:
    async with on_events() as (app, _, pilot):
        await shows(pilot, "F filter")
        await shows(pilot, "/ search")
        await pilot.press("F")
        await shows(pilot, "Tab complete")
        last = rendered(app).rstrip("\n").split("\n")[-1]
        assert "Enter keep" in last


async def test_keys_typed_into_the_filter_do_nothing_else() -> None:
    async with on_events() as (app, _, pilot):
        await pilot.press("F")
        await typed(pilot, "text:export")
        field = app.main.query_one(FilterBar).query_one(Input)
        assert field.value == "text:export"
        assert app.screen is app.main
        await pilot.press("escape", "enter")
        await until(pilot, lambda: isinstance(app.screen, Inspector))
