"""Does what commands ask, on google-adk's own Runner, one command at a time."""

import asyncio
import base64
import binascii
import json
from contextlib import aclosing
from dataclasses import replace
from typing import assert_never

from google.adk.agents.run_config import RunConfig
from google.adk.errors import StaleSessionError
from google.adk.events.event import Event
from google.adk.events.event_actions import EventActions
from google.adk.runners import Runner
from google.adk.sessions.session import Session
from google.genai import types

from adk_tui.core.commands import (
    Answer,
    Attachment,
    Cancel,
    Command,
    DeleteSession,
    EditState,
    ListSessions,
    NewSession,
    OpenSession,
    Quit,
    Reload,
    Restart,
    Rewind,
    Say,
    Start,
    Stop,
    Transfer,
)
from adk_tui.core.jsontools import JsonObject, as_flag
from adk_tui.core.records import POLICY, EventRecord, read_event
from adk_tui.core.reports import AgentNode, Done, Failure, Notice, Ready, SessionList
from adk_tui.core.routing import next_agent, transfer_targets
from adk_tui.core.wire import COMMAND_NAMES
from adk_tui.engine.channel import Channel
from adk_tui.engine.desk import Desk
from adk_tui.engine.dump import dump_event, restore
from adk_tui.engine.failures import EngineError, classify
from adk_tui.engine.loader import Loaded
from adk_tui.engine.recorder import Recorder, in_words
from adk_tui.engine.session import Conversation, Reason
from adk_tui.engine.stores import Stores

BUSY_WITH_ITSELF = frozenset({"reload", "restart"})
"""Commands that only the client can carry out: they replace this process."""

PARTING = 3.0
"""Seconds that closing toolsets and plugins may take."""


