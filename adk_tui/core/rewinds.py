"""Which events of a session still count after rewinds.

The rule is google-adk's ``events/_rewind_events.py``: ADK keeps rewound events
in the session and skips them wherever it reads it.
"""

from collections.abc import Iterator, Sequence

from adk_tui.core.event_log import History
from adk_tui.core.records import EventRecord


def live(events: Sequence[EventRecord]) -> Iterator[EventRecord]:
    """The events that no rewind has undone, newest first, without the rewind events themselves.

    Partials and events of inner runs are skipped: ADK does not store them in
    this session. Lazy, so that a reader who needs only the newest events does
    not pay for the whole session.
    """
    index = len(events) - 1
    first: dict[str, int] = {}
    while index >= 0:
        event = events[index]
        if not event.partial and not event.inner_of:
            target = event.actions.rewind_before_invocation_id
            if not target:
                yield event
            else:
                first = first or _first_of_each_invocation(events)
                start = first.get(target)
                if start is not None and start < index:
                    index = start
        index -= 1


def _first_of_each_invocation(events: Sequence[EventRecord]) -> dict[str, int]:
    if isinstance(events, History):
        return events.firsts
    first: dict[str, int] = {}
    for index, event in enumerate(events):
        if event.invocation_id and not event.partial and not event.inner_of:
            first.setdefault(event.invocation_id, index)
    return first
