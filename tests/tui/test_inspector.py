"""The inspector: everything about an event, by real keys on the whole app."""

import base64
import json
import os
import threading
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from adk_tui.core.event_reader import read_event
from adk_tui.core.records import EventRecord, Usage
from adk_tui.core.reports import ModelCall, Record, SessionOpened, ToolRun
from adk_tui.tui.app import WorkbenchApp
from adk_tui.tui.screens.inspector import TABS, Inspector
from adk_tui.tui.screens.save_as import SaveAs
from adk_tui.tui.widgets.inspector_request import request_page
from adk_tui.tui.widgets.json_view import JsonView
from adk_tui.tui.widgets.page_view import Block, PageView
from tests.fakes.driving import rendered, shows, shows_no, tells, until, write
from tests.fakes.fake_engine import FakeEngine, called, event, opening, responded, said
from tests.fakes.playing import playing

NOW = 1_760_000_000.0
SECRET = "sk-proj-" + "a1" * 20
NAME = "../../etc/\x1bcat.png"
PIXEL = base64.urlsafe_b64encode(b"\x89PNG" + bytes(range(256)) * 4).decode()


def request(*contents: Any, system: str = "Be brief.", **config: Any) -> bytes:
    settings = {"systemInstruction": system, **config}
    return json.dumps({"model": "gemini", "contents": contents, "config": settings}).encode()


def turn(role: str, text: str) -> dict[str, Any]:
    return {"role": role, "parts": [{"text": text}]}


def answer(text: str) -> bytes:
    return json.dumps({"content": turn("model", text), "finishReason": "STOP"}).encode()


LOOK = {
    "name": "look",
    "description": "Looks around.",
    "parametersJsonSchema": {
        "properties": {"at": {"type": "string"}, "long": {"type": "boolean"}},
        "required": ["at"],
    },
}


def conversation() -> list[Record]:
    """Two requests, a tool run, state, and an answer that streamed in."""
    tools = [{"functionDeclarations": [LOOK]}]
    first = request(turn("user", "what is up"), tools=tools)
    result = {
        "role": "user",
        "parts": [{"functionResponse": {"name": "look", "response": {"n": 1}}}],
    }
    asked = {"role": "model", "parts": [{"functionCall": {"name": "look", "args": {"at": "sky"}}}]}
    second = request(
        turn("user", "what is up"), asked, result, system="Be briefer.", tools=tools, topK=3
    )
    return [
        said("user", "what is up", id="u", timestamp=NOW),
        ModelCall(
            "m1",
            "root",
            "inv-1",
            "gemini",
            "s-1",
            "",
            "call-c1",
            NOW + 0.1,
            NOW + 0.5,
            NOW + 0.5,
            1,
            first,
            answer("call"),
            Usage(10, 2, 0, 0, 12),
        ),
        called("root", "look", {"at": "sky"}, call_id="c1", timestamp=NOW + 0.5),
        ToolRun("c1", "look", "root", "inv-1", "", NOW + 0.5, NOW + 1.5),
        responded(
            "root",
            "look",
            {"n": 1},
            call_id="c1",
            timestamp=NOW + 1.5,
            actions={"stateDelta": {"seen": 1, "user:name": "Ada"}},
        ),
        said("root", "Blue", id="a", partial=True, timestamp=NOW + 2.0),
        said("root", "Blue sky.", id="a", timestamp=NOW + 3.0, actions={"stateDelta": {"seen": 2}}),
        ModelCall(
            "m2",
            "root",
            "inv-1",
            "gemini",
            "s-1",
            "",
            "a",
            NOW + 1.6,
            NOW + 2.0,
            NOW + 3.0,
            4,
            second,
            answer("Blue sky."),
            Usage(30, 5, 3, 8, 38),
        ),
    ]


@asynccontextmanager
async def inspecting(
    records: Sequence[Record], at: int, size: tuple[int, int] = (120, 40)
) -> AsyncIterator[tuple[WorkbenchApp, Pilot[int], Inspector]]:
    """The app with the inspector open on the event at that index of the log."""
    async with playing(size=size) as (app, engine, pilot):
        await until(pilot, lambda: app.view.ready)
        engine.play(*records)
        events = sum(isinstance(r, EventRecord) for r in records)
        await until(pilot, lambda: len(app.view.log) >= events)
        app.performer.inspect(app.view.log[at].id, at)
        await until(pilot, lambda: isinstance(app.screen, Inspector) and app.screen.focused)
        screen = app.screen
        assert isinstance(screen, Inspector)
        yield app, pilot, screen


