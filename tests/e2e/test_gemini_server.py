"""The scripted server behaves like Gemini towards google-genai's own client."""

from collections.abc import Iterator

import pytest
from google import genai
from google.genai import errors, types

from tests.fakes import gemini_server as gemini

MODEL = "gemini-2.5-flash"


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Iterator[gemini.GeminiServer]:
    with gemini.serve() as server:
        for name, value in server.environment.items():
            monkeypatch.setenv(name, value)
        yield server


@pytest.fixture
def client(script: gemini.GeminiServer) -> genai.Client:
    return genai.Client()


Script = gemini.GeminiServer


def test_a_unary_answer_and_what_was_asked_are_kept(script: Script, client: genai.Client) -> None:
    script.replies.append(gemini.text("Hello ", "there"))
    response = client.models.generate_content(model=MODEL, contents="hi")
    assert response.text == "Hello there"
    request = script.requests[0]
    assert (request.model, request.method, request.last_text) == (MODEL, "generateContent", "hi")
    assert request.headers.get("x-goog-api-key", request.headers.get("X-Goog-Api-Key"))


def test_a_streamed_answer_comes_in_its_pieces(script: Script, client: genai.Client) -> None:
    script.replies.append(gemini.thought_and_text("Hmm.", "one ", "two"))
    chunks = list(client.models.generate_content_stream(model=MODEL, contents="hi"))
    parts = [c.candidates[0].content.parts[0] for c in chunks]  # type: ignore[index,union-attr]
    assert [(p.text, bool(p.thought)) for p in parts] == [
        ("Hmm.", True),
        ("one ", False),
        ("two", False),
    ]
    assert chunks[-1].candidates[0].finish_reason == types.FinishReason.STOP  # type: ignore[index]
    assert script.requests[0].query == "alt=sse"


def test_a_function_call_has_no_id(script: Script, client: genai.Client) -> None:
    script.replies.append(gemini.call("get_price", symbol="GOOG"))
    response = client.models.generate_content(model=MODEL, contents="hi")
    (call,) = response.function_calls or []
    assert (call.id, call.name, call.args) == (None, "get_price", {"symbol": "GOOG"})


def test_a_quota_error_tells_when_to_try_again(script: Script, client: genai.Client) -> None:
    script.replies.append(gemini.quota("41s"))
    with pytest.raises(errors.ClientError, match="RESOURCE_EXHAUSTED") as caught:
        client.models.generate_content(model=MODEL, contents="hi")
    assert caught.value.code == 429
    assert "41s" in str(caught.value.details)


def test_a_server_error_is_one(script: Script, client: genai.Client) -> None:
    script.replies.append(gemini.broken())
    with pytest.raises(errors.ServerError, match="INTERNAL"):
        client.models.generate_content(model=MODEL, contents="hi")


def test_a_cut_stream_breaks_after_its_pieces(script: Script, client: genai.Client) -> None:
    script.replies.append(gemini.cut_stream("Half a sen"))
    chunks = client.models.generate_content_stream(model=MODEL, contents="hi")
    assert next(chunks).text == "Half a sen"
    with pytest.raises(Exception, match=r"incomplete|closed|payload"):
        next(chunks)


def test_a_safety_stop_says_so(script: Script, client: genai.Client) -> None:
    script.replies.append(gemini.safety_stop("I can"))
    chunks = list(client.models.generate_content_stream(model=MODEL, contents="hi"))
    assert chunks[-1].candidates[0].finish_reason == types.FinishReason.SAFETY  # type: ignore[index]


def test_a_request_beyond_the_script_is_counted(script: Script, client: genai.Client) -> None:
    with pytest.raises(errors.ServerError, match="No reply is scripted"):
        client.models.generate_content(model=MODEL, contents="hi")
    assert script.unscripted == 1
