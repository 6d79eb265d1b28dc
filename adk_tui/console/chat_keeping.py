"""Artifacts and run settings in ``adk-tui chat``: a numbered list, and a question about it."""

import time
from dataclasses import replace
from pathlib import Path
from typing import Final, Protocol

from adk_tui.client.attach import AttachError, attach
from adk_tui.client.contents import as_text, decoded
from adk_tui.client.paths import typed_path
from adk_tui.client.saving import save_new
from adk_tui.console.printer import DIM, WARNING, Printer
from adk_tui.core.ages import ago
from adk_tui.core.brief import size
from adk_tui.core.commands import (
    Command,
    Configure,
    ListArtifacts,
    ReadArtifact,
    RunSettings,
    SaveArtifact,
)
from adk_tui.core.reports import ArtifactContent
from adk_tui.core.run_settings import SETTINGS, differs
from adk_tui.core.sanitize import clean, file_name, line
from adk_tui.core.session import SessionView

PREVIEW: Final = 4_000
"""Characters of a text that are printed."""


class Host(Protocol):
    """What these commands need of the chat."""

    view: SessionView
    printer: Printer

    def carry_out(self, command: Command) -> bool:
        """Carry out a command; False where it failed, which was then said."""
        ...

    def ask(self, question: str, default: str = "") -> str | None:
        """What is typed in answer, ``default`` to begin with; None at Ctrl+C or Ctrl+D."""
        ...


def _number(host: Host, typed: str, count: int) -> int:
    """The index of a row by its number from 1; -1 where there is none, which is then said."""
    if typed.isdecimal() and 0 < int(typed) <= count:
        return int(typed) - 1
    host.printer.say(f"There is no {line(typed, 20)}: write a number of the list.", WARNING)
    return -1


class ChatArtifacts:
    """The files of the session: every version, a look at it, and a way out of it and into it."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._say = host.printer.say

    def show(self) -> None:
        """List all versions, and do with one of them what is asked for."""
        host = self._host
        if not host.carry_out(ListArtifacts()) or host.view.artifacts is None:
            return
        artifacts = host.view.artifacts.artifacts
        versions = [(a, v) for a in artifacts for v in reversed(a.versions)]
        for number, (info, version) in enumerate(versions, 1):
            when = ago(time.time() - version.created) if version.created else ""
            words = f"{info.name}  version {version.version}  {version.mime_type}  {when}"
            self._say(f"  {number}  {line(words, 200)}")
        if not versions:
            self._say("This session has no artifacts.", DIM)
        typed = host.ask("Look at which? (a number; + adds a file; Enter: none)")
        if typed == "+":
            self._add()
        elif typed and (index := _number(host, typed, len(versions))) >= 0:
            info, version = versions[index]
            if host.carry_out(ReadArtifact(info.name, version.version)) and host.view.content:
                self._look(host.view.content)

    def _look(self, content: ArtifactContent) -> None:
        data = decoded(content.data) if content.data or not content.uri else None
        if data is None:
            where = f"It is kept at {line(content.uri, 400)}." if content.uri else ""
            self._say(where or "The content cannot be read.", WARNING)
            return
        text = as_text(data, content.mime_type)
        self._say(line(f"{content.name}, {content.mime_type}, {size(len(data))}", 300), DIM)
        if text is not None:
            self._say(clean(text[:PREVIEW]) + ("\n…" if len(text) > PREVIEW else ""))
        typed = self._host.ask(
            "Save to which file? (no file is replaced; empty or Ctrl+C: none)",
            file_name(content.name.removeprefix("user:")),
        )
        if typed:
            self._write(data, typed_path(typed), content.name)

    def _write(self, data: bytes, path: Path, name: str) -> None:
        try:
            if path.is_dir():
                path = path / file_name(name.removeprefix("user:"))
            saved = save_new(path, data)
        except OSError as error:
            why = line(error.strerror or str(error), 200)
            self._say(f"{line(str(path), 200)} cannot be written: {why}.", WARNING)
            return
        self._say(f"Saved {size(len(data))} to {line(str(saved), 200)}.", DIM)

    def _add(self) -> None:
        typed = self._host.ask("Add which file? (Enter: none)")
        if not typed:
            return
        try:
            files = attach((typed,))
        except AttachError as error:
            self._say(str(error), WARNING)
            return
        if not files:
            self._say(f"There is no file {line(typed, 200)}.", WARNING)
            return
        file = files[0]
        if self._host.carry_out(SaveArtifact(file.name, file.mime_type, file.data)):
            self._say(f"Added {line(file.name, 200)} as an artifact.", DIM)


def choose_settings(host: Host) -> None:
    """Show how the next turns run, and change one setting after the other until Enter."""
    say = host.printer.say
    while True:
        now = host.view.settings.run if host.view.settings else RunSettings()
        for number, setting in enumerate(SETTINGS, 1):
            mark = "●" if differs(now, setting.field) else " "
            say(f"{mark} {number}  {setting.label:<25} {setting.shown(now)}")
        typed = host.ask("Change which? (a number; Enter: none)")
        if not typed:
            return
        index = _number(host, typed, len(SETTINGS))
        if index < 0:
            continue
        setting = SETTINGS[index]
        say(setting.help, DIM)
        if setting.read is None:
            value = not getattr(now, setting.field)
        else:
            text = host.ask(f"{setting.label} ({setting.hint}):", setting.typed(now))
            if text is None:
                continue
            try:
                value = setting.read(text)
            except ValueError as error:
                say(f"{setting.label}: {line(str(error), 300)}", WARNING)
                continue
        if not host.carry_out(Configure(replace(now, **{setting.field: value}))):
            return
