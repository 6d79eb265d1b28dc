"""``adk-tui chat`` on a pseudo terminal: real keys, a real screen, a real engine."""

import json
import os
import signal
from pathlib import Path

import pytest

from tests.console.chats import SLOW, Chat, chatting
from tests.console.programs import AGENTS, write_agent

ASKS = """
def request(amount: int) -> dict:
    "Asks a person."
    return {"status": "pending", "amount": amount}

def reply(request):
    told = [p.function_response.response["status"]
            for c in request.contents for p in c.parts or () if p.function_response]
    if not told:
        return call("request", amount=7)
    return say("It is asked." if told[-1] == "pending" else "You said " + told[-1] + ".")

root_agent = LlmAgent(
    name="root", model=Scripted(reply), tools=[LongRunningFunctionTool(request)]
)
"""

ECHO = """
def reply(request):
    return say("HEARD " + repr(request.contents[-1].parts[0].text))

root_agent = LlmAgent(name="root", model=Scripted(reply))
"""


def test_a_question_its_tool_line_and_the_answer_stay_on_the_terminal(tmp_path: Path) -> None:
    with Chat(AGENTS / "stock", home=tmp_path) as chat:
        chat.wait_prompt()
        chat.wait_for("offline model")
        chat.send("stock price of GOOG")
        chat.wait_for('→ get_stock_price(symbol="GOOG")')
        chat.wait_for("✓ get_stock_price")
        chat.wait_for("company: Alphabet Inc.")
        chat.leave()
        # No full screen: what was said is still there.
        assert "company: Alphabet Inc." in chat.text
        assert b"\x1b[?1049h" not in chat.raw


def test_what_is_sent_before_the_agent_is_loaded_is_answered(tmp_path: Path) -> None:
    agent = write_agent(tmp_path, "time.sleep(1.5)\n" + ECHO)
    with Chat(agent, home=tmp_path) as chat:
        chat.wait_for("helper>", SLOW)
        assert "next:" not in chat.text
        chat.send("early")
        chat.wait_for("HEARD 'early'", SLOW)
        chat.leave()


def test_streamed_markdown_comes_in_finished_blocks(tmp_path: Path) -> None:
    source = """
import asyncio, pathlib
from google.adk.models.llm_response import LlmResponse
from google.genai import types

class Slow(Scripted):
    async def generate_content_async(self, llm_request, stream=False):
        def part(text, partial):
            content = types.Content(role="model", parts=[types.Part(text=text)])
            return LlmResponse(content=content, partial=partial)
        first, rest = "# Title\\n\\nOne **bold** word.\\n\\n", "- last\\n"
        yield part(first + "- fi", True)
        while not pathlib.Path(__file__).with_name("go").exists():
            await asyncio.sleep(0.02)
        yield part("rst\\n" + rest, True)
        yield part(first + "- first\\n" + rest, False)

root_agent = LlmAgent(name="root", model=Slow(say("")))
"""
    agent = write_agent(tmp_path, source)
    with Chat(agent, home=tmp_path) as chat:
        chat.wait_prompt()
        chat.send("go")
        chat.wait_for("One bold word.")
        assert "fi" not in chat.text.split("One bold word.")[1]
        (agent / "go").touch()
        chat.wait_for("• last")
        assert chat.text.count("One bold word.") == 1
        assert "• first" in chat.text
        chat.leave()


def test_hostile_text_acts_on_no_terminal(tmp_path: Path) -> None:
    hostile = "\x1b]0;owned\x07 \x1b[2J [bold]x[/bold] [click](javascript:alert) \u202e \x9b31m"
    source = f"""
def tool(text: str) -> dict:
    "Echoes."
    return {{"result": text}}

root_agent = LlmAgent(
    name="root",
    model=Scripted(call("tool", text={hostile!r}), say({hostile!r})),
    tools=[tool],
)
"""
    with chatting(tmp_path, source) as chat:
        start = len(chat.raw)
        chat.send("go")
        chat.wait_for("[bold]x[/bold]")
        chat.wait_for("✓ tool")
        said = bytes(chat.raw[start:])
        for attack in (b"\x1b]0;", b"\x1b]8;", b"\x1b[2J", b"\xc2\x9b", "\u202e".encode()):
            assert attack not in said


