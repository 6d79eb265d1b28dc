"""``adk-tui chat`` on a pseudo terminal, for tests that press real keys."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.console.programs import REPOSITORY, adk_tui, write_agent
from tests.e2e.terminal import Terminal

SLOW = 120.0
"""Seconds for what imports google-adk on a busy machine."""


class Chat(Terminal):
    """``adk-tui chat`` on a terminal that says where its cursor is, as real ones do."""

    def __init__(
        self,
        agent: Path,
        *options: str,
        home: Path,
        rows: int = 40,
        term: str = "",
        within: Sequence[str] = (),
    ) -> None:
        where = () if "--on-disk" in options else ("--in-memory",)
        env = {"PYTHONPATH": str(REPOSITORY), "XDG_DATA_HOME": str(home)}
        env |= {"TERM": term} if term else {}
        super().__init__(
            [*within, *adk_tui("chat", str(agent), *where, *options)],
            env=env,
            cwd=REPOSITORY,
            columns=100,
            rows=rows,
        )
        self.screen.write_process_input = lambda data: self.write(data.encode())

    def wait_prompt(self) -> None:
        """The line at the bottom is there while a line can be typed, and only then."""
        self.wait_for("next:", SLOW)

    def send(self, text: str) -> None:
        """Type a line and press Enter."""
        self.type(text)
        self.wait_for(text)
        self.press("enter")

    def say(self, text: str) -> None:
        """The same once the prompt stands empty: what is typed during a run is not sent."""

        def empty() -> bool:
            rows = [row for row in self.text.splitlines() if row]
            return len(rows) > 1 and rows[-2].endswith(">")

        self.wait(empty, "an empty prompt", SLOW)
        self.send(text)

    def leave(self) -> None:
        """Ctrl+D on an empty line; the terminal is left as it was."""
        self.wait_prompt()
        self.press("ctrl+d")
        assert self.wait_exit() == 0
        self.assert_clean()


@contextmanager
def chatting(folder: Path, source: str, *options: str, rows: int = 40) -> Iterator[Chat]:
    """A chat with the agent of this source, from its first prompt until it is left."""
    with Chat(write_agent(folder, source), *options, home=folder, rows=rows) as chat:
        chat.wait_prompt()
        yield chat
        chat.leave()
