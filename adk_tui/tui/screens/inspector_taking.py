"""What can be taken out of the inspector: the text of a tab, and the images and files in it."""

import json
from collections.abc import Sequence

from textual.screen import Screen

from adk_tui.core.brief import size
from adk_tui.core.export import Embedded, embedded, event_json, suffix_of
from adk_tui.core.requests import read_request
from adk_tui.core.sanitize import file_name, line
from adk_tui.core.summary import full_text
from adk_tui.tui.messages import Tell
from adk_tui.tui.screens.save_as import SaveAs, Saved
from adk_tui.tui.widgets.inspector_state import state_around
from adk_tui.tui.widgets.inspector_summary import Subject
from adk_tui.tui.widgets.pretty import whole_json


def tab_text(tab: str, subject: Subject) -> tuple[str, str]:
    """What a tab has to copy, and what that is called; no text where there is none.

    The times are a picture, whose text only its page knows.
    """
    record, reveal = subject.record, subject.reveal
    match tab:
        case "summary":
            return full_text(record, reveal=reveal), "The event in words"
        case "json":
            return event_json(record, reveal=reveal), "The event as JSON"
        case "state":
            around = state_around(subject)
            body = {"before": around.before, "delta": around.delta, "after": around.after}
            return whole_json(body, reveal), "The state as JSON"
        case _:
            raw = _raw(tab, subject)
            text = whole_json(_parsed(raw), reveal) if raw else ""
            return text, f"The {tab} as JSON"


def tab_data(tab: str, subject: Subject) -> list[Embedded]:
    """The images and other data in what a tab shows: of the model's call, or of the event."""
    source: object = subject.record.json()
    if tab in ("request", "response") and subject.found() is not None:
        raw = _raw(tab, subject)
        source = read_request(raw).raw if tab == "request" else _parsed(raw)
    return list(embedded(source))


def _raw(tab: str, subject: Subject) -> bytes:
    found = subject.found()
    if found is None:
        return b""
    return found.call.request if tab == "request" else found.call.response


def _parsed(raw: bytes) -> object:
    try:
        return json.loads(raw)
    except (ValueError, RecursionError):
        return None


def save_each(
    screen: Screen[int | None], data: Sequence[Embedded], event: int, at: int = 0
) -> None:
    """Ask where to save each of ``data``, one after the other; ``event`` counts from 1."""
    each = data[at]
    stem = file_name(each.name) if each.name else f"event-{event}-{at + 1}"
    name = stem if "." in stem else stem + suffix_of(each.mime_type)
    try:
        content = each.data()
    except ValueError as error:
        screen.post_message(Tell(f"This cannot be saved: {error}.", warning=True))
        return
    count = f" ({at + 1} of {len(data)})" if len(data) > 1 else ""
    title = f"Save {line(each.mime_type, 60)}, {size(len(content))}{count}"

    def saved(answer: Saved | None) -> None:
        if answer is not None:
            screen.post_message(Tell(f"Saved {answer.path}."))
            if at + 1 < len(data):
                save_each(screen, data, event, at + 1)

    asking = SaveAs(title, name, lambda _path, _reveal: content)
    screen.app.push_screen(asking, saved)  # pyright: ignore[reportUnknownMemberType]
