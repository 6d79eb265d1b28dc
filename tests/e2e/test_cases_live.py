"""A live conversation as it was recorded from the case's scripted connection."""

from pathlib import Path

import pytest

from adk_tui.core.chat_items import AgentText, ToolCard, UserTurn
from adk_tui.core.event_reader import read_event
from adk_tui.core.reports import SessionOpened, Status
from adk_tui.core.session import SessionView
from adk_tui.core.summary import one_line

RECORDED = Path(__file__).parent / "recorded" / "live_transcripts.jsonl"


def told(lines: list[bytes]) -> SessionView:
    view = SessionView()
    view.apply([SessionOpened("s", "user", "tea_room"), Status("running")])
    for line in lines:
        view.apply([read_event(line)])
    return view


def recorded() -> list[bytes]:
    return RECORDED.read_bytes().splitlines()


def test_c35_a_finished_transcription_is_one_line_that_replaces_its_pieces() -> None:
    view = told(recorded())
    said = [i.text for i in view.transcript.items if isinstance(i, AgentText)]
    assert [i.text for i in view.transcript.items if isinstance(i, UserTurn)] == ["hello"]
    assert said.count("hi there") == 1
    assert said.count("While it brews, let me tell you a story.") == 1
    assert "hi " not in said
    assert "you a story." not in said


def test_c35_a_background_tool_runs_until_its_response_and_a_live_call_is_a_ticket() -> None:
    lines = recorded()
    answered = next(n for n, line in enumerate(lines) if b'"brewed"' in line)
    (brew,) = [i for i in told(lines[:answered]).transcript.items if isinstance(i, ToolCard)]
    assert (brew.call.name, brew.state) == ("brew", "running")
    view = told(lines)
    cards = {i.call.name: i for i in view.transcript.items if isinstance(i, ToolCard)}
    assert cards["brew"].state == "done"
    assert [(t.name, t.is_open) for t in view.tickets.tickets] == [("ask_cook", True)]


def test_c35_audio_is_a_size_and_no_event_is_without_a_row() -> None:
    view = told(recorded())
    audio = [e for e in view.log if b"inlineData" in e.raw]
    assert audio
    assert all("audio/pcm" in one_line(e) and "300 B" in one_line(e) for e in audio)
    assert len(view.log) == len(recorded())


@pytest.mark.skip(reason="There is no live engine yet: interruption marks and reconnecting need it")
def test_c35_an_interruption_is_marked_and_a_lost_connection_offers_to_connect_again() -> None:
    """To be driven through the live engine on tests/cases/c35_live_transcripts."""
