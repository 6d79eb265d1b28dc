import json
import stat
from pathlib import Path

from adk_tui.client.history import KEEP, LONGEST, History


def test_messages_are_kept_across_runs_in_a_file_only_the_user_can_read(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "history.jsonl"
    history = History(file)
    history.add("first")
    history.add("two\nlines")
    assert History(file).entries == ["first", "two\nlines"]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [json.loads(line) for line in file.read_text().splitlines()] == ["first", "two\nlines"]


def test_a_file_others_could_read_is_closed_to_them(tmp_path: Path) -> None:
    file = tmp_path / "history.jsonl"
    file.write_text('"old"\n')
    file.chmod(0o644)
    History(file).add("new")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_broken_line_costs_only_itself(tmp_path: Path) -> None:
    file = tmp_path / "history.jsonl"
    file.write_bytes(b'"one"\n{"not": "a string"}\n\xff\xfe\n"two\n"three"\n')
    assert History(file).entries == ["one", "three"]


def test_walking_back_and_forward_ends_at_the_draft() -> None:
    history = History(None)
    history.add("one")
    history.add("two")
    assert history.back("draft") == "two"
    assert history.back("two") == "one"
    assert history.back("one") is None
    assert history.forward() == "two"
    assert history.forward() == "draft"
    assert history.forward() is None


def test_the_same_message_twice_is_kept_once() -> None:
    history = History(None)
    history.add("one")
    history.add("one")
    assert history.entries == ["one"]


def test_a_huge_message_stays_in_memory_only(tmp_path: Path) -> None:
    file = tmp_path / "history.jsonl"
    history = History(file)
    history.add("x" * (LONGEST + 1))
    assert len(history.entries) == 1
    assert not file.exists()


def test_a_message_with_a_secret_is_remembered_but_never_written(tmp_path: Path) -> None:
    file = tmp_path / "history.jsonl"
    history = History(file)
    for text in ("one", "use api_key=hunter2LEAK", "sk-proj-hunter2LEAK0123456789", "two"):
        history.add(text)
    assert len(history.entries) == 4
    assert History(file).entries == ["one", "two"]


def test_a_long_file_is_cut_to_the_newest(tmp_path: Path) -> None:
    file = tmp_path / "history.jsonl"
    file.write_text("".join(f'"m{n}"\n' for n in range(3 * KEEP)))
    assert History(file).entries[-1] == f"m{3 * KEEP - 1}"
    assert len(file.read_text().splitlines()) == KEEP


def test_a_file_that_cannot_be_written_is_told_once_and_stops_nobody(tmp_path: Path) -> None:
    blocker = tmp_path / "file"
    blocker.write_text("")
    history = History(blocker / "history.jsonl")
    history.add("one")
    assert history.entries == ["one"]
    assert "cannot be" in history.trouble()
    history.add("two")
    assert history.trouble() == "", "once is enough"


def test_a_message_after_a_line_that_was_cut_short_is_kept_whole(tmp_path: Path) -> None:
    file = tmp_path / "history.jsonl"
    file.write_bytes(b'"one"\n"tw')
    History(file).add("three")
    History(file).add("four")
    assert History(file).entries == ["one", "three", "four"]


def test_what_could_not_be_written_is_written_as_soon_as_it_can(tmp_path: Path) -> None:
    file = tmp_path / "file" / "history.jsonl"
    file.parent.write_text("in the way")
    history = History(file)
    history.add("one")
    history.add("two")
    file.parent.unlink()
    history.add("two")
    assert History(file).entries == ["one", "two"]
    history.add("two")
    assert History(file).entries == ["one", "two"]
