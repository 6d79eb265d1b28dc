"""The header line: which app and session, who answers next, what it does right now."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len
from textual.app import RenderResult
from textual.content import Content
from textual.widget import Widget

from adk_tui.core.sanitize import line, mask_text
from adk_tui.tui.widgets.sparkline import sparkline

if TYPE_CHECKING:
    from adk_tui.core.reports import Status
    from adk_tui.core.session import SessionView
    from adk_tui.core.timing import TurnTokens

RUNS = 100
"""How far back a tool that still runs is looked for."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of the header. Of those that do not fit, the highest ``rank`` goes first."""

    text: str
    style: str
    rank: int


def fit(pieces: Sequence[Piece], width: int, gap: int = 2) -> list[Piece]:
    """The pieces that fit into ``width`` cells, the least important left out. Rank 0 always stays.

    Their order stays. Pure, so that what a narrow terminal shows can be tested.
    """
    kept = list(pieces)
    while sum(cell_len(p.text) + gap for p in kept) - gap > width:
        last = max(kept, key=lambda p: p.rank)
        if last.rank == 0:
            break
        kept.remove(last)
    return kept


def duration(seconds: float) -> str:
    """A time a person can read while it runs: ``3.2s``, ``1m 05s``, ``2h 03m``."""
    if seconds < 60:
        return f"{max(seconds, 0):.1f}s"
    minutes, rest = divmod(int(seconds), 60)
    if minutes < 60:
        return f"{minutes}m {rest:02}s"
    return f"{minutes // 60}h {minutes % 60:02}m"


def count(number: int) -> str:
    """A number of tokens in few cells: ``812``, ``12.3k``, ``1.2M``."""
    if number < 1_000:
        return str(number)
    return f"{number / 1_000:.1f}k" if number < 999_950 else f"{number / 1_000_000:.1f}M"


def not_yet(phase: str, since: float) -> tuple[str, str]:
    """What is shown until the agent is loaded."""
    return f"◌ {phase} {duration(since)}", "$text-warning"


def activity(status: "Status", since: float) -> tuple[str, str]:
    """What the engine does, and its style. ``since`` is seconds since the status came."""
    match status.phase:
        case "ready":
            return "● idle", "$text-success"
        case "running" | "stopping":
            word = "■ stopping" if status.phase == "stopping" else "▶"
            if status.running:
                tools = sorted(status.running, key=lambda r: -r.seconds)
                more = f" +{len(tools) - 1}" if len(tools) > 1 else ""
                clock = duration(tools[0].seconds + since)
                return f"{word} {line(tools[0].name, 28)} {clock}{more}", "bold $text-warning"
            rest = duration(since)
            text = f"{word} {rest}" if status.phase == "stopping" else f"{word} model {rest}"
            return text, "bold $text-warning"
        case "starting" | "loading" | "reloading":
            return not_yet(status.phase, since)
        case "failed":
            return "✗ not loaded (F9)", "bold $text-error"
        case "dead":
            return "✗ engine ended (F9)", "bold $text-error"


def _last_words(view: "SessionView") -> str:
    """The last line that the agent has printed; a slow import says there what it does."""
    for output in islice(reversed(view.outputs), 20):
        lines = [text for text in output.text.splitlines() if text.strip()]
        if lines and output.stream != "protocol":
            return lines[-1]
    return ""


