"""The same turns as ``bare_runner`` on an engine process, seen from the client.

    python -m tests.perf.engine_client TURNS PARTIALS

Prints the same JSON; ``turn`` ends with the command's ``Done``.
"""

import json
import sys
from time import perf_counter

from adk_tui.client.process import Launch, ProcessEngine
from adk_tui.core.commands import Command, NewSession, Say, Start
from adk_tui.core.records import EventRecord
from adk_tui.core.reports import Done
from tests.perf.common import AGENTS


def _run(engine: ProcessEngine, command: Command) -> tuple[float, float, int]:
    """Seconds to the first event of the agent and to the end; how many partials came."""
    start = perf_counter()
    number = engine.submit(command)
    first, partials = 0.0, 0
    while True:
        for record in engine.records(timeout=30):
            match record:
                case EventRecord(author=author, partial=partial) if author != "user":
                    first = first or perf_counter() - start
                    partials += partial
                case Done(command=done) if done == number:
                    if not record.ok:
                        raise SystemExit(f"The turn failed: {record.failure}")
                    return first, perf_counter() - start, partials
                case _:
                    pass


def _measure(turns: int, partials: int) -> dict[str, list[float]]:
    start = Start(target=str(AGENTS / "scripted"), storage="memory")
    engine = ProcessEngine(Launch(start=start, python=sys.executable))
    engine.start()
    try:
        firsts: list[float] = []
        wholes: list[float] = []
        for _ in range(turns + 1):
            _run(engine, NewSession())
            _, whole, seen = _run(engine, Say(f"burst {partials}"))
            if seen != partials:
                raise SystemExit(f"{seen} of {partials} partial events came.")
            wholes.append(whole)
        _run(engine, NewSession())
        firsts.extend(_run(engine, Say("hello"))[0] for _ in range(turns + 1))
        return {"first": firsts[1:], "turn": wholes[1:]}
    finally:
        engine.close()


if __name__ == "__main__":
    print(json.dumps(_measure(int(sys.argv[1]), int(sys.argv[2]))))
