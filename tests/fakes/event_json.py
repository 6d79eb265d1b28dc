"""JSON of events: hypothesis strategies for what may arrive, and one event with every field set."""

from typing import Any

from hypothesis import strategies as st

FIELD_NAMES = """
content parts role author id invocationId invocation_id timestamp partial branch nodeInfo path
longRunningToolIds long_running_tool_ids errorCode error_message actions stateDelta state_delta
artifactDelta transferToAgent escalate compaction rewindBeforeInvocationId agentState route
renderUiWidgets usageMetadata promptTokenCount groundingMetadata groundingChunks output text
functionCall functionResponse response args name willContinue inlineData data mimeType thought
fileData fileUri executableCode code codeExecutionResult inputTranscription citationMetadata
"""
FIELDS = FIELD_NAMES.split()
JSON = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(), st.text(st.characters(), max_size=8)
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.one_of(st.sampled_from(FIELDS), st.text(max_size=4)), inner),
    ),
    max_leaves=40,
)
EVENT_LIKE = st.dictionaries(st.sampled_from(FIELDS), JSON, max_size=10)

WHOLE: dict[str, Any] = {
    "id": "e1",
    "invocationId": "i1",
    "author": "root",
    "timestamp": 12.5,
    "partial": True,
    "branch": "root.sub",
    "isolationScope": "c9",
    "nodeInfo": {"path": "wf@1/one@1"},
    "longRunningToolIds": ["c1"],
    "errorCode": "SAFETY",
    "errorMessage": "blocked",
    "finishReason": "SAFETY",
    "modelVersion": "m-1",
    "customMetadata": {"adk_tui_policy": "approve pay"},
    "turnComplete": True,
    "interrupted": True,
    "output": 0,
    "inputTranscription": {"text": "heard"},
    "outputTranscription": {"text": "said"},
    "groundingMetadata": {"groundingChunks": [{}, {}]},
    "citationMetadata": {"citations": [{}]},
    "usageMetadata": {
        "promptTokenCount": 1,
        "candidatesTokenCount": 2,
        "thoughtsTokenCount": 3,
        "cachedContentTokenCount": 4,
        "totalTokenCount": 6,
    },
    "content": {
        "role": "model",
        "parts": [
            {"text": "hm", "thought": True},
            {"text": "hello"},
            {"functionCall": {"id": "c1", "name": "pay", "args": {"amount": 1}}},
            {"functionResponse": {"id": "c1", "name": "pay", "response": {"ok": 1}}},
            {
                "functionResponse": {
                    "id": "c2",
                    "name": "n",
                    "response": "plain",
                    "willContinue": True,
                    "parts": [{}],
                }
            },
            {"inlineData": {"mimeType": "image/png", "data": "QUJDRA==", "displayName": "a.png"}},
            {"fileData": {"mimeType": "text/plain", "fileUri": "gs://x"}},
            {"executableCode": {"code": "1+1", "language": "PYTHON"}},
            {"codeExecutionResult": {"output": "2", "outcome": "OUTCOME_OK"}},
            {"videoMetadata": {"fps": 1}},
        ],
    },
    "actions": {
        "stateDelta": {"k": 1},
        "artifactDelta": {"f": 0},
        "transferToAgent": "sub",
        "transferReason": "why",
        "escalate": True,
        "skipSummarization": True,
        "requestedAuthConfigs": {"c1": {}},
        "requestedToolConfirmations": {"c1": {}},
        "compaction": {"startTimestamp": 1},
        "rewindBeforeInvocationId": "i0",
        "agentState": {},
        "endOfAgent": True,
        "route": "left",
        "renderUiWidgets": [{}],
        "setModelResponse": {"a": 1},
    },
}
