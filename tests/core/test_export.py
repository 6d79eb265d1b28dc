"""What leaves the program is what ADK takes, with secrets masked unless they are asked for."""

import base64
import json
import shlex
import subprocess
import sys

import pytest
from google.adk.cli.api_server import CreateSessionRequest, RunAgentRequest
from google.adk.events.event import Event
from google.adk.sessions.session import Session

from adk_tui.core.event_reader import read_event
from adk_tui.core.export import (
    Place,
    as_curl,
    as_jsonl,
    as_python,
    as_session,
    embedded,
    event_json,
    message_before,
    run_body,
    suffix_of,
)
from adk_tui.core.reports import SessionOpened
from adk_tui.core.sanitize import MASK
from tests.fakes.sessions import call, event, log_of, response, text, user
from tests.golden_table import read, streams

SECRET = "sk-proj-" + "a1" * 20
PLACE = Place("helper", "user", "s1")
OPENED = SessionOpened("s1", "user", "helper")


def stored() -> list[str]:
    return sorted(p.name for p in streams() if ".stream." not in p.name)


@pytest.mark.parametrize("name", stored())
def test_exported_sessions_are_read_by_adk(name: str):
    path = next(p for p in streams() if p.name == name)
    # A made-up call id that looks like the name of a secret would be masked as one.
    events = [read_event(e.raw.replace(b"apikey-00", b"00")) for e in read(path)]
    for reveal in (False, True):
        lines = as_jsonl(events, reveal=reveal)
        assert lines.events == len(events)
        parsed = [Event.model_validate_json(line) for line in lines.text.splitlines()]
        assert [e.id for e in parsed] == [e.id for e in events]
        body = json.loads(as_session(events, OPENED, {"a": 1}, reveal=reveal).text)
        session = Session.model_validate(body)
        assert (session.id, session.app_name, session.user_id) == ("s1", "helper", "user")
        assert len(session.events) == len(events)
        # What the import of ``adk web`` sends to the server.
        sent = {"state": body["state"], "events": body["events"]}
        assert CreateSessionRequest.model_validate(sent).state == {"a": 1}


def test_revealed_events_are_exported_as_they_came():
    events = [user("hi"), event("root", call("look", "c1", key="x"), branch="a.b")]
    lines = as_jsonl(events, reveal=True).text.splitlines()
    assert [json.loads(line) for line in lines] == [json.loads(e.raw) for e in events]


def test_secrets_are_masked_in_everything_that_leaves():
    message = user(f"my key is {SECRET}")
    answer = event("root", actions={"stateDelta": {"api_key": "hunter2"}})
    state = {"password": "hunter2"}
    for out in (
        as_jsonl([message, answer]).text,
        as_session([message, answer], OPENED, state).text,
        event_json(message) + event_json(answer),
        as_curl(message, PLACE),
        as_python(message, PLACE),
    ):
        assert SECRET not in out
        assert "hunter2" not in out
        assert MASK in out or json.dumps(MASK)[1:-1] in out.replace("\\\\", "\\")
    assert SECRET in as_jsonl([message], reveal=True).text
    assert "hunter2" in as_session([answer], OPENED, state, reveal=True).text


def test_partials_inner_events_and_temporary_state_are_no_part_of_a_session_file():
    inner = read_event({"id": "x", "author": "inner", "timestamp": 1.0}, inner_of="c1")
    piece = event("root", text("h"), partial=True)
    body = json.loads(as_session([piece, inner, user("hi")], OPENED, {"temp:a": 1, "b": 2}).text)
    assert len(body["events"]) == 1
    assert body["state"] == {"b": 2}


def test_bytes_that_are_no_event_are_counted_not_exported():
    out = as_jsonl([read_event(b"\xffnonsense"), user("hi")])
    assert (out.events, out.left_out) == (1, 1)
    assert event_json(read_event(b"\xffnonsense")) == "\ufffdnonsense"


def test_odd_values_survive_the_way_out():
    deep: object = "end"
    for _ in range(200):
        deep = {"in": deep}
    odd = event("root", text("lone \ud800 surrogate"), actions={"stateDelta": {"deep": deep}})
    (line,) = as_jsonl([odd], reveal=True).text.splitlines()
    assert json.loads(line) == json.loads(odd.raw)
    assert line.isascii()
    assert json.loads(as_session([odd], OPENED, {"deep": deep}).text)["state"]["deep"] == deep


