"""An agent as people write them: a model by name, a tool, an instruction."""

from google.adk.agents import Agent


def get_price(symbol: str) -> dict[str, str]:
    """Gets the price of a stock.

    Args:
        symbol: The ticker symbol.
    """
    return {"symbol": symbol, "price": "187.50 USD"}


root_agent = Agent(
    name="quotes",
    model="gemini-2.5-flash",
    instruction="Answer questions on stock prices with the tool.",
    tools=[get_price],
)
