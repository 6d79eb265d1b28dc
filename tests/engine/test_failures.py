"""Exceptions of a run become a code, a sentence and a next step."""

import sqlite3
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import httpx
import pytest
from google.adk.errors import StaleSessionError
from google.adk.models.google_llm import _ResourceExhaustedError
from google.adk.plugins.base_plugin import BasePlugin
from google.adk.plugins.plugin_manager import PluginManager
from google.auth.exceptions import DefaultCredentialsError
from google.genai import Client, errors

from adk_tui.core.reports import Failure
from adk_tui.engine.failures import EngineError, classify

HERE = Path(__file__).parent


def read(error: BaseException, **more: Any) -> Failure:
    return classify(error, folder=HERE, **more)


def api(code: int, status: str, message: str, *details: dict[str, Any]) -> errors.ClientError:
    body = {"error": {"code": code, "status": status, "message": message, "details": [*details]}}
    return errors.ClientError(code, body)


RETRY = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.5s"}
BAD_KEY = {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}


def test_a_quota_error_says_when_to_try_again():
    plain = api(429, "RESOURCE_EXHAUSTED", "Quota exceeded.", RETRY)
    for error in (plain, _ResourceExhaustedError(plain)):
        failure = read(error)
        assert failure.code == "model.429"
        assert failure.retry_after == 34.5
        assert "Quota exceeded." in failure.message
        assert "34.5 s" in failure.hint


def test_the_delay_that_a_header_names_is_told_whoever_speaks_http():
    class RateLimitError(Exception):
        status_code = 429

    body = {"error": {"code": 503, "status": "UNAVAILABLE", "message": "Overloaded."}}
    for value, seconds in (("12", 12.0), (format_datetime(datetime.now(UTC)), 0.0), ("soon", 0.0)):
        response = httpx.Response(503, headers={"Retry-After": value})
        limited = RateLimitError("slow down")
        limited.response = response  # type: ignore[attr-defined]
        for error in (errors.ServerError(503, body, response), limited):
            failure = read(error)
            assert failure.retry_after == seconds
            assert ("again in 12 s" in failure.hint) is (seconds > 0)
    hour = format_datetime(datetime.now(UTC) + timedelta(hours=1))
    failure = read(
        errors.ServerError(503, body, httpx.Response(503, headers={"retry-after": hour}))
    )
    assert 3_500 < failure.retry_after <= 3_600


@pytest.mark.parametrize(
    "error",
    [
        api(401, "UNAUTHENTICATED", "no"),
        api(403, "PERMISSION_DENIED", "no"),
        api(400, "INVALID_ARGUMENT", "API key not valid.", BAD_KEY),
    ],
)
def test_a_refused_key_names_keys_and_offline(error):
    failure = read(error)
    assert failure.code == f"model.{error.code}"
    assert "GOOGLE_API_KEY" in failure.hint
    assert "--offline" in failure.hint


def test_an_error_of_the_server_says_to_send_again():
    failure = read(errors.ServerError(503, {"error": {"message": "overloaded", "code": 503}}))
    assert failure.code == "model.503"
    assert "overloaded" in failure.message
    assert "again" in failure.hint


def test_an_answer_of_the_server_that_is_no_json_is_readable():
    failure = read(errors.ServerError(500, {"message": "<html>", "status": "Oops"}))
    assert failure.code == "model.500"
    assert "<html>" in failure.message


