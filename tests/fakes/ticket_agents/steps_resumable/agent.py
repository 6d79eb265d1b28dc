"""The three steps in a resumable app: the third runs after the answer."""

from google.adk.apps.app import App, ResumabilityConfig
from steps.agent import steps

root_agent = steps()
app = App(
    name="steps_resumable",
    root_agent=root_agent,
    resumability_config=ResumabilityConfig(is_resumable=True),
)
