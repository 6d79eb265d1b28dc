"""The engine process: ``python -m adk_tui.engine [--stdout-fd N]``.

Commands come in on descriptor 0, records go out on 1; both are moved aside
before anything of google-adk or the agent is imported. Exit code 0 after
``quit`` or when the client is gone, 3 where the agent did not load.
"""

import asyncio
import os
import platform
import sys
import traceback
from argparse import ArgumentParser
from importlib import metadata
from typing import TYPE_CHECKING

from adk_tui.core.commands import Start
from adk_tui.core.reports import Failure, Ready
from adk_tui.core.wire import PROTOCOL, Hello
from adk_tui.engine.channel import Channel, set_aside
from adk_tui.engine.desk import Desk
from adk_tui.engine.ending import end_with

if TYPE_CHECKING:
    from adk_tui.engine.runner import Host

FAILED = 3


def _adk_version() -> str:
    try:
        return metadata.version("google-adk")
    except metadata.PackageNotFoundError:
        return ""


def _load(start: Start, channel: Channel, desk: Desk) -> "Host":
    from adk_tui.engine import adk_log, debugger, loader, stores, tree
    from adk_tui.engine.runner import Host
    from adk_tui.engine.settings import Models, first_settings
    from adk_tui.engine.slow_load import told_if_slow

    if start.debugpy:
        debugger.listen(start.debugpy, channel.send)
    adk_log.shorten()
    with told_if_slow(channel.send):
        loaded = loader.load(start.target)
    settings = first_settings(start)
    models = Models(loaded.app, force_offline=start.offline)
    replaced = models.use(settings.model)
    kept = stores.open_stores(start, loaded.folder, loaded.app_name)
    ready = Ready(
        app=loaded.app_name,
        root=tree.describe(loaded.app.root_agent),
        folder=str(loaded.folder),
        user=start.user,
        store=kept.words,
        streaming=settings.streaming,
        offline=replaced,
        adk_version=_adk_version(),
        python=sys.executable,
        protocol=PROTOCOL,
    )
    return Host(start, loaded, ready, kept, models, settings, channel, desk)


def _fail(channel: Channel, desk: Desk, failure: Failure) -> int:
    channel.send(failure)
    desk.phase("failed", failure.message)
    return FAILED


def _fits(version: str) -> bool:
    """Whether a version of google-adk is one that this was made for; an unreadable one may be."""
    numbers = [int(part) for part in version.split(".")[:2] if part.isdecimal()]
    return len(numbers) < 2 or [2, 13] <= numbers < [3]


def _unforeseen(error: BaseException) -> Failure:
    failure = getattr(error, "failure", None)
    if isinstance(failure, Failure):
        return failure
    found = _adk_version()
    missing = isinstance(error, ImportError) and (error.name or "").startswith("google")
    if missing or not _fits(found):
        message = (
            f"google-adk {found} in {sys.executable} does not fit: {error}."
            if found
            else f"{sys.executable} has no google-adk."
        )
        hint = 'Install "google-adk>=2.13,<3" there, or choose another Python with --python.'
        details = "".join(traceback.format_exception(error)) if found else ""
        return Failure("load.adk", message, hint, details=details)
    return Failure(
        "load.error",
        f"The agent could not be started: {type(error).__name__}: {error}",
        "The details show where.",
        details="".join(traceback.format_exception(error)),
    )


async def _serve(host: "Host", channel: Channel, desk: Desk) -> int:
    beat = asyncio.create_task(desk.attend())
    try:
        await host.serve()
    except Exception as error:
        return _fail(channel, desk, _unforeseen(error))
    finally:
        beat.cancel()
    return 0


def main() -> int:
    """Run one engine until it is told to quit. Returns the exit code."""
    parser = ArgumentParser(prog="python -m adk_tui.engine")
    parser.add_argument("--stdout-fd", type=int, default=-1)
    options = parser.parse_args()
    commands, frames = set_aside(options.stdout_fd)
    channel = Channel(frames)
    channel.send(Hello(PROTOCOL, os.getpid(), platform.python_version(), _adk_version()))
    desk = Desk(channel)
    desk.listen(os.fdopen(commands, "rb"))
    start = desk.wait_for_start()
    if start is None:
        return 0
    desk.phase("loading")
    try:
        host = _load(start, channel, desk)
    except (Exception, SystemExit) as error:
        return _fail(channel, desk, _unforeseen(error))
    return asyncio.run(_serve(host, channel, desk))


if __name__ == "__main__":
    end_with(main)
