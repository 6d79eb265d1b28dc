"""Public reports about calls that wait for a human, on the whole app."""

from urllib.parse import parse_qs, urlsplit

from tests.e2e.case_app import CASES, opened


async def test_c01_three_calls_are_three_tickets_and_an_answer_closes_only_its_own() -> None:
    async with opened(CASES / "c01_three_tickets") as case:
        await case.say("book three lanes")
        await case.shows("3 waiting")
        assert [t.args["lane"] for t in case.open] == ["north", "mid", "south"]
        for lane in ("north", "mid", "south"):
            await case.shows_row(rf'book_lane  .*  harbour  lane="{lane}"')
        await case.answer_json({"status": "granted", "lane": "mid"}, at=1)
        await case.tells("granted so far: ['mid']; tool starts: 3")
        await case.shows("2 waiting")
        assert [t.args["lane"] for t in case.open] == ["north", "south"]


async def test_c01_several_answers_can_be_sent_together() -> None:
    async with opened(CASES / "c01_three_tickets") as case:
        await case.say("book three lanes")
        for at, lane in ((0, "north"), (1, "mid")):
            await case.write_json({"status": "granted", "lane": lane}, at)
            await case.pilot.press("escape")
            await case.until(lambda: case.app.focused is case.panel.query_one("#tickets"))
            await case.pilot.press("h")
            await case.until(lambda at=at: case.panel.work(case.open[at]).held is not None)
        ended = len(case.view.done)
        await case.pilot.press("s")
        await case.idle(ended)
        await case.tells("granted so far: ['mid', 'north']; tool starts: 3")
        assert [t.args["lane"] for t in case.open] == ["south"]


async def test_c03_a_ticket_stays_through_small_talk_and_progress_until_a_final_answer() -> None:
    async with opened(CASES / "c03_ticket_progress") as case:
        await case.say("render it")
        await case.say("how are you")
        await case.tells("(small talk while the farm works)")
        await case.shows("1 waiting")
        for percent in (40, 80):
            await case.write_json({"percent": percent})
            await case.pilot.press("escape")
            await case.press("u")
        await case.tells("still rendering, 40%", "still rendering, 80%")
        assert [t.state for t in case.view.tickets.tickets] == ["updated"]
        await case.shows("1 waiting")
        await case.answer_json({"file": "/out/moths.mov"})
        await case.tells("render finished: /out/moths.mov")
        await case.shows("Nothing waits for you.")


async def test_c05_a_sub_agents_confirmation_is_answered_to_it_alone() -> None:
    async with opened(CASES / "c05_confirm_in_sub_agent") as case:
        await case.say("I want a refund")
        await case.shows("refund   confirmation, asked by cashier", "next → cashier")
        await case.press("a")
        await case.tells("'paid_by': 'cashier', 'amount': 42.5")
        await case.say("thanks, another refund")
        await case.press("r")
        await case.shows("Nothing waits for you.")
        await case.tells("rejected refund")
        assert "voucher" not in case.screen
        # Events that only say that an agent has ended are in the list, and make no bubble.
        await case.shows("agent has ended")
        assert "desk: " not in case.flat


async def test_c06_a_pause_inside_an_agent_tool_is_explained_and_is_no_ticket() -> None:
    async with opened(CASES / "c06_confirm_in_agent_tool") as case:
        await case.say("letter please")
        await case.tells(
            "clerk paused for a human inside an AgentTool, which cannot wait",
            "Make it a sub-agent, or give it mode='single_turn'",
            "letters sent: []",
        )
        assert case.view.tickets.tickets == ()
        await case.shows("Nothing waits for you.")


async def test_c07_a_sequence_goes_on_once_after_its_step_was_answered() -> None:
    async with opened(CASES / "c07_sequence_resumable") as case:
        await case.say("go")
        await case.shows('workflow {current_sub_agent: "signer"}')
        await case.shows("ask_signature   long-running tool, asked by signer")
        await case.answer_json({"status": "signed", "by": "Ada"})
        await case.tells("'status': 'signed', 'by': 'Ada'")
        await case.tells("PUBLISHED after counts {'draft': 1, 'sign': 3, 'publish': 1}")
        assert case.flat.count("PUBLISHED") == 1
        assert case.flat.count("draft ready") == 1
        await case.shows("Nothing waits for you.")


async def test_c09_the_same_question_is_asked_afresh_each_time() -> None:
    async with opened(CASES / "c09_input_same_id") as case:
        await case.say("start")
        for decision, stars in (("revise", 0), ("revise", 2), ("accept", 5)):
            await case.shows("1 waiting", "Accept the note? (accept / revise)")
            await case.answer_json({"decision": decision, "stars": stars})
        await case.tells("You said 'revise', please look again.", "Filed: accepted with 5 stars")
        tickets = case.view.tickets.tickets
        assert [(t.call_id, t.state) for t in tickets] == [("editor_review", "final")] * 3
        assert len({t.key for t in tickets}) == 3
        assert [len(t.replies) for t in tickets] == [1, 1, 1]


async def test_c34_a_login_is_a_form_with_its_address_and_secrets_never_show() -> None:
    async with opened(CASES / "c34_auth_request") as case:
        await case.say("calendar")
        await case.say("weather")
        await case.shows("2 waiting", "next_event   credentials", "https://id.example.test/auth?")
        await case.mark(0)
        await case.pilot.press("o")
        await case.until(lambda: case.app.clipboard.startswith("https://id.example.test/auth?"))
        await case.pilot.press("a")
        assert len(case.open) == 2, "yes alone is no credential"
        state = parse_qs(urlsplit(case.app.clipboard).query)["state"][0]
        address = f"http://localhost/callback?code=pretend-code-123&state={state}"
        await case.mark(0)
        await case.pilot.press("enter")
        await case.until(lambda: case.app.focused is not case.panel.query_one("#tickets"))
        await case.pilot.press(*address)
        assert "pretend-code-123" not in case.screen
        ended = len(case.view.done)
        await case.pilot.press("ctrl+s")
        await case.idle(ended)
        assert [t.name for t in case.open] == ["weather_key"]
        await case.tells("'event': 'dentist'")
        assert "pretend-code-123" not in case.screen
        assert "pretend-not-a-real" not in case.screen


async def test_c36_calls_that_share_an_id_are_both_shown_with_a_warning() -> None:
    async with opened(CASES / "c36_repeated_call_ids") as case:
        await case.say("open gate 1")
        await case.say("open gate 2")
        await case.shows("2 waiting")
        for number in (1, 2):
            await case.shows_row(rf"open_gate  .*  guardhouse  n={number}")
        assert [(t.call_id, t.args, t.duplicate_id) for t in case.open] == [
            ("call_0", {"n": 1}, True),
            ("call_0", {"n": 2}, True),
        ]
        await case.mark(1)
        await case.shows("Another open call has the same id")
        await case.answer_json({"status": "open", "gate": 2}, at=1)
        assert [t.args for t in case.open] == [{"n": 1}]
        await case.shows("1 waiting")
