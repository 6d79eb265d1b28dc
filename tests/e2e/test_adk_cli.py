"""The sample agents in ADK's own programs, and sessions that both programs can open.

``adk run`` and ``adk web`` are the real ones; only the model behind them is
scripted and on loopback.
"""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import REPOSITORY
from tests.fakes import gemini_server as gemini

AGENTS = sorted(p.parent.name for p in (REPOSITORY / "agents").glob("*/agent.py"))
STARTS = 60.0
"""Seconds for what imports google-adk and its web server on a busy machine."""
ADK = [sys.executable, "-m", "google.adk.cli"]


@pytest.fixture
def agents(tmp_path: Path) -> Path:
    """The sample agents where they may write."""
    folder = tmp_path / "agents"
    shutil.copytree(
        REPOSITORY / "agents", folder, ignore=shutil.ignore_patterns(".adk", "__pycache__")
    )
    return folder


def run(
    argv: list[str], folder: Path, environment: dict[str, str], typed: str = ""
) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        argv,
        cwd=folder,
        env=os.environ | environment | {"PYTHONPATH": str(REPOSITORY)},
        input=typed,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done


@contextmanager
def web(agents: Path, environment: dict[str, str]) -> Iterator[str]:
    """``adk web`` on a free port; yields its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = agents.parent / "web.log"
    with log.open("wb") as out:
        server = subprocess.Popen(
            [*ADK, "web", str(agents), "--port", str(port), "--no-reload"],
            env=os.environ | environment,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
        )
    address = f"http://127.0.0.1:{port}"
    try:
        end = time.monotonic() + STARTS
        while True:
            try:
                listed = asked(f"{address}/list-apps")
                break
            except OSError:
                assert time.monotonic() < end, log.read_text()
                with suppress(subprocess.TimeoutExpired):
                    pytest.fail(f"adk web ended with {server.wait(0.1)}: {log.read_text()}")
        assert set(AGENTS) <= set(listed)
        yield address
    finally:
        server.terminate()
        server.wait(20)


def asked(url: str, body: object = None) -> Any:
    request = urllib.request.Request(
        url,
        None if body is None else json.dumps(body).encode(),
        {"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=STARTS) as answer:
        return json.load(answer)


def turn(address: str, app: str, session: str, text: str) -> list[dict[str, Any]]:
    """Say something to an agent of ``adk web``; the events that come of it."""
    message = {"role": "user", "parts": [{"text": text}]}
    body = {"appName": app, "userId": "user", "sessionId": session, "newMessage": message}
    return asked(f"{address}/run", body)


PRICE = (
    gemini.call("get_stock_price", symbol="GOOG"),
    gemini.text("GOOG stands high."),
)


@pytest.mark.parametrize("agent", AGENTS)
def test_a_sample_agent_answers_in_adk_run(agents: Path, agent: str) -> None:
    with gemini.serve(gemini.text("At your service.")) as server:
        done = run([*ADK, "run", agent], agents, server.environment, "hello\nexit\n")
        assert done.returncode == 0, done.stderr
        assert "At your service." in done.stdout
        assert [r.last_text for r in server.requests] == ["hello"]


def test_a_session_of_adk_web_goes_on_here_and_one_from_here_there(agents: Path) -> None:
    with gemini.serve(*PRICE, *PRICE, *PRICE) as server, web(agents, server.environment) as address:
        session = asked(f"{address}/apps/stock/users/user/sessions", {})["id"]
        events = turn(address, "stock", session, "price of GOOG?")
        assert [p for e in events for p in e["content"]["parts"] if "functionResponse" in p]

        def ours(*arguments: str) -> subprocess.CompletedProcess[str]:
            argv = [sys.executable, "-m", "adk_tui", *arguments]
            return run(argv, agents, server.environment)

        listed = ours("sessions", "stock", "--json")
        assert session in [json.loads(s)["id"] for s in listed.stdout.splitlines()]
        went_on = ours("ask", "stock", "and now?", "--session", session)
        assert (went_on.returncode, went_on.stdout.strip()) == (0, "GOOG stands high.")
        texts = [
            str(c["parts"]) for c in server.requests[-1].body["contents"] if c["role"] == "user"
        ]
        assert "price of GOOG?" in texts[0], "the model sees what was said in adk web"

        begun = ours("ask", "stock", "price of GOOG?", "--jsonl")
        lines = [json.loads(line) for line in begun.stdout.splitlines()]
        mine = next(line["id"] for line in lines if line["type"] == "session_opened")
        assert mine != session
        both = {s["id"] for s in asked(f"{address}/apps/stock/users/user/sessions")}
        assert {mine, session} <= both
        there = asked(f"{address}/apps/stock/users/user/sessions/{mine}")
        assert "GOOG stands high." in json.dumps(there["events"])
        grown = asked(f"{address}/apps/stock/users/user/sessions/{session}")
        assert "and now?" in json.dumps(grown["events"])
        server.replies.append(gemini.text("Still high."))
        last = turn(address, "stock", mine, "and now?")
        assert "Still high." in json.dumps(last)
