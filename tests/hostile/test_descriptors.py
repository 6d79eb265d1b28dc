"""No descriptors left in the application itself: what fails is told, and the rest goes on."""

import gc
import os
import resource
from contextlib import suppress
from pathlib import Path

from tests.e2e.case_app import SLOW, opened
from tests.e2e.workbench import AGENTS
from tests.fakes.driving import write


class Eater:
    """Takes every descriptor that this process may open, until ``free``."""

    def __init__(self) -> None:
        gc.collect()
        self._limits = resource.getrlimit(resource.RLIMIT_NOFILE)
        used = max(int(n.name) for n in Path("/dev/fd").iterdir())
        resource.setrlimit(resource.RLIMIT_NOFILE, (used + 1, self._limits[1]))
        self._held: list[int] = []
        self.eat()

    def eat(self) -> None:
        """Take what has become free meanwhile."""
        with suppress(OSError):
            while True:
                self._held.append(os.open(os.devnull, os.O_RDONLY))

    def free(self) -> None:
        """Give all back. Idempotent."""
        while self._held:
            os.close(self._held.pop())
        resource.setrlimit(resource.RLIMIT_NOFILE, self._limits)


async def test_an_app_without_descriptors_says_so_and_goes_on_when_there_are_some(
    tmp_path: Path,
) -> None:
    async with opened(AGENTS / "stock") as case:
        await case.say("price of GOOG")
        eater = Eater()
        try:
            await case.say("price of MSFT")
            await case.tells("Microsoft")
            await write(case.pilot, "draft")
            eater.eat()
            # Modules that are imported late come from files; saving needs one in any case.
            await case.pilot.press("f3", "x")
            await case.until(
                lambda: "Too many open files" in case.screen or "Enter saves" in case.screen,
                "the dialog, or why not",
            )
            if "Enter saves" in case.screen:
                await case.pilot.press("enter")
                await case.shows("cannot be written: Too")
                await case.pilot.press("escape")
            await case.shows("draft")
            eater.eat()
            await case.pilot.press("f9")
            await case.until(
                lambda: any("open files" in f.message for f in case.view.failures), "why not", SLOW
            )
            await case.shows("draft", "Free some resources")
        finally:
            eater.free()
        await case.pilot.press("f9")
        await case.until(lambda: case.view.status.phase == "ready", "the agent again", SLOW)
        await case.shows("draft", "Microsoft")
        await case.pilot.press("f3", "x")
        await case.shows("Enter saves")
        await case.pilot.press("home", *("delete",) * 60)
        await write(case.pilot, str(tmp_path / "out.jsonl"))
        await case.pilot.press("enter")
        await case.until(lambda: (tmp_path / "out.jsonl").exists(), "the file")
