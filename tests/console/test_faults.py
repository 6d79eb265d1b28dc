"""What fails around an agent, in the line modes: cause and next step, once, where they show."""

import json
import re
from collections.abc import Mapping
from pathlib import Path

from tests.console.chats import SLOW, Chat
from tests.console.programs import AGENTS, HEADER, run, write_agent
from tests.fakes import gemini_server as gemini

STOCK = str(AGENTS / "stock")

TOOL = """
def bill(order: str = "") -> dict:
    "Adds up."
    try:
        return {"total": {}["total"]}
    except KeyError as error:
        raise RuntimeError("order without total") from error

root_agent = LlmAgent(
    name="root", model=Scripted(call("bill"), say("Goes on."), say("Still.")), tools=[bill]
)
"""

RAISES = f"agent.py:{(HEADER + TOOL).partition('raise RuntimeError')[0].count(chr(10)) + 1}"

PLUGIN = """
from google.adk.apps import App
from google.adk.plugins.base_plugin import BasePlugin

class Audit(BasePlugin):
    async def before_model_callback(self, **_):
        raise ConnectionError("audit log is down")

root_agent = LlmAgent(name="root", model=Scripted(say("Never.")))
app = App(name="audited", root_agent=root_agent, plugins=[Audit(name="audit")])
"""

OVERLOADED = gemini.Reply(
    status=503,
    error={"code": 503, "status": "UNAVAILABLE", "message": "Overloaded."},
    retry_after="9",
)
FAULTS = (
    (gemini.quota("41s"), "model.429", ("exceeded your current quota", "again in 41 s")),
    (OVERLOADED, "model.503", ("Overloaded.", "in a moment", "again in 9 s")),
    (gemini.cut_stream("Half a sen"), "model.network", ("broke off", "Send the message again")),
    (gemini.Reply([[]]), "model.silent", ("answered with nothing", "Send the message again")),
)


def errors(told: str) -> list[str]:
    return [line for line in told.splitlines() if line.startswith("error: ")]


def test_ask_ends_with_the_one_sentence_about_what_failed() -> None:
    for reply, _, words in (*FAULTS, (gemini.safety_stop(), "", ("SAFETY", "Say it differently"))):
        with gemini.serve(reply) as server:
            done = run("ask", STOCK, "hello", "never", "--in-memory", env=server.environment)
        assert done.returncode == 1
        (error,) = errors(done.stderr)
        assert done.stderr.splitlines()[-1] == error, "nothing hides it"
        assert "Traceback" not in done.stderr
        for word in words:
            assert word in error
        assert len(server.requests) == 1


def test_ask_names_the_tool_and_the_line_that_raised(tmp_path: Path) -> None:
    done = run("ask", str(write_agent(tmp_path, TOOL)), "go", "--in-memory")
    (error,) = errors(done.stderr)
    assert done.stderr.splitlines()[-1] == error
    assert "Traceback" not in done.stderr
    assert re.search(
        r"stderr: Node .* RuntimeError: order without total \(.*agent\.py:\d+\)", done.stderr
    )
    assert "The tool bill raised RuntimeError: order without total" in error
    assert RAISES in error
    assert "Fix the tool, reload" in error


def test_pipe_tells_each_failure_in_one_line_and_goes_on() -> None:
    lines = [{"cmd": "say", "text": f"say {n}", "id": n} for n in range(len(FAULTS) + 1)]
    with gemini.serve(*(reply for reply, _, _ in FAULTS), gemini.text("All is well.")) as server:
        done = run(
            *("pipe", STOCK, "--in-memory"),
            stdin="\n".join(map(json.dumps, lines)),
            env=server.environment,
        )
    told = [json.loads(line) for line in done.stdout.splitlines()]
    errors = [t for t in told if t["type"] == "error"]
    assert [(e["id"], e["code"]) for e in errors] == [(n, f[1]) for n, f in enumerate(FAULTS)]
    for error, (_, _, words) in zip(errors, FAULTS, strict=True):
        for word in words:
            assert word in error["message"]
    assert "All is well." in done.stdout


def chat(agent: Path, home: Path, env: Mapping[str, str]) -> Chat:
    return Chat(agent, home=home, within=("env", *(f"{k}={v}" for k, v in env.items())))


def test_chat_tells_the_cause_and_the_next_step_once(tmp_path: Path) -> None:
    with (
        gemini.serve(*(reply for reply, _, _ in FAULTS), gemini.text("All is well.")) as server,
        chat(AGENTS / "stock", tmp_path, server.environment) as terminal,
    ):
        for number, (_, _, words) in enumerate(FAULTS):
            terminal.say(f"say {number}")
            for word in words:
                terminal.wait(
                    lambda n=number, w=word: w in terminal.text.partition(f"> say {n}")[2],
                    word,
                    SLOW,
                )
        terminal.say("and now")
        terminal.wait_for("All is well.")
        assert terminal.text.count("exceeded your current quota") == 1
        assert terminal.text.count("✗") == len(FAULTS)
        terminal.leave()


def test_chat_names_the_tool_the_line_and_the_next_step(tmp_path: Path) -> None:
    with Chat(write_agent(tmp_path, TOOL), home=tmp_path) as terminal:
        terminal.say("go")
        terminal.wait_for("✗ The tool bill raised RuntimeError: order without total")
        terminal.wait_for(RAISES)
        terminal.wait_for("Fix the tool, reload, and send the message again")
        terminal.say("more")
        terminal.wait_for("Goes on.")
        assert terminal.text.count("order without total") == 1
        terminal.leave()


def test_chat_names_a_plugin_that_fails(tmp_path: Path) -> None:
    with Chat(write_agent(tmp_path, PLUGIN), home=tmp_path) as terminal:
        terminal.say("go")
        terminal.wait_for("✗ The plugin audit failed in before_model_callback")
        terminal.wait_for("ConnectionError: audit log is down")
        terminal.wait_for("Fix the plugin, reload")
        terminal.leave()
