"""Reimburses expenses; above a limit a person has to approve first.

The request is a long-running tool: up to 100 it pays at once, above it opens a
ticket and stays pending until somebody answers with a status of approved or
rejected. After an approval the agent pays. That nothing is paid without one is
the tool's rule and not the model's: ``pay`` looks the approval up in the session.

Try: "reimburse 40 for lunch", "reimburse 200 for the conference".
The model is gemini-2.5-flash, or what the environment variable AGENT_MODEL names.
"""

import os
from typing import Any

from google.adk.agents import LlmAgent
from google.adk.tools import LongRunningFunctionTool, ToolContext

MODEL = os.environ.get("AGENT_MODEL", "gemini-2.5-flash")
LIMIT = 100


def request_reimbursement(purpose: str, amount: float, tool_context: ToolContext) -> dict[str, Any]:
    """Request the reimbursement of an expense. Large amounts wait for a person's approval.

    Args:
        purpose: What the money was spent on.
        amount: The amount in euros.
    """
    if amount <= 0:
        return {"status": "error", "error": "The amount must be more than zero."}
    if amount <= LIMIT:
        return {"status": "completed", "message": f"Paid {amount:g} euros for {purpose}."}
    return {
        "status": "pending",
        "ticket_id": f"R-{(tool_context.function_call_id or 'ticket')[-6:]}",
        "purpose": purpose,
        "amount": amount,
        "approver": "the finance team",
    }


def _approvals(purpose: str, amount: float, context: ToolContext) -> set[str]:
    """Ids of the requests for this purpose and amount that a person approved in this session."""
    asked: dict[str, dict[str, Any]] = {}
    approved: set[str] = set()
    for event in context.session.events:
        for call in event.get_function_calls():
            if call.name == "request_reimbursement" and call.id:
                asked[call.id] = call.args or {}
        for answer in event.get_function_responses() if event.author == "user" else ():
            given = answer.response or {}
            granted = str(given.get("status", "")).lower() == "approved"
            if answer.id and (granted or given.get("approved") is True):
                approved.add(answer.id)
    return {
        call_id
        for call_id in approved & set(asked)
        if asked[call_id].get("purpose") == purpose
        and float(asked[call_id].get("amount", 0)) == float(amount)
    }


def pay(purpose: str, amount: float, tool_context: ToolContext) -> dict[str, Any]:
    """Pay out a request after its approval, once. Without an approval nothing is paid.

    Args:
        purpose: What the money was spent on, as in the request.
        amount: The amount in euros, as in the request.
    """
    paid = tool_context.state.get("paid", [])
    approvals = _approvals(purpose, amount, tool_context)
    open_approvals = sorted(approvals - set(paid))
    if not approvals:
        return {"status": "refused", "reason": f"{amount:g} euros for {purpose} are not approved."}
    if not open_approvals:
        return {"status": "paid", "message": f"{amount:g} euros for {purpose} were paid before."}
    tool_context.state["paid"] = [*paid, open_approvals[0]]
    return {"status": "paid", "message": f"Paid {amount:g} euros for {purpose}."}


root_agent = LlmAgent(
    name="reimbursement",
    model=MODEL,
    description="Reimburses expenses of employees.",
    instruction=(
        "You reimburse expenses. Ask for purpose and amount where one is missing, then call"
        " request_reimbursement. While its status is pending, tell the user that the request"
        " waits for approval, with its ticket id. When it was approved, call pay with the same"
        " purpose and amount; when it was rejected, say so and do not pay."
    ),
    tools=[LongRunningFunctionTool(request_reimbursement), pay],
)
