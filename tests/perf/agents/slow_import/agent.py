"""An agent that takes its time to import, as agents that load data or models do."""

import os
import time

from google.adk.agents import LlmAgent

time.sleep(float(os.environ.get("SLOW_IMPORT_SECONDS", "4")))

root_agent = LlmAgent(name="slow", model="gemini-2.5-flash")
