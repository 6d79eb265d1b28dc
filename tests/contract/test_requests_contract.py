"""Requests are built by google-adk itself, from recorded sessions; every message is found again."""

import json
from collections import Counter

import pytest
from google.adk.events.event import Event
from google.adk.flows.llm_flows.contents import _get_contents

from adk_tui.core.event_log import EventLog
from adk_tui.core.event_reader import read_event
from adk_tui.core.reports import ModelCall
from adk_tui.core.request_events import Sources, sources
from adk_tui.core.requests import read_request
from tests.golden_table import GOLDEN

SESSIONS = sorted(p for p in GOLDEN.glob("*.jsonl") if not p.name.endswith(".stream.jsonl"))


def requests_of(name: str) -> list[tuple[list[str], Sources, EventLog]]:
    """For each answer of a model: the request ADK would build, and what is found of it."""
    raws = [line for line in (GOLDEN / name).read_bytes().splitlines() if line.strip()]
    events = [Event.model_validate_json(raw) for raw in raws]
    log = EventLog()
    log.extend(map(read_event, raws))
    found: list[tuple[list[str], Sources, EventLog]] = []
    for number, made in enumerate(events):
        if made.author == "user" or not made.content or made.get_function_responses():
            continue
        contents = _get_contents(
            made.branch,
            events[:number],
            made.author,
            isolation_scope=made.isolation_scope,
            node_path=made.node_info.path,
        )
        written = [c.model_dump(mode="json", by_alias=True, exclude_none=True) for c in contents]
        raw = json.dumps({"contents": written, "config": {}}).encode()
        call = ModelCall("m", made.author, "i", event_id=made.id, started=made.timestamp)
        request = read_request(raw)
        assert len(request.messages) == len(contents)
        found.append(([json.dumps(w) for w in written], sources(request, call, log), log))
    return found


@pytest.mark.parametrize("path", SESSIONS, ids=lambda p: p.stem)
def test_every_message_of_a_request_is_traced_to_its_events(path):
    for written, found, log in requests_of(path.name):
        for message, sent in zip(written, found.sent, strict=True):
            assert sent.how not in ("added", "changed"), message
            assert sent.events
            quoted = message.startswith('{"parts": [{"text": "For context:')
            assert (sent.how == "quoted") == quoted
        held = {i for sent in found.sent for i in sent.events}
        hidden = {h.index for h in found.hidden}
        assert not held & hidden
        assert all(not log[i].partial for i in held | hidden)


def test_the_reasons_for_hidden_events_are_the_ones_adk_has():
    told = Counter(
        hidden.reason.partition(",")[0]
        for path in SESSIONS
        for _, found, _ in requests_of(path.name)
        for hidden in found.hidden
    )
    assert told["undone by a rewind"]
    assert told["on another branch"]
    assert told["belongs to another task"]
    assert told["a summary takes its place"]
    assert told["asks a person; models are not shown that"]
    assert told["a newer result of the same call takes its place"]
    assert told["between a call and the answer that came later; ADK sends only those two"]
    # What has no better reason than this is a small part.
    assert told["left out by ADK"] < 0.06 * sum(told.values())