class StatusBar(Widget):
    """One line, drawn from the view whenever ``show`` is called; ticks by itself while busy."""

    DEFAULT_CSS: ClassVar[str] = """
    StatusBar { height: 1; background: $panel; color: $foreground; padding: 0 1; }
    """

    def __init__(
        self,
        title: str,
        *,
        clock: Callable[[], float] = time.monotonic,
        id: str | None = None,
    ) -> None:
        super().__init__(id=id)
        self.revealed = False
        """Whether the screens that can reveal secrets begin with that."""
        self._title = title
        self._clock = clock
        self._view: SessionView | None = None
        self._status: Status | None = None
        self._since = clock()
        self._tokens: TurnTokens | None = None

    def on_mount(self) -> None:
        """Keep the running timer running."""
        self.set_interval(0.25, self._tick)

    def _tick(self) -> None:
        if self._status is None or self._status.phase != "ready":
            self.refresh()

    def show(self, view: "SessionView") -> None:
        """Draw ``view`` from now on."""
        self._view = view
        old, new = self._status, view.status
        if old is None or (old.phase, old.command, old.running) != (
            new.phase,
            new.command,
            new.running,
        ):
            self._since = self._clock()
        self._status = new
        self.refresh()

    def pieces(self) -> list[Piece]:
        """All parts of the header, from left to right."""
        view = self._view
        status = view.status if view else None
        since = self._clock() - self._since
        if view and status:
            status = with_runs(status, view, since)
        doing, style = activity(status, since) if status else not_yet("starting", since)
        ready = view.ready if view else None
        parts = [Piece(line(ready.app if ready else self._title, 30), "bold $primary", 2)]
        if view and view.session:
            title = view.session.title
            name = line(title, 24) if title else line(view.session.id, 8)
            parts.append(Piece(name, "$foreground 62%", 7))
        route = view.route() if view else None
        if ready and view:
            resumable = "resumable" if view.resumable else "not resumable"
            parts.append(Piece(resumable, "$foreground 62%", 6))
            if route:
                parts.append(Piece(f"next → {line(route.agent, 32)}", "bold $accent", 0))
                model = _model(view, route.agent)
                if model:
                    parts.append(Piece(line(model, 28), "$foreground 62%", 5))
        parts.append(Piece(doing, style, 0))
        if view and status and status.phase == "loading":
            words = _last_words(view) or status.detail
            parts.append(Piece(line(mask_text(words), 60), "$foreground 62%", 8))
        if view and (settings := _settings(view)):
            parts.append(Piece(settings, "$text-accent", 3))
        if view and view.usage.total:
            parts.append(Piece(f"{count(view.usage.total)} tok", "$foreground 62%", 4))
            bars = sparkline(self._turn_tokens(view))
            if len(bars) > 1:
                parts.append(Piece(bars, "$primary 80%", 9))
        if view and (waiting := len(view.tickets.open)):
            parts.append(Piece(f"⚑ {waiting} waiting", "bold $text-warning", 1))
        if self.revealed:
            parts.append(Piece(" REVEAL ", "bold $background on $warning", 0))
        if ready and ready.offline:
            parts.append(Piece(" OFFLINE MODEL ", "bold $background on $warning", 0))
        return parts

    def _turn_tokens(self, view: "SessionView") -> Sequence[int]:
        if self._tokens is None:
            # Not for the first frame: there is nothing to count yet.
            from adk_tui.core.timing import TurnTokens

            self._tokens = TurnTokens()
        return self._tokens.of(view.log)

    def render(self) -> RenderResult:
        """The parts that fit."""
        kept = fit(self.pieces(), self.size.width - 2)
        pairs: list[tuple[str, str]] = []
        for piece in kept:
            if pairs:
                pairs.append(("  ", ""))
            pairs.append((piece.text, piece.style))
        return Content.assemble(*pairs)


def with_runs(status: "Status", view: "SessionView", since: float) -> "Status":
    """The status with the tools that run, as they were told one by one.

    The engine names them in its status only when it has another reason to tell
    one; a tool that blocks the agent then runs unnamed.
    """
    if status.phase not in ("running", "stopping") or status.running:
        return status
    from adk_tui.core.reports import Running

    now = time.time()
    runs = islice(reversed(view.runs.values()), RUNS)
    open_runs = [r for r in runs if not r.ended and not r.parent_call_id]
    tools = (Running(r.name, r.call_id, r.agent, now - r.started - since) for r in open_runs)
    return replace(status, running=tuple(tools))


def _settings(view: "SessionView") -> str:
    if view.settings is None:
        return ""
    from adk_tui.core.run_settings import differing

    found = differing(view.settings.run)
    return f"⚙ {line(found[0], 30)}" if len(found) == 1 else f"⚙ {len(found)} set" * bool(found)


def _model(view: "SessionView", agent: str) -> str:
    from adk_tui.core.routing import find_agent

    node = find_agent(view.ready.root, agent) if view.ready else None
    return node.model if node else ""
