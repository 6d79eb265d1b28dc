"""Tools and model calls that have begun and not ended: they end with their process."""

import time
from dataclasses import replace

from adk_tui.core.reports import ModelCall, ToolRun


class UnderWay:
    """Knows what runs in one engine process."""

    def __init__(self) -> None:
        self._running: dict[str, ToolRun | ModelCall] = {}

    def note(self, record: ToolRun | ModelCall) -> None:
        """One began, went on or ended."""
        key = f"tool {record.call_id}" if isinstance(record, ToolRun) else f"model {record.id}"
        if record.ended:
            self._running.pop(key, None)
        else:
            self._running[key] = record

    def cut(self, why: str) -> list[ToolRun | ModelCall]:
        """Their process is gone: all of them, ended now with that error."""
        running, self._running = self._running, {}
        return [replace(record, ended=time.time(), error=why) for record in running.values()]
