import base64

import pytest

from adk_tui.client.contents import as_text, decoded


@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode])
def test_both_alphabets_of_base64_are_read(encode: "object") -> None:
    data = bytes(range(256)) * 3
    assert callable(encode)
    assert decoded(encode(data).decode()) == data


def test_what_is_no_base64_is_not_guessed() -> None:
    assert decoded("abc") is None


@pytest.mark.parametrize(
    ("data", "mime_type", "text"),
    [
        ("grüße".encode(), "application/octet-stream", "grüße"),
        (b"a\0b", "text/plain", None),
        (b"\xff\xfe", "image/png", None),
        (b"caf\xe9", "text/plain", "caf\ufffd"),
        (b"", "", ""),
    ],
)
def test_text_is_told_from_other_bytes(data: bytes, mime_type: str, text: str | None) -> None:
    assert as_text(data, mime_type) == text
