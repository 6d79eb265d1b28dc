"""One turn of the conversation: a message goes in, google-adk's Runner does the rest."""

import asyncio
from contextlib import aclosing
from pathlib import Path

from google.adk.agents.run_config import RunConfig
from google.adk.errors import StaleSessionError
from google.adk.runners import Runner
from google.genai import types

from adk_tui.core.commands import Attachment, RunSettings, ToolAnswer
from adk_tui.core.jsontools import JsonObject
from adk_tui.core.reports import Done, Failure
from adk_tui.engine.artifacts import decode
from adk_tui.engine.desk import Desk
from adk_tui.engine.failures import EngineError, classify
from adk_tui.engine.gate import Gate
from adk_tui.engine.recorder import Recorder
from adk_tui.engine.session import Conversation
from adk_tui.engine.settings import run_config

SILENT = "The agent answered with nothing."
NOTHING = Failure(
    "model.silent",
    "The model answered with nothing.",
    "Send the message again, or say it differently.",
)


class Turns:
    """Runs turns of the open session with the settings of the moment."""

    def __init__(
        self,
        runner: Runner,
        conversation: Conversation,
        recorder: Recorder,
        gate: Gate,
        desk: Desk,
        folder: Path,
        settings: RunSettings,
    ) -> None:
        self.settings = settings
        self._runner = runner
        self._conversation = conversation
        self._recorder = recorder
        self._gate = gate
        self._desk = desk
        self._folder = folder
        self._config = run_config(settings)

    def configure(self, settings: RunSettings) -> None:
        """Run the next turns with these. Raises EngineError where ADK does not take them."""
        self._config = run_config(settings)
        self.settings = settings

    async def run(
        self, command_id: int, parts: list[types.Part], metadata: JsonObject | None = None
    ) -> Done:
        """Send a message and follow the turn to its end."""
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
        silent = True
        calls = recorder.count
        try:
            async with aclosing(run) as events:
                async for event in events:
                    silent = False
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
                    failure=self.failure(error),
                    event_id="" if shown is None else shown.id,
                )
        finally:
            recorder.settle()
        if signal.is_set():
            return Done(command_id, stopped=True)
        if not (silent and any(part.text for part in parts)):
            return Done(command_id)
        if recorder.count > calls:
            # Streamed, an answer without content brings no event at all.
            return Done(command_id, ok=False, failure=NOTHING)
        return Done(command_id, note=SILENT)

    def failure(self, error: BaseException) -> Failure:
        """What an exception of a run means."""
        return classify(error, folder=self._folder, tool=self._recorder.tool_error)

    def _with(self, metadata: JsonObject | None) -> RunConfig:
        """The run's settings; ``metadata`` goes into its events, the user's own included."""
        if not metadata:
            return self._config
        own = dict(self._config.custom_metadata or {})
        return self._config.model_copy(update={"custom_metadata": {**own, **metadata}})


def message(text: str, attachments: tuple[Attachment, ...]) -> list[types.Part]:
    """A message as ADK's parts. Raises EngineError where an attachment is not whole."""
    parts = [types.Part(text=text)] if text else []
    return [*parts, *map(_blob, attachments)]


def saved_as(names: list[str]) -> list[types.Part]:
    """What stands in a message for files that were saved as artifacts, in the words of ADK's
    ``SaveFilesAsArtifactsPlugin``, which its ``load_artifacts`` tool and its prompts know.
    """
    return [types.Part(text=f'[Uploaded Artifact: "{name}"]') for name in names]


def answer(given: ToolAnswer) -> types.Part:
    """A person's answer to a call as ADK's part."""
    return types.Part(
        function_response=types.FunctionResponse(
            id=given.call_id,
            name=given.name,
            response=dict(given.response),
            will_continue=True if given.will_continue else None,
        )
    )


def _is_ending() -> bool:
    """Whether the engine itself is being taken down, not only the run."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def _blob(attachment: Attachment) -> types.Part:
    data = decode(attachment.name, attachment.data)
    blob = types.Blob(data=data, mime_type=attachment.mime_type, display_name=attachment.name)
    return types.Part(inline_data=blob)