def test_a_long_running_call_is_approved_inline(tmp_path: Path) -> None:
    with chatting(tmp_path, ASKS) as chat:
        chat.send("please")
        chat.wait_for("Approve request?")
        chat.press("y", "enter")
        chat.wait_for("You said approved.")
        assert "waiting" not in chat.text.splitlines()[-1]


def test_enter_answers_nothing_and_the_ticket_waits(tmp_path: Path) -> None:
    with chatting(tmp_path, ASKS) as chat:
        chat.send("please")
        chat.wait_for("Approve request?")
        chat.press("enter")
        chat.wait_for("It stays open")
        chat.wait_for("1 waiting")
        chat.say("/approvals")
        chat.wait(lambda: chat.text.count("Approve request?") == 2, "the question again")
        chat.press("n", "enter")
        chat.wait_for("You said rejected.")


def test_progress_keeps_the_ticket_open(tmp_path: Path) -> None:
    with chatting(tmp_path, ASKS) as chat:
        chat.send("please")
        chat.wait_for("Approve request?")
        chat.press("u", "enter")
        chat.wait_for("How far is it?")
        chat.send("half of it")
        chat.wait_for("You said in_progress.")
        chat.wait_for("1 waiting")


def test_what_is_no_answer_comes_back_to_the_prompt(tmp_path: Path) -> None:
    with chatting(tmp_path, ASKS) as chat:
        chat.send("please")
        chat.wait_for("Approve request?")
        chat.send("why do you ask")
        chat.wait_for("root> why do you ask")
        chat.wait_for("1 waiting")
        assert "You said" not in chat.text
        chat.press("ctrl+c")


def test_lines_typed_ahead_of_a_question_never_answer_it(tmp_path: Path) -> None:
    source = ASKS.replace('"Asks a person."', '"Asks a person."\n    time.sleep(1)')
    with Chat(write_agent(tmp_path, source), home=tmp_path) as chat:
        chat.wait_prompt()
        chat.send("please")
        chat.wait_for("→ request")
        chat.type("y\r")
        chat.wait_for("1 waiting")
        chat.wait_for("/approvals answers")
        assert "approved" not in chat.text
        assert "Approve request?" not in chat.text
        chat.press("ctrl+c")
        chat.press("ctrl+d")
        chat.wait_exit()


def test_a_confirmation_is_never_yes_by_default(tmp_path: Path) -> None:
    source = """
def pay(amount: int) -> dict:
    "Pays."
    return {"paid": amount}

def reply(request):
    told = [p.function_response.response
            for c in request.contents for p in c.parts or () if p.function_response]
    return say("Result: " + str(told[-1])) if told else call("pay", amount=3)

root_agent = LlmAgent(
    name="root", model=Scripted(reply), tools=[FunctionTool(pay, require_confirmation=True)]
)
"""
    with chatting(tmp_path, source) as chat:
        chat.send("pay")
        chat.wait_for("Confirm pay?")
        chat.press("enter")
        chat.wait_for("It stays open")
        chat.say("/approvals pay")
        chat.wait(lambda: chat.text.count("Confirm pay?") == 2, "the question again")
        chat.press("y", "enter")
        chat.wait_for("'paid': 3")


