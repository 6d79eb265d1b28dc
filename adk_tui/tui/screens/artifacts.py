"""The files of the session: every version, a look at it, and a way out of it and into it."""

import time
from pathlib import Path
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content

from adk_tui.client.attach import AttachError, attach
from adk_tui.client.contents import as_text, decoded
from adk_tui.client.paths import typed_path
from adk_tui.client.saving import save_new
from adk_tui.core.ages import age, ago
from adk_tui.core.brief import size
from adk_tui.core.commands import ListArtifacts, ReadArtifact, SaveArtifact
from adk_tui.core.reports import ArtifactContent, ArtifactInfo, ArtifactVersion
from adk_tui.core.sanitize import clean, file_name, line, mask_text
from adk_tui.core.session import SessionView
from adk_tui.tui.messages import OpenEvent, Submit, Tell
from adk_tui.tui.screens.asking import Ask
from adk_tui.tui.screens.two_panes import MUTED, TwoPanes, field, heading, many

PREVIEW = 20_000
"""Characters of a text that are drawn."""
KEPT = 20
"""Contents that are kept, so that going up and down reads nothing twice."""


class ArtifactsScreen(TwoPanes[None]):
    """Left all versions, newest first under each name; right the marked one."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "dismiss", "Close"),
        Binding("s", "save", "Save to a file"),
        Binding("a", "add", "Add a file"),
        Binding("o", "event", "The event that saved it"),
        Binding("r", "again", "Read again"),
    ]

    def __init__(self, view: SessionView) -> None:
        super().__init__()
        self._view = view
        self._versions: list[tuple[ArtifactInfo, ArtifactVersion]] = []
        self._contents: dict[tuple[str, int], ArtifactContent] = {}
        self._asked: set[tuple[str, int]] = set()
        self._to_save: tuple[tuple[str, int], Path] | None = None

    def on_mount(self) -> None:
        """Ask for the list; show the one that is known meanwhile."""
        super().on_mount()
        self.hints(
            ("Enter", "save to a file", "enter"),
            ("a", "add a file", "a"),
            ("o", "its event", "o"),
            ("r", "read again", "r"),
            ("Esc", "close", "escape"),
            ("Tab", "text", "tab"),
        )
        self._draw()
        self.action_again()

    def follow(self, changed: frozenset[str]) -> None:
        """A list or a content came, or the agent saved something."""
        if "events" in changed or "session" in changed:
            self.action_again()
        if changed & {"artifacts", "session"}:
            self._take(self._view.content)
            self._draw()

    def action_again(self) -> None:
        """Ask the engine for the list."""
        self.post_message(Submit(ListArtifacts()))

    def _draw(self) -> None:
        known = self._view.artifacts
        artifacts = known.artifacts if known else ()
        self.head("Artifacts", many(len(artifacts), "file") if known else "asking …")
        self._versions = [(a, v) for a in artifacts for v in reversed(a.versions)]
        self.fill([(f"{a.name}\n{v.version}", self._row(a, v)) for a, v in self._versions])

    def _row(self, info: ArtifactInfo, version: ArtifactVersion) -> Content:
        newest = version is info.versions[-1]
        when = age(time.time() - version.created) if version.created else ""
        shared = "   all sessions of the user" if info.name.startswith("user:") and newest else ""
        many = len(info.versions) > 1
        name = line(info.name, 60) if newest else "  " + "└"
        return Content.assemble(
            (name, "bold" if newest else MUTED),
            (f"  version {version.version}" if many else "", "" if newest else MUTED),
            (f"   {line(version.mime_type, 40)}" if version.mime_type else "", MUTED),
            (f"   {when}" if when else "", MUTED),
            (shared, "$text-accent"),
        )

    def detail(self, row: int | None) -> Content:
        """The marked version: what it is, and its text."""
        if row is None:
            words = "This session has no artifacts." if self._view.artifacts else "Asking …"
            more = "a adds a file. What you attach with @file becomes one, if /settings says so."
            return Content.assemble((words + "\n", ""), (more, MUTED))
        info, version = self._versions[row]
        content = self._contents.get((info.name, version.version))
        if content is None:
            self._ask_for(info.name, version.version)
        data = decoded(content.data) if content is not None and content.data else None
        made = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(version.created))
        mime = version.mime_type or (content.mime_type if content else "")
        newest = version is info.versions[-1]
        place = many(len(info.versions), "version") + (", this is the newest" if newest else "")
        parts = [
            heading(line(info.name, 200)),
            *field("version", f"{version.version}   {place}"),
            *field("type", line(mime, 80)),
            *field("size", size(len(data)) if data is not None else ""),
            *field("saved", f"{made}  ({ago(time.time() - version.created)})")
            * bool(version.created),
            *field("event", line(version.event_id, 60) if version.event_id else ""),
        ]
        if content is None:
            parts.append(("\nreading …", MUTED))
        elif content.uri:
            parts += [("\nkept at ", MUTED), (line(content.uri, 400), "")]
        elif data is None:
            parts.append(("\nThe content cannot be read.", "$text-error"))
        elif (text := as_text(data, mime)) is None:
            parts.append(("\nNo text. s saves it to a file.", MUTED))
        else:
            more = "\n… s saves all of it to a file" if len(text) > PREVIEW else ""
            parts += [("\n" + clean(mask_text(text[: 2 * PREVIEW])[:PREVIEW]), ""), (more, MUTED)]
        return Content.assemble(*parts)

    def _ask_for(self, name: str, version: int) -> None:
        if (name, version) not in self._asked:
            self._asked.add((name, version))
            self.post_message(Submit(ReadArtifact(name, version)))

    def _take(self, content: ArtifactContent | None) -> None:
        if content is None:
            return
        key = (content.name, content.version)
        self._asked.discard(key)
        self._contents.pop(key, None)
        self._contents[key] = content
        while len(self._contents) > KEPT:
            self._contents.pop(next(iter(self._contents)))
        if self._to_save is not None and self._to_save[0] == key:
            (_, path), self._to_save = self._to_save, None
            self._write(content, path)

    def _marked(self) -> tuple[ArtifactInfo, ArtifactVersion] | None:
        row = self.marked
        if row is None:
            self.post_message(Tell("There is no artifact.", warning=True))
            return None
        return self._versions[row]

    def chosen(self, row: int) -> None:
        """Save it to a file."""
        self._save(*self._versions[row])

    # Out and in

    def action_save(self) -> None:
        """Save the marked version to a file."""
        if (found := self._marked()) is not None:
            self._save(*found)

    def _save(self, info: ArtifactInfo, version: ArtifactVersion) -> None:
        name = info.name.removeprefix("user:")

        def answered(text: str | None) -> None:
            if not text:
                return
            path = typed_path(text)
            key = (info.name, version.version)
            if path.is_dir():
                path = path / file_name(name)
            if (content := self._contents.get(key)) is not None:
                self._write(content, path)
            else:
                self._to_save = (key, path)
                self._ask_for(*key)

        hint = "Enter saves, readable by you alone; no file is replaced   Esc closes"
        self.app.push_screen(Ask("Save to", file_name(name), hint=hint), answered)  # pyright: ignore[reportUnknownMemberType]

    def _write(self, content: ArtifactContent, path: Path) -> None:
        data = decoded(content.data) if content.data or not content.uri else None
        if data is None:
            self.post_message(Tell("There is nothing in it that could be saved.", warning=True))
            return
        try:
            saved = save_new(path, data)
        except OSError as error:
            why = error.strerror or str(error)
            words = f"{line(str(path), 200)} cannot be written: {line(why, 200)}."
            self.post_message(Tell(words, warning=True))
            return
        self.post_message(Tell(f"Saved {size(len(data))} to {line(str(saved), 200)}."))

    def action_add(self) -> None:
        """Save a file of this machine as an artifact."""

        def answered(text: str | None) -> None:
            if not text:
                return
            try:
                files = attach((text,))
            except AttachError as error:
                self.post_message(Tell(str(error), warning=True))
                return
            if not files:
                self.post_message(Tell(f"There is no file {line(text, 200)}.", warning=True))
                return
            file = files[0]
            self.post_message(Submit(SaveArtifact(file.name, file.mime_type, file.data)))
            self.action_again()

        hint = "Enter saves it as the next version of that name   Esc closes"
        self.app.push_screen(Ask("Add a file", hint=hint, empty="path"), answered)  # pyright: ignore[reportUnknownMemberType]

    def action_event(self) -> None:
        """Show the event that saved the marked version."""
        found = self._marked()
        if found is None:
            return
        if found[1].event_id:
            self.post_message(OpenEvent(found[1].event_id))
        else:
            self.post_message(Tell("No event of this session saved it."))
