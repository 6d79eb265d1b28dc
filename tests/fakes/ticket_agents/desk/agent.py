"""One agent with every kind of tool that waits for a human; the app is not resumable."""

from google.adk.agents import LlmAgent
from orders import Orders, tools

root_agent = LlmAgent(name="desk", model=Orders(), tools=tools())
