"""Our own files on a disk that is full or may not be written: the agent goes on, told once."""

import re
import sqlite3
import time
from contextlib import closing
from pathlib import Path

from tests.console.programs import SECONDS, PipeProgram, write_agent
from tests.fakes.disks import Disk

TALKS = """
def reply(request):
    text = request.contents[-1].parts[-1].text or ""
    for number in range(200):
        print(f"<{text} {number} of 200 lines>")
    return say("heard " + text)

root_agent = LlmAgent(name="root", model=Scripted(reply))
"""

WHOLE = re.compile(r"<\w+ \d+ of 200 lines>|--- .* ---")
REQUESTS = "Requests to the model are not kept for later"
OUTPUT = "The agent's output cannot be written to its file"


def homes(folder: Path) -> dict[str, str]:
    return {f"XDG_{name}_HOME": str(folder / name) for name in ("CONFIG", "DATA", "STATE", "CACHE")}


def say(program: PipeProgram, text: str) -> None:
    """A turn, which must succeed."""
    program.send({"cmd": "say", "text": text, "id": text})
    program.idle(text)
    assert program.texts()[-1] == f"heard {text}"
    assert program.all("error") == []


def told(program: PipeProgram) -> list[str]:
    """The beginnings of all warnings."""
    return [w["message"].partition(":")[0] for w in program.all("warning")]


def hear_of_both(program: PipeProgram) -> None:
    while not {REQUESTS, OUTPUT} <= set(told(program)):
        assert program.next() is not None, program.stderr


def requests(folder: Path) -> int:
    """How many model calls a whole file of them holds."""
    (file,) = folder.rglob("requests*.db")
    with closing(sqlite3.connect(":memory:")) as db:
        # SQLite would follow a path through /proc into our own file system.
        db.deserialize(file.read_bytes())
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        return db.execute("SELECT COUNT(*) FROM kept").fetchone()[0]


def printed(folder: Path, last: str) -> list[str]:
    """What the output's log holds once ``last`` is there: whole lines only."""
    end = time.monotonic() + SECONDS
    lines: list[str] = []
    while last not in lines:
        assert time.monotonic() < end, (last, lines[-3:])
        time.sleep(0.02)
        lines = [n for f in folder.rglob("*.log") for n in f.read_text().splitlines()]
    assert [line for line in lines if not WHOLE.fullmatch(line)] == []
    return [line for line in lines if line.startswith("<")]


def sessions_at(tmp_path: Path) -> list[str]:
    """Options that keep sessions on a disk that is well."""
    return ["--session-service-uri", f"sqlite:///{tmp_path / 'sessions.db'}"]


def test_requests_and_output_that_a_full_disk_refuses_are_told_once_and_kept_again_later(
    tmp_path: Path,
) -> None:
    agent = write_agent(tmp_path, TALKS)
    disk = Disk(tmp_path / "disk", 600_000)
    options = {"in_memory": False, "env": homes(disk.folder), "within": disk.within}
    with PipeProgram(agent, *sessions_at(tmp_path), **options) as program:
        program.of_type("ready")
        say(program, "one")
        pid = program.process.pid
        seen = disk.seen_by(pid)
        kept, last = requests(seen), "<one 199 of 200 lines>"
        lines = printed(seen, last)
        assert kept >= 1
        disk.fill(pid)
        for text in ("two", "three", "four"):
            say(program, text)
        hear_of_both(program)
        assert requests(seen) == kept
        assert printed(seen, last)[: len(lines)] == lines
        disk.free(pid)
        say(program, "five")
        assert requests(seen) == kept + 1
        printed(seen, "<five 199 of 200 lines>")
        program.end_input()
        assert program.exit_code() == 0
        assert sorted(told(program)) == [REQUESTS, OUTPUT]


def test_on_a_disk_that_is_read_only_the_agent_goes_on_and_each_file_is_told_once(
    tmp_path: Path,
) -> None:
    agent = write_agent(tmp_path, TALKS)
    disk = Disk(tmp_path / "disk")
    read_only = ("sh", "-c", 'mount -o remount,ro "$0" && exec "$@"', str(disk.folder))
    within = (*disk.within, *read_only)
    options = {"in_memory": False, "env": homes(disk.folder), "within": within}
    with PipeProgram(agent, *sessions_at(tmp_path), **options) as program:
        program.of_type("ready")
        for text in ("one", "two", "three"):
            say(program, text)
        hear_of_both(program)
        program.end_input()
        assert program.exit_code() == 0
        assert sorted(told(program)) == [REQUESTS, OUTPUT]
        assert all("Read-only" in w["message"] for w in program.all("warning"))
