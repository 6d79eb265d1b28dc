from adk_tui.core.ages import age, ago
from adk_tui.core.reports import Running, Status
from adk_tui.tui.widgets.status import Piece, activity, count, duration, fit


def test_the_least_important_parts_go_first() -> None:
    pieces = [Piece("aaaa", "", 2), Piece("bbbb", "", 5), Piece("cccc", "", 0)]
    assert [p.text for p in fit(pieces, 16)] == ["aaaa", "bbbb", "cccc"]
    assert [p.text for p in fit(pieces, 15)] == ["aaaa", "cccc"]
    assert [p.text for p in fit(pieces, 5)] == ["cccc"]


def test_what_must_be_seen_stays_however_narrow() -> None:
    assert [p.text for p in fit([Piece("OFFLINE MODEL", "", 0)], 4)] == ["OFFLINE MODEL"]


def test_wide_characters_count_as_two() -> None:
    pieces = [Piece("日本", "", 1), Piece("x", "", 0)]
    assert [p.text for p in fit(pieces, 6)] == ["x"]


def test_the_longest_running_tool_is_named_with_its_time() -> None:
    status = Status(
        "running", running=(Running("slow", "1", "a", 2.0), Running("old", "2", "a", 9))
    )
    assert activity(status, 1.5)[0] == "▶ old 10.5s +1"


def test_hostile_tool_names_are_harmless() -> None:
    status = Status("running", running=(Running("a\x1b[2J", "1", "a", 0),))
    assert "\x1b" not in activity(status, 0)[0]


def test_times_and_counts_are_short() -> None:
    assert [duration(s) for s in (0, 59.94, 65, 7380)] == ["0.0s", "59.9s", "1m 05s", "2h 03m"]
    assert [count(n) for n in (812, 12_345, 999_950, 1_234_567)] == ["812", "12.3k", "1.0M", "1.2M"]
    assert [age(s) for s in (-5, 2, 80, 300, 7200, 200_000)] == [
        "just now", "just now", "80 s", "5 min", "2 h", "2 d",
    ]  # fmt: skip
    assert ago(300) == "5 min ago"
    assert ago(0) == "just now"
