"""A conversation with an App on ADK's real Runner, in this process, for tests of agents."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

from google.adk.agents.run_config import RunConfig, StreamingMode
from google.adk.apps.app import App
from google.adk.events.event import Event
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.genai import types


@dataclass
class Heard:
    """What one message brought: final events, and the partial text of each author."""

    events: list[Event] = field(default_factory=list)
    partials: list[Event] = field(default_factory=list)

    @property
    def calls(self) -> list[tuple[str, str, dict[str, Any]]]:
        """Author, name and arguments of every call, in order."""
        return [
            (event.author, call.name or "", dict(call.args or {}))
            for event in self.events
            for call in event.get_function_calls()
        ]

    @property
    def results(self) -> list[tuple[str, dict[str, Any]]]:
        """Name and response of every tool, in order."""
        return [
            (response.name or "", dict(response.response or {}))
            for event in self.events
            for response in event.get_function_responses()
        ]

    @property
    def text(self) -> str:
        """The final text of the turn."""
        texts = [text_of(event) for event in self.events if text_of(event)]
        return texts[-1] if texts else ""

    @property
    def author(self) -> str:
        """Who spoke last."""
        return self.events[-1].author if self.events else ""


def text_of(event: Event) -> str:
    """The text of an event."""
    parts = event.content.parts if event.content and event.content.parts else []
    return "".join(part.text or "" for part in parts)


class Talk:
    """One session of one app."""

    def __init__(self, app: App, *, streaming: bool = False) -> None:
        self.app = app
        self.sessions = InMemorySessionService()
        self.runner = Runner(app=app, session_service=self.sessions)
        mode = StreamingMode.SSE if streaming else StreamingMode.NONE
        self.config = RunConfig(streaming_mode=mode)
        self.session_id = ""
        self.pending: list[types.FunctionCall] = []

    async def _run(self, message: types.Content) -> Heard:
        if not self.session_id:
            session = await self.sessions.create_session(app_name=self.app.name, user_id="u")
            self.session_id = session.id
        heard = Heard()
        run: AsyncIterator[Event] = self.runner.run_async(
            user_id="u", session_id=self.session_id, new_message=message, run_config=self.config
        )
        async for event in run:
            if event.partial:
                heard.partials.append(event)
                continue
            heard.events.append(event)
            open_ids = event.long_running_tool_ids or set()
            self.pending += [c for c in event.get_function_calls() if c.id in open_ids]
        return heard

    async def say(self, text: str) -> Heard:
        """Send a text."""
        return await self._run(types.Content(role="user", parts=[types.Part(text=text)]))

    async def answer(self, response: dict[str, Any], place: int = -1) -> Heard:
        """Answer an open call, the newest by default."""
        call = self.pending[place]
        answer = types.FunctionResponse(id=call.id, name=call.name, response=response)
        part = types.Part(function_response=answer)
        return await self._run(types.Content(role="user", parts=[part]))

    async def state(self) -> dict[str, Any]:
        """The session's stored state."""
        session = await self.sessions.get_session(
            app_name=self.app.name, user_id="u", session_id=self.session_id
        )
        assert session is not None
        return dict(session.state)
