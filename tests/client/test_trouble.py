"""When a person hears of what fails."""

from adk_tui.client.trouble import Trouble


def test_a_trouble_is_told_when_it_begins_and_not_again_while_it_lasts_or_comes_back() -> None:
    trouble = Trouble()
    told = [trouble.news(p) for p in ("", "full", "full", "closed", "", "full", "", "closed")]
    assert told == ["", "full", "", "", "", "", "", "closed"]
