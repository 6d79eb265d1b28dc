"""Does what commands ask, on google-adk's own Runner, one command at a time."""

import asyncio
from dataclasses import replace
from typing import Any, assert_never

from google.adk.errors import StaleSessionError
from google.adk.runners import Runner
from google.adk.sessions.session import Session
from google.genai import types

from adk_tui.core.commands import (
    Answer,
    Attachment,
    Cancel,
    Command,
    Configure,
    DeleteSession,
    EditState,
    Fork,
    ListArtifacts,
    ListSessions,
    NewSession,
    OpenSession,
    Quit,
    ReadArtifact,
    Reload,
    RenameSession,
    Resend,
    Restart,
    RestoreSession,
    Rewind,
    RunSettings,
    SaveArtifact,
    Say,
    Start,
    Stop,
    Transfer,
)
from adk_tui.core.records import POLICY
from adk_tui.core.reports import (
    ArtifactList,
    Done,
    Failure,
    Notice,
    Ready,
    SessionList,
    Settings,
)
from adk_tui.core.wire import COMMAND_NAMES
from adk_tui.engine.artifacts import Artifacts, decode
from adk_tui.engine.channel import Channel
from adk_tui.engine.desk import Desk
from adk_tui.engine.failures import EngineError
from adk_tui.engine.gate import Gate
from adk_tui.engine.listing import records_of
from adk_tui.engine.loader import Loaded
from adk_tui.engine.rebuild import rebuild
from adk_tui.engine.recorder import Recorder, in_words
from adk_tui.engine.session import Conversation, Reason
from adk_tui.engine.settings import Models
from adk_tui.engine.stored_sessions import StoredSessions
from adk_tui.engine.stores import Stores, observe_memory
from adk_tui.engine.titles import Titles
from adk_tui.engine.tree import describe
from adk_tui.engine.turns import Turns, answer, message, saved_as
from adk_tui.engine.wheel import Wheel

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
        ready: Ready,
        stores: Stores,
        models: Models,
        settings: RunSettings,
        channel: Channel,
        desk: Desk,
    ) -> None:
        self._start = start
        self._loaded = loaded
        self._models = models
        self._channel = channel
        self._desk = desk
        self._stores = stores
        self._aside: set[asyncio.Task[None]] = set()
        self._recorder = Recorder(channel)
        self._recorder.tools_changed = desk.tools_changed
        desk.running = self._recorder.running
        self._gate = Gate()
        plugins = [self._gate, self._recorder, *loaded.app.plugins]
        self._runner = Runner(
            app=loaded.app.model_copy(update={"plugins": plugins}),
            app_name=loaded.app_name,
            session_service=stores.sessions,
            artifact_service=stores.artifacts,
            memory_service=stores.memory,
            credential_service=stores.credentials,
        )
        resumability = loaded.app.resumability_config
        self.resumable = bool(resumability and resumability.is_resumable)
        self._ready = replace(
            ready,
            resumable=self.resumable,
            capabilities=COMMAND_NAMES - BUSY_WITH_ITSELF,
            fleeting=stores.fleeting,
        )
        observe_memory(stores.memory, self._memory_used)
        self._first_state: dict[str, Any] = {}
        name = loaded.app_name
        self._titles = Titles(stores.titles, name)
        self._artifacts = Artifacts(stores.artifacts, name)
        self._conversation = conversation = Conversation(
            stores.sessions, name, channel, self._titles
        )
        self._stored = StoredSessions(
            name, conversation, self._titles, self._artifacts, channel, ready.root.name
        )
        self._wheel = Wheel(self._runner, conversation, self._gate, ready.root)
        self._wheel.resumable = self.resumable
        self._turns = Turns(
            self._runner, conversation, self._recorder, self._gate, desk, loaded.folder, settings
        )

    async def serve(self) -> None:
        """Open the session ``start`` asks for, then carry out commands until ``Quit``.

        Raises:
            EngineError: the session cannot be opened.
        """
        try:
            session, reason = await self._first_session()
        except EngineError:
            raise
        except Exception as error:
            raise EngineError(
                "store.unusable",
                f"The sessions at {self._stores.words} cannot be used: {in_words(error)}",
                "Check that the store is there and in order, or run with --in-memory.",
            ) from error
        self._channel.send(self._ready)
        for notice in self._stores.notices:
            self._channel.send(Notice(notice, "warning"))
        self._begin(session, reason)
        if self._start.seal:
            await self._seal()
        if self._start.once:
            await self._force_again(self._start.once)
        self._tell_settings()
        self._desk.aside = self._read_aside
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
        owner = start.session_user or start.user
        if start.sessions:
            lost = "" if "sessions" in self._stores.fleeting else self._stores.words
            self._first_state = await rebuild(
                start, conversation, self._titles, self._artifacts, self._channel.send, lost
            )
            return await conversation.find(owner, start.session_id), "restart"
        if start.session_id:
            return await conversation.find(owner, start.session_id), "start"
        return await conversation.create(start.user, start.state), "start"

    def _begin(self, session: Session, reason: Reason) -> None:
        self._recorder.session_id = self._gate.session_id = session.id
        if self._gate.target:
            self._gate.arm("")
            self._tell_settings()
        self._conversation.begin(session, reason, self._first_state)
        self._first_state = {}

    async def _force_again(self, agent: str) -> None:
        """Force it to take the next message, as the former process would have."""
        try:
            note = await self._wheel.transfer_once(agent)
        except EngineError as error:
            note = error.failure.message
        if not self._gate.target:
            text = f"{agent} is no longer forced to answer the next message: {note}"
            self._channel.send(Notice(text, "warning"))

    def _memory_used(self) -> None:
        """Something is in ADK's memory service now that a new process will not find there."""
        if "memory" not in self._ready.fleeting:
            self._ready = replace(self._ready, fleeting=self._ready.fleeting | {"memory"})
            self._channel.send(self._ready)

    def _tell_settings(self) -> None:
        self._channel.send(Settings(self._turns.settings, self._gate.target))

    async def _seal(self) -> None:
        try:
            await self._conversation.seal(str(self._runner.agent.name))
        except EngineError as error:
            self._channel.send(error.failure)

    def _read_aside(self, command_id: int, command: Command) -> None:
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
        conversation, stored, wheel = self._conversation, self._stored, self._wheel
        user = self._start.user
        note = ""
        match command:
            case Say(text, attachments):
                parts = await self._message(text, attachments)
                return await self._after_turn(await self._turns.run(command_id, parts))
            case Answer(_, answers, policy, session_id):
                await wheel.still_waits(answers, session_id)
                metadata = {POLICY: policy} if policy else None
                return await self._turns.run(command_id, [*map(answer, answers)], metadata)
            case Resend(invocation_id, text, attachments):
                if message(text, attachments):
                    note = await wheel.rewind(invocation_id)
                parts = await self._message(text, attachments)
                done = await self._after_turn(await self._turns.run(command_id, parts))
                return replace(done, note=f"{note} {done.note}".strip())
            case Transfer(agent, once):
                if once:
                    note = await wheel.transfer_once(agent)
                    self._tell_settings()
                else:
                    note = await wheel.transfer(agent)
            case EditState(delta):
                note = await wheel.edit_state(delta)
            case Rewind(invocation_id):
                note = await wheel.rewind(invocation_id)
            case Configure(settings):
                note = self._configure(settings)
            case NewSession(state, session_id):
                self._begin(await conversation.create(user, state, session_id), "new")
            case OpenSession(session_id, other):
                self._begin(await conversation.find(other or user, session_id), "open")
            case ListSessions():
                self._channel.send(SessionList(await conversation.infos()))
            case DeleteSession(session_id, other):
                note = await stored.delete(other or user, session_id)
            case RestoreSession():
                note = await stored.restore(command)
            case RenameSession(session_id, other, title):
                note = await stored.rename(other or user, session_id, title)
            case Fork():
                session, note = await stored.fork(command)
                self._begin(session, "fork")
            case ListArtifacts():
                await self._list_artifacts()
            case ReadArtifact(name, version):
                content = await self._artifacts.read(
                    conversation.user, conversation.id, name, version
                )
                self._channel.send(content)
            case SaveArtifact(name, mime_type, data):
                note = await self._save_artifact(name, mime_type, decode(name, data))
            case Stop() | Cancel() | Reload() | Restart() | Quit():
                raise AssertionError(f"the desk takes {command} itself")
            case _:
                assert_never(command)
        return Done(command_id, note=note)

    async def _message(self, text: str, attachments: tuple[Attachment, ...]) -> list[types.Part]:
        """A message as ADK's parts, its files saved as artifacts where the settings say so."""
        if not self._turns.settings.save_input_blobs_as_artifacts:
            return message(text, attachments)
        for file in attachments:
            await self._save_artifact(file.name, file.mime_type, decode(file.name, file.data))
        return [*message(text, ()), *saved_as([a.name for a in attachments])]

    async def _after_turn(self, done: Done) -> Done:
        """Tell what came of a forced turn, if this was one."""
        if not self._gate.target:
            return done
        note = await self._wheel.told_once()
        self._tell_settings()
        return replace(done, note=note) if done.ok else done

    def _configure(self, settings: RunSettings) -> str:
        turns, models = self._turns, self._models
        changed = settings.model != turns.settings.model
        turns.configure(settings)
        note = ""
        if changed:
            offline = models.use(settings.model)
            root = describe(self._loaded.app.root_agent)
            self._wheel.root = root
            self._ready = replace(self._ready, root=root, offline=offline)
        if settings.model and not models.named:
            note = "No agent here gives its model by name, so every model stays as it is."
        elif settings.model in self._ready.offline:
            note = f"The credentials for {settings.model} are not set: the offline model answers."
        if settings.streaming != self._ready.streaming or changed:
            self._ready = replace(self._ready, streaming=settings.streaming)
            self._channel.send(self._ready)
        self._tell_settings()
        return note

    async def _list_artifacts(self) -> None:
        user, session = self._conversation.user, await self._conversation.whole()
        infos = await self._artifacts.infos(user, session.id, records_of(session.events))
        self._channel.send(ArtifactList(session.id, infos))

    async def _save_artifact(self, name: str, mime_type: str, data: bytes) -> str:
        conversation = self._conversation
        await conversation.catch_up()
        user, session_id = conversation.user, conversation.id
        version = await self._artifacts.save(user, session_id, name, mime_type, data)
        await conversation.saved(name, version)
        return f"{name} is stored as version {version}."

    async def _stale(self, command_id: int, error: StaleSessionError) -> Done:
        await self._conversation.resync()
        return Done(command_id, ok=False, failure=self._failure(error))

    def _failure(self, error: BaseException) -> Failure:
        return self._turns.failure(error)
