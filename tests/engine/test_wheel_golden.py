"""Recorded sessions under the wheel: loaded as they are stored, told as they are, and steered."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from google.adk.agents import BaseAgent, LlmAgent, ParallelAgent, SequentialAgent
from google.adk.apps.app import App, ResumabilityConfig
from google.adk.workflow import Workflow

from adk_tui.core.commands import Command, EditState, RestoreSession, Rewind, Say, Start, Transfer
from adk_tui.core.records import EventRecord
from adk_tui.core.reports import AgentNode, Done, Ready, Record, Status
from adk_tui.core.routing import next_agent, transfer_targets
from adk_tui.core.session import SessionView
from adk_tui.core.state import initial_state, state_at
from adk_tui.core.wire import Up, decode_record, encode_command
from adk_tui.engine.channel import Channel
from adk_tui.engine.desk import Desk
from adk_tui.engine.loader import Loaded
from adk_tui.engine.runner import Host
from adk_tui.engine.settings import Models, first_settings
from adk_tui.engine.stores import Stores, open_stores
from adk_tui.engine.tree import describe
from tests.engine.harness import PATIENCE, of
from tests.fakes.scripted import Scripted, say
from tests.golden_table import read, streams

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*deprecated in favor of Workflow"),
    pytest.mark.filterwarnings("ignore:.*ResumabilityConfig"),
]

FAMILIES = (
    "transfer_*",
    "rewind",
    "state_*",
    "compaction*",
    "cancel_*",
    "abort_*",
    "task_delegation",
)
RECORDED = [p for p in streams(*FAMILIES) if ".stream." not in p.name]


def _llm(name: str, *children: BaseAgent, **fields: Any) -> LlmAgent:
    return LlmAgent(
        name=name, model=Scripted(say(f"{name} here")), sub_agents=list(children), **fields
    )


def _crew() -> LlmAgent:
    """The tree that most of the sessions were recorded on."""
    return _llm(
        "root",
        _llm("sub_a", _llm("sub_sub")),
        _llm("sub_b"),
        _llm("nopeer", disallow_transfer_to_parent=True, disallow_transfer_to_peers=True),
        _llm("single", mode="single_turn"),
        _llm("task_t", mode="task"),
        _llm("t", mode="task"),
        SequentialAgent(name="seq", sub_agents=[_llm("s1"), _llm("s2")]),
    )


ROOTS = {
    "abort_parallel": lambda: ParallelAgent(name="p", sub_agents=[_llm("a"), _llm("b")]),
    "abort_sequential": lambda: SequentialAgent(name="s", sub_agents=[_llm("a"), _llm("b")]),
    "abort_workflow": lambda: Workflow(name="wf", edges=[("START", _llm("a"))]),
    "transfer_seq_root": lambda: SequentialAgent(
        name="root", sub_agents=[_llm("one"), _llm("two")]
    ),
    "transfer_workflow_root": lambda: Workflow(name="wf", edges=[("START", _llm("one"))]),
}
"""The roots of the sessions that were recorded on another tree."""


class Tape(Channel):
    """A channel that keeps its records."""

    def __init__(self) -> None:
        super().__init__(-1)
        self.records: list[Up] = []
        self.more = asyncio.Event()

    def _write(self, frame: bytes) -> None:
        self.records.append(decode_record(frame))
        self.more.set()


class Engine:
    """The host in this process, spoken to as over its wire."""

    def __init__(self, desk: Desk, tape: Tape, stores: Stores) -> None:
        self.desk, self.tape, self.stores = desk, tape, stores
        self.view = SessionView()
        self._id = 0
        self._shown = 0

    async def until(self, ended: Any) -> list[Up]:
        """Wait for a record; returns all that came since the last time, folded into the view."""
        async with asyncio.timeout(PATIENCE):
            while not any(map(ended, self.tape.records[self._shown :])):
                self.tape.more.clear()
                await self.tape.more.wait()
        batch = self.tape.records[self._shown :]
        self._shown += len(batch)
        self.view.apply([r for r in batch if isinstance(r, Record)])
        return batch

    async def do(self, command: Command) -> Done:
        """Carry out a command; returns its end, of which there must be one."""
        self._id += 1
        number = self._id
        self.desk._take(encode_command(command, number))
        batch = await self.until(lambda r: isinstance(r, Status) and r.phase == "ready")
        (done,) = [d for d in of(Done, batch) if d.command == number]
        return done

    async def stored(self) -> list[str]:
        """The ids of the events in the store."""
        opened = self.view.session
        assert opened is not None
        session = await self.stores.sessions.get_session(
            app_name=opened.app, user_id=opened.user, session_id=opened.id
        )
        assert session is not None
        return [e.id for e in session.events]

    @property
    def told(self) -> list[str]:
        return [e.id for e in self.view.log.history()]

    @property
    def route(self) -> str:
        route = self.view.route()
        assert route is not None
        return route.agent

    @property
    def state(self) -> dict[str, Any]:
        log = self.view.log.history()
        assert self.view.session is not None
        return state_at(log, len(log) - 1, initial_state(self.view.session.state, log))


@asynccontextmanager
async def loaded(path: Path, folder: Path) -> AsyncIterator[Engine]:
    """An engine on the recorded session, in memory, with agents of the names it was made with."""
    root = ROOTS.get(path.stem, _crew)()
    resumable = ResumabilityConfig(is_resumable=True) if path.stem.endswith("_resumable") else None
    app = App(name="golden", root_agent=root, resumability_config=resumable)
    rows = tuple(path.read_bytes().splitlines())
    recorded = RestoreSession("recorded", "user", events=rows)
    start = Start(str(folder), storage="memory", session_id="recorded", sessions=(recorded,))
    tape = Tape()
    desk = Desk(tape)
    stores = open_stores(start, folder, app.name)
    host = Host(
        start,
        Loaded(app, folder, app.name, app.name),
        Ready(app.name, describe(root), str(folder), start.user, stores.words),
        stores,
        Models(app),
        first_settings(start),
        tape,
        desk,
    )
    tasks = [asyncio.create_task(desk.attend()), asyncio.create_task(host.serve())]
    engine = Engine(desk, tape, stores)
    try:
        await engine.until(lambda r: isinstance(r, Status) and r.phase == "ready")
        yield engine
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def root_of(engine: Engine) -> AgentNode:
    ready = engine.view.ready
    assert ready is not None
    return ready.root


@pytest.mark.parametrize("path", RECORDED, ids=lambda p: p.stem)
async def test_a_recorded_session_is_told_as_it_is_stored_and_can_be_steered(
    path: Path, tmp_path: Path
) -> None:
    recorded = read(path)
    resumable = path.stem.endswith("_resumable")

    def answers_next(events: Sequence[EventRecord]) -> str:
        return next_agent(root_of(engine), events, resumable=resumable).agent

    async with loaded(path, tmp_path) as engine:
        assert engine.told == [e.id for e in recorded] == await engine.stored()
        assert [e.author for e in engine.view.log.history()] == [e.author for e in recorded]
        assert engine.route == answers_next(recorded)

        done = await engine.do(EditState({"steered": 1}))
        assert done.ok, done
        assert engine.state["steered"] == 1
        assert engine.told == await engine.stored()
        assert engine.told[:-1] == [e.id for e in recorded]

        for target in transfer_targets(root_of(engine), engine.view.log.history()):
            done = await engine.do(Transfer(target.agent))
            assert done.ok == (target.reachable or target.active), (target, done)
            if done.ok:
                assert engine.route == target.agent
            else:
                assert done.failure is not None
                assert done.failure.code == "transfer.unreachable"
                assert target.reason in done.failure.message
        assert engine.told == await engine.stored()

        invocation = next(e.invocation_id for e in recorded if e.author == "user")
        done = await engine.do(Rewind(invocation))
        assert done.ok, done
        assert engine.state.get("steered") is None
        assert engine.told == await engine.stored()

        done = await engine.do(Say("hello again"))
        assert done.ok, done
        ids = engine.told
        assert ids == await engine.stored()
        assert len(set(ids)) == len(ids)
        assert "hello again" in [e.text for e in engine.view.log.history() if e.author == "user"]
