"""Files that go along with a message."""

import base64
import mimetypes
import stat

from adk_tui.client.paths import typed_path
from adk_tui.core.commands import Attachment
from adk_tui.core.sanitize import line

LARGEST = 20_000_000
"""Bytes of all files of one message; the Gemini API takes no more inline."""


class AttachError(ValueError):
    """A file that cannot be sent; the message says why and what to do."""


def looks_like_file(path: str) -> bool:
    """Whether ``@path`` means a file even if there is none: it names a folder or a suffix."""
    return "/" in path or "." in path.strip(".")


def attach(paths: tuple[str, ...]) -> tuple[Attachment, ...]:
    """Read the files among ``paths``; a mention that is no file stays plain text.

    Raises AttachError where a path looks like a file and cannot be sent.
    """
    found: list[Attachment] = []
    total = 0
    for text in paths:
        path = typed_path(text)
        shown = line(text)
        try:
            info = path.stat()
        except (OSError, ValueError) as error:
            if looks_like_file(text):
                reason = getattr(error, "strerror", None) or "it is no valid path"
                raise AttachError(
                    f"@{shown} cannot be attached: {reason}. Correct the path, or put a space"
                    " after the @."
                ) from error
            continue
        if not stat.S_ISREG(info.st_mode):
            if stat.S_ISDIR(info.st_mode) and not looks_like_file(text):
                continue
            raise AttachError(f"@{shown} is no regular file. Name a file, or remove the @.")
        total += info.st_size
        if total > LARGEST:
            raise AttachError(
                f"@{shown} is too large: {total / 1e6:.0f} MB, and a message takes"
                f" {LARGEST // 1_000_000} MB. Give the agent its path instead."
            )
        try:
            data = path.read_bytes()
        except OSError as error:
            raise AttachError(f"@{shown} cannot be read: {error.strerror}.") from error
        kind = mimetypes.guess_type(path.name)[0] or _guess(data)
        found.append(Attachment(path.name, kind, base64.b64encode(data).decode("ascii")))
    return tuple(found)


def _guess(data: bytes) -> str:
    try:
        data[:4096].decode("utf-8")
    except UnicodeDecodeError as error:
        if error.start < len(data[:4096]) - 4:
            return "application/octet-stream"
    return "text/plain" if b"\0" not in data[:4096] else "application/octet-stream"
