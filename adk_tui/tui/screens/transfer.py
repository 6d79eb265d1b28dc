"""Who answers next: the agent tree, with what a forced transfer will do, or why there is none."""

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content

from adk_tui.core.commands import Transfer
from adk_tui.core.routing import Target, active_task, transfer_targets
from adk_tui.core.sanitize import line
from adk_tui.core.session import SessionView
from adk_tui.core.transfer_preview import TransferPreview, preview_transfer
from adk_tui.tui.messages import Act, Submit, Tell
from adk_tui.tui.screens.two_panes import MUTED, TwoPanes, heading, section


class TransferScreen(TwoPanes[None]):
    """Left the tree, right what choosing the marked agent means."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,f6,q", "dismiss", "Close"),
        Binding("o", "once", "One turn only"),
        Binding("u,ctrl+z", "undo", "Undo"),
    ]

    def __init__(self, view: SessionView) -> None:
        super().__init__()
        self._view = view
        self._targets: tuple[Target, ...] = ()

    def on_mount(self) -> None:
        """Begin at the agent that answers next."""
        super().on_mount()
        self.hints(
            ("Enter", "answers next, and stays", "enter"),
            ("o", "one turn only", "o"),
            ("u", "undo", "u"),
            ("Esc", "close", "escape"),
            ("Tab", "text", "tab"),
        )
        self._draw()

    def follow(self, changed: frozenset[str]) -> None:
        """Somebody else may answer next now."""
        if changed & {"events", "session", "ready", "tickets", "settings"}:
            self._draw()

    @property
    def _once(self) -> str:
        """The agent that is forced to take the next message."""
        return self._view.settings.once if self._view.settings else ""

    def _draw(self) -> None:
        ready = self._view.ready
        if ready is None:
            return
        events = self._view.log.history()
        self._targets = transfer_targets(ready.root, events)
        route = self._view.route()
        now = f"now {line(route.agent, 60)}: {line(route.why, 200)}" if route else ""
        if task := active_task(events):
            now = f"{line(task, 60)} works on a delegated task; the next text is for that"
        self.head("Who answers next?", now)
        at = next((i for i, t in enumerate(self._targets) if t.active), 0)
        self.fill([(f"{i}:{t.agent}", self._row(t)) for i, t in enumerate(self._targets)], at)

    def _row(self, target: Target) -> Content:
        mark = "▸ " if target.active else "  "
        style = "bold" if target.active else "" if target.reachable else MUTED
        note = "" if target.active else "" if target.reachable else "✗ " + line(target.reason, 200)
        once = "   next message only" if target.agent == self._once else ""
        return Content.assemble(
            (mark + "  " * target.depth, "bold $accent"),
            (line(target.agent, 60), style),
            (f"  {line(target.kind, 30)}", MUTED),
            (once, "$text-warning"),
            (f"   {note}" if note else "", MUTED),
        )

    def _preview(self, target: Target) -> TransferPreview | None:
        ready = self._view.ready
        if ready is None:
            return None
        return preview_transfer(
            ready.root,
            self._view.log.history(),
            target,
            self._view.tickets.open,
            resumable=self._view.resumable,
        )

    def detail(self, row: int | None) -> Content:
        """What choosing the marked agent will do."""
        if row is None or (preview := self._preview(self._targets[row])) is None:
            return Content("")
        target = self._targets[row]
        name = line(target.agent, 60)
        parts = [heading(name), (f"{line(target.kind, 40)}\n", MUTED)]
        if target.active:
            parts.append(("\n● It answers next already.\n", "$text-success"))
            return Content.assemble(*parts, *self._tickets(preview))
        if preview.route is not None and preview.route.agent == target.agent:
            parts += [("\n✓ Enter: ", "bold $text-success"), (f"{name} answers next, ", "")]
            parts.append(("and stays until it is handed on.\n", ""))
            parts.append(("One event is stored; nothing is added to the prompt.\n", MUTED))
        elif preview.route is not None:
            other = line(preview.route.agent, 60)
            parts += [("\n✗ Enter: ", "bold $text-error"), (f"it would not last. {other} ", "")]
            parts.append((f"would answer next: {line(preview.route.why, 200)}\n", ""))
        else:
            parts += [("\n✗ Cannot take over. ", "bold $text-error")]
            parts.append((line(target.reason, 400) + "\n", ""))
        parts += self._tickets(preview)
        if preview.no_turn:
            parts += [("\n✗ o: ", "bold $text-error"), (line(preview.no_turn, 300) + "\n", "")]
        elif target.agent == self._once:
            parts += [("\n▸ o: ", "bold $text-warning"), ("it takes the next message; ", "")]
            parts.append(("o takes that back.\n", ""))
        else:
            parts += [("\n✓ o: ", "bold $text-success"), (f"{name} answers the next message ", "")]
            parts.append(("only; after that the conversation goes on as ADK routes it.\n", ""))
        return Content.assemble(*parts)

    def _tickets(self, preview: TransferPreview) -> list[tuple[str, str]]:
        if not preview.pulled:
            return []
        parts = [section("open tickets")]
        for tool, owner in preview.pulled:
            words = f"⚠ Answering {line(tool, 60)} brings {line(owner, 60)} back.\n"
            parts.append((words, "$text-warning"))
        return parts

    def chosen(self, row: int) -> None:
        """Hand the conversation over."""
        target = self._targets[row]
        name = line(target.agent, 60)
        if target.active:
            self.post_message(Tell(f"{name} answers next already."))
        elif not target.reachable:
            more = "" if (p := self._preview(target)) is None or p.no_turn else " o: one turn."
            self.post_message(
                Tell(f"{name} cannot take over: {line(target.reason, 300)}{more}", warning=True)
            )
        else:
            self.post_message(Submit(Transfer(target.agent)))
            self.dismiss()

    def action_once(self) -> None:
        """Let the marked agent take the next message only, or take that back."""
        row = self.marked
        if row is None:
            return
        target = self._targets[row]
        if target.agent == self._once:
            self.post_message(Submit(Transfer("", once=True)))
        elif (preview := self._preview(target)) is not None and preview.no_turn:
            words = f"{line(target.agent, 60)}: {line(preview.no_turn, 300)}"
            self.post_message(Tell(words, warning=True))
        else:
            self.post_message(Submit(Transfer(target.agent, once=True)))
            self.dismiss()

    def action_undo(self) -> None:
        """Take back the last transfer."""
        self.post_message(Act("undo"))
