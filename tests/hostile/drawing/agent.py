"""An agent whose tool draws on a terminal with the libraries that people draw with.

A message ``draw HOW`` lets the tool ``draw`` do it; each way says ``drawn-HOW``
somewhere in what it draws.
"""

import curses
import logging
import os
import subprocess
import sys
import warnings

from google.adk.agents import LlmAgent
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_response import LlmResponse
from google.genai import types
from rich.console import Console
from rich.live import Live
from rich.logging import RichHandler
from rich.progress import track
from rich.traceback import install


def rich_progress() -> None:
    console = Console(force_terminal=True, file=sys.stdout)
    for _ in track(range(20), "drawn-rich_progress", console=console, transient=True):
        pass


def rich_screen() -> None:
    console = Console(force_terminal=True, stderr=True)
    with Live("drawn-rich_screen", console=console, screen=True, auto_refresh=False) as live:
        live.update("drawn-rich_screen again", refresh=True)
    console.set_window_title("drawn")
    console.bell()
    console.print("[link=https://example.com]drawn-rich_screen[/]")


def rich_logging() -> None:
    handler = RichHandler(console=Console(force_terminal=True))
    logging.basicConfig(level="INFO", handlers=[handler], force=True)
    logging.getLogger("drawing").error("drawn-rich_logging")
    install()


def warned() -> None:
    warnings.simplefilter("always")
    warnings.warn("drawn-warned \x1b[2J", stacklevel=1)


def cleared() -> None:
    os.system("clear; tput smcup; tput civis; tput cup 0 0; echo drawn-cleared")


def cursed() -> None:
    # Without a terminal of its own it draws on descriptor 1, whatever that is.
    os.environ["TERM"] = "xterm-256color"
    curses.setupterm(fd=1)
    for name in ("smcup", "civis", "clear", "setaf"):
        sequence = curses.tigetstr(name)
        if sequence:
            os.write(1, curses.tparm(sequence, 3))
    os.write(1, b"drawn-cursed\n")


def paged() -> None:
    subprocess.run(["sh", "-c", "echo drawn-paged | ${PAGER:-cat}; stty -echo raw"], check=False)


WAYS = {
    f.__name__: f
    for f in (rich_progress, rich_screen, rich_logging, warned, cleared, cursed, paged)
}


def draw(how: str) -> dict:
    """Draws."""
    WAYS[how]()
    return {"drawn": how}


class Obedient(BaseLlm):
    model: str = "obedient"

    async def generate_content_async(self, llm_request, stream=False):
        part = llm_request.contents[-1].parts[-1]
        words = (part.text or "").split()
        if words[:1] == ["draw"]:
            call = types.FunctionCall(name="draw", args={"how": words[1]})
            answer = types.Part(function_call=call)
        else:
            answer = types.Part(text="done" if part.function_response else "hello")
        yield LlmResponse(content=types.Content(role="model", parts=[answer]))


root_agent = LlmAgent(name="drawing", model=Obedient(), tools=[draw])
