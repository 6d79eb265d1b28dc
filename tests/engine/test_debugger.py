"""A debugger attaches to the agent's process, or a sentence says why it cannot."""

import json
import socket
import sys

import pytest

from adk_tui.core.commands import Say
from adk_tui.core.reports import Notice
from tests.engine.harness import EngineProcess, last_done, of, write_agent

AGENT = "root_agent = LlmAgent(name='root', model=Scripted(say('Hi.')))"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def test_a_debugger_can_attach_and_the_agent_goes_on(tmp_path):
    pytest.importorskip("debugpy", reason="debugpy is not installed")
    port = free_port()
    with EngineProcess(write_agent(tmp_path / "agent", AGENT), debugpy=port) as engine:
        notices = of(Notice, engine.ready())
        assert any(f"attach at 127.0.0.1:{port}" in n.message for n in notices)
        with socket.create_connection(("127.0.0.1", port), timeout=30) as line:
            body = json.dumps(
                {"seq": 1, "type": "request", "command": "initialize",
                 "arguments": {"adapterID": "test"}}
            ).encode()  # fmt: skip
            line.sendall(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
            heard = b""
            while b'"initialize"' not in heard:
                piece = line.recv(4096)
                assert piece
                heard += piece
        assert last_done(engine.do(Say("hi"))).ok


def test_a_port_that_is_taken_is_waited_for(tmp_path):
    pytest.importorskip("debugpy", reason="debugpy is not installed")
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with EngineProcess(write_agent(tmp_path / "agent", AGENT), debugpy=port) as engine:
            assert not of(Notice, engine.ready())
            other.close()
            engine.until(lambda r: isinstance(r, Notice) and str(port) in r.message)
            assert last_done(engine.do(Say("hi"))).ok


def test_without_debugpy_the_agent_runs_and_a_sentence_says_what_is_missing(tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "debugpy.py").write_text("raise ModuleNotFoundError('no debugpy')")
    env = {"PYTHONPATH": str(tmp_path / "empty")}
    with EngineProcess(write_agent(tmp_path / "agent", AGENT), env=env, debugpy=5678) as engine:
        notice = next(n for n in of(Notice, engine.ready()) if "debugpy" in n.message)
        assert notice.level == "warning"
        assert sys.executable in notice.message
        assert last_done(engine.do(Say("hi"))).ok
