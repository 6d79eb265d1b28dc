"""Secrets in the places that are opened seldom: dialogs, editors, lists, titles, the clipboard."""

from pathlib import Path

from textual.widgets import TextArea

from tests.e2e.case_app import Case
from tests.e2e.test_secrets import LEAK, vault, workbench
from tests.fakes.driving import rendered, until

__all__ = ["vault"]


class Visitor:
    """Goes everywhere, and remembers where a secret was seen."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.app = case.app
        self.leaks: list[str] = []
        self.masks = 0

    def look(self, where: str) -> None:
        screen = rendered(self.app)
        told = "".join(n.message for n in self.app._notifications)
        if LEAK in screen + told + self.app.title + self.app.sub_title:
            self.leaks.append(where)
        self.masks += "••••" in screen

    async def press(self, *keys: str) -> None:
        for key in keys:
            await self.case.pilot.press(key)
            await self.case.pilot.pause()

    async def open(self, action: str, shows: str) -> None:
        self.app.performer.act(action)
        await self.case.shows(shows)
        self.look(action)

    async def close(self) -> None:
        while self.app.screen is not self.app.main:
            await self.press("escape")


async def test_no_dialog_no_list_and_no_copy_shows_a_secret(vault: Path, tmp_path: Path) -> None:
    with workbench(vault, tmp_path) as app:
        async with app.run_test(notifications=True, size=(150, 50)) as pilot:
            case = Case(app, pilot)
            await case.until(lambda: app.view.status.phase == "ready", "the agent")
            await case.say(f'ask_owner(api_key="{LEAK}")')
            await case.say("open_vault()")
            await case.say("sign()")
            it = Visitor(case)
            it.look("main")
            await it.open("sessions", 'ask_owner(api_key="••••")')
            await it.press("t")
            it.look("the title in the list")
            await it.close()
            await it.open("rename", "Title of this session")
            await it.close()
            await it.open("artifacts", "The password: ••••")
            await it.close()
            await it.open("rewind", "Rewind to before")
            await it.close()
            await it.open("state", "api_key")
            for _ in range(2):
                await it.press("e")
                it.look("the editor of a state")
                await it.press("escape" if app.screen.query(TextArea) else "down")
            await it.close()
            assert len(case.open) == 2
            for at in range(2):
                await case.mark(at)
                it.look(f"ticket {at}")
                for key in ("e", "escape", "enter"):
                    await it.press(key)
                    it.look(f"ticket {at}, {key}")
                await it.press("escape", "escape")
            await pilot.press("f3")
            await case.shows("Enter inspect")
            for key in "yYCP":
                for row in range(len(app.view.log.history())):
                    await it.press("home", *["down"] * row, key)
                    it.leaks += [f"copied by {key}"] * (LEAK in app.clipboard)
            app.performer.act("copy")
            it.leaks += ["the copied answer"] * (LEAK in app.clipboard)
            assert it.leaks == []
            assert it.masks > 10


async def test_a_masked_value_is_revealed_before_it_is_edited(vault: Path, tmp_path: Path) -> None:
    """An editor with the mask in it would write the mask."""
    with workbench(vault, tmp_path) as app:
        async with app.run_test(notifications=True, size=(150, 50)) as pilot:
            case = Case(app, pilot)
            await case.until(lambda: app.view.status.phase == "ready", "the agent")
            await case.say("open_vault()")
            app.performer.act("state")
            await case.shows("api_key", "••••")
            await pilot.press("e")
            await case.shows("api_key holds a secret: m reveals it here")
            await pilot.press("m")
            await case.shows("SECRETS SHOWN")
            await pilot.press("e")
            await until(pilot, lambda: bool(app.screen.query(TextArea)))
            assert LEAK in app.screen.query_one(TextArea).text


async def test_what_is_left_masked_in_an_answer_is_sent_as_it_was(
    vault: Path, tmp_path: Path
) -> None:
    with workbench(vault, tmp_path) as app:
        async with app.run_test(notifications=True, size=(150, 50)) as pilot:
            case = Case(app, pilot)
            await case.until(lambda: app.view.status.phase == "ready", "the agent")
            await case.say("sign()")
            await case.answer_json({"confirmed": True, "payload": {"api_key": "••••"}})
            answer = next(e for e in app.view.log.history() if e.author == "user" and e.responses)
            assert answer.responses[-1].response["payload"] == {"api_key": LEAK}
