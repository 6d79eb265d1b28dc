"""No room on the disk: what fails is told, and the rest goes on."""

import json
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from adk_tui.client.history import History
from tests.conftest import REPOSITORY
from tests.e2e.terminal import Terminal
from tests.e2e.workbench import AGENTS, IDLE, ask, leave, loaded
from tests.fakes.disks import Disk


@contextmanager
def on(disk: Disk) -> Iterator[Terminal]:
    """The application with its agent, its home and all it writes on that disk."""
    homes = {f"XDG_{n}_HOME": str(disk.folder / "home" / n) for n in ("CONFIG", "DATA", "STATE")}
    run = [sys.executable, "-m", "adk_tui", "run", str(disk.folder), "--python", sys.executable]
    argv = [*disk.within, *run]
    with Terminal(argv, env=homes, cwd=REPOSITORY, columns=150, rows=40) as terminal:
        loaded(terminal)
        yield terminal


def files(folder: Path) -> set[str]:
    return {f.name for f in folder.rglob("*") if f.is_file() and f.suffix != ".pyc"}


def save_as(terminal: Terminal, path: Path) -> None:
    """Export the events to ``path``, from the prompt."""
    terminal.press("f3")
    terminal.wait_for("x export")
    terminal.press("x")
    terminal.wait_for("Enter saves")
    terminal.press("end", "ctrl+u")
    terminal.wait_gone("session-")
    terminal.type(str(path))
    terminal.wait_for(path.name)
    terminal.press("enter")


PAGE = 4096


def test_on_a_full_disk_all_that_fails_is_told_and_nothing_is_written_by_half(
    tmp_path: Path,
) -> None:
    content = Path(shutil.copytree(AGENTS / "stock", tmp_path / "content"))
    past = content / "home" / "DATA" / "adk-tui" / "history"
    past.parent.mkdir(parents=True)
    # Little of the next line fits into what the file has of the disk.
    past.write_text(json.dumps("p" * (PAGE - len("price of GOOG") - 20)) + "\n")
    disk = Disk(tmp_path / "disk", 500_000, content)
    with on(disk) as terminal:
        pid = terminal.process.pid
        seen = disk.seen_by(pid)
        ask(terminal, "price of GOOG")
        terminal.wait_for("get_stock_price returned")
        terminal.wait_for(IDLE)
        before = files(seen)
        assert {"session.db", "requests.db", "history"} <= before
        disk.fill(pid)
        ask(terminal, "price of MSFT")
        terminal.wait_for("The disk is full")
        terminal.wait_for("▎ price of MSFT")  # the message, back in the prompt
        terminal.wait_for("history cannot be written")
        save_as(terminal, disk.folder / "out.jsonl")
        terminal.wait_for("space left")
        terminal.press("escape")
        terminal.wait_gone("Enter saves")
        assert files(seen) - {"junk"} == before
        disk.free(pid)
        terminal.press("f2")
        terminal.wait_for("Enter send")
        terminal.press("enter")
        terminal.wait_for("Microsoft")
        terminal.wait_for(IDLE)
        save_as(terminal, disk.folder / "out.jsonl")
        terminal.wait(lambda: (seen / "out.jsonl").exists(), "the file")
        terminal.wait_gone("Enter saves")
        exported = (seen / "out.jsonl").read_text().splitlines()
        assert len([json.loads(line) for line in exported]) == 8
        kept = History(seen / past.relative_to(content)).entries
        assert kept[1:] == ["price of GOOG", "price of MSFT"]
        leave(terminal)
