"""What the first frame does not wait for: imported after it, with room for keys in between."""

import asyncio
from collections.abc import Sequence
from importlib import import_module

ROOM = 0.005
"""Seconds between two modules, in which a key shows: its way leads over many turns of the loop."""
ENGINE = (
    "core.records",
    "core.commands",
    "core.reports",
    "core.chat_items",
    "core.session",
    "client.process",
)
"""Modules without which no engine can be started."""
PANES = (
    "core.chat_items",
    "core.routing",
    "core.session",
    "tui.performer",
    "core.summary",
    "tui.widgets.event_stream",
    "tui.widgets.chat_blocks",
    "tui.widgets.markdown_lines",
    "tui.widgets.chat",
    "tui.widgets.ticket_form",
    "tui.widgets.approvals",
    "tui.widgets.events_pane",
    "tui.widgets.failure",
)
"""Modules behind the panes and the keys, none of which takes long once those before it are here."""


async def load(modules: Sequence[str]) -> None:
    """Import these modules of ours, one at a time."""
    for name in modules:
        import_module(f"adk_tui.{name}")
        await asyncio.sleep(ROOM)
