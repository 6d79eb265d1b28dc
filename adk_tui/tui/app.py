"""Wires the engine, the view and the widgets together, and nothing more."""

import asyncio
import gc
import signal
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal

from rich.text import Text
from textual import on
from textual.app import App
from textual.binding import Binding, BindingType
from textual.driver import Driver
from textual.message import Message
from textual.widget import MountError

from adk_tui.client.engine import Engine
from adk_tui.client.history import History
from adk_tui.core.sanitize import clean, mask_text
from adk_tui.tui import messages
from adk_tui.tui.attention import Attention
from adk_tui.tui.bridge import Bridge
from adk_tui.tui.guard import Guard
from adk_tui.tui.loading import ENGINE, PANES, load
from adk_tui.tui.news import News
from adk_tui.tui.palette import ActionProvider
from adk_tui.tui.screens.following import Following
from adk_tui.tui.screens.main import MainScreen
from adk_tui.tui.themes import DARK, THEMES

if TYPE_CHECKING:
    from adk_tui.core.commands import Attachment, Command
    from adk_tui.core.session import SessionView
    from adk_tui.tui.performer import Performer
    from adk_tui.tui.sending import Sending
    from adk_tui.tui.undoing import Undoing


@dataclass(frozen=True, slots=True)
class TuiOptions:
    """How the front end begins.

    ``title`` is shown until the agent says its name. ``history_file`` None
    keeps the history in memory. ``reveal`` begins the inspector and the state with secrets shown.
    ``say`` is sent as the first message. ``notify`` allows terminal
    notifications when a ticket arrives unseen.
    """

    title: str = "adk-tui"
    history_file: Path | None = None
    theme: str = DARK
    reveal: bool = False
    say: str = ""
    notify: bool = True


