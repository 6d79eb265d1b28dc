"""Plans a trip on made-up data: tools with every kind of parameter, and one that fails.

``search_flights`` leaves what it found under ``temp:`` in the state, where
``price_trip`` reads it: that works within one turn only, ``temp:`` is never
stored. Weather and flights can be asked in one message, the model then calls
both tools in parallel. ``check_seats`` always raises an exception.

Try: "flights from Berlin to Paris and weather in Paris in celsius",
"find flights from Oslo to Rome for 2 passengers, then price the trip in USD",
"check seats of flight XY100".
The model is gemini-2.5-flash, or what the environment variable AGENT_MODEL names.
"""

import os
from typing import Any, Literal, Optional

from google.adk.agents import LlmAgent
from google.adk.tools import ToolContext

MODEL = os.environ.get("AGENT_MODEL", "gemini-2.5-flash")
NOTE = "made-up data"


def _number(text: str, low: int, high: int) -> int:
    """A number that depends on the text alone, so that the same question has the same answer."""
    return low + sum(ord(char) for char in text.lower()) % (high - low + 1)


def get_weather(
    city: str, unit: Literal["celsius", "fahrenheit"] = "celsius", days: int = 1
) -> dict[str, Any]:
    """Get the weather forecast for a city.

    Args:
        city: The city's name.
        unit: The unit of temperature.
        days: For how many days.
    """
    celsius = [_number(f"{city}{day}", 8, 28) for day in range(max(1, min(days, 7)))]
    degrees = celsius if unit == "celsius" else [round(c * 9 / 5 + 32) for c in celsius]
    return {"city": city, "unit": unit, "temperatures": degrees, "note": NOTE}


def search_flights(
    origin: str,
    destination: str,
    tool_context: ToolContext,
    date: Optional[str] = None,  # noqa: UP045 - both spellings of optional are shown
    passengers: int = 1,
    direct: bool = False,
) -> dict[str, Any]:
    """Search flights between two cities.

    Args:
        origin: The city to fly from.
        destination: The city to fly to.
        date: The day of the flight; any day if not given.
        passengers: How many people travel.
        direct: Only flights without a stop.
    """
    seed = _number(origin + destination, 100, 899)
    found = [
        {"flight": f"XY{seed + i}", "price": 60 + (seed + 37 * i) % 240, "stops": i % 2}
        for i in range(3)
    ]
    flights = [flight for flight in found if not direct or flight["stops"] == 0]
    tool_context.state["temp:flights"] = flights
    tool_context.state["temp:passengers"] = passengers
    return {
        "route": f"{origin} to {destination}",
        "date": date or "any day",
        "passengers": passengers,
        "flights": flights,
        "note": NOTE,
    }


def price_trip(
    tool_context: ToolContext,
    currency: Literal["EUR", "USD"] = "EUR",
    discount_code: str | None = None,
) -> dict[str, Any]:
    """Price the trip with the cheapest of the flights that were searched in the same turn.

    Args:
        currency: The currency of the price.
        discount_code: A code for ten per cent off.
    """
    flights = tool_context.state.get("temp:flights")
    if not flights:
        return {"error": "No flights were searched in this turn. Search flights first."}
    cheapest = min(flights, key=lambda flight: flight["price"])
    total = cheapest["price"] * tool_context.state.get("temp:passengers", 1)
    total *= 0.9 if discount_code else 1
    total *= 1.1 if currency == "USD" else 1
    return {"flight": cheapest["flight"], "total": round(total, 2), "currency": currency}


def check_seats(flight_number: str) -> dict[str, Any]:
    """Check the free seats of a flight.

    Args:
        flight_number: The flight, for example XY100.
    """
    raise ConnectionError(f"The seat map service did not answer for flight {flight_number}.")


root_agent = LlmAgent(
    name="travel",
    model=MODEL,
    description="Plans trips: weather, flights, prices.",
    instruction=(
        "You plan trips. Call tools that do not need each other's results in parallel. Search"
        " flights before you price a trip, in the same turn. All data are made up: say so."
    ),
    tools=[get_weather, search_flights, price_trip, check_seats],
)
