"""Every kind of ticket through the whole app: approved, refused, written wrong and mended."""

import json
from pathlib import Path

from textual.widgets import TextArea

from tests.e2e.ticket_app import Desk, desk


def runs(file: Path) -> list[str]:
    return file.read_text().split() if file.exists() else []


async def test_a_long_running_tool_is_approved_or_rejected_by_one_key() -> None:
    async with desk() as it:
        await it.order("pay")
        await it.shows(
            "pay   long-running tool, asked by desk",
            'amount: 200  to: "Bo"',
            "→ desk goes on and stays active.",
            "The app is not resumable",
            'a approve   final answer {"status": "approved", "ticket_id": "T-1"}',
        )
        await it.press("a")
        await it.tells('pay said {"status": "approved", "ticket_id": "T-1"}', "answered pay")
        await it.order("pay")
        await it.press("r")
        await it.tells('pay said {"status": "rejected", "ticket_id": "T-1"}')
        assert [t.state for t in it.view.tickets.tickets] == ["final", "final"]
        await it.shows("Nothing waits for you.")


async def test_progress_is_chosen_by_key_and_keeps_the_ticket_open_until_the_final_answer() -> None:
    async with desk() as it:
        await it.order("pay")
        await it.press("u")
        assert it.ticket().state == "updated"
        await it.shows("1 waiting", "in progress")
        await it.write_json({"percent": 40})
        await it.send("ctrl+g")
        await it.tells('pay said {"percent": 40, "status": "pending"}', "reported on pay")
        assert [r.progress for r in it.ticket().replies if r.author == "user"] == [True, True]
        await it.answer_json({"status": "paid", "sum": 200})
        assert it.ticket().state == "final"
        assert [a.progress for a in it.answers()] == [True, True, False]
        await it.pilot.press("l")
        await it.shows("Answered and closed", 'answer: {"status": "paid", "sum": 200}')


async def test_json_that_is_wrong_stays_in_the_editor_with_the_reason() -> None:
    async with desk() as it:
        await it.order("odd_job")
        await it.mark()
        await it.shows('what: "dig"')
        await it.pilot.press("e")
        await it.until(lambda: isinstance(it.app.focused, TextArea))
        editor = it.app.focused
        assert isinstance(editor, TextArea)
        for text, reason in (
            ('{"hole": ', "line 1, column"),
            ("{'hole': 1}", "line 1, column"),
            ('{"n": NaN}', "NaN is no JSON number"),
            ('{"status": "pending"}', "says that more will follow"),
        ):
            editor.load_text(text)
            await it.refused(reason)
            assert editor.text == text
        editor.load_text('{"hole": {"depth": 2}}')
        await it.send()
        await it.tells('odd_job said {"hole": {"depth": 2}}')


async def test_a_confirmation_runs_the_tool_once_or_never(tmp_path: Path) -> None:
    log = tmp_path / "runs"
    async with desk(env={"TICKET_RUNS": str(log)}) as it:
        await it.order("wipe")
        await it.shows("wipe   confirmation, asked by desk", 'disk: "sda"', "wipe is told no")
        assert runs(log) == []
        await it.press("r")
        await it.tells("rejected wipe", "This tool call is rejected.")
        assert runs(log) == []
        await it.order("wipe")
        await it.write_json({"confirmed": True, "reason": "I say so"})
        await it.refused("reason: is no key of a confirmation")
        await it.pilot.press("escape", "e")
        await it.press("a")
        await it.tells("approved wipe", 'wipe said {"disk": "sda", "status": "wiped"}')
        assert runs(log) == ["wipe"]
        assert [t.state for t in it.view.tickets.tickets] == ["final", "final"]


async def test_a_confirmations_payload_is_a_form() -> None:
    async with desk() as it:
        await it.order("brew")
        await it.shows("How much sugar?", "cups: 2", "brew runs with the values below")
        await it.form()
        await it.type("lots")
        await it.refused("✗ must be a whole number")
        await it.type("3")
        await it.send()
        await it.tells('brew said {"status": "brewed", "sugar": 3}')
        await it.order("brew")
        await it.press("r")
        await it.tells('brew said {"error": "nobody wanted coffee"}')


