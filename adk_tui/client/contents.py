"""What is in a file that came as base64: its bytes, and its text where it is one."""

import base64
import binascii


def decoded(data: str) -> bytes | None:
    """The bytes, in either alphabet of base64; None where it is none."""
    try:
        return base64.b64decode(data.replace("+", "-").replace("/", "_"), altchars=b"-_")
    except (binascii.Error, ValueError):
        return None


def as_text(data: bytes, mime_type: str = "") -> str | None:
    """The bytes as text; None where they are none."""
    if b"\0" in data[:4096]:
        return None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("utf-8", "replace") if mime_type.startswith("text/") else None
