"""Three steps, the second of which waits; without resumability the third never runs."""

from google.adk.agents import LlmAgent, SequentialAgent
from orders import Orders, tools


def steps() -> SequentialAgent:
    """The sequence, made anew: an agent has one parent only."""
    return SequentialAgent(
        name="steps",
        sub_agents=[
            LlmAgent(name="opener", model=Orders(talks=True), instruction="Open."),
            LlmAgent(name="signer", model=Orders(), tools=tools(), instruction="Sign."),
            LlmAgent(name="closer", model=Orders(talks=True), instruction="Close."),
        ],
    )


root_agent = steps()