def test_a_form_is_asked_field_by_field_and_checked(tmp_path: Path) -> None:
    source = """
from google.adk.tools.tool_context import ToolContext
from google.adk.events.request_input import RequestInput
from google.adk.workflow import Workflow, node
from pydantic import BaseModel, Field

class Trip(BaseModel):
    city: str
    days: int = Field(ge=1, le=30)
    fast: bool = False

@node
async def ask(ctx, node_input):
    yield RequestInput(message="Where to?", response_schema=Trip)

@node
async def tell(ctx, node_input):
    yield "GOT " + str(node_input)

root_agent = Workflow(name="root", edges=[("START", ask), (ask, tell)])
"""
    with chatting(tmp_path, source) as chat:
        chat.send("go")
        chat.wait_for("Where to?")
        chat.wait_for("City:")
        chat.send("Paris")
        chat.wait_for("Days (number):")
        chat.send("99")
        chat.wait_for("Fast (yes/no, optional):")
        chat.press("enter")
        chat.wait_for("days: ")
        chat.wait(
            lambda: chat.text.count("City: Paris") == 2, "the first field with what was typed"
        )
        chat.press("enter")
        chat.wait(lambda: chat.text.count("Days (number): 99") == 2, "the second field")
        chat.press("backspace", "backspace", "3", "enter")
        chat.wait(lambda: chat.text.count("Fast (yes/no") == 2, "the third field")
        chat.press("enter")
        chat.wait_for("GOT ")
        assert "'days': 3" in chat.text


def test_ctrl_c_stops_the_run_and_not_the_program(tmp_path: Path) -> None:
    source = """
import asyncio

async def wait_long() -> dict:
    "Waits."
    await asyncio.sleep(600)

root_agent = LlmAgent(
    name="root", model=Scripted(call("wait_long"), say("Back again.")), tools=[wait_long]
)
"""
    with chatting(tmp_path, source) as chat:
        chat.send("wait")
        chat.wait_for("→ wait_long")
        chat.press("ctrl+c")
        chat.wait_for("Stopped.")
        chat.say("hello")
        chat.wait_for("Back again.")


def test_ctrl_c_at_the_prompt_drops_the_line_only(tmp_path: Path) -> None:
    with chatting(tmp_path, ECHO) as chat:
        chat.type("never sent")
        chat.wait_for("never sent")
        chat.press("ctrl+c")
        chat.send("sent")
        chat.wait_for("HEARD 'sent'")


@pytest.mark.parametrize("key", [b"\n", b"\x1b\r"], ids=["ctrl+j", "esc-enter"])
def test_a_message_may_have_several_lines(tmp_path: Path, key: bytes) -> None:
    with chatting(tmp_path, ECHO) as chat:
        chat.type("one")
        chat.write(key)
        chat.send("two")
        chat.wait_for(r"HEARD 'one\ntwo'")


def test_the_history_is_that_of_the_full_screen(tmp_path: Path) -> None:
    history = tmp_path / "adk-tui" / "history"
    history.parent.mkdir()
    history.write_text('"from the full screen"\n')
    agent = write_agent(tmp_path, ECHO)
    with Chat(agent, home=tmp_path) as chat:
        chat.wait_prompt()
        chat.press("up")
        chat.wait_for("root> from the full screen")
        chat.press("ctrl+c")
        chat.send("typed in chat")
        chat.wait_for("HEARD")
        chat.leave()
    kept = [json.loads(line) for line in history.read_text().splitlines()]
    assert kept == ["from the full screen", "typed in chat"]


def test_a_history_that_cannot_be_kept_is_told_once_and_nothing_else_changes(
    tmp_path: Path,
) -> None:
    (tmp_path / "adk-tui" / "history").mkdir(parents=True)
    with Chat(write_agent(tmp_path, ECHO), home=tmp_path) as chat:
        chat.say("one")
        chat.wait_for("HEARD 'one'")
        chat.say("two")
        chat.wait_for("HEARD 'two'")
        chat.leave()
        told = " ".join(chat.text.split())
        assert told.count("The history ") == 1
        assert "cannot be written: Is a directory." in told


