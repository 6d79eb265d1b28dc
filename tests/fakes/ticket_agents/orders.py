"""What the agents of this folder share: tools that wait for a human, and a model that takes orders.

The model keeps no memory of its own: it calls the tools whose names stand in
the last message, all at once, and repeats what they answered. So a killed and
restarted engine goes on as if nothing had happened. Every run of a tool that
acts is written to the file named by ``TICKET_RUNS``, where a test can count it,
and the process to the one named by ``TICKET_PID``, where a test can kill it.
"""

import asyncio
import json
import os
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

from fastapi.openapi.models import OAuth2, OAuthFlowAuthorizationCode, OAuthFlows
from google.adk.auth.auth_credential import AuthCredential, AuthCredentialTypes, OAuth2Auth
from google.adk.auth.auth_tool import AuthConfig
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.tools import FunctionTool, LongRunningFunctionTool, ToolContext
from google.adk.tools._request_input_tool import request_input
from google.adk.tools.get_user_choice_tool import get_user_choice_tool
from google.genai import types

SEAT = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "description": "as in the passport"},
        "seats": {"type": "integer"},
        "budget": {"type": "number"},
        "window": {"type": "boolean"},
        "meal": {"type": "string", "enum": ["fish", "none"]},
        "tags": {"type": "array", "items": {"type": "string"}},
        "address": {
            "type": "object",
            "properties": {"city": {"type": "string"}, "zip": {"type": "integer"}},
            "required": ["city"],
        },
    },
    "required": ["name", "seats"],
}

ARGS: dict[str, dict[str, Any]] = {
    "pay": {"amount": 200, "to": "Bo"},
    "pay_more": {"amount": 900, "to": "Bo"},
    "render": {"title": "Moths"},
    "ship": {"box": 7},
    "wipe": {"disk": "sda"},
    "nap": {},
    "dig": {"depth": 2},
    "brew": {"cups": 2},
    "odd_job": {"what": "dig"},
    "ask": {"message": "What shall it be called?"},
    "ask_seat": {"message": "Which seat?", "response_schema": SEAT},
    "ask_number": {"message": "How many?", "response_schema": {"type": "integer"}},
    "get_user_choice": {"options": ["red", "blue"]},
}
ASKS = {"ask", "ask_seat", "ask_number"}

if place := os.environ.get("TICKET_PID"):
    Path(place).write_text(str(os.getpid()), encoding="utf-8")


def _ran(name: str) -> None:
    if path := os.environ.get("TICKET_RUNS"):
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(name + "\n")


def pay(amount: int, to: str) -> dict[str, str]:
    """Ask the office to pay. It answers later."""
    _ran("pay")
    return {"status": "pending", "ticket_id": "T-1"}


def render(title: str) -> None:
    """Start a render. Gives no answer by itself."""
    _ran("render")


def ship(box: int) -> None:
    """Hand a box to the carrier. Gives no answer by itself."""
    _ran("ship")


def odd_job(what: str) -> None:
    """A tool that waits, under a name nobody has heard of."""
    _ran("odd_job")


def wipe(disk: str) -> dict[str, str]:
    """Wipe a disk, after somebody said yes."""
    _ran("wipe")
    return {"status": "wiped", "disk": disk}


async def nap() -> dict[str, str]:
    """Sleep until the file named by ``TICKET_GATE`` is there."""
    while not Path(os.environ["TICKET_GATE"]).exists():
        await asyncio.sleep(0.02)
    return {"status": "awake"}


async def dig(depth: int) -> dict[str, str]:
    """Dig a hole, after somebody said yes; takes until the gate is open."""
    _ran("dig")
    await nap()
    return {"status": "dug"}


def brew(cups: int, tool_context: ToolContext) -> dict[str, Any]:
    """Brew coffee; how much sugar is asked for from within."""
    given = tool_context.tool_confirmation
    if given is None:
        tool_context.request_confirmation(hint="How much sugar?", payload={"sugar": 0})
        return {"status": "asked"}
    if not given.confirmed:
        return {"error": "nobody wanted coffee"}
    _ran("brew")
    return {"status": "brewed", "sugar": given.payload["sugar"]}


LOGIN = AuthConfig(
    auth_scheme=OAuth2(
        flows=OAuthFlows(
            authorizationCode=OAuthFlowAuthorizationCode(
                authorizationUrl="https://id.example.test/auth",
                tokenUrl="https://id.example.test/token",
                scopes={"calendar.read": "read"},
            )
        )
    ),
    raw_auth_credential=AuthCredential(
        auth_type=AuthCredentialTypes.OAUTH2,
        oauth2=OAuth2Auth(
            client_id="client-1", client_secret="kept-back", redirect_uri="http://localhost/cb"
        ),
    ),
)
KEY = AuthConfig(
    auth_scheme={"type": "apiKey", "in": "header", "name": "X-Key"},  # pyright: ignore
    raw_auth_credential=AuthCredential(auth_type=AuthCredentialTypes.API_KEY, api_key="kept-back"),
)


def calendar(tool_context: ToolContext) -> dict[str, str]:
    """Read the calendar, after a login."""
    given = tool_context.get_auth_response(LOGIN)
    if given is None or given.oauth2 is None or not given.oauth2.access_token:
        tool_context.request_credential(LOGIN)
        return {"status": "login needed"}
    return {"event": "dentist"}


def weather(tool_context: ToolContext) -> dict[str, str]:
    """Read the weather, with a key."""
    given = tool_context.get_auth_response(KEY)
    if given is None or given.api_key == "worthless":
        tool_context.request_credential(KEY)
        return {"status": "key needed"}
    return {"weather": "rain", "key_length": str(len(given.api_key or ""))}


def tools() -> list[Any]:
    """One tool of each kind that waits for a human."""
    return [
        LongRunningFunctionTool(pay),
        LongRunningFunctionTool(render),
        LongRunningFunctionTool(ship),
        LongRunningFunctionTool(odd_job),
        FunctionTool(wipe, require_confirmation=True),
        FunctionTool(dig, require_confirmation=True),
        nap,
        brew,
        calendar,
        weather,
        request_input,
        get_user_choice_tool,
    ]


class Orders(BaseLlm):
    """Calls what the last message names, unless it only talks; says what the tools answered."""

    model: str = "orders"
    talks: bool = False

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        """One answer."""
        parts = (llm_request.contents[-1].parts if llm_request.contents else None) or []
        answers = [p.function_response for p in parts if p.function_response]
        words = " ".join(p.text or "" for p in parts).split()
        known = [w for w in words if w in ARGS or w in ("calendar", "weather")] * (not self.talks)
        if answers:
            said = "; ".join(
                f"{a.name} said {json.dumps(a.response, sort_keys=True)}" for a in answers
            )
            made = [types.Part(text=said)]
        elif known:
            made = [types.Part(function_call=_call(w)) for w in known]
        else:
            made = [types.Part(text="heard: " + " ".join(words))]
        yield LlmResponse(content=types.Content(role="model", parts=made))


def _call(word: str) -> types.FunctionCall:
    name = "adk_request_input" if word in ASKS else word.removesuffix("_more")
    return types.FunctionCall(name=name, args=ARGS.get(word, {}))
