"""What a storm of events, and a long answer that streams in, do to the keyboard.

    python -m tests.perf.storm [--seconds N] [--rate N] [--length N] [--tokens N]

The real application on a pseudo terminal, fed by a real agent. Keys are pressed
one after the other all the while. Should hold: with 500 events a second, the
echo of a key (95th percentile) takes at most 2.5 times the idle application's
and at most a fifth of that of an application that shows the same events in a
DataTable; every event arrives, in order. With an answer of 60,000 characters at
2,000 tokens a second: at most 1.5 times the idle application's, and the event
loop is never held up for more than 100 ms.

Longer than 25 s no agent keeps that up with a session in memory: google-adk goes
through all stored events for each new one (2 ms at 12,000, 9 ms at 25,000).
"""

import argparse
import json
import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from tests.e2e.terminal import Terminal, Timeout
from tests.perf.common import AGENTS, PYTHON, REPOSITORY, clean_home, ms, percentile, table
from tests.perf.key_echo import Typist
from tests.perf.programs import IDLE, PROMPT

END = "That was all."
PATIENCE = 100.0
"""Seconds after the last event in which a storm must be over."""


@dataclass
class Told:
    """What came of one storm."""

    idle: list[float]
    busy: list[float]
    texts: list[str]
    stall: float
    queued: float
    work: float


def ride(kind: str, order: str, idle_keys: int, env: dict[str, str]) -> Told:
    """Give an order to a fresh application and type until it is done."""
    what, size, rate = order.split()
    lasts = float(size) if what == "events" else float(size) / 4 / float(rate)
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.json")
        argv = [PYTHON, "-m", "tests.perf.storm_app", kind, str(AGENTS / "storm"), str(report)]
        fast = {"TEXTUAL_FPS": "240"} if kind == "ours" else {}
        with Terminal(argv, env={**env, **fast}, cwd=REPOSITORY) as terminal:
            terminal.wait_raw(PROMPT.encode(), timeout=60)
            terminal.wait_for(IDLE, timeout=60)
            typist = Typist(terminal)
            for _ in range(idle_keys):
                typist.press()
            idle, typist.seconds = typist.seconds, []
            typist.empty()
            terminal.type(order)
            terminal.wait_for(order)
            start = len(terminal.raw)
            terminal.press("enter")
            # A key right behind could still come into the order.
            terminal.wait_raw(PROMPT.encode(), start=start, timeout=60)
            # Known by its last word: a line of the chat may be drawn word by word.
            end = END.split()[-1].encode()
            deadline = monotonic() + PATIENCE + lasts
            while terminal.raw.find(end, start) < 0:
                if monotonic() > deadline:
                    raise Timeout(f"{END!r} did not come. Screen:\n{terminal.text}")
                typist.press()
            typist.empty()
            terminal.press("ctrl+q")
            terminal.wait_exit(60)
        found = json.loads(report.read_text())
    return Told(idle, typist.seconds, **found)


def missing(told: Told, count: int) -> str:
    """What is wrong with the numbered events that arrived; empty if nothing is."""
    numbers = [t for t in told.texts if t.startswith("number ")]
    if numbers == [f"number {n}" for n in range(count)]:
        return ""
    return "out of order" if sorted(numbers) != numbers and len(numbers) == count else "lost"


def row(name: str, found: Told, idle: float, limit: str) -> list[str]:
    """What was measured in one storm."""
    p95 = percentile(found.busy, 95)
    echo = [str(len(found.busy)), ms(percentile(found.busy, 50)), ms(p95), f"{p95 / idle:.2f}"]
    return [name, *echo, limit, ms(found.stall), ms(found.queued), ms(found.work)]


def main(arguments: Sequence[str] | None = None) -> None:
    """Print what came of ours, and after that of the DataTable."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--rate", type=int, default=500)
    parser.add_argument("--length", type=int, default=60_000)
    parser.add_argument("--tokens", type=int, default=2_000)
    parser.add_argument("--idle", type=int, default=150)
    options = parser.parse_args(arguments)
    with clean_home() as home:
        env = {**home, "PYTHONHASHSEED": os.environ.get("PYTHONHASHSEED", "0")}
        answer = ride("ours", f"answer {options.length} {options.tokens}", options.idle, env)
        events = ride("ours", f"events {options.seconds:g} {options.rate}", options.idle, env)
        quiet = [*answer.idle, *events.idle]
        idle = percentile(quiet, 95)
        heads = ["while", "keys", "median", "p95", "p95 / idle", "should be"]
        heads += ["longest stall", "of it for a core", "longest work"]
        rest = [
            "idle",
            str(len(quiet)),
            ms(percentile(quiet, 50)),
            ms(idle),
            "1.00",
            "",
            "",
            "",
            "",
        ]
        named = f"an answer of {options.length:,} characters"
        rows = [heads, rest, row(named, answer, idle, "≤ 1.5")]
        rows.append(row(f"{options.rate} events a second", events, idle, "≤ 2.5"))
        print(table("Echo of a key in a storm", rows))
        count = int(options.seconds * options.rate)
        print(f"{count:,} events: {missing(events, count) or 'all there, in order'}", flush=True)
        seconds = min(options.seconds, 20)
        data_table = ride("table", f"events {seconds:g} {options.rate}", 0, env)
    p95 = percentile(data_table.busy, 95)
    print(f"the same into a DataTable: p95 {ms(p95)} of {len(data_table.busy)} keys")
    print(f"DataTable / ours: {p95 / percentile(events.busy, 95):.1f} (should be ≥ 5)")


if __name__ == "__main__":
    main()
