"""``adk-tui ask`` in shells and pipelines: real processes, scripted and sample agents."""

import json
import signal
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest

from tests.console.programs import AGENTS, adk_tui, environment, run, started, write_agent

ASKS = """
def request(amount: int) -> dict:
    "Asks a person."
    return {"status": "pending", "amount": amount}

def reply(request):
    told = [p.function_response.response["status"]
            for c in request.contents for p in c.parts or () if p.function_response]
    if not told:
        return call("request", amount=7)
    return say("It is asked." if told[-1] == "pending" else "Thank you.")

root_agent = LlmAgent(
    name="root", model=Scripted(reply), tools=[LongRunningFunctionTool(request)]
)
"""

TWO_AT_ONCE = """
def first() -> dict:
    "Asks."
def second() -> dict:
    "Asks."

def last(request):
    found = {p.function_response.name: p.function_response.response
             for c in request.contents for p in c.parts or () if p.function_response}
    return say(str(sorted(found)) if len(found) == 2 else "only " + str(found))

root_agent = LlmAgent(
    name="root",
    model=Scripted(calls(call("first"), call("second")), last),
    tools=[LongRunningFunctionTool(first), LongRunningFunctionTool(second)],
)
"""

SAYS_YES = "root_agent = LlmAgent(name='root', model=Scripted(stream('Ye', 's.'), say('No.')))"


def test_the_answer_is_all_there_is_on_stdout(tmp_path: Path) -> None:
    agent = write_agent(tmp_path, "print('hello from import')\n" + SAYS_YES)
    done = run("ask", str(agent), "well?", "really?", "--in-memory")
    assert done.returncode == 0
    assert done.stdout == "Yes.\nNo.\n"
    assert "stdout: hello from import" in done.stderr


def test_tools_and_transfers_are_told_on_stderr() -> None:
    done = run("ask", str(AGENTS / "stock"), "stock price of GOOG", "--in-memory")
    assert done.returncode == 0
    assert "Alphabet Inc." in done.stdout
    assert "tool: stock runs get_stock_price" in done.stderr
    assert "get_stock_price" not in done.stderr.replace("tool: stock runs get_stock_price", "")


def test_an_open_ticket_pauses_and_the_session_goes_on_later(tmp_path: Path) -> None:
    agent = str(write_agent(tmp_path, ASKS))
    paused = run("ask", agent, "please")
    assert paused.returncode == 2
    assert paused.stdout == "It is asked.\n"
    (waiting,) = [x for x in paused.stderr.splitlines() if x.startswith("waiting: ")]
    key = waiting.split()[1]
    (session,) = [x.split()[1] for x in paused.stderr.splitlines() if x.startswith("session: ")]
    done = run("ask", agent, "--session", session, "--answer", f'{key}={{"status": "ok"}}')
    assert done.returncode == 0, done.stderr
    assert done.stdout == "Thank you.\n"
    listed = run("tickets", agent)
    assert listed.stdout == ""


def test_an_answer_prepared_by_tool_name_is_given_when_the_ticket_comes_up(tmp_path: Path) -> None:
    agent = str(write_agent(tmp_path, ASKS))
    done = run("ask", agent, "please", "--in-memory", "--answer", 'request={"status": "ok"}')
    assert done.returncode == 0
    assert done.stdout == "It is asked.\nThank you.\n"


def test_prepared_answers_to_one_invocation_go_in_one_message(tmp_path: Path) -> None:
    agent = str(write_agent(tmp_path, TWO_AT_ONCE))
    answers = ("--answer", "first=1", "--answer", "second=2")
    done = run("ask", agent, "please", "--in-memory", *answers)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "['first', 'second']\n"


def test_an_answer_that_would_not_be_taken_is_an_error_and_is_not_sent(tmp_path: Path) -> None:
    agent = str(write_agent(tmp_path, ASKS))
    done = run("ask", agent, "please", "--in-memory", "--answer", 'request={"amount": 1e999}')
    assert done.returncode == 1
    assert "error: The answer to request was not sent." in done.stderr
    assert "Thank you" not in done.stdout


def test_a_prepared_status_that_is_not_final_is_progress_and_the_ticket_stays(
    tmp_path: Path,
) -> None:
    agent = str(write_agent(tmp_path, ASKS))
    done = run("ask", agent, "please", "--in-memory", "--answer", 'request={"status": "pending"}')
    assert done.returncode == 2, done.stderr
    assert "waiting: " in done.stderr


def test_jsonl_prints_every_record_masked(tmp_path: Path) -> None:
    source = """
def look(password: str) -> dict:
    "Looks."
    return {"api_key": "plain-words-key"}

root_agent = LlmAgent(
    name="root", model=Scripted(call("look", password="open sesame"), say("Done.")), tools=[look]
)
"""
    agent = str(write_agent(tmp_path, source))
    done = run("ask", agent, "go", "--in-memory", "--jsonl")
    assert done.returncode == 0
    records = [json.loads(line) for line in done.stdout.splitlines()]
    kinds = {r["type"] for r in records}
    assert kinds >= {"ready", "session_opened", "event", "model_call", "tool_run", "status", "done"}
    statuses = [r for r in records if r["type"] == "status"]
    assert all(status != before for before, status in pairwise(statuses))
    requests = [r["request"] for r in records if r["type"] == "model_call" and r["request"]]
    assert isinstance(requests[0], dict)
    for secret in ("plain-words-key", "open sesame"):
        assert secret not in done.stdout
    shown = run("ask", agent, "go", "--in-memory", "--jsonl", "--reveal")
    assert "plain-words-key" in shown.stdout