def test_the_message_before_an_event_is_that_of_its_invocation():
    log = log_of(
        [
            user("one", inv="i1"),
            event("root", call("ask", "c1"), inv="i1"),
            user("two", inv="i2"),
            event("root", text("x"), inv="i2"),
            event("user", response("ask", "c1", {"ok": True}), inv="i1"),
            event("root", text("y"), inv="i1"),
        ]
    )
    found = [message_before(i, log) for i in range(len(log))]
    assert [m and log.find(m.id) for m in found] == [0, 0, 2, 2, 4, 4]
    alone = log_of([event("root", text("x"))])
    assert message_before(0, alone) is None


def test_an_inner_event_leads_to_the_message_of_the_run_around_it():
    log = log_of([user("go"), event("root", call("helper", "c1"))])
    log.extend([read_event({"id": "x", "author": "h", "invocationId": "i7"}, inner_of="c1")])
    message = message_before(2, log)
    assert message is not None
    assert message.text == "go"


def test_the_run_body_is_what_adks_server_takes():
    message = user("hi there")
    read_body = RunAgentRequest.model_validate(run_body(message, PLACE))
    assert (read_body.app_name, read_body.user_id, read_body.session_id) == ("helper", "user", "s1")
    assert read_body.new_message is not None
    assert read_body.new_message.parts
    assert read_body.new_message.parts[0].text == "hi there"


def test_the_curl_command_survives_the_shell():
    message = user('it\'s $HOME `id` "quoted" \\ and\nnew lines')
    command = as_curl(message, PLACE)
    shown = subprocess.run(
        ["sh", "-c", command.replace("curl", "printf '%s\\0'", 1)], capture_output=True, check=True
    )
    words = shown.stdout.decode().split("\0")
    assert words[:-1] == shlex.split(command.replace("\\\n", ""))[1:]
    body = json.loads(words[words.index("-d") + 1])
    assert body["newMessage"]["parts"][0]["text"] == message.text


def test_the_script_is_python_and_holds_the_message():
    message = user("it's \"quoted\" \\ '''")
    script = as_python(message, PLACE)
    values: dict[str, str] = {}
    line = next(x for x in script.splitlines() if x.startswith("MESSAGE"))
    exec(compile(line, "script", "exec"), values)
    assert json.loads(values["MESSAGE"])["parts"][0]["text"] == message.text
    compile(script, "script", "exec")


def test_the_script_runs_the_agent(tmp_path):
    folder = tmp_path / "helper"
    folder.mkdir()
    (folder / "__init__.py").touch()
    (folder / "agent.py").write_text(
        "from google.adk.agents import LlmAgent\n"
        "from google.adk.models import BaseLlm, LlmResponse\n"
        "from google.genai import types\n"
        "class Echo(BaseLlm):\n"
        "    async def generate_content_async(self, llm_request, stream=False):\n"
        "        heard = llm_request.contents[-1].parts[-1].text\n"
        "        part = types.Part(text='heard ' + heard)\n"
        "        yield LlmResponse(content=types.Content(role='model', parts=[part]))\n"
        "root_agent = LlmAgent(name='root', model=Echo(model='echo'))\n"
    )
    script = as_python(user("it's me"), PLACE)
    ran = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert "heard it's me" in ran.stdout


def test_data_in_an_event_is_found_wherever_it_is():
    data = bytes(range(256))
    url_safe = base64.urlsafe_b64encode(data).decode()
    plain = base64.b64encode(data).decode().rstrip("=")
    odd = event(
        "root",
        {"inlineData": {"mimeType": "image/png", "data": url_safe, "displayName": "a.png"}},
        {
            "functionResponse": {
                "name": "shoot",
                "response": {"$dumped": "bytes", "size": 256, "base64": url_safe},
                "parts": [{"inlineData": {"mimeType": "image/jpeg", "data": plain}}],
            }
        },
    )
    found = embedded(odd.json())
    assert [(e.path, e.mime_type, e.name) for e in found] == [
        ("content.parts[0].inlineData", "image/png", "a.png"),
        ("content.parts[1].functionResponse.response", "application/octet-stream", ""),
        ("content.parts[1].functionResponse.parts[0].inlineData", "image/jpeg", ""),
    ]
    assert all(e.data() == data for e in found)


def test_broken_data_says_where_it_is():
    (found,) = embedded({"a": {"mimeType": "image/png", "data": "abcde"}})
    with pytest.raises(ValueError, match=r"^a is no base64"):
        found.data()


def test_files_get_an_ending_by_their_type():
    assert suffix_of("image/PNG; q=1") == ".png"
    assert suffix_of("application/x-unheard-of") == ".bin"
