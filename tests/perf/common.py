"""What the benchmarks share: a home of their own, percentiles, and a table to print.

A benchmark compares figures of one run on one machine. It prints; it judges
nothing, because a limit in seconds says more about the machine than about us.
"""

import json
import math
import os
import statistics
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
AGENTS = Path(__file__).parent / "agents"
PYTHON = sys.executable


@contextmanager
def clean_home() -> Iterator[dict[str, str]]:
    """Environment with an empty home, no credentials, and ADK's question on telemetry answered."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        (home / ".adk").mkdir()
        (home / ".adk" / "config.json").write_text(json.dumps({"telemetry": False}))
        environment = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("GOOGLE_", "GEMINI_", "ADK_", "XDG_", "VIRTUAL_ENV"))
        }
        yield environment | {
            "HOME": folder,
            "NO_GCE_CHECK": "true",
            "PYTHONPATH": str(REPOSITORY),
        }


def percentile(values: Sequence[float], percent: float) -> float:
    """The value that ``percent`` % of the values do not exceed (nearest rank)."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(percent / 100 * len(ordered)) - 1)]


def ms(seconds: float) -> str:
    """Seconds as milliseconds."""
    return f"{seconds * 1000:.0f} ms"


def median(values: Sequence[float]) -> float:
    """The middle value."""
    return statistics.median(values)


def table(title: str, rows: Sequence[Sequence[str]]) -> str:
    """Rows, the first of which is the heading, in aligned columns."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = ["  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)) for row in rows]
    rule = "  ".join("-" * w for w in widths)
    return "\n".join([title, lines[0].rstrip(), rule, *(line.rstrip() for line in lines[1:])])