async def test_enter_on_a_row_opens_its_event_and_esc_returns_to_it() -> None:
    async with playing(size=(120, 40)) as (app, engine, pilot):
        await until(pilot, lambda: app.view.ready)
        engine.play(*conversation())
        await until(pilot, lambda: len(app.view.log) == 5)
        await pilot.press("f3")
        await until(pilot, lambda: app.main.region_name == "events")
        await pilot.press("home", "down", "enter")
        await shows(pilot, "Event 2 of 4")
        await shows(pilot, "The model calls a function")
        await pilot.press("j", "escape")
        await until(pilot, lambda: app.screen is app.main)
        record = app.main.marked_event(app.view)
        assert record is not None
        assert record.responses


async def test_pieces_are_counted_with_the_answer_they_are_pieces_of() -> None:
    async with inspecting(conversation(), 3) as (_, pilot, screen):
        await shows(pilot, "Piece of event 4 of 4")
        await pilot.press("j")
        await shows(pilot, "Event 4 of 4")
        assert screen.index == 4


async def test_the_summary_says_in_words_what_happened() -> None:
    async with inspecting(conversation(), 1) as (_, pilot, _screen):
        await shows(pilot, "root, an LlmAgent on offline (the offline model)")
        await shows(pilot, "500ms after its invocation began")
        await shows(pilot, "gemini, 400ms")
        await shows(pilot, "look, 1.0s")
        await shows(pilot, '"at": "sky"')


async def test_numbers_arrows_and_tab_go_from_tab_to_tab() -> None:
    async with inspecting(conversation(), 1) as (_, pilot, screen):
        for key, tab in zip("123456", TABS, strict=True):
            await pilot.press(key)
            assert screen._tab == tab
        await pilot.press("right")
        assert screen._tab == "summary"
        await pilot.press("left", "shift+tab")
        assert screen._tab == "state"
        await pilot.press("2", "tab")
        assert screen._tab == "request"
        await pilot.click("#tabs", offset=(3, 0))
        assert screen._tab == "summary"


async def test_the_request_shows_what_the_model_saw_and_what_had_changed() -> None:
    async with inspecting(conversation(), 4, size=(140, 60)) as (_, pilot, _screen):
        await pilot.press("3")
        await shows(pilot, "This event is the model's answer to this request.")
        await shows(pilot, "30 in, 8 of them cached, 5 out, 3 thought, 38 in all")
        await shows(pilot, "instruction changed, 1 setting changed, 2 new")
        await shows(pilot, "- Be brief.")
        await shows(pilot, "+ Be briefer.")
        await shows(pilot, "+ setting topK = 3")
        await shows(pilot, "+ user: look → {n: 1}")
        await shows(pilot, "look(at, long?)")
        await shows(pilot, "Looks around.")


async def test_a_message_opens_and_says_which_event_it_comes_from() -> None:
    async with inspecting(conversation(), 4, size=(140, 60)) as (_, pilot, screen):
        await pilot.press("3")
        await shows(pilot, "Messages")
        page = screen.query_one("#request", PageView)
        keys = [page.row_key(row) for row in range(page.row_count())]
        page.move_cursor(keys.index(("message2", 0)))
        await pilot.press("enter")
        await shows(pilot, "comes from")
        await shows(pilot, "as it is in the session")