def test_commands_agents_tickets_and_filter_words_are_completed(tmp_path: Path) -> None:
    source = ASKS.replace('name="root"', 'name="root", sub_agents=[LlmAgent(name="billing")]')
    with chatting(tmp_path, source) as chat:
        chat.send("please")
        chat.wait_for("Approve request?")
        chat.press("enter")
        chat.wait_for("It stays open")
        chat.wait_prompt()
        for typed, offered in (
            ("/tr", "/transfer"),
            ("/transfer bi", "billing"),
            ("/approvals adk-", "#1"),
            ("/events auth", "author:"),
        ):
            chat.type(typed)
            chat.wait(lambda o=offered: o in chat.text.split("It stays open")[1], offered)
            chat.press("ctrl+c")
            chat.wait(lambda t=typed: chat.text.rstrip().count(t) >= 1, typed)


def test_commands_do_what_they_say(tmp_path: Path) -> None:
    source = """
billing = LlmAgent(name="billing", model=Scripted(say("Billing here.")), description="Bills.")
root_agent = LlmAgent(name="root", model=Scripted(say("Root here.")), sub_agents=[billing])
"""
    with Chat(write_agent(tmp_path, source), home=tmp_path, rows=80) as chat:
        chat.wait_prompt()
        chat.say("hello")
        chat.wait_for("Root here.")
        chat.say("/agents")
        chat.wait_for("billing (LlmAgent, scripted)")
        chat.say("/transfer billing")
        chat.wait_for("billing>")
        chat.say("hello again")
        chat.wait_for("Billing here.")
        chat.say("/state city=Paris")
        chat.say("/state")
        chat.wait_for('city = "Paris"')
        chat.say("/events author:billing")
        chat.wait_for("Billing here.")
        chat.say("/events author:")
        chat.wait_for("Write for example")
        chat.say("/rewind 2")
        chat.wait(lambda: chat.text.count("> hello again") == 2, "the old words as a draft")
        chat.press("ctrl+c")
        chat.say("/theme")
        chat.wait_for("/theme needs the full screen")
        chat.say("/nonsense")
        chat.wait_for("There is no command /nonsense")
        chat.say("/stop")
        chat.wait_for("Nothing is running.")
        chat.say("//slash")
        chat.wait(lambda: chat.text.count("here.") >= 3, "an answer to //slash")
        chat.say("/sessions")
        chat.wait_for("/open ID opens one")
        chat.say("/new")
        chat.wait(lambda: chat.text.count("Session ") == 2, "another session")
        chat.say("/help")
        chat.wait_for("/approvals [TICKET]")
        chat.say("/quit")
        assert chat.wait_exit() == 0
        chat.assert_clean()


def test_a_stored_session_is_shown_when_it_is_opened(tmp_path: Path) -> None:
    agent = write_agent(tmp_path, ASKS)
    with Chat(agent, "--on-disk", home=tmp_path) as chat:
        chat.wait_prompt()
        chat.send("please")
        chat.wait_for("Approve request?")
        chat.press("enter")
        chat.wait_for("It stays open")
        session = next(x.split()[1].rstrip(".") for x in chat.text.splitlines() if "Session " in x)
        chat.leave()
    with Chat(agent, "--on-disk", "--session", session, home=tmp_path) as chat:
        chat.wait_for("you: please", SLOW)
        chat.wait_for("It is asked.")
        chat.wait_for("1 waits for you (request)")
        chat.say("/approvals")
        chat.wait_for("Approve request?")
        chat.press("y", "enter")
        chat.wait_for("You said approved.")
        chat.leave()


def test_a_death_is_told_and_reload_goes_on(tmp_path: Path) -> None:
    source = """
def die() -> dict:
    "Dies."
    os._exit(7)

def reply(request):
    return call("die") if "die" in request.contents[-1].parts[0].text else say("Alive.")

root_agent = LlmAgent(name="root", model=Scripted(reply), tools=[die])
"""
    with chatting(tmp_path, source) as chat:
        chat.send("die")
        chat.wait_for("exit code 7")
        chat.say("lost")
        chat.wait(lambda: chat.text.count("> lost") == 2, "the words as a draft")
        chat.press("ctrl+c")
        chat.say("/reload")
        chat.wait_for("The agent was loaded again.", SLOW)
        chat.say("hello")
        chat.wait_for("Alive.")


