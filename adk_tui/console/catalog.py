"""Sessions of a store that only ADK can read, such as a database server: told by a process
that runs where the agent runs, and ends when all is told.
"""

import os
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import IO

from adk_tui.client import pythons
from adk_tui.client.process import Launch
from adk_tui.console.plain import failure_text
from adk_tui.console.stored import StoredSession, StoreError
from adk_tui.core.records import EventRecord
from adk_tui.core.reports import Failure, SessionInfo, SessionList, SessionOpened
from adk_tui.core.wire import WireError, decode_record, encode_command


def walk(launch: Launch) -> Iterator[tuple[StoredSession, list[EventRecord]]]:
    """The sessions in the store of ``launch`` with their events, newest session first.

    Raises StoreError: the agent does not load, or its store cannot be read.
    """
    try:
        python = pythons.find_python(pythons.agent_path(launch.start.target), launch.python)
    except pythons.NoPython as error:
        raise StoreError(failure_text(error.failure)) from error
    command = pythons.engine_command(python, "adk_tui.engine.catalog")
    with tempfile.TemporaryFile() as printed:
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=printed,
            env={**os.environ, **launch.env},
            start_new_session=True,
        )
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            with suppress(BrokenPipeError), process.stdin as down:
                down.write(encode_command(launch.start))
            with process.stdout as up:
                yield from _sessions(up)
            if process.wait():
                raise StoreError(_last_words(printed, process.returncode))
        finally:
            # Interrupted, or nobody reads on: neither the agent nor what it started stays.
            with suppress(AttributeError, ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            process.kill()
            process.wait()


def _sessions(frames: IO[bytes]) -> Iterator[tuple[StoredSession, list[EventRecord]]]:
    rows: dict[tuple[str, str], SessionInfo] = {}
    opened: SessionOpened | None = None
    events: list[EventRecord] = []
    for frame in frames:
        if not frame.strip():
            continue
        try:
            record = decode_record(frame)
        except WireError:
            # Something that the agent wrote where it should not.
            continue
        match record:
            case SessionList(listed):
                rows = {(row.user, row.id): row for row in listed}
            case SessionOpened():
                opened, events = record, []
            case EventRecord():
                events.append(record)
            case Failure():
                raise StoreError(failure_text(replace(record, details="")))
            case _:
                continue
        if opened is not None and len(events) == opened.count:
            row = rows.get((opened.user, opened.id))
            updated = row.updated if row is not None else 0.0
            yield (
                StoredSession(
                    opened.id, opened.user, opened.app, updated, opened.count, opened.title
                ),
                events,
            )
            opened = None


def _last_words(printed: IO[bytes], code: int) -> str:
    printed.seek(0)
    rows = printed.read().decode("utf-8", "replace").strip().splitlines()
    last = f" It said at last: {rows[-1].strip()}" if rows else ""
    return (
        f"The process that reads the sessions ended with code {code}.{last}"
        " adk-tui doctor shows whether the agent loads."
    )
