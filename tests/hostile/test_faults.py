"""What fails around an agent: the model, the store, the window, the network. The screen lives."""

import shutil
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from adk_tui.client.process import Launch, ProcessEngine
from adk_tui.core.chat_items import AgentText, ErrorCard, Line
from adk_tui.core.commands import Start
from adk_tui.tui.app import TuiOptions, WorkbenchApp
from tests.conftest import REPOSITORY
from tests.e2e.case_app import SLOW, Case, opened
from tests.e2e.workbench import AGENTS, IDLE, ask, leave, loaded, workbench
from tests.fakes import gemini_server as gemini


def refused(status: int, name: str, message: str) -> gemini.Reply:
    return gemini.Reply(status=status, error={"code": status, "status": name, "message": message})


FAULTS = (
    (refused(400, "INVALID_ARGUMENT", "Bad request."), ("400", "Bad request.", "inspector")),
    (refused(401, "UNAUTHENTICATED", "No."), ("401", "key was not accepted", "GOOGLE_API_KEY")),
    (refused(403, "PERMISSION_DENIED", "No."), ("403", "may not use this model")),
    (refused(404, "NOT_FOUND", "No model."), ("404", "name may be wrong", "--model")),
    (gemini.quota("41s"), ("429", "exceeded your current quota", "again in 41 s")),
    (gemini.broken(), ("500", "internal error", "send the message again")),
    (replace(refused(503, "UNAVAILABLE", "Overloaded."), retry_after="9"),
     ("503", "Overloaded.", "send the message again", "again in 9 s")),
    (gemini.cut_stream("Half a sen", "tence"), ("interrupted", "line to the model broke off")),
    (gemini.safety_stop("Not th"), ("SAFETY", "Say it differently")),
    (gemini.Reply([[]], finish="MALFORMED_FUNCTION_CALL", finish_message="Bad call: x("),
     ("MALFORMED_FUNCTION_CALL", "Send the message again")),
    (gemini.Reply([[]], finish="STOP"), ("answered with nothing", "Send the message again")),
)  # fmt: skip


async def test_each_fault_of_a_model_is_told_once_with_a_next_step_and_the_chat_goes_on() -> None:
    with gemini.serve(*(reply for reply, _ in FAULTS), gemini.text("All is well.")) as server:
        start = Start(str(AGENTS / "stock"), storage="memory")
        engine = ProcessEngine(Launch(start, python=sys.executable, env=server.environment))
        app = WorkbenchApp(engine, TuiOptions(title="stock"))
        try:
            async with app.run_test(notifications=True, size=(150, 50)) as pilot:
                case = Case(app, pilot)
                await case.until(lambda: app.view.status.phase == "ready", "the agent", SLOW)
                for number, (_, words) in enumerate(FAULTS):
                    before = len(app.view.transcript.items)
                    await case.say(f"say {number}")
                    new = list(app.view.transcript.items)[before:]
                    cards = [i for i in new if isinstance(i, ErrorCard)]
                    told = " ".join(
                        f"{i.code} {i.message} {i.hint}" if isinstance(i, ErrorCard) else i.text
                        for i in new
                        if isinstance(i, (ErrorCard, Line))
                    )
                    failure = app.view.done[-1].failure
                    if failure is not None and not app.view.done[-1].event_id:
                        told += f"{failure.message} {failure.hint}"
                        await case.shows(failure.message)
                    told += "".join(i.mark for i in new if isinstance(i, AgentText))
                    assert len(cards) <= 1, (number, cards)
                    for word in words:
                        assert word in told, (number, word, told)
                await case.say("and now")
                await case.tells("All is well.")
        finally:
            engine.close()


PATIENT = """
from google.adk.agents import LlmAgent
from google.genai import types

options = types.HttpOptions(timeout=1_500)
root_agent = LlmAgent(
    name="patient",
    model="gemini-2.5-flash",
    generate_content_config=types.GenerateContentConfig(http_options=options),
)
"""


