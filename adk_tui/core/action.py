"""What one action is: a key, a command, and words about it."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

Where: TypeAlias = Literal["everywhere", "prompt", "lists", "events", "approvals", "inspector"]
Argument: TypeAlias = Literal[
    "", "agent", "session", "ticket", "filter", "action", "theme", "text", "words"
]


@dataclass(frozen=True, slots=True)
class Action:
    """One thing a user can do.

    ``keys`` are Textual key names; the first is the one shown. ``slash`` is the
    command without its slash, empty where there is none, and ``argument`` what
    may follow it (the prompt completes by it). ``needs`` is the engine
    capability it uses. ``footer`` is its label in the footer, empty to keep it
    out. ``where`` is the widget whose focus its keys need (``lists``: the chat and
    the events). ``full_screen`` actions have no meaning in the line mode, which
    knows all other slash commands.
    """

    name: str
    title: str
    help: str
    keys: tuple[str, ...] = ()
    slash: str = ""
    argument: Argument = ""
    needs: str = ""
    footer: str = ""
    where: Where = "everywhere"
    full_screen: bool = False