async def test_a_long_request_in_a_long_session_is_read_beside_the_screen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    threads: list[str] = []

    def noted(*arguments: Any) -> list[Block]:
        threads.append(threading.current_thread().name)
        return request_page(*arguments)

    monkeypatch.setattr("adk_tui.tui.screens.inspector.request_page", noted)
    count = 4_500
    records: list[Record] = [
        said("root", f"word {n}", id=f"e{n}", timestamp=NOW + n) for n in range(count)
    ]
    told = request(*(turn("model", f"word {n}") for n in range(count - 201, count - 1)))
    times = (NOW + count - 1.5, NOW + count - 1, NOW + count - 1)
    records.append(
        ModelCall(
            "m", "root", "inv-1", "g", "s-1", "", f"e{count - 1}", *times, 1, told, answer("x")
        )
    )
    async with inspecting(records, count - 1) as (_, pilot, screen):
        await pilot.press("3")
        await shows(pilot, "Messages  200")
        assert threads
        assert threading.main_thread().name not in threads
        page = screen.query_one("#request", PageView)
        assert f"Events it does not hold  {count - 201:,}" in page.page_text()
        await pilot.press("k")
        await shows(pilot, "No model made this event. This is the first request after it.")


async def test_the_raw_request_is_the_json_that_was_sent() -> None:
    async with inspecting(conversation(), 4) as (_, pilot, screen):
        await pilot.press("3", "v")
        await shows(pilot, "contents: [3]")
        assert screen.query_one("#raw-request", JsonView).has_focus
        await pilot.press("v")
        await shows(pilot, "System instruction")


async def test_a_message_of_the_user_leads_to_the_request_that_follows_it() -> None:
    async with inspecting(conversation(), 0) as (_, pilot, _screen):
        await pilot.press("3")
        await shows(pilot, "No model made this event. This is the first request after it.")
        await shows(pilot, "this is its first one")


async def test_the_response_is_shown_as_it_came_with_its_usage() -> None:
    async with inspecting(conversation(), 4) as (_, pilot, _screen):
        await pilot.press("4")
        await shows(pilot, "first token after 400ms")
        await shows(pilot, "4 pieces")
        await shows(pilot, 'text: "Blue sky."')


async def test_a_piece_of_an_answer_has_the_request_of_the_whole() -> None:
    async with inspecting(conversation(), 3) as (_, pilot, _screen):
        await shows(pilot, "of a streamed answer; the final event came")
        await pilot.press("4")
        await shows(pilot, 'text: "Blue sky."')
        await pilot.press("5")
        await shows(pilot, "changes nothing; its final event does")


async def test_a_failed_call_is_shown_with_its_request_and_error() -> None:
    failed = ModelCall(
        "m1",
        "root",
        "inv-1",
        "gemini",
        "s-1",
        "",
        "",
        NOW + 0.1,
        0.0,
        NOW + 0.4,
        0,
        request(turn("user", "hi")),
        b"",
        None,
        "ClientError: 429 quota",
    )
    records = [
        said("user", "hi", id="u", timestamp=NOW),
        failed,
        event("root", [], id="e", timestamp=NOW + 0.4, errorCode="429", errorMessage="quota"),
    ]
    async with inspecting(records, 1) as (_, pilot, _screen):
        await shows(pilot, "Wait a moment, then send the message again.")
        await pilot.press("3")
        await shows(pilot, "This request failed; the event tells how.")
        await shows(pilot, "ClientError: 429 quota")
        await pilot.press("4")
        await shows(pilot, "none came, or it was not kept")


async def test_where_no_request_is_known_it_says_why() -> None:
    async with inspecting([said("root", "old")], 0) as (_, pilot, _screen):
        for tab in ("3", "4"):
            await pilot.press(tab)
            await shows(pilot, "No request to a model is known in this session.")
        await pilot.press("c")
        await tells(pilot, "There is no response to copy")


async def test_the_state_is_shown_before_and_after_with_changed_keys_first() -> None:
    records = [
        SessionOpened("s-1", "user", "shop", state={"kept": "x", "seen": 2}),
        *conversation(),
    ]
    async with inspecting(records, 4) as (_, pilot, _screen):
        await pilot.press("5")
        await shows(pilot, "This event writes the state: 1 changed")
        await shows(pilot, "~ seen  1  → 2")
        await shows(pilot, "kept  x")
        await shows(pilot, "This user, in all sessions")
        await pilot.press("k")
        await shows(pilot, "+ user:name  Ada")
        text = rendered_lines(pilot)
        assert text.index("+ seen  1") < text.index("  kept  x")


def rendered_lines(pilot: Pilot[int]) -> str:
    return rendered(pilot.app)  # type: ignore[arg-type]


