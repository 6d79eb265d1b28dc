"""Files a person asks for are private, whole, and never take the place of another."""

import os
from pathlib import Path

import pytest

from adk_tui.client.saving import save_new


def test_a_file_is_written_for_its_owner_alone(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        path = save_new(tmp_path / "new" / "a.txt", b"x")
    finally:
        os.umask(old)
    assert path == tmp_path / "new" / "a.txt"
    assert path.read_bytes() == b"x"
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_name_that_is_taken_gets_a_number(tmp_path: Path) -> None:
    names = [save_new(tmp_path / "a.tar", bytes([n])).name for n in range(3)]
    assert names == ["a.tar", "a-1.tar", "a-2.tar"]
    assert (tmp_path / "a.tar").read_bytes() == b"\x00"


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_bytes(b"mine")
    (tmp_path / "a").symlink_to(target)
    assert save_new(tmp_path / "a", b"x").name == "a-1"
    assert target.read_bytes() == b"mine"


def test_a_place_that_is_no_folder_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match="file"):
        save_new(tmp_path / "file" / "a", b"x")
