"""What kind of event a record is: the word its row shows, and all words a filter finds it by."""

from adk_tui.core.records import (
    REQUEST_NAMES,
    Blob,
    Call,
    Code,
    EventRecord,
    OtherPart,
    Response,
    Text,
)

KINDS: dict[str, str] = {
    "unread": "bytes that are no event",
    "stopped": "the end of an invocation that was stopped",
    "error": "an error code was set",
    "rewind": "earlier invocations were undone",
    "compaction": "earlier events were summarised for the model",
    "ticket": "something that waits for a person was asked",
    "transfer": "another agent takes over",
    "call": "the model calls a function",
    "answer": "a person answers a call",
    "response": "a function's result",
    "user": "a message of the user",
    "text": "text of an agent",
    "thought": "reasoning of a model",
    "code": "code to run, or its result",
    "file": "an image, a file or other data",
    "speech": "a transcript of what was spoken",
    "output": "the output of a workflow node",
    "credential": "credentials are asked for",
    "artifact": "an artifact was saved",
    "state": "the state was changed",
    "escalate": "a loop ends",
    "workflow": "progress of a resumable workflow",
    "other": "a part of a kind not known here",
    "empty": "nothing that shows",
    "partial": "a piece of an event that is still streaming",
}
"""Every kind and what it means; an event of several kinds is shown as the first of them."""


def is_ticket(record: EventRecord) -> bool:
    """Whether the event asks for something a person has to give.

    Calls in partials may have throw-away ids, so only final events count. An id
    without a call asks for nothing that could be given.
    """
    return not record.partial and any(
        isinstance(p, Call) and (p.id in record.long_running_tool_ids or p.name in REQUEST_NAMES)
        for p in record.parts
    )


def kinds_of(record: EventRecord) -> tuple[str, ...]:
    """Every kind that fits, the most telling first; ``partial`` is always the first of a partial.

    Actions of a partial are left out: ADK shares one object among all events of
    a model call, so they belong to the final one.
    """
    if "not a JSON object" in record.problems:
        return ("unread",)
    found: set[str] = set()
    for part in record.parts:
        match part:
            case Text(thought=True):
                found.add("thought")
            case Text():
                found.add("user" if record.author == "user" else "text")
            case Call():
                found.add("call")
            case Response():
                found.add("response")
                # ADK writes responses of task agents under the author "user" too,
                # with a node path.
                if record.author == "user" and not record.node_path:
                    found.add("answer")
            case Code():
                found.add("code")
            case Blob():
                found.add("file")
            case OtherPart():
                found.add("other")
    if record.aborted:
        found.add("stopped")
    elif record.error_code or record.error_message:
        found.add("error")
    if record.input_transcription or record.output_transcription:
        found.add("speech")
    if record.has_output:
        found.add("output")
    if record.partial:
        return ("partial", *(kind for kind in KINDS if kind in found))
    if is_ticket(record):
        found.add("ticket")
    found |= _action_kinds(record)
    return tuple(kind for kind in KINDS if kind in found) or ("empty",)


def _action_kinds(record: EventRecord) -> set[str]:
    actions = record.actions
    found = {
        "rewind": bool(actions.rewind_before_invocation_id),
        "compaction": bool(actions.compaction),
        "transfer": bool(actions.transfer_to_agent),
        "credential": bool(actions.requested_auth_configs),
        "artifact": bool(actions.artifact_delta),
        "state": bool(actions.state_delta),
        "escalate": actions.escalate,
        "workflow": actions.agent_state is not None or actions.end_of_agent,
    }
    return {kind for kind, fits in found.items() if fits}


def kind_of(record: EventRecord) -> str:
    """The one word for a row, a key of ``KINDS``."""
    return kinds_of(record)[0]