def test_secrets_and_escapes_reach_neither_stdout_nor_stderr(tmp_path: Path) -> None:
    source = """
print("key=sk-proj-abcdefghij1234567890 \\x1b[31m")
root_agent = LlmAgent(
    name="root", model=Scripted(say("It is sk-proj-abcdefghij1234567890 \\x1b]0;title\\x07"))
)
"""
    done = run("ask", str(write_agent(tmp_path, source)), "go", "--in-memory")
    assert done.returncode == 0
    for text in (done.stdout, done.stderr):
        assert "abcdefghij1234567890" not in text
        assert "\x1b" not in text


@pytest.mark.parametrize("program", [["ask"], ["run"]])
def test_without_messages_the_lines_of_stdin_are_turns(tmp_path: Path, program: list[str]) -> None:
    agent = str(write_agent(tmp_path, SAYS_YES))
    done = run(*program, agent, "--in-memory", stdin="one\n\n  two  \n")
    assert done.returncode == 0
    assert done.stdout == "Yes.\nNo.\n"


def test_a_model_that_fails_is_exit_code_1_and_told_once(tmp_path: Path) -> None:
    source = """
root_agent = LlmAgent(name="root", model=Scripted(fail(RuntimeError("the disk is on fire"))))
"""
    done = run("ask", str(write_agent(tmp_path, source)), "go", "again", "--in-memory")
    assert done.returncode == 1
    errors = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
    assert len(errors) == 1
    assert "the disk is on fire" in errors[0]


def test_an_error_that_is_only_a_code_is_exit_code_1(tmp_path: Path) -> None:
    source = """
from tests.fakes.scripted import Step
root_agent = LlmAgent(
    name="root", model=Scripted(Step(error_code="SAFETY", error_message="not this"))
)
"""
    done = run("ask", str(write_agent(tmp_path, source)), "go", "--in-memory")
    assert done.returncode == 1
    assert "error: root: SAFETY: not this" in done.stderr


def test_a_process_that_dies_is_exit_code_1_and_told_once(tmp_path: Path) -> None:
    source = """
def die() -> dict:
    "Dies."
    os._exit(7)

root_agent = LlmAgent(name="root", model=Scripted(call("die")), tools=[die])
"""
    done = run("ask", str(write_agent(tmp_path, source)), "go", "never", "--in-memory")
    assert done.returncode == 1
    (error,) = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
    assert "exit code 7" in error
    assert "Traceback" not in done.stderr


def test_an_agent_that_does_not_load_is_exit_code_3(tmp_path: Path) -> None:
    agent = str(write_agent(tmp_path, "import no_such_module_anywhere\n"))
    done = run("ask", agent, "go")
    assert done.returncode == 3
    (line,) = done.stderr.splitlines()
    assert "no_such_module_anywhere" in line
    assert line.endswith("--debug shows the details.")
    assert done.stdout == ""
    done = run("ask", agent, "go", "--debug")
    assert done.returncode == 3
    rows = done.stderr.splitlines()
    assert any("Traceback (most recent call last)" in row for row in rows)
    assert any('agent.py", line ' in row for row in rows)


def test_an_unknown_session_is_exit_code_1(tmp_path: Path) -> None:
    done = run("ask", str(write_agent(tmp_path, SAYS_YES)), "go", "--session", "nope")
    assert done.returncode == 1
    assert "There is no session nope." in done.stderr


@pytest.mark.parametrize(
    ("pair", "told"),
    [("request", "is not TICKET=JSON"), ("=1", "is not TICKET=JSON"), ("a=b", "has no JSON")],
)
def test_an_answer_that_is_no_json_is_a_usage_error(tmp_path: Path, pair: str, told: str) -> None:
    done = run("ask", str(write_agent(tmp_path, SAYS_YES)), "go", "--answer", pair)
    assert done.returncode == 2
    assert told in done.stderr
    assert done.stderr.count("\n") == 1


def test_ctrl_c_stops_the_run_and_ends_with_130(tmp_path: Path) -> None:
    source = """
import asyncio

async def wait_long() -> dict:
    "Waits."
    open(os.path.join(os.path.dirname(__file__), "began"), "w").close()
    await asyncio.sleep(600)

root_agent = LlmAgent(name="root", model=Scripted(call("wait_long")), tools=[wait_long])
"""
    agent = write_agent(tmp_path, source)
    with started("ask", str(agent), "go") as process:
        assert process.stderr is not None
        said = ""
        for line in process.stderr:
            said += line.decode()
            if line.startswith(b"tool: root runs wait_long"):
                break
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
        said += process.stderr.read().decode()
    assert "interrupted" in said
    assert "Traceback" not in said
    stored = run("sessions", str(agent), "--json")
    assert json.loads(stored.stdout)["title"] == "go"


def test_a_pipeline_that_reads_one_line_ends_quietly(tmp_path: Path) -> None:
    source = "root_agent = LlmAgent(name='root', model=Scripted(say('a\\n' * 200_000), say('b')))"
    command = " ".join(adk_tui("ask", str(write_agent(tmp_path, source)), "--in-memory"))
    done = subprocess.run(
        ["sh", "-c", f"printf 'one\\ntwo\\n' | {command} | head -n 1"],
        env=environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stdout == "a\n"
    assert "Traceback" not in done.stderr
    assert "BrokenPipe" not in done.stderr


def test_a_terminal_that_is_not_utf_8_gets_escapes(tmp_path: Path) -> None:
    source = "root_agent = LlmAgent(name='root', model=Scripted(say('日本')))"
    env = {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    done = run("ask", str(write_agent(tmp_path, source)), "go", "--in-memory", env=env)
    assert done.returncode == 0
    assert done.stdout == "\\u65e5\\u672c\n"
