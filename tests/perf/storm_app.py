"""An application under a storm of events, which tells afterwards what it went through.

    python -m tests.perf.storm_app ours|table AGENT REPORT

``ours`` is the real application; ``table`` is what one would write first with
Textual: the same engine, read as often, its events in a DataTable above an
Input. REPORT is a file that gets JSON at the end: ``texts`` of all events in
the order they were shown, ``stall`` the longest time in seconds that the event
loop was held up while they came, ``queued`` how much of that it waited for a
core, and ``work`` the longest time that it computed at a stretch, which does
not depend on what else the machine does.
"""

import asyncio
import json
import sys
from pathlib import Path
from time import perf_counter, thread_time

from textual.app import App, ComposeResult
from textual.widgets import DataTable, Input, Static

from adk_tui.client.process import Launch, ProcessEngine
from adk_tui.core.commands import Quit, Say, Start
from adk_tui.core.records import EventRecord
from adk_tui.core.reports import Status
from adk_tui.tui.app import TuiOptions, WorkbenchApp

BEAT = 0.002


def time_in_queue() -> float:
    """Seconds that this thread could have run and had no core; 0 where Linux does not tell."""
    try:
        return int(Path("/proc/thread-self/schedstat").read_text().split()[1]) / 1e9
    except OSError:
        return 0.0


class Pulse:
    """Feels how long the event loop is held up."""

    def __init__(self) -> None:
        self.stall = self.queued = self.work = 0.0

    async def beat(self, app: App[int]) -> None:
        """Until the app is left: putting the terminal back in order is no part of it."""
        last, worked, queued = perf_counter(), thread_time(), time_in_queue()
        while True:
            await asyncio.sleep(BEAT)
            if app.return_code is not None:
                return
            now, works, queues = perf_counter(), thread_time(), time_in_queue()
            self.work = max(self.work, works - worked)
            if (stall := now - last - BEAT) > self.stall:
                self.stall, self.queued = stall, queues - queued
            last, worked, queued = now, works, queues


class Table(App[int]):
    """Events in a DataTable."""

    CSS = "DataTable { height: 1fr; }"

    def __init__(self, engine: ProcessEngine) -> None:
        super().__init__()
        self.engine = engine
        self.texts: list[str] = []
        self.table: DataTable[str] = DataTable(id="events")

    def compose(self) -> ComposeResult:
        yield Static("starting", id="status")
        yield self.table
        yield Input(placeholder="Message the agent")

    def on_mount(self) -> None:
        self.table.add_columns("time", "author", "text")
        self.query_one(Input).focus()
        self.engine.start()
        self.set_interval(1 / 30, self.drain)

    def drain(self) -> None:
        for record in self.engine.records():
            if isinstance(record, EventRecord):
                self.table.add_row(str(record.timestamp), record.author, record.text)
                self.texts.append(record.text)
            elif isinstance(record, Status):
                sign = "● idle" if record.phase == "ready" else record.phase
                self.query_one("#status", Static).update(sign)
        self.table.scroll_end(animate=False)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        self.engine.submit(Say(event.value))
        event.input.value = ""

    async def action_quit(self) -> None:
        self.engine.submit(Quit())
        self.exit(0)


async def _run(kind: str, agent: str, report: Path) -> None:
    start = Start(target=agent, storage="memory")
    engine = ProcessEngine(Launch(start=start, python=sys.executable))
    app = WorkbenchApp(engine, TuiOptions(title="storm")) if kind == "ours" else Table(engine)
    pulse = Pulse()
    beating = None

    async def watch() -> None:
        # What happens before the first event is no part of the storm.
        while not (app.view.log if isinstance(app, WorkbenchApp) else app.texts):
            await asyncio.sleep(BEAT)
        await pulse.beat(app)

    beating = asyncio.create_task(watch())
    try:
        await app.run_async()
    finally:
        beating.cancel()
        engine.close()
    ours = isinstance(app, WorkbenchApp)
    texts = [record.text for record in app.view.log] if ours else app.texts
    report.write_text(json.dumps({"texts": texts, **vars(pulse)}))


if __name__ == "__main__":
    asyncio.run(_run(sys.argv[1], sys.argv[2], Path(sys.argv[3])))
