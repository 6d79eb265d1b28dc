"""A Gemini server on loopback, for google-genai's own HTTP client.

It speaks the part of the REST interface that agents use (``generateContent`` and
``streamGenerateContent?alt=sse``), answers each request with the next scripted
reply, and keeps what it was asked. Replies cover what a real server does on a
bad day: quota errors with a retry delay, server errors, a stream that is cut,
silence, and an answer that is stopped for safety.
"""

import json
import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Parts = list[dict[str, Any]]

HOLD = 30.0
"""Seconds a reply is held back at most."""

_PATH = re.compile(r"/(?:v1beta|v1|v1beta1)/(?:.*/)?models/([^/:]+):(\w+)(?:\?(.*))?$")


@dataclass(frozen=True)
class Reply:
    """One answer. Each chunk holds parts; a unary request gets them all joined.

    ``hold`` is waited for before the last chunk, so that a test sees the
    earlier ones arrive. ``cut`` drops the connection in the middle of the
    response, after the chunks. ``retry_after`` is the header of that name.
    """

    chunks: Sequence[Parts] = ()
    finish: str = "STOP"
    finish_message: str = ""
    status: int = 200
    error: dict[str, Any] = field(default_factory=dict)
    hold: threading.Event | None = None
    cut: bool = False
    retry_after: str = ""

    def held(self, gate: threading.Event) -> "Reply":
        """The same, with its last chunk kept back until ``gate`` is set."""
        return replace(self, hold=gate)


def text(*pieces: str) -> Reply:
    """An answer in text, streamed in these pieces."""
    return Reply([[{"text": piece}] for piece in pieces])


def thought_and_text(thought: str, *pieces: str) -> Reply:
    """A thought summary, then the answer."""
    return Reply([[{"text": thought, "thought": True}], *([{"text": p}] for p in pieces)])


def call(name: str, /, **arguments: Any) -> Reply:
    """A function call without an id, as Gemini's developer interface sends it."""
    return Reply([[{"functionCall": {"name": name, "args": arguments}}]])


def quota(retry: str = "7s") -> Reply:
    """429 with a RetryInfo, as Google's interfaces send it."""
    return Reply(
        status=429,
        error={
            "code": 429,
            "message": "You exceeded your current quota, please check your plan.",
            "status": "RESOURCE_EXHAUSTED",
            "details": [
                {
                    "@type": "type.googleapis.com/google.rpc.QuotaFailure",
                    "violations": [{"quotaMetric": "generate_content_free_tier_requests"}],
                },
                {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": retry},
            ],
        },
    )


def broken() -> Reply:
    """500, as on a bad day of the server."""
    return Reply(
        status=500,
        error={"code": 500, "message": "An internal error has occurred.", "status": "INTERNAL"},
    )


def cut_stream(*pieces: str) -> Reply:
    """Some text, then the connection is dropped before the answer is whole."""
    return replace(text(*pieces), cut=True)


def safety_stop(*pieces: str) -> Reply:
    """Text that the server stops for safety."""
    return Reply([*([{"text": p}] for p in pieces), []], finish="SAFETY")


@dataclass(frozen=True)
class Request:
    """What the client asked: the model, the method, the query string, headers and the body."""

    model: str
    method: str
    query: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def last_text(self) -> str:
        """The text of the last content."""
        parts = self.body["contents"][-1]["parts"]
        return "".join(p.get("text", "") for p in parts)

    @property
    def tools(self) -> list[str]:
        """The names of the declared functions."""
        return [
            f["name"]
            for tool in self.body.get("tools", [])
            for f in tool.get("functionDeclarations", [])
        ]


class GeminiServer:
    """The server; see ``serve``. ``replies`` are used up in order, ``requests`` grow."""

    def __init__(self, replies: Sequence[Reply]) -> None:
        self.replies = list(replies)
        self.requests: list[Request] = []
        self.unscripted = 0
        """Requests that came when the script had ended; they get a 500 that says so."""
        self._lock = threading.Lock()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._http.daemon_threads = True

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_port}"

    @property
    def environment(self) -> dict[str, str]:
        """Makes google-genai in a child process use this server, with a key that is none."""
        return {
            "GOOGLE_GEMINI_BASE_URL": self.url,
            "GOOGLE_API_KEY": "not-a-key",
            "GOOGLE_GENAI_USE_VERTEXAI": "false",
            "NO_PROXY": "127.0.0.1",
            "no_proxy": "127.0.0.1",
        }

    def start(self) -> None:
        threading.Thread(target=self._http.serve_forever, daemon=True).start()

    def close(self) -> None:
        for reply in self.replies:
            if reply.hold:
                reply.hold.set()
        self._http.shutdown()
        self._http.server_close()

    def _take(self, request: Request) -> Reply:
        with self._lock:
            self.requests.append(request)
            if self.replies:
                return self.replies.pop(0)
            self.unscripted += 1
        return replace(
            broken(), error={"code": 500, "message": "No reply is scripted.", "status": "INTERNAL"}
        )

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, format: str, *args: Any) -> None:
                """Keep the test's output clean."""

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", "0"))))
                match = _PATH.search(self.path)
                if not match:
                    self._json(404, {"error": {"code": 404, "message": f"No such {self.path}"}})
                    return
                model, method, query = match[1], match[2], match[3] or ""
                reply = server._take(Request(model, method, query, dict(self.headers), body))
                if reply.status != 200:
                    self._json(reply.status, {"error": reply.error}, retry=reply.retry_after)
                elif method == "streamGenerateContent":
                    self._stream(reply, model)
                else:
                    if reply.hold:
                        reply.hold.wait(HOLD)
                    parts = [part for chunk in reply.chunks for part in chunk]
                    self._json(200, _response(reply, model, parts, last=True), cut=reply.cut)

            def _json(
                self, status: int, value: dict[str, Any], cut: bool = False, retry: str = ""
            ) -> None:
                data = json.dumps(value).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json; charset=UTF-8")
                self.send_header("Content-Length", str(len(data)))
                if retry:
                    self.send_header("Retry-After", retry)
                self.end_headers()
                self.wfile.write(data[: len(data) // 2] if cut else data)
                self.close_connection = cut or self.close_connection

            def _stream(self, reply: Reply, model: str) -> None:
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()
                for number, parts in enumerate(reply.chunks, 1):
                    last = number == len(reply.chunks) and not reply.cut
                    if reply.hold and number == len(reply.chunks):
                        reply.hold.wait(HOLD)
                    self._chunk(_response(reply, model, parts, last=last))
                if reply.cut:
                    self.close_connection = True
                    return
                self.wfile.write(b"0\r\n\r\n")

            def _chunk(self, value: dict[str, Any]) -> None:
                data = b"data: " + json.dumps(value).encode() + b"\r\n\r\n"
                self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
                self.wfile.flush()

        return Handler


def _response(reply: Reply, model: str, parts: Parts, *, last: bool) -> dict[str, Any]:
    candidate: dict[str, Any] = {"index": 0}
    if parts:
        candidate["content"] = {"role": "model", "parts": parts}
    if last:
        candidate["finishReason"] = reply.finish
        if reply.finish_message:
            candidate["finishMessage"] = reply.finish_message
    return {
        "candidates": [candidate],
        "usageMetadata": {
            "promptTokenCount": 11,
            "candidatesTokenCount": 7,
            "totalTokenCount": 18,
        },
        "modelVersion": model,
        "responseId": "r1",
    }


@contextmanager
def serve(*replies: Reply) -> Iterator[GeminiServer]:
    """A running server with this script."""
    server = GeminiServer(replies)
    server.start()
    try:
        yield server
    finally:
        server.close()