def test_missing_credentials_name_keys_and_offline(monkeypatch):
    for name in ("GOOGLE_API_KEY", "GEMINI_API_KEY", "GOOGLE_GENAI_USE_VERTEXAI"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(ValueError, match="API") as missing:
        Client()
    for error in (missing.value, DefaultCredentialsError("none found")):
        failure = read(error)
        assert failure.code == "model.credentials"
        assert "--offline" in failure.hint


def test_a_model_behind_another_library_is_known_by_its_status():
    class RateLimitError(Exception):
        status_code = 429

    assert read(RateLimitError("slow down")).code == "model.429"


def test_a_network_that_is_down_says_so():
    assert read(httpx.ConnectError("refused")).code == "model.network"


@pytest.mark.parametrize(
    "error",
    [
        httpx.RemoteProtocolError("peer closed connection without sending complete message body"),
        httpx.ReadError("reset"),
    ],
)
def test_an_answer_that_broke_off_is_not_called_unreachable(error):
    failure = read(error)
    assert failure.code == "model.network"
    assert failure.message.startswith("The line to the model broke off")
    assert failure.hint.startswith("Send the message again.")


def test_an_answer_that_is_no_json_points_at_what_may_have_changed_it():
    failure = read(errors.UnknownApiResponseError("Failed to parse response as JSON."))
    assert failure.code == "model.answer"
    assert "proxy" in failure.hint


async def test_a_plugin_that_fails_is_named_with_its_callback_and_what_it_raised():
    class Audit(BasePlugin):
        async def before_run_callback(self, *, invocation_context: Any) -> None:
            raise ConnectionError("audit log is down")

    manager = PluginManager(plugins=[Audit(name="audit")])
    with pytest.raises(RuntimeError) as caught:
        await manager.run_before_run_callback(invocation_context=cast(Any, None))
    failure = read(caught.value)
    assert failure.code == "plugin.error"
    assert failure.message == (
        "The plugin audit failed in before_run_callback: ConnectionError: audit log is down"
    )
    assert "Fix the plugin" in failure.hint
    assert (failure.file, failure.line) == (
        __file__,
        Audit.before_run_callback.__code__.co_firstlineno + 1,
    )


def test_what_the_store_refuses_is_a_failure_of_the_store():
    assert read(sqlite3.OperationalError("database is locked")).code == "store.error"
    assert read(StaleSessionError("old")).code == "session.stale"


def test_the_cause_of_a_wrapped_error_decides():
    wrapped = RuntimeError("node failed")
    wrapped.__cause__ = api(429, "RESOURCE_EXHAUSTED", "Quota exceeded.")
    assert read(wrapped).code == "model.429"
    group = ExceptionGroup("two", [ValueError("x"), api(404, "NOT_FOUND", "no such model")])
    assert read(group).code == "model.404"


def test_a_tools_exception_is_the_tools_even_if_it_looks_like_a_models():
    error = httpx.ConnectError("refused")
    failure = read(error, tool=(error, "fetch"))
    assert failure.code == "tool.error"
    assert failure.message == "The tool fetch raised ConnectError: refused"
    assert read(error, tool=(ValueError("earlier"), "fetch")).code == "model.network"


def test_the_users_own_frames_come_first():
    def users_code() -> None:
        raise KeyError("nothing")

    with pytest.raises(KeyError) as caught:
        users_code()
    failure = read(caught.value)
    assert failure.file == __file__
    assert failure.line == users_code.__code__.co_firstlineno + 1
    assert failure.details.startswith("In your code:\n")
    assert "the agent's own code" in failure.hint
    assert "The whole traceback:" in failure.details
    elsewhere = classify(caught.value, folder=HERE / "nowhere")
    assert elsewhere.file == ""
    assert elsewhere.details.startswith("Traceback")


def test_the_place_is_that_of_the_exception_whose_words_are_told():
    def wraps() -> None:
        try:
            raise KeyError("total")
        except KeyError as error:
            raise RuntimeError("order without total") from error

    with pytest.raises(RuntimeError) as caught:
        wraps()
    failure = read(caught.value, tool=(caught.value, "bill"))
    assert failure.message == "The tool bill raised RuntimeError: order without total"
    assert failure.line == wraps.__code__.co_firstlineno + 4
    own = failure.details.partition("The whole traceback:")[0]
    assert own.index("KeyError: 'total'") < own.index("RuntimeError: order without total")


def test_a_failure_of_our_own_stays_what_it_is():
    error = EngineError("some.code", "What happened.", "What to do.")
    assert read(error) == Failure("some.code", "What happened.", "What to do.")


def test_an_error_with_a_strange_body_is_still_told():
    response = SimpleNamespace(status_code=418, reason="teapot")
    error = errors.APIError(418, {"error": "short and stout"}, response)  # type: ignore[arg-type]
    assert read(error).code == "model.418"
