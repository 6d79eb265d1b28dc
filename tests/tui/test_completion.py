from collections.abc import Sequence
from pathlib import Path

import pytest

from adk_tui.client.attach import AttachError, attach
from adk_tui.client.completion import complete, mentioned


def vocabulary(kind: str) -> Sequence[tuple[str, str]]:
    return {"agent": [("billing", "LlmAgent"), ("root", "answers next")]}.get(kind, [])


def texts(before: str, *, first: bool = True) -> list[str]:
    return [c.text for c in complete(before, first, vocabulary)]


def test_a_slash_offers_the_commands_that_begin_so() -> None:
    assert texts("/rew") == ["/rewind"]
    assert {"/rewind", "/reload"} <= set(texts("/re"))


def test_a_command_offers_the_names_it_takes() -> None:
    assert texts("/transfer ") == ["billing", "root"]
    assert texts("/transfer bil") == ["billing"]
    assert texts("/transfer oo") == ["root"]


def test_commands_stand_only_at_the_beginning_of_the_message() -> None:
    assert texts("/re", first=False) == []
    assert texts("say /re") == []
    assert texts("//re") == []


def test_an_at_sign_offers_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "notes.txt").write_text("n")
    (tmp_path / "night").mkdir()
    (tmp_path / ".hidden").write_text("h")
    monkeypatch.chdir(tmp_path)
    assert texts("look at @n") == ["@night/", "@notes.txt"]
    assert texts("@") == ["@night/", "@notes.txt"]
    assert texts("@.h") == ["@.hidden"]
    assert texts("mail me@n") == []


def test_a_name_with_a_space_is_quoted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "my notes.txt").write_text("n")
    monkeypatch.chdir(tmp_path)
    assert texts("@my") == ['@"my notes.txt"']
    assert texts('@"my n') == ['@"my notes.txt"']
    assert mentioned('see @"my notes.txt" and @b') == ("my notes.txt", "b")


def test_a_file_name_with_control_characters_is_not_offered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a\x1b[31m").write_text("")
    monkeypatch.chdir(tmp_path)
    assert texts("@a") == []


def test_files_are_attached_with_type_and_content(tmp_path: Path) -> None:
    picture = tmp_path / "p.png"
    picture.write_bytes(b"\x89PNG\r\n")
    plain = tmp_path / "README"
    plain.write_text("read me")
    one, two = attach((str(picture), str(plain)))
    assert (one.name, one.mime_type, one.data) == ("p.png", "image/png", "iVBORw0K")
    assert (two.name, two.mime_type) == ("README", "text/plain")


def test_a_mention_that_is_no_file_stays_text() -> None:
    assert attach(("somebody",)) == ()


@pytest.mark.parametrize("name", ["missing.txt", "no/such", "/dev/null"])
def test_what_looks_like_a_file_and_is_none_is_refused_with_the_reason(name: str) -> None:
    with pytest.raises(AttachError, match="@"):
        attach((name,))


def test_too_large_a_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "big.bin"
    with file.open("wb") as out:
        out.truncate(21_000_000)
    with pytest.raises(AttachError, match="too large"):
        attach((str(file),))