async def test_the_timing_draws_bars_to_one_scale() -> None:
    async with inspecting(conversation(), 4, size=(100, 30)) as (app, pilot, screen):
        await pilot.press("6")
        await shows(pilot, "look")
        rows = [r for r in rendered(app).split("\n") if "█" in r and ("◆" in r or "⚙" in r)]
        lengths = [r.count("█") for r in rows]
        # 0.4, 1.0 and 1.4 seconds.
        assert lengths[0] < lengths[1] < lengths[2]
        assert abs(lengths[1] / lengths[0] - 2.5) < 0.4
        await shows(pilot, "1.0s")
        await shows(pilot, "until the first token")
        wide = lengths[2]
        await pilot.resize_terminal(160, 30)
        await until(pilot, lambda: screen.size.width == 160)
        await pilot.pause()
        rows = [r for r in rendered(app).split("\n") if "█" in r and "◆" in r]
        assert rows[1].count("█") > wide


async def test_enter_on_a_bar_goes_to_its_event() -> None:
    async with inspecting(conversation(), 4) as (_, pilot, screen):
        await pilot.press("6")
        await shows(pilot, "What each agent took")
        await pilot.press("enter")
        await until(pilot, lambda: screen.index == 1)
        await pilot.press("down", "enter")
        await until(pilot, lambda: screen.index == 2)


async def test_a_call_that_ends_while_one_looks_is_drawn_without_a_key() -> None:
    running = ModelCall("m1", "root", "inv-1", "gemini", "s-1", "", "", NOW + 0.1)
    records = [said("user", "hi", id="u", timestamp=NOW), running]
    async with inspecting(records, 0) as (app, pilot, _screen):
        await pilot.press("3")
        await shows(pilot, "The request is on its way")
        engine = app.engine
        assert isinstance(engine, FakeEngine)
        done = ModelCall(
            "m1",
            "root",
            "inv-1",
            "gemini",
            "s-1",
            "",
            "a",
            NOW + 0.1,
            0.0,
            NOW + 0.9,
            1,
            request(turn("user", "hi")),
            answer("yes"),
        )
        engine.play(done)
        await shows(pilot, "System instruction")


async def test_j_and_k_pass_over_pieces_and_stop_at_the_ends() -> None:
    async with inspecting(conversation(), 2) as (_, pilot, screen):
        await pilot.press("j")
        assert screen.index == 4
        await pilot.press("j")
        await tells(pilot, "This is the last event.")
        await pilot.press("k", "k", "k")
        assert screen.index == 0
        await pilot.press("k")
        await tells(pilot, "This is the first event.")


async def test_x_goes_from_a_call_to_its_response_and_back() -> None:
    async with inspecting(conversation(), 1) as (_, pilot, screen):
        await pilot.press("x")
        assert screen.index == 2
        await pilot.press("x")
        assert screen.index == 1


def secretive() -> list[Record]:
    return [
        said(
            "user",
            f"the key is {SECRET}",
            id="u",
            timestamp=NOW,
            actions={"stateDelta": {"api_key": "hunter2"}},
        ),
        ModelCall(
            "m1",
            "root",
            "inv-1",
            "gemini",
            "s-1",
            "",
            "a",
            NOW + 1,
            0.0,
            NOW + 2,
            1,
            request(turn("user", f"the key is {SECRET}"), system=f"use {SECRET}"),
            answer(f"yes {SECRET}"),
        ),
        said("root", f"yes {SECRET}", id="a", timestamp=NOW + 2),
    ]


async def test_secrets_are_masked_on_every_tab_until_they_are_revealed() -> None:
    async with inspecting(secretive(), 0, size=(160, 60)) as (app, pilot, screen):
        for revealed in (False, True, False):
            for index in (0, 1):
                screen._move(index)
                for key in "123456":
                    await pilot.press(key)
                    await pilot.pause()
                    text = rendered(app)
                    assert revealed or (SECRET not in text and "hunter2" not in text)
            await pilot.press("1")
            if revealed:
                await shows(pilot, SECRET)
                await shows(pilot, "SECRETS SHOWN")
            else:
                await shows_no(pilot, "SECRETS SHOWN")
            await pilot.press("r")


