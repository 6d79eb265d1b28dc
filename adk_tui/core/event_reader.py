"""Reads an event from ADK's own JSON: camelCase or snake_case, of any version.

Reading is total: it never raises, whatever the bytes are. What was odd about
them is listed in ``EventRecord.problems``, so nothing is hidden without a mark.
"""

import json
import math
import sys
from typing import cast

from adk_tui.core.jsontools import (
    JsonObject,
    as_flag,
    as_int,
    as_list,
    as_number,
    as_object,
    as_text,
    parse,
    pick,
)
from adk_tui.core.records import (
    NO_ACTIONS,
    POLICY,
    Actions,
    Blob,
    Call,
    Code,
    EventRecord,
    OtherPart,
    Part,
    Response,
    Text,
    Usage,
)


def _shared(value: object) -> str:
    # The same few names stand in every event; one copy of each is enough.
    text = as_text(value)
    return sys.intern(text) if type(text) is str else text


def _base64_size(data: object) -> int:
    if not isinstance(data, str):
        marked = as_object(data)
        return as_int(marked.get("size"), -1) if "size" in marked else -1
    stripped = data.rstrip("=")
    return len(stripped) * 3 // 4


def _read_part(value: object) -> Part | None:
    source = as_object(value)
    if (call := pick(source, "functionCall")) is not None:
        c = as_object(call)
        return Call(as_text(c.get("id")), as_text(c.get("name")), as_object(c.get("args")))
    if (response := pick(source, "functionResponse")) is not None:
        r = as_object(response)
        body = r.get("response")
        return Response(
            as_text(r.get("id")),
            as_text(r.get("name")),
            {"result": body} if body and not as_object(body) else as_object(body),
            as_flag(pick(r, "willContinue")),
            len(as_list(r.get("parts"))),
        )
    if source.get("text") is not None:
        return Text(as_text(source["text"]), as_flag(source.get("thought")))
    if (data := pick(source, "inlineData")) is not None:
        b = as_object(data)
        return Blob(
            as_text(pick(b, "mimeType")),
            _base64_size(b.get("data")),
            as_text(pick(b, "displayName")),
        )
    if (data := pick(source, "fileData")) is not None:
        b = as_object(data)
        return Blob(
            as_text(pick(b, "mimeType")),
            -1,
            as_text(pick(b, "displayName")),
            as_text(pick(b, "fileUri")),
        )
    if (code := pick(source, "executableCode")) is not None:
        c = as_object(code)
        return Code(as_text(c.get("code")), as_text(c.get("language")))
    if (result := pick(source, "codeExecutionResult")) is not None:
        c = as_object(result)
        return Code(as_text(c.get("output")), as_text(c.get("outcome")), result=True)
    keys = tuple(str(k) for k, v in source.items() if v is not None)
    return OtherPart(keys) if keys else None


def _read_usage(value: object) -> Usage | None:
    u = as_object(value)
    if not u:
        return None
    return Usage(
        prompt=as_int(pick(u, "promptTokenCount")),
        output=as_int(pick(u, "candidatesTokenCount")),
        thoughts=as_int(pick(u, "thoughtsTokenCount")),
        cached=as_int(pick(u, "cachedContentTokenCount")),
        total=as_int(pick(u, "totalTokenCount")),
    )


def _read_actions(value: object) -> Actions:
    a = as_object(value)
    if not any(a.values()) and pick(a, "agentState") is None:
        return NO_ACTIONS
    state = pick(a, "agentState")
    return Actions(
        state_delta=as_object(pick(a, "stateDelta")),
        artifact_delta=as_object(pick(a, "artifactDelta")),
        transfer_to_agent=as_text(pick(a, "transferToAgent")),
        transfer_reason=as_text(pick(a, "transferReason")),
        escalate=as_flag(a.get("escalate")),
        skip_summarization=as_flag(pick(a, "skipSummarization")),
        requested_auth_configs=as_object(pick(a, "requestedAuthConfigs")),
        requested_tool_confirmations=as_object(pick(a, "requestedToolConfirmations")),
        compaction=as_object(a.get("compaction")),
        rewind_before_invocation_id=as_text(pick(a, "rewindBeforeInvocationId")),
        agent_state=None if state is None else as_object(state),
        end_of_agent=as_flag(pick(a, "endOfAgent")),
        route=a.get("route"),
        render_ui_widgets=len(as_list(pick(a, "renderUiWidgets"))),
        set_model_response=pick(a, "setModelResponse"),
    )


def _sources(event: JsonObject) -> int:
    grounding = as_object(pick(event, "groundingMetadata"))
    citation = as_object(pick(event, "citationMetadata"))
    return len(as_list(pick(grounding, "groundingChunks"))) + len(
        as_list(citation.get("citations"))
    )


def read_event(
    data: bytes | str | JsonObject, *, inner_of: str = "", received: float = 0.0
) -> EventRecord:
    """Read one event from ADK's JSON. Total: never raises.

    Bytes that are no JSON object give a record without parts whose
    ``problems`` say so and whose ``raw`` holds them.
    """
    if isinstance(data, str):
        data = data.encode("utf-8", "surrogatepass")
    if isinstance(data, bytes):
        raw = data
        parsed = parse(data)
    else:
        parsed = data
        try:
            raw = json.dumps(data, default=repr).encode("ascii", "backslashreplace")
        except (TypeError, ValueError, RecursionError):
            raw = as_text(cast(object, data)).encode("utf-8", "backslashreplace")
    problems: list[str] = []
    event = as_object(parsed)
    if not isinstance(parsed, dict):
        problems.append("not a JSON object")
    content = as_object(event.get("content"))
    raw_parts = as_list(content.get("parts"))
    parts = tuple(p for p in map(_read_part, raw_parts) if p is not None)
    if len(parts) != len(raw_parts):
        problems.append("empty part")
    if not event.get("id"):
        problems.append("no id")
    if not event.get("author"):
        problems.append("no author")
    timestamp = as_number(event.get("timestamp"))
    if not math.isfinite(timestamp):
        problems.append("no finite timestamp")
        timestamp = 0.0
    node = as_object(pick(event, "nodeInfo"))
    return EventRecord(
        id=as_text(event.get("id")),
        invocation_id=_shared(pick(event, "invocationId")),
        author=_shared(event.get("author")),
        timestamp=timestamp,
        source=raw,
        parts=parts,
        role=_shared(content.get("role")),
        actions=_read_actions(event.get("actions")),
        partial=as_flag(event.get("partial")),
        branch=_shared(event.get("branch")),
        node_path=_shared(node.get("path")),
        isolation_scope=_shared(pick(event, "isolationScope")),
        long_running_tool_ids=tuple(
            str(i) for i in as_list(pick(event, "longRunningToolIds")) if i is not None
        ),
        error_code=as_text(pick(event, "errorCode")),
        error_message=as_text(pick(event, "errorMessage")),
        finish_reason=_shared(pick(event, "finishReason")),
        usage=_read_usage(pick(event, "usageMetadata")),
        model_version=_shared(pick(event, "modelVersion")),
        turn_complete=as_flag(pick(event, "turnComplete")),
        interrupted=as_flag(event.get("interrupted")),
        has_output=event.get("output") is not None,
        input_transcription=as_text(as_object(pick(event, "inputTranscription")).get("text")),
        output_transcription=as_text(as_object(pick(event, "outputTranscription")).get("text")),
        sources=_sources(event),
        policy=as_text(as_object(pick(event, "customMetadata")).get(POLICY)),
        inner_of=inner_of,
        received=received,
        problems=tuple(problems),
    )
