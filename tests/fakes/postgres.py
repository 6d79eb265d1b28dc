"""A private PostgreSQL server from the system's own binaries, for one test run.

It listens on a free port of this machine only, keeps its files in a temporary
folder and trusts everybody: nothing of it outlives the tests.
"""

import contextlib
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
import uuid
from pathlib import Path

PATIENCE = 60.0
NEEDED = "PostgreSQL's server is not installed (Debian: apt-get install postgresql)"


class Unavailable(Exception):
    """No server can be had here; the message says why."""


def find_binaries() -> Path:
    """The folder with ``initdb`` and ``postgres``. Raises Unavailable."""
    found = sorted(
        Path("/usr/lib/postgresql").glob("*/bin/postgres"), key=lambda p: p.parts[-3].zfill(4)
    )
    if found:
        return found[-1].parent
    if on_path := shutil.which("postgres"):
        return Path(on_path).resolve().parent
    raise Unavailable(NEEDED)


class PostgresServer:
    """A running server. Raises Unavailable where it cannot be started."""

    def __init__(self) -> None:
        self._bin = find_binaries()
        self._folder = Path(tempfile.mkdtemp(prefix="adk-tui-postgres-"))
        self._user: dict[str, str | int] = {}
        if os.geteuid() == 0:
            # PostgreSQL refuses to run as root.
            try:
                account = pwd.getpwnam("postgres")
            except KeyError:
                raise Unavailable("there is no user postgres to run the server as") from None
            self._user = {"user": account.pw_uid, "group": account.pw_gid}
            os.chown(self._folder, account.pw_uid, account.pw_gid)
        data = self._folder / "data"
        made = self._run("initdb", "-D", str(data), "-U", "adk", "--auth=trust", "-N", "-E", "UTF8")
        if made.returncode:
            raise Unavailable(f"initdb failed: {made.stderr.strip()[-300:]}")
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self._log = (self._folder / "log").open("w")
        self._process = subprocess.Popen(
            [
                *(str(self._bin / "postgres"), "-D", str(data), "-k", str(self._folder)),
                *("-h", "127.0.0.1", "-p", str(self.port), "-c", "fsync=off"),
            ],
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=self._log,
            cwd=self._folder,
            **self._user,
        )
        until = time.monotonic() + PATIENCE
        while self._run("pg_isready", *self._where()).returncode:
            if self._process.poll() is not None or time.monotonic() > until:
                words = (self._folder / "log").read_text()[-300:]
                self.stop()
                raise Unavailable(f"the server did not start: {words}")
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(0.1)

    def database(self) -> str:
        """The URI of a new, empty database, as google-adk's service factory takes it."""
        name = f"t{uuid.uuid4().hex[:12]}"
        made = self._run("createdb", *self._where(), "-U", "adk", name)
        assert made.returncode == 0, made.stderr
        return f"postgresql+asyncpg://adk@127.0.0.1:{self.port}/{name}"

    def stop(self) -> None:
        """End the server and remove its files."""
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait(10)
        self._log.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _where(self) -> tuple[str, ...]:
        return ("-h", "127.0.0.1", "-p", str(self.port))

    def _run(self, name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(self._bin / name), *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE,
            cwd=self._folder,
            **self._user,
        )