def test_an_agent_that_does_not_load_is_told_and_can_be_mended(tmp_path: Path) -> None:
    agent = write_agent(tmp_path, "import no_such_module_anywhere\n" + ECHO)
    with Chat(agent, home=tmp_path) as chat:
        chat.wait_for("no_such_module_anywhere", SLOW)
        chat.wait_for("helper failed")
        source = (agent / "agent.py").read_text().replace("import no_such_module_anywhere\n", "")
        (agent / "agent.py").write_text(source)
        chat.say("/reload")
        chat.wait_for("The agent was loaded again.", SLOW)
        chat.say("hello")
        chat.wait_for("HEARD 'hello'")
        chat.leave()


def test_a_traceback_is_shown_when_asked_for(tmp_path: Path) -> None:
    agent = write_agent(tmp_path, "import no_such_module_anywhere\n")
    with Chat(agent, "--debug", home=tmp_path) as chat:
        chat.wait_for("Traceback (most recent call last)", SLOW)
        chat.wait_for("/reload")
        chat.press("ctrl+d")
        assert chat.wait_exit() == 3


def test_leaving_an_agent_that_never_loaded_has_exit_code_3(tmp_path: Path) -> None:
    agent = write_agent(tmp_path, "import no_such_module_anywhere\n")
    with Chat(agent, home=tmp_path) as chat:
        chat.wait_for("no_such_module_anywhere", SLOW)
        chat.wait_for("/reload")
        chat.press("ctrl+d")
        assert chat.wait_exit() == 3
        chat.assert_clean()


def test_secrets_are_masked_in_tool_lines_and_answers(tmp_path: Path) -> None:
    source = """
KEY = "sk-proj-abcdefghij1234567890"

def look(password: str) -> dict:
    "Looks."
    return {"api_key": "plain-words-key"}

root_agent = LlmAgent(
    name="root",
    model=Scripted(call("look", password="open sesame"), say("It is " + KEY)),
    tools=[look],
)
"""
    with Chat(write_agent(tmp_path, source), home=tmp_path) as chat:
        chat.wait_prompt()
        chat.send("go")
        chat.wait_for("It is sk-proj-")
        chat.leave()
        for secret in (b"abcdefghij1234567890", b"plain-words-key", b"open sesame"):
            assert secret not in chat.raw


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_request_to_end_leaves_a_clean_terminal_and_no_engine(
    tmp_path: Path, number: int
) -> None:
    source = (
        """
open(os.path.join(os.path.dirname(__file__), "pid"), "w").write(str(os.getpid()))
"""
        + ECHO
    )
    agent = write_agent(tmp_path, source)
    with Chat(agent, home=tmp_path) as chat:
        chat.wait_prompt()
        chat.type("a draft")
        chat.wait_for("a draft")
        os.kill(chat.process.pid, number)
        assert chat.wait_exit() == 128 + number
        chat.assert_clean()
    with pytest.raises(ProcessLookupError):
        os.kill(int((agent / "pid").read_text()), 0)


def test_a_terminal_that_can_do_nothing_is_enough(tmp_path: Path) -> None:
    with Chat(write_agent(tmp_path, ECHO), home=tmp_path, term="dumb") as chat:
        chat.wait_for("helper>", SLOW)
        chat.type("hello")
        chat.wait_for("hello")
        chat.press_until("enter", lambda: "HEARD 'hello'" in chat.text, timeout=SLOW)
        chat.wait_for("root>")
        assert "you: hello" not in chat.text
        chat.press_until("ctrl+d", lambda: chat.process.poll() is not None)
        assert chat.wait_exit() == 0
