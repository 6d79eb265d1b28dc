"""What a storm of events, and a long answer that streams in, do to the keyboard.

    python -m tests.perf.storm [--seconds N] [--rate N] [--length N] [--tokens N]

The real application on a pseudo terminal, fed by a real agent. Keys are pressed
one after the other all the while. Should hold: with 500 events a second for a
minute, the echo of a key (95th percentile) takes at most 2.5 times the idle
application's and at most a fifth of that of an application that shows the same
events in a DataTable; every event arrives, in order. With an answer of 60,000
characters at 2,000 tokens a second: at most 1.5 times the idle application's,
and the event loop is never held up for more than 100 ms.
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
PATIENCE = 900.0
"""Seconds after which a storm must be over; a DataTable needs many minutes for one of a minute."""


@dataclass
class Told:
    """What came of one storm."""

    idle: list[float]
    busy: list[float]
    texts: list[str]
    stall: float
    work: float


def ride(kind: str, order: str, idle_keys: int, env: dict[str, str]) -> Told:
    """Give an order to a fresh application and type until it is done."""
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
            # Known by its last word: a line of the chat may be drawn word by word.
            end = END.split()[-1].encode()
            deadline = monotonic() + PATIENCE
            while terminal.raw.find(end, start) < 0:
                if monotonic() > deadline:
                    raise Timeout(f"{END!r} did not come. Screen:\n{terminal.text}")
                typist.press()
            typist.empty()
            terminal.press("ctrl+q")
            terminal.wait_exit(60)
        found = json.loads(report.read_text())
    return Told(idle, typist.seconds, found["texts"], found["stall"], found["work"])


def missing(told: Told, count: int) -> str:
    """What is wrong with the numbered events that arrived; empty if nothing is."""
    numbers = [t for t in told.texts if t.startswith("number ")]
    if numbers == [f"number {n}" for n in range(count)]:
        return ""
    return "out of order" if sorted(numbers) != numbers and len(numbers) == count else "lost"


def measure(seconds: float, rate: int, length: int, tokens: int, idle_keys: int) -> dict[str, Told]:
    """The storm on ours and on a DataTable, and the long answer on ours."""
    with clean_home() as env:
        env = {**env, "PYTHONHASHSEED": os.environ.get("PYTHONHASHSEED", "0")}
        events = f"events {seconds:g} {rate}"
        return {
            "answer": ride("ours", f"answer {length} {tokens}", idle_keys, env),
            "events": ride("ours", events, idle_keys, env),
            "table": ride("table", events, 0, env),
        }


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--rate", type=int, default=500)
    parser.add_argument("--length", type=int, default=60_000)
    parser.add_argument("--tokens", type=int, default=2_000)
    parser.add_argument("--idle", type=int, default=150)
    options = parser.parse_args(arguments)
    told = measure(options.seconds, options.rate, options.length, options.tokens, options.idle)
    names = {
        "answer": f"an answer of {options.length:,} characters",
        "events": f"{options.rate} events a second",
        "table": "the same into a DataTable",
    }
    idle = percentile([*told["answer"].idle, *told["events"].idle], 95)
    rows = [
        ["while", "keys", "median", "p95", "p95 / idle", "should be", "longest stall", "of it CPU"]
    ]
    quiet = [*told["answer"].idle, *told["events"].idle]
    rows.append(["idle", str(len(quiet)), ms(percentile(quiet, 50)), ms(idle), "1.00", "", "", ""])
    limits = {"answer": "≤ 1.5", "events": "≤ 2.5", "table": ""}
    for name, found in told.items():
        p95 = percentile(found.busy, 95)
        rows.append(
            [
                names[name],
                str(len(found.busy)),
                ms(percentile(found.busy, 50)),
                ms(p95),
                f"{p95 / idle:.2f}",
                limits[name],
                ms(found.stall),
                ms(found.work),
            ]
        )
    print(table("Echo of a key in a storm", rows))
    count = int(options.seconds * options.rate)
    better = percentile(told["table"].busy, 95) / percentile(told["events"].busy, 95)
    print(f"DataTable / ours: {better:.1f} (should be ≥ 5)")
    print(f"{count:,} events: {missing(told['events'], count) or 'all there, in order'}")


if __name__ == "__main__":
    main()
