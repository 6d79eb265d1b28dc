"""Many turns on end: does anything grow that should not, does anything slow down?

    python -m tests.perf.soak [--turns N] [--session N] [--pieces N]

The whole application without a terminal, on an engine process with a scripted
agent, one streamed turn after the other. Memory, threads, file descriptors and
tasks of both processes are noted at the same moment of each session: when the
next one has just been opened and the last one was deleted, so that what the
log itself takes is gone again. Should hold over the last half: memory grows at
most 10 %, nothing else grows at all, and turns take as long as before. Memory is
what the system has given to the process, that which Python keeps for later
included; a tenth of that half is compared with another, as one moment is no
measure.

The newest deleted sessions are kept to be brought back (``core.session``), as
are the newest pieces of output; both are full by then and count as all the rest.

A session is no longer than ``--session`` turns, because google-adk itself copies
the session for every turn of an in-memory store: its own cost, which would hide
ours.
"""

import argparse
import asyncio
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic, perf_counter

from adk_tui.client.process import Launch, ProcessEngine
from adk_tui.core.commands import DeleteSession, NewSession, Start
from adk_tui.tui.app import TuiOptions, WorkbenchApp
from tests.perf.common import AGENTS, clean_home, median, ms, percentile, table

PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096
PATIENCE = 60.0


@dataclass(frozen=True)
class Sample:
    """What the two processes hold: bytes of memory, threads, descriptors, tasks."""

    turns: int
    app: tuple[int, int, int, int]
    engine: tuple[int, int, int]


@dataclass
class Told:
    """What came of it. ``seconds`` are those of each turn, ``events`` those that arrived."""

    samples: list[Sample] = field(default_factory=list[Sample])
    seconds: list[float] = field(default_factory=list[float])
    events: int = 0


def process(pid: int) -> tuple[int, int, int]:
    """Bytes resident, threads and open descriptors of a process."""
    place = Path("/proc", str(pid))
    resident = int((place / "statm").read_text().split()[1]) * PAGE
    return resident, len([*(place / "task").iterdir()]), len([*(place / "fd").iterdir()])


def grown(values: Sequence[int]) -> float:
    """By how much the last tenth is above the first, as a part of that."""
    tenth = max(1, len(values) // 10)
    return median(values[-tenth:]) / median(values[:tenth]) - 1


def leaked(samples: Sequence[Sample]) -> dict[str, int]:
    """What there are more of at the end than at the beginning."""
    counts = {
        "threads": [s.app[1] + s.engine[1] for s in samples],
        "descriptors": [s.app[2] + s.engine[2] for s in samples],
        "tasks": [s.app[3] for s in samples],
    }
    return {n: more for n, values in counts.items() if (more := values[-1] - values[0]) > 0}


def children(pid: int) -> set[int]:
    """The ids of the processes that a process has started and that still run."""
    told = [p.read_text() for p in Path("/proc", str(pid), "task").glob("*/children")]
    return {int(i) for text in told for i in text.split()}


async def until(condition: Callable[[], object], what: str) -> None:
    """Wait for it."""
    end = monotonic() + PATIENCE
    while not condition():
        if monotonic() > end:
            raise SystemExit(f"{what} did not come within {PATIENCE:.0f} s.")
        await asyncio.sleep(0.002)


class Soak:
    """Drives the application as a user would, without pause."""

    def __init__(self, app: WorkbenchApp, engine: int, told: Told, pieces: int) -> None:
        self._app = app
        self._engine = engine
        self._told = told
        self._pieces = pieces

    async def _done(self, what: str, act: Callable[[], object]) -> None:
        view = self._app.view
        before = len(view.done)
        act()
        await until(lambda: len(view.done) > before and view.status.phase == "ready", what)
        if not view.done[-1].ok:
            raise SystemExit(f"{what}: {view.done[-1]}")

    async def turn(self) -> None:
        """One message and all that comes of it."""
        start, before = perf_counter(), len(self._app.view.log)
        await self._done("the end of a turn", lambda: self._app.say(f"burst {self._pieces}"))
        self._told.seconds.append(perf_counter() - start)
        self._told.events += len(self._app.view.log) - before

    async def another_session(self, turns: int) -> None:
        """Open a new session, delete the last one, and note what both processes hold."""
        view = self._app.view
        old = view.session.id if view.session else ""
        await self._done("a new session", lambda: self._app.submit(NewSession()))
        await self._done("a deletion", lambda: self._app.submit(DeleteSession(old)))
        tasks = len(asyncio.all_tasks())
        app = (*process(os.getpid()), tasks)
        self._told.samples.append(Sample(turns, app, process(self._engine)))


async def soak(turns: int, session: int, pieces: int) -> Told:
    """Run them."""
    told = Told()
    start = Start(target=str(AGENTS / "scripted"), storage="memory")
    engine = ProcessEngine(Launch(start=start, python=sys.executable))
    app = WorkbenchApp(engine, TuiOptions(title="soak"))
    others = children(os.getpid())
    try:
        async with app.run_test(size=(120, 40)):
            await until(lambda: app.view.status.phase == "ready", "the agent")
            # The engine is started by a process that looks after it.
            (keeper,) = children(os.getpid()) - others
            (process_id,) = children(keeper)
            driver = Soak(app, process_id, told, pieces)
            for number in range(1, turns + 1):
                await driver.turn()
                if number % session == 0:
                    await driver.another_session(number)
    finally:
        engine.close()
    return told


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=10_000)
    parser.add_argument("--session", type=int, default=100)
    parser.add_argument("--pieces", type=int, default=20)
    options = parser.parse_args(arguments)
    with clean_home() as env:
        os.environ.update(env)
        told = asyncio.run(soak(options.turns, options.session, options.pieces))
    rows = [["after turns", "app", "engine", "threads", "descriptors", "tasks"]]
    step = max(1, len(told.samples) // 10)
    for sample in told.samples[step - 1 :: step]:
        rows.append(
            [
                f"{sample.turns:,}",
                f"{sample.app[0] / 1e6:.1f} MB",
                f"{sample.engine[0] / 1e6:.1f} MB",
                f"{sample.app[1]} + {sample.engine[1]}",
                f"{sample.app[2]} + {sample.engine[2]}",
                str(sample.app[3]),
            ]
        )
    print(
        table(f"{options.turns:,} turns of {options.pieces} pieces: {told.events:,} events", rows)
    )
    half = told.samples[len(told.samples) // 2 :]
    for name, values in (
        ("app", [s.app[0] for s in half]),
        ("engine", [s.engine[0] for s in half]),
    ):
        over = f"memory of the {name} over the last half"
        print(f"{over}: {grown(values):+.1%} (should be ≤ 10 %)")
    more = ", ".join(f"{count} {name}" for name, count in leaked(half).items())
    print(f"leaked over the last half: {more or 'nothing'}")
    tenth = max(1, len(told.seconds) // 10)
    for name, part in (("first", told.seconds[:tenth]), ("last", told.seconds[-tenth:])):
        print(f"a turn, {name} tenth: median {ms(median(part))}, p95 {ms(percentile(part, 95))}")


if __name__ == "__main__":
    main()