async def test_a_login_shows_its_address_and_takes_what_comes_back_unseen() -> None:
    async with desk() as it:
        await it.order("calendar")
        await it.shows("calendar   credentials", "https://id.example.test/auth?")
        await it.mark()
        await it.pilot.press("o")
        await it.until(lambda: it.app.clipboard.startswith("https://id.example.test/auth?"))
        await it.form()
        for address, reason in (
            ("http://localhost/cb?state=1", "has no code in it"),
            ("http://localhost/cb?error=denied", "says that the login was refused: denied"),
            ("http://localhost/cb?code=hush-1&state=other", "belongs to another login"),
        ):
            await it.type(address)
            await it.refused(f"✗ {reason}")
            assert "hush-1" not in it.screen
        await it.type("")
        await it.pilot.press("tab")
        await it.type("hush-hush-token")
        assert "hush-hush-token" not in it.screen
        await it.send()
        await it.tells('calendar said {"event": "dentist"}')
        await not_seen(it, "hush-hush-token", "kept-back")


async def test_a_key_that_does_not_help_is_asked_for_again_and_is_seen_nowhere() -> None:
    async with desk() as it:
        await it.order("weather")
        await it.form()
        await it.refused("✗ is missing")
        await it.type("worthless")
        await it.send()
        assert it.ticket().state == "invalid"
        await it.shows("the last answer was not usable", "asked for the credential again")
        await it.mark()
        await it.pilot.press("e")
        await it.until(lambda: not isinstance(it.app.focused, TextArea), "no editor for secrets")
        await it.form()
        await it.type("hush-hush-key")
        await it.send()
        await it.tells('weather said {"key_length": "13", "weather": "rain"}')
        await not_seen(it, "hush-hush-key", "worthless", "kept-back")


async def not_seen(it: Desk, *secrets: str) -> None:
    """Look at the chat, the events, the ticket's history and the event itself."""
    await it.pilot.press("f4", "l", "down")
    await it.shows("a credential, not shown")
    answer = next(e for e in it.view.log.history() if e.author == "user" and e.responses)
    assert any(s.encode() in e.raw for e in it.view.log.history() for s in secrets)
    seen = [it.screen]
    it.app.performer.inspect(answer.id)
    await it.until(lambda: it.app.screen is not it.app.main, "the inspector")
    for _ in range(6):
        await it.pilot.pause()
        seen.append(it.screen)
        await it.pilot.press("tab")
    for secret in secrets:
        assert secret not in "\n".join(seen)


async def test_a_question_without_a_schema_takes_text_and_no_empty_one_by_accident() -> None:
    async with desk() as it:
        await it.order("ask")
        await it.shows("What shall it be called?")
        await it.form()
        await it.refused("Nothing is written")
        await it.type("42")
        await it.send()
        await it.tells('said {"result": "42"}')


async def test_a_number_is_sent_as_a_number() -> None:
    async with desk() as it:
        await it.order("ask_number")
        await it.form()
        await it.type("many")
        await it.refused("✗ must be a whole number")
        await it.type("7")
        await it.send()
        await it.tells('said {"result": 7}')


async def test_a_form_has_a_field_of_each_type_and_says_beside_each_what_is_wrong() -> None:
    async with desk() as it:
        await it.order("ask_seat")
        await it.shows("Which seat?", "as in the passport", "○ fish   ○ none", "address › city")
        form = await it.form()
        fields = {row.field.name: row.editor for row in form.rows}
        assert list(fields) == [
            "name", "seats", "budget", "window", "meal", "tags", "city", "zip",
        ]  # fmt: skip
        await it.type("two", fields["seats"])
        await it.type("x", fields["zip"])
        await it.refused("✗ is missing", "✗ must be a whole number")
        wrong = [row.field.name for row in form.rows if row.is_wrong]
        assert wrong == ["name", "seats", "city", "zip"]
        assert it.app.focused is fields["name"], "the first one that is wrong"
        await it.type("Ada")
        await it.type("2", fields["seats"])
        await it.type("9.5", fields["budget"])
        for name, key in (("window", "right"), ("meal", "left")):
            fields[name].focus()
            await it.until(lambda name=name: it.app.focused is fields[name])
            await it.pilot.press(key)
        tags = fields["tags"]
        assert isinstance(tags, TextArea)
        tags.load_text('["quiet", 1]')
        await it.type("Bern", fields["city"])
        await it.type("3000", fields["zip"])
        await it.refused("tags")
        tags.load_text('["quiet"]')
        await it.send()
        (answer,) = it.answers()
        assert answer.response == {
            "name": "Ada",
            "seats": 2,
            "budget": 9.5,
            "window": True,
            "meal": "none",
            "tags": ["quiet"],
            "address": {"city": "Bern", "zip": 3000},
        }