@pytest.mark.parametrize("streaming", [True, False])
async def test_a_model_that_falls_silent_is_given_up_at_the_agents_own_limit_and_said_so_once(
    tmp_path: Path, streaming: bool
) -> None:
    agent = tmp_path / "patient"
    agent.mkdir()
    (agent / "agent.py").write_text(PATIENT)
    gate = threading.Event()
    silent, halting = gemini.text("never").held(gate), gemini.text("Half a sen", "tence").held(gate)
    with gemini.serve(silent, halting, gemini.text("Back again.")) as server:
        start = Start(str(agent), storage="memory", streaming=streaming)
        engine = ProcessEngine(Launch(start, python=sys.executable, env=server.environment))
        app = WorkbenchApp(engine, TuiOptions(title="patient"))
        try:
            async with app.run_test(notifications=True, size=(150, 50)) as pilot:
                case = Case(app, pilot)
                await case.until(lambda: app.view.status.phase == "ready", "the agent", SLOW)
                for turn in (1, 2):
                    await case.say(f"say {turn}")
                    cards = [i for i in app.view.transcript.items if isinstance(i, ErrorCard)]
                    assert len(cards) == turn
                    assert "Timeout" in cards[-1].code
                    assert "did not answer in time" in cards[-1].message
                    assert "Send the message again" in cards[-1].hint
                    assert "http_options.timeout" in cards[-1].hint
                marks = [i.mark for i in app.view.transcript.items if isinstance(i, AgentText)]
                assert marks == (["interrupted"] if streaming else [])
                await case.say("and now")
                await case.tells("Back again.")
        finally:
            gate.set()
            engine.close()


@pytest.mark.parametrize("streaming", [True, False])
def test_a_model_that_is_silent_for_ever_can_be_stopped(tmp_path: Path, streaming: bool) -> None:
    gate = threading.Event()
    with gemini.serve(gemini.text("never").held(gate), gemini.text("Back again.")) as server:
        options = [] if streaming else ["--no-streaming"]
        with workbench(AGENTS / "stock", *options, env=server.environment) as terminal:
            loaded(terminal)
            ask(terminal, "hello")
            terminal.wait(lambda: len(server.requests) == 1, "the request")
            terminal.wait_for("▶ model")
            terminal.press("escape")
            terminal.wait_for("Stopped.")
            terminal.wait_for(IDLE)
            ask(terminal, "and now")
            terminal.wait_for("Back again.")
            gate.set()
            leave(terminal)


async def test_a_store_that_vanishes_or_cannot_be_written_is_told_and_the_screen_lives(
    tmp_path: Path,
) -> None:
    folder = Path(shutil.copytree(Path(__file__).parent / "acting", tmp_path / "acting"))
    async with opened(folder, storage="file") as case:
        await case.say("one")
        store = folder / ".adk" / "session.db"
        assert store.exists()
        store.write_bytes(b"this is no database" * 200)
        await case.begin("two")
        await case.until(
            lambda: case.view.done and not case.view.done[-1].ok, "the failure of the store"
        )
        failure = case.view.done[-1].failure
        assert failure is not None
        assert failure.hint
        await case.pilot.press(*"alive")
        await case.shows("alive")


def _isolated() -> str:
    if sys.platform != "linux" or shutil.which("unshare") is None:
        return "there is no unshare here"
    tried = subprocess.run(["unshare", "-rn", "true"], capture_output=True, check=False)
    return tried.stderr.decode().strip() if tried.returncode else ""


def test_without_any_network_everything_works_as_with_one() -> None:
    if reason := _isolated():
        pytest.skip(f"no network namespace of our own: {reason}")
    program = ["unshare", "-rn", sys.executable, "-m", "adk_tui", "ask", str(AGENTS / "stock")]
    ran = subprocess.run(
        [*program, "stock price of GOOG", "--in-memory", "--python", sys.executable],
        capture_output=True,
        cwd=REPOSITORY,
        timeout=100,
        check=False,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr
    assert "get_stock_price" in ran.stdout
    with workbench(AGENTS / "stock", within=("unshare", "-rn")) as terminal:
        loaded(terminal)
        ask(terminal, "stock price of GOOG")
        terminal.wait_for("company: Alphabet Inc.")
        terminal.wait_for(IDLE)
        leave(terminal)
