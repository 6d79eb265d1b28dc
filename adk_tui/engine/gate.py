"""The model gate: one model answer that is ours, a call of ADK's own ``transfer_to_agent``.

Some agents cannot hold the conversation (a SequentialAgent, one that may not
transfer to its parent), so no event can make them answer next. What a model may
always do is call ``transfer_to_agent`` in the middle of a turn. So the active
agent's next answer is replaced by that call, and so is that of every agent on
the way (``core.forced``); nothing else is touched (golden streams
``transfer_plugin_*``).
"""

from collections.abc import Mapping

from google.adk.agents.callback_context import CallbackContext
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.plugins.base_plugin import BasePlugin
from google.genai import types
from typing_extensions import override

TOOL = "transfer_to_agent"
NAME = "adk_tui_gate"


class Gate(BasePlugin):
    """Replaces model answers of the session ``session_id`` until ``target`` has its turn.

    It must come before every other plugin: then nobody takes the call for a
    model's. ``used`` says that all hops were made, ``refused`` why one was not.
    """

    def __init__(self) -> None:
        super().__init__(name=NAME)
        self.session_id = ""
        self.target = ""
        self.used = False
        self.refused = ""
        self._hops: Mapping[str, str] = {}

    def arm(self, target: str, hops: Mapping[str, str] | None = None) -> None:
        """Make ``target`` take the next turn, each agent handing over as ``hops`` says.

        An empty target takes that back.
        """
        self.target, self.used, self.refused = target, False, ""
        self._hops = hops or {}

    @override
    async def before_model_callback(
        self, *, callback_context: CallbackContext, llm_request: LlmRequest
    ) -> LlmResponse | None:
        """Answer in the model's place, once."""
        if not self.target or self.used or self.refused:
            return None
        if callback_context.session.id != self.session_id:
            return None
        agent = callback_context.agent_name
        to = self._hops.get(agent, "")
        if not to:
            self.refused = f"{agent} was asked instead, who is not on the way to it."
            return None
        if TOOL not in llm_request.tools_dict:
            self.refused = f"{agent} may not hand over to anybody, so its model has no {TOOL}."
            return None
        self.used = to == self.target
        call = types.FunctionCall(name=TOOL, args={"agent_name": to})
        content = types.Content(role="model", parts=[types.Part(function_call=call)])
        return LlmResponse(content=content)