async def test_what_is_optional_may_be_left_empty() -> None:
    async with desk() as it:
        await it.order("ask_seat")
        await it.form()
        await it.type("Ada")
        await it.pilot.press("enter")
        await it.type("1")
        await it.send()
        assert it.answers()[0].response == {"name": "Ada", "seats": 1}


async def test_a_choice_is_made_of_the_options_only() -> None:
    async with desk() as it:
        await it.order("get_user_choice")
        await it.shows("○ red   ○ blue")
        await it.form()
        await it.refused("must be one of red, blue")
        await it.pilot.press("right", "right")
        await it.send()
        await it.tells('get_user_choice said {"result": "blue"}')
        await it.order("get_user_choice")
        await it.write_json({"result": "green"})
        await it.refused("must be one of red, blue")


async def test_a_workflow_that_asks_again_under_the_same_id_gets_a_new_ticket_each_time() -> None:
    async with desk("editor") as it:
        await it.order("go")
        await it.shows("Accept the note?", 'note: "tides"', "goes on at the node that waits")
        await it.write_json({"accept": "perhaps"})
        await it.refused("accept: must be true or false")
        await it.pilot.press("escape", "e")
        await it.form()
        await it.refused("✗ is missing")
        await it.pilot.press("left")
        await it.send()
        assert [t.state for t in it.view.tickets.tickets] == ["final", "open"]
        await it.form()
        await it.pilot.press("right", "enter")
        await it.type("5")
        await it.send()
        await it.tells("Filed: accepted with 5 stars")
        tickets = it.view.tickets.tickets
        assert [(t.call_id, t.state, len(t.replies)) for t in tickets] == [
            ("verdict", "final", 1)
        ] * 2


async def test_a_workflows_step_runs_after_a_yes_and_not_after_a_no() -> None:
    async with desk("gate") as it:
        await it.order("go")
        await it.shows("remove   step confirmation", 'path: "/tmp/old"')
        await it.press("a")
        await it.tells("gate: {'removed': '/tmp/old'}")
        await it.order("go")
        await it.press("r")
        await it.tells("gate: {'error': 'This tool call is rejected.'}")
        await it.order("go")
        await it.write_json({"confirmed": "yes"})
        await it.refused("confirmed: must be true or false")


async def test_a_call_inside_an_agent_tool_is_explained_and_is_no_ticket() -> None:
    async with desk("boxed") as it:
        for word in ("wipe", "pay"):
            await it.order(word)
            await it.tells("paused for a human inside an AgentTool, which cannot wait")
        assert it.view.tickets.tickets == ()
        await it.shows("Nothing waits for you.")


async def test_an_approval_in_a_sequence_says_before_that_later_steps_will_not_run() -> None:
    async with desk("steps") as it:
        await it.order("pay")
        await it.shows("asked by signer", "The later steps of steps will not run (closer)")
        await it.press("a")
        await it.tells('pay said {"status": "approved", "ticket_id": "T-1"}')
        assert [e for e in it.view.log.history() if e.author == "closer"] == []


async def test_a_resumable_sequence_goes_on_after_the_answer() -> None:
    async with desk("steps_resumable") as it:
        await it.order("pay")
        await it.shows("The app is resumable: the run goes on where it paused.")
        assert "will not run" not in it.screen
        await it.press("a")
        closing = [e.text for e in it.view.log.history() if e.author == "closer" and e.text]
        assert len(closing) == 1, json.dumps(closing)
