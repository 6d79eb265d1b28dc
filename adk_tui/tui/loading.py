"""What the first frame does not wait for: imported after it, with room for keys in between."""

import asyncio
from collections.abc import Sequence
from importlib import import_module

ENGINE = ("core.records", "core.commands", "core.reports", "client.process")
"""Modules without which no engine can be started."""
PANES = (
    "core.chat_items",
    "core.routing",
    "core.session",
    "tui.performer",
    "tui.widgets.event_stream",
    "tui.widgets.chat",
    "tui.widgets.ticket_form",
    "tui.widgets.approvals",
)
"""Modules behind the panes and the keys."""


async def load(modules: Sequence[str]) -> None:
    """Import these modules of ours, one at a time."""
    for name in modules:
        import_module(f"adk_tui.{name}")
        await asyncio.sleep(0)
