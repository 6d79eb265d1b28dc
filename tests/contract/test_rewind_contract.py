"""Our preview of a rewind against what ADK's own rewind does, on every recorded session."""

import json
from pathlib import Path

import pytest
from google.adk.artifacts.in_memory_artifact_service import InMemoryArtifactService
from google.adk.events.event import Event
from google.adk.sessions import _rewind_utils
from google.adk.sessions.in_memory_session_service import InMemorySessionService

from adk_tui.core.event_reader import read_event
from adk_tui.core.rewind_preview import artifact_versions, preview_rewind
from adk_tui.core.state import diff, state_at
from adk_tui.core.tickets import read_tickets
from adk_tui.engine.copies import replay
from adk_tui.engine.listing import records_of

GOLDEN = Path(__file__).parents[1] / "golden"
SESSIONS = sorted(p.name.removesuffix(".jsonl") for p in GOLDEN.glob("*.jsonl")
                  if not p.name.endswith(".stream.jsonl"))  # fmt: skip


def stored(name: str) -> list[Event]:
    lines = (GOLDEN / f"{name}.jsonl").read_text().splitlines()
    return [Event.model_validate(json.loads(line)) for line in lines]


@pytest.mark.parametrize("name", SESSIONS)
async def test_a_preview_tells_what_adk_does(name: str) -> None:
    events = stored(name)
    for invocation in dict.fromkeys(e.invocation_id for e in events):
        service, artifacts = InMemorySessionService(), InMemoryArtifactService()
        session = await service.create_session(app_name="a", user_id="u")
        await replay(service, session, events)
        session = await service.get_session(app_name="a", user_id="u", session_id=session.id)
        assert session is not None
        before = records_of(session.events)
        plan = preview_rewind(before, invocation)
        assert plan is not None
        await _rewind_utils.rewind_session(
            session_service=service,
            session=session,
            rewind_before_invocation_id=invocation,
            artifact_service=artifacts,
            app_name="a",
        )
        after = records_of(session.events)
        told = diff(state_at(before, len(before) - 1), state_at(after, len(after) - 1))
        assert told == plan.state
        delta = after[-1].actions.artifact_delta
        assert {a.name for a in plan.artifacts} == set(delta)
        open_before = {t.key for t in read_tickets(before) if t.is_open}
        open_after = {t.key for t in read_tickets(after) if t.is_open}
        assert {t.key for t in plan.withdrawn} == open_before - open_after
        assert {t.key for t in plan.reopened} == open_after - open_before


def test_a_rewind_to_nowhere_has_no_preview() -> None:
    assert preview_rewind([], "nope") is None


def test_artifact_versions_are_those_saved_last() -> None:
    events = [
        read_event({"id": str(n), "author": "a", "timestamp": n, "actions": {"artifactDelta": d}})
        for n, d in enumerate([{"x": 0, "y": 4}, {"x": 2}])
    ]
    assert artifact_versions(events) == {"x": 2, "y": 4}
