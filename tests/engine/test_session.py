"""The open session costs no more than what is new in it."""

from google.adk.events.event import Event
from google.adk.sessions.base_session_service import GetSessionConfig
from google.adk.sessions.in_memory_session_service import InMemorySessionService
from google.genai import types

from adk_tui.core.wire import decode_record
from adk_tui.engine.channel import Channel
from adk_tui.engine.session import OVERLAP, Conversation, title_of


class Tape(Channel):
    """A channel that keeps its frames."""

    def __init__(self) -> None:
        super().__init__(-1)
        self.frames: list[bytes] = []

    def _write(self, frame: bytes) -> None:
        self.frames.append(frame)

    def records(self):
        return [decode_record(f) for f in self.frames]


class Watched(InMemorySessionService):
    """Counts what is asked of it."""

    def __init__(self) -> None:
        super().__init__()
        self.configs: list[GetSessionConfig | None] = []

    async def get_session(self, *, app_name, user_id, session_id, config=None):
        self.configs.append(config)
        return await super().get_session(
            app_name=app_name, user_id=user_id, session_id=session_id, config=config
        )


def event(text: str, timestamp: float) -> Event:
    content = types.Content(role="user", parts=[types.Part(text=text)])
    return Event(author="user", invocation_id="i", content=content, timestamp=timestamp)


async def test_catching_up_reads_only_the_newest_events():
    service, tape = Watched(), Tape()
    conversation = Conversation(service, "app", tape)
    conversation.begin(await conversation.create("user", {}, "s"), "new")
    session = await service.get_session(app_name="app", user_id="user", session_id="s")
    for number in range(50):
        await service.append_event(session, event(str(number), 1000.0 + number))
    service.configs.clear()
    told = len(tape.frames)
    await conversation.catch_up()
    (config,) = service.configs
    assert config is not None
    assert config.after_timestamp == 1049.0 - OVERLAP
    assert len(tape.frames) == told


async def test_appending_reads_no_events_at_all():
    service = Watched()
    conversation = Conversation(service, "app", Tape())
    conversation.begin(await conversation.create("user", {}, "s"), "new")
    service.configs.clear()
    await conversation.append("user", event("x", 1.0).actions)
    (config,) = service.configs
    assert config is not None
    assert config.num_recent_events == 0


async def test_an_event_is_told_once_whoever_tells_it_first():
    service, tape = Watched(), Tape()
    conversation = Conversation(service, "app", tape)
    conversation.begin(await conversation.create("user", {}, "s"), "new")
    session = await service.get_session(app_name="app", user_id="user", session_id="s")
    one = event("one", 1.0)
    await service.append_event(session, one)
    conversation.tell(one)
    await conversation.catch_up()
    assert sum(b'"text":"one"' in f for f in tape.frames) == 1
    assert conversation.told == 1


async def test_events_of_other_sessions_are_not_told():
    service, tape = Watched(), Tape()
    conversation = Conversation(service, "app", tape)
    conversation.begin(await conversation.create("user", {}, "s"), "new")
    other = await service.create_session(app_name="app", user_id="user", session_id="other")
    await service.append_event(other, event("elsewhere", 1.0))
    assert not any(b"elsewhere" in f for f in tape.frames)


def test_a_title_is_the_first_thing_the_user_said():
    answer = Event(author="root", content=types.ModelContent("Hello"))
    assert title_of([answer, event("what \n is it?", 1.0), event("more", 2.0)]) == "what is it?"
    assert title_of([answer]) == ""
