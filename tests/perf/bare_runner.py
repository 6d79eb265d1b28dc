"""Turns on ADK's own Runner, nothing of ours: the figures the engine is compared with.

    python -m tests.perf.bare_runner TURNS PARTIALS

Prints seconds as JSON: ``turn`` for whole turns with PARTIALS partial events
(each in a new session), ``first`` until the first event of a short turn.
"""

import asyncio
import json
import sys
from time import perf_counter

from google.adk.agents.run_config import RunConfig, StreamingMode
from google.adk.apps import App
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.genai import types

from tests.perf.agents.scripted.agent import root_agent


async def _turn(runner: Runner, session_id: str, text: str) -> tuple[float, float]:
    start = perf_counter()
    first = 0.0
    async for _ in runner.run_async(
        user_id="user",
        session_id=session_id,
        new_message=types.Content(role="user", parts=[types.Part(text=text)]),
        run_config=RunConfig(streaming_mode=StreamingMode.SSE),
    ):
        first = first or perf_counter() - start
    return first, perf_counter() - start


async def _measure(turns: int, partials: int) -> dict[str, list[float]]:
    service = InMemorySessionService()
    runner = Runner(app=App(name="scripted", root_agent=root_agent), session_service=service)
    firsts, wholes = [], []
    for _ in range(turns + 1):
        session = await service.create_session(app_name="scripted", user_id="user")
        wholes.append((await _turn(runner, session.id, f"burst {partials}"))[1])
    session = await service.create_session(app_name="scripted", user_id="user")
    for _ in range(turns + 1):
        firsts.append((await _turn(runner, session.id, "hello"))[0])
    return {"first": firsts[1:], "turn": wholes[1:]}


if __name__ == "__main__":
    print(json.dumps(asyncio.run(_measure(int(sys.argv[1]), int(sys.argv[2])))))
