"""Files that a person asks for: private, never written over another one, whole or not at all."""

import os
from pathlib import Path

TRIES = 1_000


def save_new(path: Path, data: bytes) -> Path:
    """Write ``data`` to ``path``, readable by the user alone; returns where it went.

    Where the name is taken, a number is put before its ending. Folders on the
    way are made.

    Raises:
        OSError: it cannot be written there.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    for number in range(TRIES):
        name = path if not number else path.with_name(f"{path.stem}-{number}{path.suffix}")
        try:
            handle = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            continue
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
        except OSError:
            name.unlink(missing_ok=True)
            raise
        return name
    raise FileExistsError(f"{path} and {TRIES} names like it are taken")
