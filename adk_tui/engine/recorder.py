"""A plugin that watches the real run: model calls as sent, tools as they run, inner runs.

Put first in ``App.plugins`` it sees everything without touching the agent. A
plugin that raises aborts the run, so every callback is guarded: better a gap
in the record than a broken agent.
"""

import logging
import time
import uuid
from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Protocol

from google.adk.agents.callback_context import CallbackContext
from google.adk.agents.invocation_context import InvocationContext
from google.adk.events.event import Event
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.plugins.base_plugin import BasePlugin
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.tool_context import ToolContext
from typing_extensions import override

from adk_tui.core.records import Usage
from adk_tui.core.reports import ModelCall, Running, ToolRun
from adk_tui.engine.dump import dump, dump_event

NAME = "adk_tui_recorder"

STOPPED = "stopped"
"""The error of a call or tool run that the end of its run cut short."""

_log = logging.getLogger("adk_tui.recorder")

_parent: ContextVar[str] = ContextVar("adk_tui_parent_call", default="")


class Sink(Protocol):
    """Where what was seen goes."""

    def send(self, record: ModelCall | ToolRun, /) -> None:
        """Take a call or a tool run."""
        ...

    def send_event(self, raw: bytes, *, inner_of: str = "") -> None:
        """Take an event of an inner run, as JSON."""
        ...


@contextmanager
def _guarded(what: str) -> Generator[None]:
    try:
        yield
    except Exception:
        _log.warning("adk-tui could not record %s", what, exc_info=True)


@dataclass(slots=True)
class _Call:
    told: ModelCall
    actions: object
    request: LlmRequest
    response: LlmResponse | None = None
    first_token: float = 0.0
    ended: float = 0.0
    chunks: int = 0
    event_id: str = ""
    error: str = ""
    complete: bool = False


@dataclass(slots=True)
class _Run:
    told: ToolRun
    began: float
    parent: str


def _usage(response: LlmResponse | None) -> Usage | None:
    usage = response.usage_metadata if response is not None else None
    if usage is None:
        return None
    return Usage(
        prompt=usage.prompt_token_count or 0,
        output=usage.candidates_token_count or 0,
        thoughts=usage.thoughts_token_count or 0,
        cached=usage.cached_content_token_count or 0,
        total=usage.total_token_count or 0,
    )


def in_words(error: BaseException) -> str:
    """An exception in one line."""
    text = str(error).strip()
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


