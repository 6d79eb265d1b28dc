"""A small disk of its own for a program under test: it can be filled up, and made read-only.

The program runs in a mount namespace in which one folder is a file system in
memory, so nothing of the machine is touched and no right is needed beyond that
of making namespaces. The test sees the folder as the program does through
``/proc``.
"""

import contextlib
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

_MOUNT = (
    'mount -t tmpfs -o size="$1",mode=700 tmpfs "$0" && { [ -z "$2" ] || cp -R "$2"/. "$0"; } '
    '&& shift 2 && exec "$@"'
)


@cache
def _missing() -> str:
    if sys.platform != "linux" or shutil.which("unshare") is None:
        return "there is no unshare here"
    script = ["unshare", "-rm", "sh", "-c", 'mount -t tmpfs tmpfs "$0"', "/proc"]
    tried = subprocess.run(script, capture_output=True, check=False)
    return tried.stderr.decode().strip() if tried.returncode else ""


class Disk:
    """The folder, as a disk of ``size`` bytes with a copy of ``content`` on it.

    Skips the test where none can be made.
    """

    def __init__(self, folder: Path, size: int = 400_000, content: Path | None = None) -> None:
        if reason := _missing():
            pytest.skip(f"no disk of our own: {reason}")
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        script = ("unshare", "-rm", "sh", "-c", _MOUNT)
        self.within = (*script, str(folder), str(size), str(content or ""))
        """What stands before the program's own command line."""

    def seen_by(self, pid: int) -> Path:
        """The folder as the program sees it."""
        return Path(f"/proc/{pid}/root{self.folder}")

    def fill(self, pid: int, spare: int = 0) -> None:
        """Leave ``spare`` bytes free, to the block."""
        junk = self.seen_by(pid) / "junk"
        with contextlib.suppress(OSError), junk.open("ab", buffering=0) as file:
            while file.write(b"x" * 4096):
                pass
        if spare:
            with junk.open("r+b") as file:
                file.truncate(max(0, junk.stat().st_size - spare))

    def free(self, pid: int) -> None:
        """Take away what ``fill`` has put there."""
        (self.seen_by(pid) / "junk").unlink()

    def set_writable(self, pid: int, writable: bool) -> None:
        """Let it be written, or not."""
        mode = f"remount,{'rw' if writable else 'ro'}"
        enter = ["nsenter", "-t", str(pid), "-U", "-m", "--preserve-credentials"]
        subprocess.run([*enter, "mount", "-o", mode, str(self.folder)], check=True)