async def test_what_is_copied_is_masked_unless_revealed() -> None:
    async with inspecting(secretive(), 0, size=(160, 60)) as (app, pilot, _screen):
        for key in "12345":
            await pilot.press(key, "c")
            assert app.clipboard
            assert SECRET not in app.clipboard
            assert "hunter2" not in app.clipboard
        await pilot.press("2", "r", "c")
        assert SECRET in app.clipboard


async def test_every_tab_is_copied_as_what_it_shows() -> None:
    async with inspecting(conversation(), 4) as (app, pilot, _screen):
        await pilot.press("c")
        assert "text: Blue sky." in app.clipboard
        await pilot.press("2", "c")
        assert json.loads(app.clipboard)["id"] == "a"
        await pilot.press("3", "c")
        assert json.loads(app.clipboard)["config"]["topK"] == 3
        await pilot.press("4", "c")
        assert json.loads(app.clipboard)["finishReason"] == "STOP"
        await pilot.press("5", "c")
        assert json.loads(app.clipboard)["delta"] == {"seen": 2}
        await pilot.press("6", "c")
        assert "What each agent took" in app.clipboard


async def test_find_goes_to_what_is_looked_for_in_text_and_trees() -> None:
    async with inspecting(conversation(), 4, size=(120, 30)) as (_, pilot, screen):
        await pilot.press("3", "slash")
        await write(pilot, "Looks around")
        await pilot.press("enter")
        page = screen.query_one("#request", PageView)
        await until(pilot, lambda: page.has_focus and "look" in page.row_text(page.cursor or 0))
        await pilot.press("2", "slash")
        await write(pilot, "Blue")
        await pilot.press("enter")
        tree = screen.query_one("#json", JsonView)
        await until(pilot, lambda: "Blue sky" in tree.row_text(tree.cursor or 0))
        await pilot.press("slash")
        await write(pilot, "nowhere")
        await pilot.press("enter")
        await tells(pilot, "No nowhere in this tab.")


async def test_data_is_saved_to_a_private_file_with_a_safe_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    image = {
        "inlineData": {
            "mimeType": "image/png",
            "data": PIXEL,
            "displayName": "../../etc/\x1bcat.png",
        }
    }
    async with inspecting([event("root", [image], id="e")], 0) as (app, pilot, _screen):
        await shows(pilot, "image/png")
        assert PIXEL[:60] not in rendered(app)
        await pilot.press("s")
        await until(pilot, lambda: isinstance(app.screen, SaveAs))
        await pilot.press("enter")
        await tells(pilot, "Saved ")
        (saved,) = tmp_path.iterdir()
        assert saved.read_bytes() == base64.urlsafe_b64decode(PIXEL)
        assert saved.stat().st_mode & 0o777 == 0o600
        assert saved.suffix == ".png"
        assert ".." not in saved.name
        await pilot.press("s", "enter")
        await until(pilot, lambda: len(list(tmp_path.iterdir())) == 2)


async def test_a_place_that_cannot_be_written_is_said_and_another_can_be_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").touch()
    image = {"inlineData": {"mimeType": "image/png", "data": PIXEL}}
    async with inspecting([event("root", [image], id="e")], 0) as (app, pilot, _screen):
        await pilot.press("s")
        await until(pilot, lambda: isinstance(app.screen, SaveAs))
        await pilot.press("home")
        await write(pilot, "file/")
        await pilot.press("enter")
        await shows(pilot, "cannot be written")
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, Inspector))
        assert [p.name for p in tmp_path.iterdir()] == ["file"]


async def test_saving_says_when_there_is_nothing_to_save() -> None:
    async with inspecting([said("root", "text")], 0) as (_, pilot, _screen):
        await pilot.press("s")
        await tells(pilot, "No images or other data")


def deep(levels: int) -> Any:
    value: Any = "end"
    for _ in range(levels):
        value = {"in": [value]}
    return value


