"""Share prices by ticker symbol, and ticker symbols by company name.

Quotes come from a small table of sample data, and every result says so. With
the package yfinance installed and the network answering, they are live.

Try: "stock price of GOOG", "ticker of Alphabet", "stock price of Alphabet".
The model is gemini-2.5-flash, or what the environment variable AGENT_MODEL names.
"""

import asyncio
import importlib
import importlib.util
import os
import threading
from typing import Any

from google.adk.agents import LlmAgent

MODEL = os.environ.get("AGENT_MODEL", "gemini-2.5-flash")

SAMPLES = {
    "AAPL": ("Apple Inc.", 268.47),
    "AMZN": ("Amazon.com, Inc.", 244.41),
    "GOOG": ("Alphabet Inc.", 279.70),
    "META": ("Meta Platforms, Inc.", 621.71),
    "MSFT": ("Microsoft Corporation", 496.82),
    "NVDA": ("NVIDIA Corporation", 188.15),
    "SAP": ("SAP SE", 248.92),
    "TSLA": ("Tesla, Inc.", 429.52),
}
SAMPLE_NOTE = "sample data, not a live quote"
LIVE_SECONDS = 3.0


def _live_price(symbol: str) -> float | None:
    """The live price in US dollars, or None without yfinance, network or a timely answer."""
    if importlib.util.find_spec("yfinance") is None:
        return None
    prices: list[float] = []

    def ask() -> None:
        try:
            ticker = importlib.import_module("yfinance").Ticker(symbol)
            prices.append(round(float(ticker.fast_info["last_price"]), 2))
        except Exception:
            # Whatever a public web service does, the sample table is the answer.
            return

    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    thread.join(LIVE_SECONDS)
    return prices[0] if prices else None


async def get_stock_price(symbol: str) -> dict[str, Any]:
    """Get the current price of a stock by its ticker symbol.

    Args:
        symbol: The ticker symbol, for example GOOG.
    """
    symbol = symbol.strip().lstrip("$").upper()
    name, sample = SAMPLES.get(symbol, ("", None))
    live = await asyncio.to_thread(_live_price, symbol)
    price = sample if live is None else live
    if price is None:
        return {"error": f"No quote for {symbol}. The sample table has {', '.join(SAMPLES)}."}
    source = SAMPLE_NOTE if live is None else "live quote by Yahoo Finance"
    return {
        "symbol": symbol,
        "company": name or symbol,
        "price": price,
        "currency": "USD",
        "source": source,
    }


def find_ticker(company_name: str) -> dict[str, Any]:
    """Find the ticker symbol of a company by its name.

    Args:
        company_name: The company's name or the beginning of it, for example Alphabet.
    """
    wanted = company_name.strip().lower()
    for symbol, (name, _) in SAMPLES.items():
        if wanted and (name.lower().startswith(wanted) or wanted.startswith(name.lower())):
            return {"symbol": symbol, "company": name}
    if wanted == "google":
        return {"symbol": "GOOG", "company": SAMPLES["GOOG"][0]}
    names = ", ".join(name for name, _ in SAMPLES.values())
    return {"error": f"No company named {company_name!r} in the sample table: {names}"}


root_agent = LlmAgent(
    name="stock",
    model=MODEL,
    description="Answers questions about share prices and ticker symbols.",
    instruction=(
        "You answer questions about share prices. Find the ticker symbol first where only a"
        " company is named. Say where a price comes from: the tool's result tells you whether it"
        " is live or sample data. Never state a price that no tool returned."
    ),
    tools=[get_stock_price, find_ticker],
)
