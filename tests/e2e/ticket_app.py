"""The whole app on the agents that wait for humans, with real engine processes and real keys."""

import shutil
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from textual.widget import Widget
from textual.widgets import Input, OptionList, TextArea

from adk_tui.client.process import Launch, ProcessEngine
from adk_tui.core.chat_items import HumanAnswer
from adk_tui.core.commands import Start
from adk_tui.core.tickets import Ticket
from adk_tui.tui.app import TuiOptions, WorkbenchApp
from adk_tui.tui.widgets.ticket_form import TicketForm
from tests.conftest import REPOSITORY
from tests.e2e.case_app import Case

AGENTS = REPOSITORY / "tests" / "fakes" / "ticket_agents"
SLOW = 120.0


class Desk(Case):
    """An agent of ``ticket_agents`` on the screen."""

    async def order(self, text: str) -> None:
        """Send a message as the prompt does, and wait for the end of the run."""
        ended = len(self.view.done)
        self.app.say(text)
        await self.idle(ended)

    async def form(self, at: int = 0) -> TicketForm:
        """Go into the form of the ``at``-th ticket."""
        await self.mark(at)
        await self.pilot.press("enter")
        await self.until(lambda: isinstance(self.app.focused, (Input, TextArea)) or self.in_form)
        return self.app.main.query_one(TicketForm)

    @property
    def in_form(self) -> bool:
        return self.app.main.query_one(TicketForm).has_focus_within

    async def type(self, text: str, into: Widget | None = None) -> None:
        """Type into a field, the focused one by default, in the place of what is there."""
        if into is not None:
            into.focus()
            await self.until(lambda: self.app.focused is into, "the focus on the field")
        field = self.app.focused
        assert isinstance(field, Input)
        await self.pilot.press("end", "ctrl+u", *text)
        assert field.value == text

    async def send(self, key: str = "ctrl+s") -> None:
        """Send the form, and wait for the end of the run."""
        ended = len(self.view.done)
        await self.pilot.press(key)
        await self.idle(ended)

    async def refused(self, *reasons: str, key: str = "ctrl+s") -> None:
        """Send the form, which is not sent, because of these."""
        events = len(self.view.log)
        await self.pilot.press(key)
        await self.shows(*reasons)
        assert len(self.view.log) == events
        assert self.view.status.phase == "ready"

    async def says(self, *texts: str) -> None:
        """Wait until the panel holds all texts, wherever their lines are broken."""
        for text in texts:
            await self.until(lambda text=text: text in self.flat_panel, f"{text!r} in the panel")

    @property
    def flat_screen(self) -> str:
        """The screen as one text without frames, so that a wrapped sentence can be found."""
        return " ".join(self.screen.replace("│", " ").split())

    @property
    def flat_panel(self) -> str:
        """The panel as one text."""
        region = self.panel.region
        rows = self.screen.split("\n")[region.y : region.bottom]
        return " ".join(" ".join(row[region.x : region.right] for row in rows).split())

    def answers(self) -> list[HumanAnswer]:
        """What stands in the chat as answered by the human."""
        return [i for i in self.view.transcript.items if isinstance(i, HumanAnswer)]

    def ticket(self, at: int = -1) -> Ticket:
        """One of all tickets, the last one by default."""
        return self.view.tickets.tickets[at]

    @property
    def rows(self) -> str:
        """The list of tickets as text."""
        listing = self.panel.query_one("#tickets", OptionList)
        return "\n".join(str(o.prompt) for o in listing._options)


@asynccontextmanager
async def desk(
    name: str = "desk",
    *,
    root: Path | None = None,
    session: str = "",
    user: str = "user",
    size: tuple[int, int] = (150, 50),
    env: dict[str, str] | None = None,
) -> AsyncIterator[Desk]:
    """The app on an agent, loaded. ``root``: sessions on disk, in this copy of the agents."""
    start = Start(
        str((root or AGENTS) / name),
        user=user,
        session_id=session,
        storage="file" if root else "memory",
    )
    engine = ProcessEngine(Launch(start, python=sys.executable, env=env or {}))
    app = WorkbenchApp(engine, TuiOptions(title=name))
    try:
        async with app.run_test(notifications=True, size=size) as pilot:
            it = Desk(app, pilot)
            await it.until(lambda: app.view.status.phase == "ready", "the agent", SLOW)
            yield it
    finally:
        engine.close()


def copied(folder: Path) -> Path:
    """A copy of the agents, which may keep sessions beside them."""
    return Path(shutil.copytree(AGENTS, folder / "agents"))
