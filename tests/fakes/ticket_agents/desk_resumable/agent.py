"""The desk in a resumable app."""

from google.adk.agents import LlmAgent
from google.adk.apps.app import App, ResumabilityConfig
from orders import Orders, tools

root_agent = LlmAgent(name="desk", model=Orders(), tools=tools())
app = App(
    name="desk_resumable",
    root_agent=root_agent,
    resumability_config=ResumabilityConfig(is_resumable=True),
)
