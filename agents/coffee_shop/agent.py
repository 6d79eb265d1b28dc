"""A coffee shop of three agents that hand the guest to each other.

The front desk transfers to the barista, who takes orders, and to the cashier,
who takes the money; both transfer back, and to each other. Orders are kept in
the session's state. ``take_payment`` runs only after a person has confirmed it.

Try: "I would like a large latte", "I want to pay by card", "back to the front desk".
The model is gemini-2.5-flash, or what the environment variable AGENT_MODEL names.
"""

import os
from typing import Any, Literal

from google.adk.agents import LlmAgent
from google.adk.tools import FunctionTool, ToolContext

MODEL = os.environ.get("AGENT_MODEL", "gemini-2.5-flash")

Drink = Literal["espresso", "latte", "cappuccino", "flat white", "tea"]
Size = Literal["small", "medium", "large"]

PRICES = {"espresso": 2.2, "latte": 3.8, "cappuccino": 3.5, "flat white": 3.9, "tea": 2.5}
SURCHARGE = {"small": 0.0, "medium": 0.4, "large": 0.8}


def show_menu() -> dict[str, Any]:
    """Show the menu with all prices in euros."""
    return {"prices": PRICES, "surcharge by size": SURCHARGE}


def opening_hours() -> str:
    """Tell the opening hours of the shop."""
    return "The shop is open every day from 7 to 19."


def order_drink(
    drink: Drink, tool_context: ToolContext, size: Size = "medium", quantity: int = 1
) -> dict[str, Any]:
    """Order a drink for the guest and add it to the bill.

    Args:
        drink: The drink.
        size: The size of the cup.
        quantity: How many cups.
    """
    price = round((PRICES[drink] + SURCHARGE[size]) * quantity, 2)
    line = {"drink": drink, "size": size, "quantity": quantity, "price": price}
    orders = [*tool_context.state.get("orders", []), line]
    tool_context.state["orders"] = orders
    total = round(sum(order["price"] for order in orders), 2)
    return {"ordered": f"{quantity} {size} {drink}", "price": price, "bill": total}


def cancel_order(tool_context: ToolContext) -> str:
    """Cancel everything that was ordered and not yet paid."""
    count = len(tool_context.state.get("orders", []))
    tool_context.state["orders"] = []
    return f"{count} orders cancelled."


def show_bill(tool_context: ToolContext) -> dict[str, Any]:
    """Show the bill: what was ordered and the total in euros."""
    orders = tool_context.state.get("orders", [])
    return {"orders": orders, "total": round(sum(order["price"] for order in orders), 2)}


def take_payment(method: Literal["card", "cash"], tool_context: ToolContext) -> dict[str, Any]:
    """Take the payment for the bill, by card or in cash.

    Args:
        method: How the guest pays.
    """
    orders = tool_context.state.get("orders", [])
    if not orders:
        return {"error": "The bill is empty: there is nothing to pay."}
    total = round(sum(order["price"] for order in orders), 2)
    tool_context.state["orders"] = []
    return {"status": "paid", "total": total, "method": method}


barista = LlmAgent(
    name="barista",
    model=MODEL,
    description="Takes orders for drinks: espresso, latte, cappuccino, flat white, tea, coffee.",
    instruction=(
        "You are the barista. Take orders with order_drink, one call for each kind of drink."
        " For paying transfer to cashier, for anything else to coffee_shop."
    ),
    tools=[order_drink, cancel_order],
)

cashier = LlmAgent(
    name="cashier",
    model=MODEL,
    description="Shows the bill and takes the money: paying by card or cash.",
    instruction=(
        "You are the cashier. Show the bill with show_bill and take the money with take_payment."
        " For orders transfer to barista, for anything else to coffee_shop."
    ),
    tools=[show_bill, FunctionTool(take_payment, require_confirmation=True)],
)

root_agent = LlmAgent(
    name="coffee_shop",
    model=MODEL,
    description="The front desk: welcomes guests, knows the menu and the opening hours.",
    instruction=(
        "You are the front desk of a coffee shop. Answer questions about menu and opening hours."
        " For orders transfer to barista, for paying to cashier."
    ),
    tools=[show_menu, opening_hours],
    sub_agents=[barista, cashier],
)
