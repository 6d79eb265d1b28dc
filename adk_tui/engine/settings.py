"""Run settings as ADK takes them: a ``RunConfig`` for the turn, and which model answers."""

import os
import warnings
from typing import Any

from google.adk.agents.run_config import RunConfig
from google.adk.apps.app import App
from pydantic import ValidationError

from adk_tui.core.commands import RunSettings, Start
from adk_tui.engine import offline
from adk_tui.engine.credentials import may_work
from adk_tui.engine.failures import EngineError


def first_settings(start: Start) -> RunSettings:
    """The settings an engine begins with."""
    return start.settings or RunSettings(streaming=start.streaming, model=start.model)


def run_config(settings: RunSettings) -> RunConfig:
    """ADK's own form of the settings. Raises EngineError: what ADK does not take, and why.

    ``save_input_blobs_as_artifacts`` is not among them: google-adk 2.13 takes it
    and does nothing where an agent runs as a node, so the engine does it.
    """
    # The enum of the modes moves about in ADK; their values do not.
    given: dict[str, Any] = {"streaming_mode": "sse" if settings.streaming else None}
    if settings.max_llm_calls:
        given["max_llm_calls"] = max(0, settings.max_llm_calls)
    if settings.tool_thread_pool:
        given["tool_thread_pool_config"] = {"max_workers": settings.tool_thread_pool}
    if settings.response_modalities:
        given["response_modalities"] = [m.upper() for m in settings.response_modalities]
    if settings.custom_metadata:
        given["custom_metadata"] = dict(settings.custom_metadata)
    try:
        with warnings.catch_warnings():
            # An unknown modality only warns, and would fail in the middle of the turn.
            warnings.simplefilter("error", UserWarning)
            return RunConfig.model_validate(given)
    except ValidationError as error:
        problems = "; ".join(
            f"{'.'.join(str(p) for p in e['loc'])}: {e['msg']}" for e in error.errors()
        )
        raise _refused(problems) from error
    except UserWarning as error:
        raise _refused(str(error)) from error


def _refused(problems: str) -> EngineError:
    return EngineError(
        "settings.refused",
        f"google-adk does not take these settings: {problems}",
        "The settings are as they were.",
    )


class Models:
    """The models of an app's agents, to be replaced by name and to be brought back."""

    def __init__(self, app: App, *, force_offline: bool = False) -> None:
        self._app = app
        self._force = force_offline
        self._own: list[tuple[Any, object]] = [
            (a, a.model) for a in offline.agents(app.root_agent) if hasattr(a, "model")
        ]

    @property
    def named(self) -> bool:
        """Whether any agent gives its model by name: only those can be replaced."""
        return any(isinstance(model, str) for _, model in self._own)

    def use(self, name: str) -> tuple[str, ...]:
        """Let ``name`` take the place of every model given by name, or of none where it is empty.

        Returns the names that the offline model stands in for.
        """
        for agent, model in self._own:
            agent.model = model
        return offline.install(self._app, force=self._force, model=name)

    @staticmethod
    def reachable(name: str) -> bool:
        """Whether the credentials that a model needs are set."""
        return may_work(name, os.environ)
