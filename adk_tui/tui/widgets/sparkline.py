"""A row of numbers as a row of small bars."""

from collections.abc import Sequence

LEVELS = "▁▂▃▄▅▆▇█"


def sparkline(values: Sequence[int], width: int = 8) -> str:
    """The newest values as bars, the largest at full height; empty where there is nothing."""
    newest = list(values)[-width:]
    top = max(newest, default=0)
    if top <= 0:
        return ""
    return "".join(LEVELS[min(max(v, 0) * len(LEVELS) // (top + 1), 7)] for v in newest)
