"""Does what the registry of actions promises: a method for each that is not a widget's own.

Each method is named after its action, takes what followed the slash command,
and turns it into a command for the engine or a change of the screen. Those
that steer the conversation and those about what is kept have files of their own.
"""

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from textual.widgets import TextArea

from adk_tui.core.chat_items import AgentText
from adk_tui.core.commands import Cancel, Stop
from adk_tui.core.sanitize import line, mask_text
from adk_tui.tui.actions import ACTIONS, BY_NAME, Action, own_keys, why_not
from adk_tui.tui.keeping import Keeping
from adk_tui.tui.screens.choose import Choose, Entry
from adk_tui.tui.steering import Steering

if TYPE_CHECKING:
    from adk_tui.tui.app import WorkbenchApp

DOUBLE_PRESS = 0.4
"""Seconds within which a second Esc is taken for a bouncing key, not for a wish to kill."""
AGAIN = 2.0
"""Seconds within which a second Ctrl+C means it."""


class Performer(Steering, Keeping):
    """All actions. Knows the app, and only these files and the app know both sides."""

    def __init__(self, app: "WorkbenchApp") -> None:
        super().__init__(app)
        self._stopped_at = 0.0
        self._interrupted_at = 0.0

    def possible(self) -> set[str]:
        """The names of all actions that are possible now."""
        now = self.situation()
        return {a.name for a in ACTIONS if not why_not(a, now)}

    def act(self, name: str, argument: str = "") -> None:
        """A key or a click: do the action where it belongs."""
        app = self._app
        if name.startswith("key:"):
            app.simulate_key(name.removeprefix("key:"))
            return
        match BY_NAME[name].where:
            case _ if name == "policies":
                self.policies()
            case "approvals":
                app.main.approval(name)
            case "events" if name == "export":
                self.export()
            case "events":
                app.main.event_act(name, app.view)
            case "inspector":
                self.inspecting(name)
            case "prompt":
                app.main.area.prompt.action_act(name)
            case _:
                if name == "transfer" and argument and app.screen is not app.main:
                    app.pop_screen()
                self.do(name, argument)

    def do(self, name: str, argument: str = "") -> None:
        """Do the action, or say why not."""
        action: Action = BY_NAME[name]
        reason = why_not(action, self.situation())
        if reason and not (name == "stop" and self._escape_means_else()):
            self._app.tell(reason, warning=True)
            return
        method: Callable[[str], None] = getattr(self, name)
        method(argument)

    def _escape_means_else(self) -> bool:
        return self._app.main.region_name != "prompt" or self._app.sending.editing is not None

    def stop(self, _: str) -> None:
        """Stop the run; when it is stopping already, replace the engine process."""
        app = self._app
        phase = app.view.status.phase
        now = time.monotonic()
        if phase == "running":
            self._stopped_at = now
            app.submit(Stop())
        elif phase == "stopping":
            if now - self._stopped_at < DOUBLE_PRESS:
                return
            app.submit(Stop(force=True))
        elif app.sending.editing is not None:
            app.sending.end_edit()
        else:
            app.main.write()

    def interrupt(self, _: str) -> None:
        """Ctrl+C: copy what is selected; else stop the run; pressed twice, quit."""
        app = self._app
        focused = app.screen.focused
        if isinstance(focused, TextArea) and focused.selected_text:
            focused.action_copy()
            return
        if selected := app.screen.get_selected_text():
            app.copy_to_clipboard(selected)
            app.screen.clear_selection()
            app.tell("Copied.")
            return
        now = time.monotonic()
        if now - self._interrupted_at < AGAIN:
            self.quit("")
            return
        self._interrupted_at = now
        if app.view.status.phase == "running":
            app.submit(Stop())
            app.tell("Stopping. Ctrl+C again quits.")
        else:
            app.tell("Ctrl+C again quits (so does Ctrl+Q).")

    def retry(self, _: str) -> None:
        """Send the last message again."""
        self._app.sending.again()

    def unqueue(self, _: str) -> None:
        """Take the last waiting message back into the prompt."""
        last = self._app.sending.waiting[-1]
        self._app.submit(Cancel(last.id))
        self._app.sending.take_back(last.id)

    def help(self, argument: str) -> None:
        """Show the help, the focused pane's keys first."""
        from adk_tui.tui.screens.help import HelpScreen

        main = self._app.main
        if main.explain_filter():
            return
        if self._app.screen is main:
            keys = [] if main.region_name == "prompt" else own_keys(main.focused)
            self._app.push_screen(HelpScreen(main.region_name, keys, argument))
        else:
            self._app.push_screen(HelpScreen("inspector", [], argument))

    def prompt(self, _: str) -> None:
        """The prompt; from the prompt, the chat."""
        self._app.main.go("prompt")

    def events(self, argument: str) -> None:
        """The event stream; with a filter expression, only what it takes (``all`` shows all)."""
        from adk_tui.core.filters import FilterError

        if argument:
            try:
                self._app.main.filter_events("" if argument == "all" else argument)
            except FilterError as error:
                self._app.tell(f"This is no filter: {error}", warning=True)
                return
        self._app.main.go("events")

    def approvals(self, argument: str) -> None:
        """What waits for a human; with a tool's name or a call's id, that ticket."""
        found = [
            t for t in self._app.view.tickets.open if argument and argument in (t.name, t.call_id)
        ]
        if argument and not found:
            self._app.tell(f"No open ticket is named {line(argument, 60)}.", warning=True)
        if found:
            self._app.main.open_ticket(found[-1].call_id)
        else:
            self._app.main.go("approvals")

    def policies(self) -> None:
        """Choose what of the marked ticket's kind is approved without asking, or revoke it."""
        app = self._app
        panel = app.main.approvals_panel
        entries = [
            Entry(p.id, p.text, f"answered {p.used}" if p.used else "", p.refusal)
            for p in panel.permissions()
        ]
        if not entries:
            app.tell("Nothing waits for you, and nothing is approved without asking.")
            return

        def chosen(answer: str | None) -> None:
            if answer is not None:
                panel.permit(answer)

        hint = "Holds for this session, until you leave   Enter chooses   Esc closes"
        app.push_screen(Choose("Approve without asking", entries, hint=hint), chosen)

    def agents(self, _: str) -> None:
        """The agent tree."""
        from adk_tui.tui.screens.agents import AgentsScreen

        self._app.push_screen(AgentsScreen(self._app.view))

    def inspect(self, event_id: str, index: int | None = None) -> None:
        """Show everything about an event; ``index`` of the log tells pieces with one id apart."""
        from adk_tui.tui.screens.inspector import Inspector

        app, log = self._app, self._app.view.log
        if index is None or index >= len(log) or log[index].id != event_id:
            index = log.find(event_id)
        if index is None:
            app.tell("This event is no longer in the session.", warning=True)
            return

        def closed(at: int | None) -> None:
            if at is not None and at < len(log):
                app.main.go_to_event(log[at].id)

        app.push_screen(Inspector(app.view, index, reveal=app.options.reveal), closed)

    def inspecting(self, name: str) -> None:
        """Do one of the inspector's actions, if it is open."""
        from adk_tui.tui.screens.inspector import Inspector

        screen = self._app.screen
        if isinstance(screen, Inspector):
            screen.act(name)
        else:
            self._app.tell("Open an event first: Enter in the events does.", warning=True)

    def export(self) -> None:
        """Save the events that are shown to a file."""
        from adk_tui.tui.screens.save_as import SaveAs, Saved, told
        from adk_tui.tui.widgets.events_pane import export_bytes, export_name

        app = self._app
        records = app.main.shown_events()
        if not records:
            app.tell("No events are shown that could be saved.", warning=True)
            return
        made: list[tuple[int, int]] = []

        def make(path: Path, reveal: bool) -> bytes:
            out = export_bytes(path, records, app.view, reveal=reveal)
            made.append((out.events, out.left_out))
            return out.text.encode("utf-8")

        def saved(answer: Saved | None) -> None:
            if answer is not None:
                events, left_out = made[-1]
                rest = f" {left_out} that are no JSON were left out." if left_out else ""
                app.tell(told(answer, f"{events:,} events") + rest)

        hint = "Ending in .jsonl: one event a line. Ending in .json: a session for adk web."
        title = f"Save {len(records):,} events"
        app.push_screen(SaveAs(title, export_name(app.view), make, hint=hint, secrets=True), saved)

    def output(self, _: str) -> None:
        """Show or hide the agent's output."""
        main = self._app.main
        log = main.output
        if log.toggle():
            # At once: the next key may be on its way already.
            main.set_focus(log)
        elif log.has_focus or main.focused is None:
            main.write()
        self._app.refresh_keys()

    def copy(self, _: str) -> None:
        """Copy the last answer to the clipboard (OSC 52)."""
        items = self._app.view.transcript.items
        last = next((i for i in reversed(items) if isinstance(i, AgentText)), None)
        if last is not None:
            self._app.copy_to_clipboard(mask_text(last.text))
            self._app.tell(f"Copied {len(last.text):,} characters.")

    def theme(self, argument: str) -> None:
        """Choose the colours."""
        app = self._app
        names = sorted(app.available_themes, key=lambda n: (not n.startswith("adk-"), n))
        if argument:
            self._set_theme(argument)
            return
        entries = [Entry(n, n, mark="▸" if n == app.theme else " ") for n in names]
        at = names.index(app.theme) if app.theme in names else 0
        app.push_screen(Choose("Theme", entries, at=at), self._set_theme)

    def _set_theme(self, name: str | None) -> None:
        if name in self._app.available_themes:
            self._app.theme = str(name)
        elif name:
            self._app.tell(f"There is no theme {line(name, 40)}. /theme lists them.", warning=True)

    def palette(self, _: str) -> None:
        """Find any action by name."""
        self._app.action_command_palette()

    def quit(self, _: str) -> None:
        """Leave; a draft is kept in the history."""
        self._app.action_leave()
