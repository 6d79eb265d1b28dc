"""Public reports about what a session shows, on the whole app."""

from adk_tui.core.chat_items import AgentText, ErrorCard, Line, Thought, ToolCard
from adk_tui.core.commands import RunSettings
from adk_tui.core.reports import Status
from adk_tui.tui.widgets.event_stream import EventStream
from tests.e2e.case_app import CASES, Case, opened


def items(case: Case, kind: type) -> list[object]:
    return [i for i in case.view.transcript.items if isinstance(i, kind)]


def texts(case: Case) -> list[str]:
    return [i.text for i in case.view.transcript.items if isinstance(i, AgentText)]


async def test_c11_a_raising_tool_is_one_card_and_the_next_message_works() -> None:
    async with opened(CASES / "c11_tool_raises") as case:
        await case.say("start everything")
        await case.tells(
            "start_pump raised PumpJammed: pump of tank 'B' jammed",
            "second line [with brackets] and 100% detail",
            "c11_tool_raises/agent.py:19",
        )
        assert case.screen.count("second line [with brackets]") == 1
        (card,) = items(case, ErrorCard)
        assert isinstance(card, ErrorCard)
        first = next(ln for ln in card.details.splitlines() if ln.lstrip().startswith("File "))
        assert "c11_tool_raises/agent.py" in first
        assert "in start_pump" in first
        pump = next(c for c in items(case, ToolCard) if c.call.name == "start_pump")  # type: ignore[attr-defined]
        assert isinstance(pump, ToolCard)
        assert pump.state == "error"
        assert pump.response is None
        assert "Traceback" not in case.screen
        await case.say("are you still there")
        await case.tells("calls in history 1, responses 1")
        await case.say("unknown tool please")
        await case.tells('open_hatch(tank="C") ✗', "no tool with that name")
        await case.say("bad args please")
        await case.tells("read_gauge() ✗", "mandatory input parameters")


async def test_c12_a_quota_error_in_mid_stream_is_told_once_and_can_be_tried_again() -> None:
    async with opened(CASES / "c12_model_429") as case:
        await case.say("why")
        await case.tells("The three main reasons are", "interrupted", "429 RESOURCE_EXHAUSTED")
        await case.tells("Quota exceeded for requests per minute.", "again in 37 s")
        assert case.screen.count("Quota exceeded") == 1
        assert "retryDelay" not in case.screen
        await case.shows("Ctrl+R send again")
        ended = len(case.view.done)
        await case.pilot.press("ctrl+r")
        await case.idle(ended)
        await case.tells("503 UNAVAILABLE", "The model is overloaded.")
        await case.say("third time")
        await case.tells("Answer on try 3; I see 3 messages.")
        history = [e.text for e in case.view.log.history()]
        assert history.count("why") == 2
        assert not any("three main" in text for text in history)


async def test_c13_an_answer_without_text_is_never_an_empty_bubble() -> None:
    async with opened(CASES / "c13_malformed_call") as case:
        for said, told in (
            ("malformed", ("MALFORMED_FUNCTION_CALL", "print(default_api.lookup(q='a'))")),
            ("empty", ("odd answered with nothing (finish reason STOP)",)),
            ("thought", ("MODEL_RETURNED_NO_CONTENT", "finish_reason=STOP", "let me think")),
            ("safety", ("✗ SAFETY", "blocked", "Say it differently.")),
            ("cut", ("This sentence is cut in the mid", "cut off at the token limit")),
            ("ok", ("fine",)),
        ):
            await case.say(said)
            await case.tells(*told)
        assert "" not in [text.strip() for text in texts(case)]


async def test_c15_a_runaway_loop_is_named_and_can_be_stopped() -> None:
    async with opened(CASES / "c15_runaway_loop") as case:
        await case.begin("go")
        await case.until(lambda: items(case, Line), "a line about the loop")
        (told, *_) = items(case, Line)
        assert isinstance(told, Line)
        assert told.text.startswith("peek has been called 25 times in this turn")
        # It scrolls away under the calls that follow; there is one more for each 25 of them.
        await case.tells("times in this turn: it may go in circles. Esc stops the run.")
        await case.pilot.press(*"typed")
        await case.shows("typed")
        ended = len(case.view.done)
        await case.pilot.press("escape")
        await case.idle(ended)
        await case.tells("Stopped.")
        assert case.app.main.area.prompt.text == "typed"
        assert len([e for e in case.view.log.history() if e.calls]) < 500


async def test_c15_the_limit_of_calls_is_told_plainly() -> None:
    settings = RunSettings(max_llm_calls=30)
    async with opened(CASES / "c15_runaway_loop", settings=settings) as case:
        await case.say("go")
        await case.tells("Max number of llm calls limit of `30` exceeded", "calling tools in a")
        assert len(items(case, ErrorCard)) == 1
        assert case.screen.count("llm calls limit") <= 2, "once in the chat, once in the events"


