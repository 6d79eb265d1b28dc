"""How the next turns run: ADK's RunConfig, and which model answers."""

from dataclasses import replace
from typing import Any, ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content

from adk_tui.core.commands import RunSettings
from adk_tui.core.run_settings import SETTINGS, Setting, differs
from adk_tui.tui.messages import Tell
from adk_tui.tui.screens.asking import Ask
from adk_tui.tui.screens.two_panes import MUTED, TwoPanes, heading


class SettingsScreen(TwoPanes[RunSettings | None]):
    """Changes a copy; returns it when the screen is left, so that a look changes nothing."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "done", "Use them"),
        Binding("x", "default", "This one as it was"),
        Binding("ctrl+x", "defaults", "All as they were"),
    ]

    def __init__(self, settings: RunSettings) -> None:
        super().__init__()
        self._settings = settings

    def on_mount(self) -> None:
        """Show them."""
        super().on_mount()
        self.head("Run settings", "for the next turns, until you leave")
        self.hints(
            ("Enter", "change", "enter"),
            ("x", "back to default", "x"),
            ("Ctrl+X", "all", "ctrl+x"),
            ("Esc", "use these", "escape"),
        )
        self._draw()

    def _draw(self) -> None:
        self.fill([(s.field, self._row(s)) for s in SETTINGS])

    def _row(self, setting: Setting) -> Content:
        changed = differs(self._settings, setting.field)
        return Content.assemble(
            ("● " if changed else "  ", "bold $accent"),
            (f"{setting.label:<27}", ""),
            (setting.shown(self._settings), "bold $accent" if changed else MUTED),
        )

    def detail(self, row: int | None) -> Content:
        """What the marked one does."""
        if row is None:
            return Content("")
        setting = SETTINGS[row]
        now = setting.shown(self._settings)
        usual = setting.shown(RunSettings())
        parts = [heading(setting.label), (setting.help + "\n\n", ""), ("now      ", MUTED)]
        parts += [(now + "\n", "bold"), ("default  ", MUTED), (usual, "")]
        return Content.assemble(*parts)

    def chosen(self, row: int) -> None:
        """Switch it, or ask for its value."""
        setting = SETTINGS[row]
        now = getattr(self._settings, setting.field)
        if setting.read is None:
            self._set(setting, not now)
            return
        read = setting.read

        def answered(text: str | None) -> None:
            if text is None:
                return
            try:
                self._set(setting, read(text))
            except ValueError as error:
                self.post_message(Tell(f"{setting.label}: {error}", warning=True))

        text = setting.typed(self._settings)
        hint = f"{setting.hint}   Enter takes it   Esc closes"
        self.app.push_screen(Ask(setting.label, text, hint=hint), answered)  # pyright: ignore[reportUnknownMemberType]

    def _set(self, setting: Setting, value: Any) -> None:
        self._settings = replace(self._settings, **{setting.field: value})
        self._draw()

    def action_default(self) -> None:
        """The marked one as it is by default."""
        if self.marked is not None:
            setting = SETTINGS[self.marked]
            self._set(setting, getattr(RunSettings(), setting.field))

    def action_defaults(self) -> None:
        """All of them as they are by default."""
        self._settings = RunSettings()
        self._draw()

    def action_done(self) -> None:
        """Use them for the next turns."""
        self.dismiss(self._settings)
