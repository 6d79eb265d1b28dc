"""A call after a delay that always comes.

A one-shot timer of Textual 8.2 is lost for good where more than its delay goes
by between two of its first statements: it takes the tick for missed and has no
other. With delays of a few milliseconds that happens, because another thread
may hold the interpreter for 5 ms at a time.
"""

import asyncio
from collections.abc import Callable

from textual.message_pump import MessagePump


def later(pump: MessagePump, delay: float, callback: Callable[[], object]) -> asyncio.TimerHandle:
    """Call ``callback`` after ``delay`` seconds, among ``pump``'s messages; can be cancelled."""
    return asyncio.get_running_loop().call_later(delay, pump.call_next, callback)
