"""What a session of 100,000 events does to the keys: while it opens, is filtered, is rewound.

    python -m tests.perf.long_session [--events N]

The real application without a terminal, fed over the real protocol as fast as
it can take it. Keys are pressed one after the other all the while. Should hold:
no key waits for more than 50 ms of the application's own work. *Work* is the
CPU time between two turns of the event loop, which does not depend on what else
the machine does; the time until a key is taken does.
"""

import argparse
import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter, thread_time

from textual.events import Key
from textual.widgets import Input

from adk_tui.client.process import Launch, ProcessEngine
from adk_tui.core.commands import Say, Start
from adk_tui.tui.app import TuiOptions, WorkbenchApp
from adk_tui.tui.widgets.prompt import Prompt
from tests.perf.common import PYTHON, ms, percentile, table

ENGINE = Path(__file__).with_name("long_session_engine.py")
FILTER = "author:agent_1 price -kind:call"
KEYS = {" ": "space", ":": "colon", "_": "underscore", "-": "minus"}
PATIENCE = 300
"""Seconds a situation may take."""


@dataclass
class Situation:
    """What was measured while something went on, in seconds."""

    keys: list[float] = field(default_factory=list)
    """From a key to the moment it was taken."""
    work: list[float] = field(default_factory=lambda: [0.0])
    """CPU time of each turn of the event loop."""
    took: float = 0.0


@dataclass
class Session:
    """The application with its long session, and what was measured so far."""

    app: WorkbenchApp
    found: dict[str, Situation] = field(default_factory=dict)

    @asynccontextmanager
    async def during(self, name: str) -> AsyncIterator[Situation]:
        """Note the work meanwhile."""
        now = self.found[name] = Situation()

        async def note() -> None:
            worked = thread_time()
            while True:
                await asyncio.sleep(0.001)
                works = thread_time()
                now.work.append(works - worked)
                worked = works

        noting = asyncio.create_task(note())
        begun = perf_counter()
        try:
            yield now
        finally:
            now.took = perf_counter() - begun
            noting.cancel()

    async def until(self, done: Callable[[], object], what: str) -> None:
        """Wait for it."""
        end = perf_counter() + PATIENCE
        while not done():
            assert perf_counter() < end, f"never: {what}"
            await asyncio.sleep(0.002)

    async def press(self, key: str, taken: Callable[[], object], now: Situation) -> None:
        """Press a key and wait until its effect is there."""
        begun = perf_counter()
        self.app.post_message(Key(KEYS.get(key, key), key if len(key) == 1 else None))
        await self.until(taken, f"{key} has an effect")
        now.keys.append(perf_counter() - begun)

    async def type(self, now: Situation, done: Callable[[], object]) -> None:
        """Type into the prompt until that is done."""
        prompt = self.app.screen.query_one(Prompt)
        prompt.focus()
        end = perf_counter() + PATIENCE
        while not done():
            assert perf_counter() < end, "it never ends"
            length = len(prompt.text)
            await self.press("x", lambda n=length: len(prompt.text) > n, now)
            if length > 50:
                prompt.text = ""


async def measure(count: int, rest: int) -> Session:
    """Open a session of ``count`` events, let it lie for ``rest`` keys, filter it, rewind it."""
    command = (PYTHON, str(ENGINE), str(count))
    engine = ProcessEngine(Launch(start=Start(target="."), command=command))
    app = WorkbenchApp(engine, TuiOptions(title="long"))
    session = Session(app)
    try:
        async with app.run_test(size=(120, 40)) as pilot:
            view = app.view
            await session.until(lambda: view.session is not None, "a session")
            stream = app.main._events.stream
            async with session.during("it opens") as now:
                await session.type(
                    now, lambda: len(view.log) >= count and stream.row_count() >= count
                )
            async with session.during("it lies there") as now:
                await session.type(now, lambda: len(now.keys) >= rest)
            wanted = sum(1 for e in view.log if e.author == "agent_1" and "price" in e.text)
            line = app.screen.query_one("FilterBar Input", Input)

            def shows(rows: int) -> Callable[[], object]:
                return lambda: not stream.filtering and stream.row_count() == rows

            async with session.during("it is filtered") as now:
                await session.press("f3", lambda: app.focused is stream, now)
                await session.press("F", lambda: app.focused is line, now)
                for at, letter in enumerate(FILTER, 1):
                    await session.press(letter, lambda w=FILTER[:at]: line.value == w, now)
                await session.press("enter", lambda: app.focused is stream, now)
                await session.until(shows(wanted), "the rows that fit")
            async with session.during("the filter is cleared") as now:
                await session.press("F", lambda: app.focused is line, now)
                await session.press("escape", lambda: app.focused is stream, now)
                await session.until(shows(len(view.log)), "all rows")
            for name, turns in (("2 turns are rewound", 2), ("all are rewound", count // 4)):
                row = 3 * (count // 4 - turns)
                async with session.during(name) as now:
                    app.submit(Say(f"rewind {turns}"))
                    await session.type(now, lambda r=row: view.transcript.items[r].withdrawn)
                    await session.type(now, lambda: not view.transcript.unfinished)
            await pilot.pause()
    finally:
        engine.close()
    return session


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=100_000)
    parser.add_argument("--keys", type=int, default=60)
    options = parser.parse_args(arguments)
    session = asyncio.run(measure(options.events, options.keys))
    rows = [["while", "took", "keys", "median", "p95", "slowest", "longest work", "p99 work"]]
    for name, found in session.found.items():
        echo = [ms(percentile(found.keys, p)) for p in (50, 95, 100)]
        work = [ms(percentile(found.work, p)) for p in (100, 99)]
        rows.append([name, f"{found.took:.1f} s", str(len(found.keys)), *echo, *work])
    print(table(f"A session of {options.events:,} events", rows))


if __name__ == "__main__":
    main()