def odd_events() -> list[EventRecord]:
    """Everything that was ever seen in an event and should not have been."""
    hostile = "\x1b]52;c;eA==\x07 \u202eevil \ud800 [red]x[/red] \x00"
    many = {f"key {n}": n for n in range(5_000)}
    big = base64.b64encode(os.urandom(300_000)).decode()
    bodies: list[Any] = [
        {"id": "n1", "author": "root", "content": None, "actions": None, "timestamp": None},
        {"id": "n2", "author": "root", "unheardOf": {"a": 1}, "another_one": [1], "timestamp": 1},
        {
            "id": "n3",
            "author": hostile,
            "invocationId": hostile,
            "errorMessage": hostile,
            "branch": hostile,
            "content": {"parts": [{"text": hostile}]},
        },
        {
            "id": "n4",
            "author": "root",
            "timestamp": float("nan"),
            "actions": {"stateDelta": {"nan": float("nan"), "deep": deep(200), hostile: hostile}},
        },
        {
            "id": "n5",
            "author": "root",
            "content": {
                "role": "model",
                "parts": [
                    {
                        "functionCall": {
                            "id": "c9",
                            "name": "f",
                            "args": {"deep": deep(200), **many},
                        }
                    },
                    {
                        "functionResponse": {
                            "id": "c9",
                            "name": "f",
                            "response": {"text": "x" * 10_000_000},
                        }
                    },
                    {"text": "long line " * 100_000},
                    {"inlineData": {"mimeType": "video/mp4", "data": big}},
                    {"neverSeen": {"x": 1}},
                    {},
                    None,
                    "text",
                ],
            },
        },
        {
            "id": "n6",
            "author": "root",
            "content": "text",
            "usageMetadata": "no",
            "longRunningToolIds": "c1",
            "nodeInfo": 5,
            "partial": "yes",
            "actions": [1],
        },
        {
            "id": "n7",
            "author": "root",
            "timestamp": 1e300,
            "output": deep(100),
            "customMetadata": {"bytes": {"$dumped": "bytes", "size": 3, "base64": "AAEC"}},
        },
        [1, 2],
        "text",
        7,
        None,
    ]
    events = [read_event(json.dumps(b).encode("utf-8", "surrogatepass")) for b in bodies]
    return [*events, read_event(b"\xff\x00 no json \x1b[2J"), read_event(b"{" * 100_000)]


@pytest.mark.parametrize("size", [(80, 24), (160, 45)], ids=["80x24", "160x45"])
async def test_odd_events_are_shown_on_every_tab_and_nothing_breaks(size: tuple[int, int]) -> None:
    events = odd_events()
    bad = ModelCall(
        "m1",
        "root",
        "",
        "gemini",
        "",
        "",
        "n5",
        1.0,
        2.0,
        3.0,
        2,
        json.dumps({"contents": deep(150), "config": 5}).encode(),
        b"\xff",
    )
    async with inspecting([bad, *events], 0, size=size) as (app, pilot, screen):
        for index in range(len(events)):
            screen._move(index)
            for key in "123456":
                await pilot.press(key)
                await pilot.pause()
                text = rendered(app)
                assert not {"\x1b", "\x07", "\x00", "\u202e", "\ud800"} & set(text), (index, key)
                assert screen.place in text
            await pilot.press("1", "c", "2", "c", "slash")
            await write(pilot, "zz")
            await pilot.press("enter", "r", "r")


async def test_what_is_unknown_about_an_event_is_named() -> None:
    async with inspecting(odd_events(), 1) as (_, pilot, _screen):
        await shows(pilot, "fields this version does not know: unheardOf, another_one")
        await pilot.press("2")
        await shows(pilot, "unheardOf: {1}")


async def test_the_keys_below_are_those_that_work_here() -> None:
    async with inspecting(conversation(), 4, size=(80, 24)) as (app, pilot, _screen):
        last = rendered(app).rstrip("\n").split("\n")[-1]
        assert "Esc close" in last
        assert "v raw request" not in last
        await pilot.press("3")
        await shows(pilot, "v raw request")
        await pilot.press("question_mark")
        await shows(pilot, "In the inspector of an event")


async def test_a_session_that_changes_behind_it_closes_it() -> None:
    async with inspecting(conversation(), 4) as (app, pilot, _screen):
        engine = app.engine
        assert isinstance(engine, FakeEngine)
        engine.play(*opening()[1:])
        await until(pilot, lambda: app.screen is app.main)
