"""Everything an app has stored, told once: ``… adk_tui.engine.catalog < START``.

For those who ask about all sessions of a store that only ADK can read. Takes
one ``start`` command and sends a list of the sessions, then each of them with
its events. Opens no session to go on in it, and makes none. Exit code 0, or 3
after a failure was sent.
"""

import asyncio
import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from adk_tui.core.commands import Start
from adk_tui.core.reports import Failure, SessionInfo, SessionList
from adk_tui.core.wire import decode_command
from adk_tui.engine.channel import Channel, set_aside

if TYPE_CHECKING:
    from adk_tui.engine.stores import Stores

FAILED = 3


async def _tell(kept: "Stores", app: str, user: str, channel: Channel) -> None:
    from adk_tui.engine.listing import stored_sessions
    from adk_tui.engine.session import Conversation
    from adk_tui.engine.titles import Titles

    found = await stored_sessions(kept.sessions, app, user)
    found.sort(key=lambda s: s.last_update_time, reverse=True)
    rows = [SessionInfo(s.id, s.user_id, s.last_update_time) for s in found]
    channel.send(SessionList(tuple(rows)))
    teller = Conversation(kept.sessions, app, channel, Titles(kept.titles, app))
    for row in rows:
        session = await teller.read(row.user, row.id)
        # Another process may have deleted it in the meantime.
        if session is not None:
            teller.begin(session, "open")


def _failure(error: BaseException, folder: Path) -> Failure:
    from adk_tui.engine.failures import classify

    known = getattr(error, "failure", None)
    if isinstance(known, Failure):
        return known
    found = classify(error, folder=folder)
    if found.code.startswith("store."):
        return found
    message = f"The stored sessions cannot be read: {type(error).__name__}: {error}"
    hint = "Look at the URI of the session service, and whether that service runs."
    return Failure("store.unreadable", message, hint, details=found.details)


def main() -> int:
    """Tell all sessions once. Returns the exit code."""
    commands, frames = set_aside()
    channel = Channel(frames)
    with os.fdopen(commands, "rb") as lines:
        asked = next((decode_command(line)[1] for line in lines if line.strip()), None)
    if not isinstance(asked, Start):
        return FAILED
    start = replace(asked, artifact_service_uri="", memory_service_uri="")
    # google-adk and the agent may print: only now are the protocol's descriptors out of reach.
    from adk_tui.engine import loader, stores

    folder = Path(start.target)
    try:
        loaded = loader.load(start.target)
        folder = loaded.folder
        kept = stores.open_stores(start, folder, loaded.app_name)
        asyncio.run(_tell(kept, loaded.app_name, start.user, channel))
    except (Exception, SystemExit) as error:
        channel.send(_failure(error, folder))
        return FAILED
    return 0