class WorkbenchApp(App[int]):
    """The full screen front end of one engine."""

    TITLE = "adk-tui"
    CSS_PATH = "screens/main.tcss"
    COMMANDS: ClassVar = {ActionProvider}  # pyright: ignore[reportIncompatibleVariableOverride]
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+q", "leave", "Quit", show=False, priority=True),
    ]
    ESCAPE_TO_MINIMIZE = False

    def __init__(self, engine: Engine, options: TuiOptions | None = None) -> None:
        super().__init__()
        self._filters.append(Guard())
        self.engine = engine
        self.options = options or TuiOptions()
        self.history = History(self.options.history_file)
        self.main = MainScreen(self.options.title, self.history, self.vocabulary)
        self.attention = Attention(self._write_terminal, enabled=self.options.notify)
        self.news = News(self)
        self._early: list[Message] = []
        """What was asked for before the panes were there."""
        for theme in THEMES:
            self.register_theme(theme)
        known = self.options.theme in self.available_themes
        # Not by the property: its watcher would parse and apply all styles once more.
        self.set_reactive(App.theme, self.options.theme if known else DARK)
        self.stylesheet.set_variables(self.get_css_variables())

    @cached_property
    def view(self) -> "SessionView":
        """All that is known of the conversation."""
        from adk_tui.core.session import SessionView

        return SessionView()

    @cached_property
    def performer(self) -> "Performer":
        """Does what the registry of actions promises."""
        from adk_tui.tui.performer import Performer

        return Performer(self)

    @cached_property
    def sending(self) -> "Sending":
        """What the user wrote and is on its way, or being edited."""
        from adk_tui.tui.sending import Sending

        return Sending(self)

    @cached_property
    def undoing(self) -> "Undoing":
        """What was done here and can be taken back."""
        from adk_tui.tui.undoing import Undoing

        return Undoing(self)

    @cached_property
    def bridge(self) -> Bridge:
        """Brings what the engine says into the view."""
        return Bridge(self, self.engine, self.view, self.show)

    def get_default_screen(self) -> MainScreen:
        """The main screen is there from the first frame."""
        return self.main

    def on_load(self) -> None:
        """Answer signals before the terminal is changed: it must never be left so."""
        with suppress(NotImplementedError, RuntimeError, ValueError):
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                asyncio.get_running_loop().add_signal_handler(number, self._ended, 128 + number)

    def on_mount(self) -> None:
        """Paint first; start the engine and build the rest after that."""
        self.call_after_refresh(self.run_worker, self._begin())

    @on(Driver.SignalResume)
    def _resumed(self) -> None:
        # Textual sends only what has changed, and the shell took it all away.
        self.refresh(layout=True)

    async def _begin(self) -> None:
        try:
            await self._build()
        except MountError:
            # Whoever leaves in the first moments leaves in the middle of this.
            if not self._exit:
                raise

    async def _build(self) -> None:
        if self._exit:
            return
        await load(ENGINE)
        self.engine.start()
        if self.options.say:
            self.say(self.options.say)
        await load(PANES)
        await self.main.fill()
        self.main.status.revealed = self.options.reveal
        self.bridge.start()
        self.refresh_keys()
        for message in self._early:
            self.post_message(message)
        # A search through everything holds up keys; the bridge puts aside what stays.
        gc.freeze()
        gc.set_threshold(2_000, 5, 1_000)
        gc.enable()

    async def _shutdown(self) -> None:
        # The widgets go one after the other; a tick in between would miss some.
        self.bridge.close()
        await super()._shutdown()

    def vocabulary(self, kind: str) -> Sequence[tuple[str, str]]:
        """What may follow a slash command: names, and a word about each."""
        from adk_tui.core.names import names

        return names(kind, self.view, list(self.available_themes))

    def submit(self, command: "Command") -> int:
        """Send a command; what comes of it arrives as records."""
        self.bridge.hurry()
        command_id = self.engine.submit(command)
        self.undoing.sent(command_id, command)
        return command_id

    def say(self, text: str, attachments: "tuple[Attachment, ...]" = ()) -> None:
        """Send a message to the agent, and keep it until it has arrived."""
        self.sending.say(text, attachments)

    def _fatal_error(self) -> None:
        # Textual's own would print the values of all variables: session data, secrets.
        self.bell()
        shown = clean(mask_text("".join(traceback.format_exception(self._exception))))
        self._exit_renderables.append(
            Text(f"{shown}\nThis is a bug in adk-tui; what was stored of the session is kept.")
        )
        self._close_messages_no_wait()

    def _write_terminal(self, text: str) -> None:
        if self._driver is not None:
            self._driver.write(text)

    def copy_to_clipboard(self, text: str) -> None:
        """Put text on the clipboard; from there it may go into a shell."""
        super().copy_to_clipboard(clean(text))

    def tell(self, text: str, *, warning: bool = False) -> None:
        """Show one line for some seconds; once, if it is on the screen already."""
        text = clean(mask_text(text))
        if any(n.message == text for n in self._notifications):
            return
        severity: Literal["warning", "information"] = "warning" if warning else "information"
        self.notify(text, severity=severity, markup=False, timeout=8 if warning else 4)

    def action_leave(self) -> None:
        """Quit; the draft stays in the history, the engine is closed after the screen is."""
        self.history.add(self.main.area.prompt.message)
        self.bridge.close()
        from adk_tui.core.commands import Quit

        self.engine.submit(Quit())
        self.exit(0)

    def _ended(self, code: int) -> None:
        with suppress(Exception):  # Nothing may keep the terminal.
            self.history.add(self.main.area.prompt.message)
        self.exit(code)

    def show(self, changed: frozenset[str]) -> None:
        """Put what changed onto the screen; called once a tick by the bridge."""
        self.main.show(self.view, changed)
        for screen in self.screen_stack[1:]:
            if isinstance(screen, Following):
                screen.follow(changed)
        if changed & {"deleted", "sessions"}:
            self.undoing.look(self.view)
        if "tickets" in changed:
            self.attention.look(self.view, focused=self.app_focus)
        self.news.look(changed)
        if self.view.status.phase in ("ready", "running"):
            self.main.mended()
        if changed & {"status", "done", "settings", "session"}:
            self.sending.show()
        if changed & {"status", "ready", "transcript", "output", "tickets", "deleted", "done"}:
            self.refresh_keys()

    def refresh_keys(self) -> None:
        """Fill the footer anew."""
        self.main.refresh_keys(self.view, self.performer.possible())

    @on(messages.Act)
    def _act(self, event: messages.Act) -> None:
        if not self.main.filled:
            self._early.append(event)
        elif event.action == "refresh_keys":
            self.refresh_keys()
        else:
            self._attempt(lambda: self.performer.act(event.action, event.argument))

    def _attempt(self, act: Callable[[], None]) -> None:
        try:
            act()
        except OSError as error:
            # A screen is read from the disk when it is first wanted, which takes a descriptor.
            words = error.strerror or str(error)
            self.tell(f"This cannot be done now: {words}. Change that and try again.", warning=True)

    @on(messages.Submit)
    def _submit(self, event: messages.Submit) -> None:
        command_id = self.submit(event.command)
        if event.told is not None:
            event.told(command_id)

    @on(messages.SendText)
    def _send(self, event: messages.SendText) -> None:
        if not self.main.filled:
            self._early.append(event)
            return
        self.main.mended(sent=True)
        self.main.front("chat")
        self.main.follow()
        self.say(event.text, event.attachments)

    @on(messages.Tell)
    def _tell(self, event: messages.Tell) -> None:
        self.tell(event.text, warning=event.warning)

    @on(messages.OpenTicket)
    def _open_ticket(self, event: messages.OpenTicket) -> None:
        self.main.open_ticket(event.call_id)

    @on(messages.OpenEvent)
    def _open_event(self, event: messages.OpenEvent) -> None:
        self._attempt(lambda: self.performer.inspect(event.event_id, event.index))
