from collections.abc import Iterable

from textual.pilot import Pilot

from adk_tui.core.commands import (
    Command,
    DeleteSession,
    EditState,
    ListSessions,
    RenameSession,
    RestoreSession,
    Transfer,
)
from adk_tui.core.reports import (
    Done,
    Failure,
    Record,
    SessionDeleted,
    SessionInfo,
    SessionList,
    SessionOpened,
    SessionRenamed,
)
from adk_tui.core.session import DELETED_ROOM
from adk_tui.tui.app import WorkbenchApp
from tests.fakes.driving import shows, tells, until, write
from tests.fakes.fake_engine import FakeEngine, event
from tests.fakes.playing import playing

WIDE = (130, 40)


class Store:
    """Answers commands as an engine does: by the records that follow from them."""

    def __init__(self) -> None:
        self.count = 0
        self.fails: set[type] = set()
        self.title = ""

    def __call__(self, command: Command, number: int) -> Iterable[Record]:
        self.count += 1
        event_id = f"e{self.count}"
        if type(command) in self.fails:
            return [Done(number, ok=False, failure=Failure("x", "It failed."))]
        match command:
            case EditState(delta):
                return [self.told("user", event_id, stateDelta=dict(delta)), Done(number, events=1)]
            case Transfer(agent):
                return [self.told("root", event_id, transferToAgent=agent), Done(number, events=1)]
            case RenameSession(session, user, title):
                before, self.title = self.title, title
                return [SessionRenamed(session, user, title, before=before), Done(number)]
            case DeleteSession(session, user):
                return [SessionDeleted(session, user, "shop", shown="old talk"), Done(number)]
            case _:
                return [Done(number)]

    @staticmethod
    def told(author: str, event_id: str, **actions: object) -> Record:
        return event(author, [], id=event_id, actions=actions)


async def command(pilot: Pilot[int], text: str) -> None:
    await write(pilot, text)
    await pilot.press("escape", "enter")


async def test_one_step_back_at_a_time_and_no_step_forward() -> None:
    engine = FakeEngine(Store())
    app = WorkbenchApp(engine)
    async with app.run_test(notifications=True, size=WIDE) as pilot:
        await until(pilot, lambda: app.view.ready)
        for text in ("/state a=1", "/state a=2", "/transfer billing", "/rename Calm"):
            before = app.undoing.count
            await command(pilot, text)
            await until(pilot, lambda before=before: app.undoing.count == before + 1, text)
        for left, wanted in (
            (3, RenameSession("s-1", "user", "")),
            (2, Transfer("root")),
            (1, EditState({"a": 1})),
            (0, EditState({"a": None})),
        ):
            await command(pilot, "/undo")
            await until(
                pilot,
                lambda wanted=wanted: (
                    engine.commands[-1] == wanted
                    or (engine.commands[-1] == ListSessions() and engine.commands[-2] == wanted)
                ),
            )
            assert app.undoing.count == left
        await command(pilot, "/undo")
        await tells(pilot, "There is nothing to undo")


async def test_a_step_that_fails_can_be_tried_again() -> None:
    store = Store()
    async with playing(store, size=WIDE) as (app, _, pilot):
        await until(pilot, lambda: app.view.ready)
        await command(pilot, "/state a=1")
        await until(pilot, lambda: app.undoing.count == 1)
        store.fails = {EditState}
        await command(pilot, "/undo")
        await shows(pilot, "It failed.")
        assert app.undoing.count == 1


async def test_what_was_changed_again_since_is_asked_about() -> None:
    engine = FakeEngine(Store())
    app = WorkbenchApp(engine)
    async with app.run_test(notifications=True, size=WIDE) as pilot:
        await until(pilot, lambda: app.view.ready)
        await command(pilot, "/state a=1")
        await until(pilot, lambda: app.undoing.count == 1)
        engine.play(event("root", [{"text": "x"}], id="later", actions={"stateDelta": {"a": 5}}))
        await until(pilot, lambda: app.view.log.find("later") is not None)
        await command(pilot, "/undo")
        await shows(pilot, "Changed again since then: a.")
        await pilot.press("enter")
        assert app.undoing.count == 1, "the first choice leaves it as it is"
        await command(pilot, "/undo")
        await pilot.press("down", "enter")
        await until(pilot, lambda: engine.commands[-1] == EditState({"a": None}))


async def test_an_edit_of_another_session_says_where_it_was_made() -> None:
    engine = FakeEngine(Store())
    app = WorkbenchApp(engine)
    async with app.run_test(notifications=True, size=WIDE) as pilot:
        await until(pilot, lambda: app.view.ready)
        await command(pilot, "/state a=1")
        await until(pilot, lambda: app.undoing.count == 1)
        engine.play(SessionOpened("s-2", "user", "shop", reason="new"))
        await until(pilot, lambda: app.view.session and app.view.session.id == "s-2")
        sent = len(engine.commands)
        await command(pilot, "/undo")
        await tells(pilot, "A state edit was made in session s-1.")
        assert len(engine.commands) == sent


async def test_a_deleted_session_is_brought_back_from_its_list() -> None:
    engine = FakeEngine(Store())
    app = WorkbenchApp(engine)
    rows = (SessionInfo("s-1", "user", 2.0), SessionInfo("s-0", "user", 1.0, "old talk"))
    async with app.run_test(notifications=True, size=WIDE) as pilot:
        await until(pilot, lambda: app.view.ready)
        await pilot.press("f7")
        engine.play(SessionList(rows))
        await shows(pilot, "old talk")
        await pilot.press("down", "d")
        await shows(pilot, "Delete “old talk”?")
        await pilot.press("down", "enter")
        await until(pilot, lambda: app.undoing.count == 1)
        await pilot.press("ctrl+z")
        await until(pilot, lambda: RestoreSession("s-0", "user") in engine.commands)
        await tells(pilot, "old talk is back.")


async def test_a_deletion_too_long_ago_to_be_taken_back_says_so() -> None:
    engine = FakeEngine(Store())
    app = WorkbenchApp(engine)
    async with app.run_test(notifications=True, size=WIDE) as pilot:
        await until(pilot, lambda: app.view.ready)
        large = (b"{}" * DELETED_ROOM,)
        for count, name in enumerate(("first", "second"), 1):
            engine.play(SessionDeleted(name, "user", "shop", shown=f"{name} talk", events=large))
            await until(pilot, lambda count=count: app.undoing.count == count)
        await command(pilot, "/undo")
        await tells(pilot, "second talk is back.")
        await until(pilot, lambda: app.undoing.count == 1)
        await command(pilot, "/undo")
        await tells(pilot, "The deletion of first talk stays. Only the sessions deleted last")
        back = [c.session_id for c in engine.commands if isinstance(c, RestoreSession)]
        assert back == ["second"]
        assert app.undoing.count == 0


async def test_keys_that_undo_are_letters_while_a_text_is_edited() -> None:
    engine = FakeEngine(Store())
    app = WorkbenchApp(engine)
    async with app.run_test(notifications=True, size=WIDE) as pilot:
        await until(pilot, lambda: app.view.ready)
        await command(pilot, "/state a=1")
        await until(pilot, lambda: app.undoing.count == 1)
        await pilot.press("u", "n", "ctrl+z")
        assert app.undoing.count == 1
        await pilot.press("f3")
        await until(pilot, lambda: app.main.region_name == "events")
        await pilot.press("u")
        await until(pilot, lambda: app.undoing.count == 0)
