"""What a terminal usually receives: measured once, for all that compare with it."""

from collections.abc import Iterator

import pytest

from tests.e2e.workbench import IDLE, ask, leave, loaded, workbench
from tests.hostile.audit import kinds, odd_characters
from tests.hostile.stage import ACTING
from tests.hostile.tour import SIZE, tour


@pytest.fixture(scope="package")
def usual() -> Iterator[set[str]]:
    """The sequences of the same tour with an agent that says nothing unusual."""
    with workbench(ACTING, **SIZE) as terminal:
        loaded(terminal)
        for word in ("one", "two", "three"):
            ask(terminal, word)
            terminal.wait_for(f"alive: {word}")
        ask(terminal, "do m print fd2")
        terminal.wait_for("acted")
        terminal.wait_for(IDLE)
        tour(terminal)
        leave(terminal)
        assert odd_characters(bytes(terminal.raw)) == set()
        yield kinds(bytes(terminal.raw))