class Host:
    """The loaded agent with its open session; carries out commands."""

    def __init__(
        self,
        start: Start,
        loaded: Loaded,
        root: AgentNode,
        stores: Stores,
        channel: Channel,
        desk: Desk,
    ) -> None:
        self._start = start
        self._loaded = loaded
        self._root = root
        self._channel = channel
        self._desk = desk
        self._stores = stores
        self._recorder = Recorder(channel)
        self._aside: set[asyncio.Task[None]] = set()
        self._recorder.tools_changed = desk.tools_changed
        desk.running = self._recorder.running
        app = loaded.app.model_copy(update={"plugins": [self._recorder, *loaded.app.plugins]})
        self._runner = Runner(
            app=app,
            app_name=loaded.app_name,
            session_service=stores.sessions,
            artifact_service=stores.artifacts,
            memory_service=stores.memory,
            credential_service=stores.credentials,
        )
        resumability = loaded.app.resumability_config
        self.resumable = bool(resumability and resumability.is_resumable)
        # The enum of the modes moves about in ADK; their values do not.
        mode = "sse" if start.streaming else None
        self._run_config = RunConfig.model_validate({"streaming_mode": mode})
        self._conversation = Conversation(stores.sessions, loaded.app_name, channel)

    async def serve(self, ready: Ready) -> None:
        """Open the session ``start`` asks for, then carry out commands until ``Quit``.

        Raises:
            EngineError: the session cannot be opened.
        """
        session, reason = await self._first_session()
        capabilities = COMMAND_NAMES - BUSY_WITH_ITSELF
        self._channel.send(replace(ready, resumable=self.resumable, capabilities=capabilities))
        for notice in self._stores.notices:
            self._channel.send(Notice(notice, "warning"))
        self._begin(session, reason)
        if self._start.seal:
            await self._seal()
        self._desk.aside = self._list_aside
        self._desk.phase("ready")
        while True:
            command_id, command = await self._desk.next()
            if isinstance(command, Quit):
                await self._close()
                self._desk.done(Done(command_id), last=True)
                return
            self._desk.done(await self._carry_out(command_id, command))

    async def _first_session(self) -> tuple[Session, Reason]:
        start, conversation = self._start, self._conversation
        if start.events:
            events = [e for raw in start.events if (e := _read(raw)) is not None]
            session = await conversation.rebuild(start.user, start.state, start.session_id, events)
            return session, "restart"
        if start.session_id:
            return await conversation.find(start.user, start.session_id), "start"
        return await conversation.create(start.user, start.state), "start"

    def _begin(self, session: Session, reason: Reason) -> None:
        self._recorder.session_id = session.id
        self._conversation.begin(session, reason)

    async def _seal(self) -> None:
        try:
            await self._conversation.seal(str(self._runner.agent.name))
        except EngineError as error:
            self._channel.send(error.failure)

    def _list_aside(self, command_id: int, command: Command) -> None:
        async def carry_out() -> None:
            # What a turn tells meanwhile is not what this command brought.
            self._channel.send(replace(await self._carry_out(command_id, command), events=0))

        task = asyncio.create_task(carry_out())
        self._aside.add(task)
        task.add_done_callback(self._aside.discard)

    async def _close(self) -> None:
        try:
            await asyncio.wait_for(self._runner.close(), PARTING)
        except Exception as error:
            self._channel.send(Notice(f"The agent did not close well: {in_words(error)}"))

    async def _carry_out(self, command_id: int, command: Command) -> Done:
        conversation = self._conversation
        before = conversation.told
        try:
            done = await self._dispatch(command_id, command)
        except StaleSessionError as error:
            done = await self._stale(command_id, error)
        except Exception as error:
            done = Done(command_id, ok=False, failure=self._failure(error))
        return replace(done, events=max(0, conversation.told - before))

    async def _dispatch(self, command_id: int, command: Command) -> Done:
        conversation = self._conversation
        match command:
            case Say(text, attachments):
                parts = [types.Part(text=text)] if text else []
                return await self._run(command_id, [*parts, *map(_blob, attachments)])
            case Answer(_, answers, policy):
                return await self._run(
                    command_id,
                    [
                        types.Part(
                            function_response=types.FunctionResponse(
                                id=a.call_id,
                                name=a.name,
                                response=dict(a.response),
                                will_continue=True if a.will_continue else None,
                            )
                        )
                        for a in answers
                    ],
                    metadata={POLICY: policy} if policy else None,
                )
            case Transfer(agent):
                return await self._transfer(command_id, agent)
            case EditState(delta):
                await conversation.catch_up()
                await conversation.append("user", EventActions(state_delta=dict(delta)))
                gone = ", ".join(k for k in delta if k.startswith("temp:"))
                note = f"ADK does not store {gone}: temp: keys end with a turn." if gone else ""
                return Done(command_id, note=note)
            case Rewind(invocation_id):
                await conversation.catch_up()
                await self._runner.rewind_async(
                    user_id=conversation.user,
                    session_id=conversation.id,
                    rewind_before_invocation_id=invocation_id,
                )
                return Done(command_id)
            case NewSession(state, session_id):
                self._begin(await conversation.create(self._start.user, state, session_id), "new")
                return Done(command_id)
            case OpenSession(session_id, user):
                self._begin(await conversation.find(user or self._start.user, session_id), "open")
                return Done(command_id)
            case ListSessions():
                self._channel.send(SessionList(await conversation.infos()))
                return Done(command_id)
            case DeleteSession(session_id, user):
                await conversation.delete(user or self._start.user, session_id)
                return Done(command_id)
            case Stop() | Cancel() | Reload() | Restart() | Quit():
                raise AssertionError(f"the desk takes {command} itself")
            case _:
                assert_never(command)

    async def _run(
        self, command_id: int, parts: list[types.Part], metadata: JsonObject | None = None
    ) -> Done:
        if not parts:
            raise EngineError("bad.command", "There is nothing to send.", "Type a message first.")
        conversation, recorder = self._conversation, self._recorder
        signal = asyncio.Event()
        self._desk.stoppable(signal.set)
        await conversation.catch_up()
        if signal.is_set():
            return Done(command_id, stopped=True, note="Stopped before it began.")
        conversation.last_error = None
        run = self._runner.run_async(
            user_id=conversation.user,
            session_id=conversation.id,
            new_message=types.Content(role="user", parts=parts),
            run_config=self._with(metadata),
            abort_signal=signal,
        )
        try:
            async with aclosing(run) as events:
                async for event in events:
                    conversation.tell(event)
        except StaleSessionError:
            raise
        except (Exception, asyncio.CancelledError) as error:
            if _is_ending():
                raise
            if not signal.is_set():
                shown = conversation.last_error
                return Done(
                    command_id,
                    ok=False,
                    failure=self._failure(error),
                    event_id="" if shown is None else shown.id,
                )
        finally:
            recorder.settle()
        return Done(command_id, stopped=signal.is_set())

    def _with(self, metadata: JsonObject | None) -> RunConfig:
        """The run's settings; ``metadata`` goes into its events, the user's own included."""
        if not metadata:
            return self._run_config
        own = dict(self._run_config.custom_metadata or {})
        return self._run_config.model_copy(update={"custom_metadata": {**own, **metadata}})

    async def _transfer(self, command_id: int, agent: str) -> Done:
        conversation = self._conversation
        await conversation.catch_up()
        records = [_record(e) for e in await conversation.events()]
        targets = {t.agent: t for t in transfer_targets(self._root, records)}
        target = targets.get(agent)
        if target is None:
            names = ", ".join(t.agent for t in targets.values() if t.reachable)
            raise EngineError(
                "transfer.unknown",
                f"There is no agent {agent}.",
                f"Within reach: {names or 'none'}.",
            )
        if target.active:
            return Done(command_id, note=f"{agent} answers next already.")
        if not target.reachable:
            raise EngineError(
                "transfer.unreachable",
                f"{agent} cannot take over the conversation: {target.reason}",
                "The agent tree shows who can.",
            )
        for author, hop in target.hops:
            event = await conversation.append(author, EventActions(transfer_to_agent=hop))
            records.append(_record(event))
        route = next_agent(self._root, records, resumable=self.resumable)
        if route.agent != agent:
            raise EngineError(
                "transfer.failed",
                f"The transfer was stored, but {route.agent} answers next: {route.why}",
                "Rewind undoes it.",
            )
        return Done(command_id, note=f"{agent} answers next: {route.why}")

    async def _stale(self, command_id: int, error: StaleSessionError) -> Done:
        await self._conversation.resync()
        return Done(command_id, ok=False, failure=self._failure(error))

    def _failure(self, error: BaseException) -> Failure:
        return classify(error, folder=self._loaded.folder, tool=self._recorder.tool_error)


def _is_ending() -> bool:
    """Whether the engine itself is being taken down, not only the run."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def _blob(attachment: Attachment) -> types.Part:
    try:
        data = base64.b64decode(attachment.data, altchars=b"-_", validate=True)
    except (binascii.Error, ValueError) as error:
        raise EngineError(
            "bad.attachment",
            f"{attachment.name} did not arrive whole: {error}",
            "Attach the file again.",
        ) from error
    blob = types.Blob(data=data, mime_type=attachment.mime_type, display_name=attachment.name)
    return types.Part(inline_data=blob)


def _record(event: Event) -> EventRecord:
    return read_event(dump_event(event))


def _read(raw: bytes) -> Event | None:
    """An event of a log as ADK's own; None for a partial, which no store keeps."""
    source = restore(json.loads(raw))
    return None if as_flag(source.get("partial")) else Event.model_validate(source)