async def test_c19_big_and_binary_things_are_shown_as_type_and_size() -> None:
    async with opened(CASES / "c19_big_and_binary") as case:
        await case.say("image")
        await case.tells("image/png 6.1 MB", "application/pdf 1.0 kB", "video.mp4")
        await case.shows("<image/png 6.1 MB>")
        await case.say("table")
        await case.tells("table dumped", "Artifact saved: table.bin")
        await case.say("bytes")
        await case.shows("<bytes 7 B>")
        await case.tells("raw_bytes()")
        await case.say("line")
        await case.shows("xxxxxxxxxxxx")
        assert "base64 300 KB" not in case.screen, "a long line is no data"
        await case.say("chunks")
        await case.shows("tok4999")
        assert max(map(len, texts(case))) == 400_000
        await case.pilot.press("f3", "home", "enter")
        await case.shows("Summary")


async def test_c20_a_streamed_answer_is_told_once_and_thoughts_apart() -> None:
    async with opened(CASES / "c20_thoughts_and_chunks") as case:
        await case.say("weigh it")
        await case.tells("The pear weighs 120 grams.")
        kinds = [type(i).__name__ for i in case.view.transcript.items]
        assert kinds == ["UserTurn", "Thought", "AgentText", "ToolCard", "Thought", "AgentText"]
        assert [t.strip() for t in texts(case)] == ["Let me check.", "The pear weighs 120 grams."]
        assert case.flat.count("The pear weighs") == 1
        assert "gramm" not in case.screen
        thoughts = [t.text for t in items(case, Thought)]  # type: ignore[attr-defined]
        assert thoughts == ["First I must weigh the pear.", "120 is plausible."]
        assert case.screen.count("▸ thought") == 2


async def test_c32_parallel_agents_are_told_apart_and_the_rest_goes_on_after_the_ticket() -> None:
    async with opened(CASES / "c32_parallel_interleave", size=(150, 70)) as case:
        await case.say("go")
        await case.shows("ask_budget   long-running tool, asked by agent_2", "1 waiting")
        said = {(i.author, i.branch): i.text for i in items(case, AgentText)}  # type: ignore[attr-defined]
        assert said == {
            ("agent_1", "fan.agent_1"): "one one one one one",
            ("agent_10", "fan.agent_10"): "ten ten ten ten ten",
            ("agent_2", "fan.agent_2"): "budget noted",
        }
        for lane in ("agent_1  fan.agent_1", "agent_10  fan.agent_10", "agent_2  fan.agent_2"):
            await case.shows(lane)
        await case.press("a")
        await case.tells("round 0: not yet", "round 1: not yet", "critic escalated: the loop ends")
        await case.tells("that is all")
        assert case.flat.count("that is all") == 1


async def test_c33_the_inner_runs_of_an_agent_tool_are_seen_and_kept_apart() -> None:
    async with opened(CASES / "c33_agent_tool_blackbox") as case:
        await case.begin("count")
        await case.until(
            lambda: [c.state for c in items(case, ToolCard)] == ["running"] * 2,  # type: ignore[attr-defined]
            "two running cards at once",
        )
        await case.tells("shelf A has 12 books and shelf B has 12 books")
        await case.shows("● idle")
        cards = items(case, ToolCard)
        assert [(c.call.name, c.state, c.inner) for c in cards] == [  # type: ignore[attr-defined]
            ("librarian", "done", 3),
            ("librarian", "done", 3),
        ]
        for card, shelf in zip(cards, "AB", strict=True):
            inner = [e for e in case.view.log if e.inner_of == card.call.id]  # type: ignore[attr-defined]
            assert [c.args for e in inner for c in e.calls] == [{"shelf": shelf}]
            assert {e.author for e in inner} == {"librarian"}
        stream = case.app.main.query_one(EventStream)
        await case.pilot.press("f3", "home", "down", "space")
        await case.until(lambda: 'scan(shelf="A")' in case.screen, "the inner call in the list")
        assert stream.has_focus


async def test_c37_odd_events_are_all_in_the_list_and_none_becomes_a_ticket() -> None:
    async with opened(CASES / "c37_odd_events", size=(150, 70)) as case:
        await case.say("go")
        await case.tells("end", "a partial that never ends", "interrupted")
        assert case.view.tickets.tickets == ()
        await case.tells("Long-running id ghost-id has no call, so there is nothing to answer.")
        await case.tells("A response of nobody_asked came for a call that is not in this session.")
        await case.tells(
            "message without code", "from last year", "before 1970", "print(6*7)", "42"
        )
        pane = case.app.main.query_one("#events-pane").region
        rows = [r[pane.x : pane.right] for r in case.screen.split("\n")[pane.y : pane.bottom]]
        shown = [r for r in rows if " oddity " in r or " someone_else " in r]
        assert len(shown) == len(case.view.log) - 1, "every event but the user's has a row"
        assert not any(" ticket" in r for r in shown)
        assert not any(i.streaming for i in items(case, AgentText))  # type: ignore[attr-defined]
        await case.say("again")
        assert case.view.status == Status("ready")
