"""Summarises texts through an agent that works as a tool.

The summarizer runs behind ``AgentTool``, in an inner session of its own, and
with ``skip_summarization``: its words go to the user as they are, without
another call of the outer model.

Try: "summarize: ADK is a toolkit for agents. It runs tools and agents.",
"count words: one two three".
The model is gemini-2.5-flash, or what the environment variable AGENT_MODEL names.
"""

import os
from typing import Any

from google.adk.agents import LlmAgent
from google.adk.tools.agent_tool import AgentTool

MODEL = os.environ.get("AGENT_MODEL", "gemini-2.5-flash")


def count_words(text: str) -> dict[str, Any]:
    """Count the words and characters of a text.

    Args:
        text: The text.
    """
    return {"words": len(text.split()), "characters": len(text)}


summarizer = LlmAgent(
    name="summarizer",
    model=MODEL,
    description="Writes a short summary of the text in the request.",
    instruction="Summarise the text of the request in at most two sentences. Add nothing.",
)

root_agent = LlmAgent(
    name="summary",
    model=MODEL,
    description="Summarises texts and counts their words.",
    instruction=(
        "Pass every text the user wants summarised to summarizer, whole and unchanged."
        " Count words with count_words."
    ),
    tools=[AgentTool(agent=summarizer, skip_summarization=True), count_words],
)