class Recorder(BasePlugin):
    """Watches runs and tells ``sink`` of model calls, tool runs and inner events.

    Runs of the session ``session_id`` are the conversation's own; those of any
    other are inner runs (AgentTool), told as children of the tool call that is
    being run (ADK_FACTS: a ContextVar finds it, for parallel and nested ones too).
    ``tools_changed`` is called whenever a tool run begins or ends.
    """

    def __init__(self, sink: Sink) -> None:
        super().__init__(name=NAME)
        self.session_id = ""
        self.tool_error: tuple[BaseException, str] | None = None
        """The newest exception that a tool raised, and the tool's name."""
        self.tools_changed: Callable[[], None] = lambda: None
        self._sink = sink
        self._calls: dict[int, _Call] = {}
        self._runs: dict[tuple[str, str], _Run] = {}
        self.count = 0
        """How many model calls have begun."""
        self._name = uuid.uuid4().hex[:8]

    def running(self) -> tuple[Running, ...]:
        """The tool runs in progress, oldest first. May be asked from any thread."""
        now = time.monotonic()
        return tuple(
            Running(r.told.name, r.told.call_id, r.told.agent, max(0.0, now - r.began))
            for r in list(self._runs.values())
        )

    def settle(self) -> None:
        """The conversation's run is over: close whatever never told its end."""
        for call in self._calls.values():
            if not call.complete:
                call.error = call.error or ("" if call.ended else STOPPED)
                self._complete(call)
        self._calls.clear()
        for key in list(self._runs):
            self._end_run(key, STOPPED)
        self.tool_error = None

    @override
    async def before_model_callback(
        self, *, callback_context: CallbackContext, llm_request: LlmRequest
    ) -> None:
        """A request goes out."""
        with _guarded("a request"):
            self.count += 1
            session_id = callback_context.session.id
            told = ModelCall(
                # Calls of processes before and after this one stand beside its own.
                id=f"{self._name}-{self.count}",
                agent=callback_context.agent_name,
                invocation_id=callback_context.invocation_id,
                model=llm_request.model or "",
                session_id=session_id,
                parent_call_id=self._parent_of(session_id),
                started=time.time(),
            )
            actions = callback_context.actions
            self._calls[id(actions)] = _Call(told, actions, llm_request)
            self._sink.send(told)

    @override
    async def after_model_callback(
        self, *, callback_context: CallbackContext, llm_response: LlmResponse
    ) -> None:
        """A response, or a chunk of it, came in."""
        with _guarded("a response"):
            call = self._calls.get(id(callback_context.actions))
            if call is None:
                return
            now = time.time()
            call.first_token = call.first_token or now
            call.chunks += 1
            if not llm_response.partial:
                call.ended, call.response = now, llm_response
            elif call.response is None:
                call.response = llm_response

    @override
    async def on_model_error_callback(
        self, *, callback_context: CallbackContext, llm_request: LlmRequest, error: Exception
    ) -> None:
        """The model raised."""
        with _guarded("a model's error"):
            call = self._calls.get(id(callback_context.actions))
            if call is not None:
                call.error = in_words(error)
                self._complete(call)

    @override
    async def on_event_callback(
        self, *, invocation_context: InvocationContext, event: Event
    ) -> None:
        """An event is about to be stored; an inner run's is told here, as nothing else sees it."""
        with _guarded("an event"):
            call = self._calls.get(id(event.actions))
            if call is not None:
                call.event_id = event.id
                if not event.partial:
                    self._complete(call)
            session_id = invocation_context.session.id
            if session_id != self.session_id:
                self._sink.send_event(dump_event(event), inner_of=self._parent_of(session_id))

    @override
    async def before_tool_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext
    ) -> None:
        """A tool begins."""
        with _guarded("the begin of a tool"):
            session_id, call_id = self._run_key(tool, tool_context)
            told = ToolRun(
                call_id=call_id,
                name=tool.name,
                agent=tool_context.agent_name,
                invocation_id=tool_context.invocation_id,
                parent_call_id=self._parent_of(session_id),
                started=time.time(),
            )
            self._runs[session_id, call_id] = _Run(told, time.monotonic(), _parent.get())
            _parent.set(call_id)
            self._sink.send(told)
            self.tools_changed()

    @override
    async def after_tool_callback(
        self,
        *,
        tool: BaseTool,
        tool_args: dict[str, Any],
        tool_context: ToolContext,
        result: dict[str, Any],
    ) -> None:
        """A tool has ended."""
        with _guarded("the end of a tool"):
            self._end_run(self._run_key(tool, tool_context), "")

    @override
    async def on_tool_error_callback(
        self,
        *,
        tool: BaseTool,
        tool_args: dict[str, Any],
        tool_context: ToolContext,
        error: BaseException,
    ) -> None:
        """A tool raised, or its run was cancelled."""
        with _guarded("a tool's error"):
            if isinstance(error, Exception):
                self.tool_error = (error, tool.name)
            words = in_words(error) if isinstance(error, Exception) else STOPPED
            self._end_run(self._run_key(tool, tool_context), words)

    def _run_key(self, tool: BaseTool, context: ToolContext) -> tuple[str, str]:
        return context.session.id, context.function_call_id or tool.name

    def _parent_of(self, session_id: str) -> str:
        if session_id == self.session_id:
            return ""
        return _parent.get() or f"session:{session_id}"

    def _end_run(self, key: tuple[str, str], error: str) -> None:
        run = self._runs.pop(key, None)
        if run is None:
            return
        _parent.set(run.parent)
        t = run.told
        self._sink.send(
            ToolRun(
                t.call_id,
                t.name,
                t.agent,
                t.invocation_id,
                t.parent_call_id,
                t.started,
                ended=time.time(),
                error=error,
            )
        )
        self.tools_changed()

    def _complete(self, call: _Call) -> None:
        call.complete = True
        t = call.told
        self._sink.send(
            ModelCall(
                id=t.id,
                agent=t.agent,
                invocation_id=t.invocation_id,
                model=call.request.model or t.model,
                session_id=t.session_id,
                parent_call_id=t.parent_call_id,
                event_id=call.event_id,
                started=t.started,
                first_token=call.first_token,
                ended=call.ended or time.time(),
                chunks=call.chunks,
                request=dump(call.request),
                response=b"" if call.response is None else dump(call.response),
                usage=_usage(call.response),
                error=call.error,
            )
        )
