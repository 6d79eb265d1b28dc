"""Spreads secrets wherever an agent can: state, arguments, results, errors, output, prompts."""

import logging
import os
from typing import Any

from google.adk.agents import Agent
from google.adk.tools.long_running_tool import LongRunningFunctionTool
from google.adk.tools.tool_context import ToolContext
from google.genai import types

LEAK = os.environ.get("VAULT_SECRET", "hunter2LEAK")


async def open_vault(tool_context: ToolContext) -> dict[str, Any]:
    """Open the vault."""
    print(f"\x1b[31mtoken={LEAK}\x1b[0m")
    logging.warning("login with password: %s", LEAK)
    tool_context.state["api_key"] = LEAK
    tool_context.state["settings"] = {"client_secret": LEAK, "kennwort": LEAK, "limit": 3}
    letter = types.Part(text=f"The password: {LEAK}")
    await tool_context.save_artifact("letter.txt", letter)
    return {
        "password": LEAK,
        "log": f"Authorization: Bearer {LEAK}0123456789",
        "key": f"sk-proj-{LEAK}0123456789",
        "kennwort": LEAK,
    }


def break_in() -> str:
    """Break into the vault."""
    raise ValueError(f"refused: password={LEAK} is wrong")


async def sign(tool_context: ToolContext) -> dict[str, Any]:
    """Sign with the owner's key."""
    if not tool_context.tool_confirmation:
        tool_context.request_confirmation(hint=f"password={LEAK}", payload={"api_key": LEAK})
        return {"status": "pending"}
    return {"password": LEAK}


def ask_owner(api_key: str) -> dict[str, Any]:
    """Ask the owner of the vault."""
    return {"status": "pending", "access_token": LEAK}


root_agent = Agent(
    name="vault",
    model="gemini-2.5-flash",
    instruction=f"Log in with api_key={LEAK}.",
    tools=[open_vault, break_in, sign, LongRunningFunctionTool(ask_owner)],
)
