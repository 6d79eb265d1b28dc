"""Every message that widgets exchange.

A widget never reaches for the app or another widget: what it wants goes up as
one of these, and the app decides. So each widget can be tested alone, and all
that can happen between widgets is read here.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from textual.message import Message

if TYPE_CHECKING:
    from adk_tui.core.commands import Attachment, Command


class Act(Message):
    """Do a registered action, as if its key had been pressed. ``argument`` as after a slash."""

    def __init__(self, action: str, argument: str = "") -> None:
        super().__init__()
        self.action = action
        self.argument = argument


class Submit(Message):
    """Send this command to the engine; ``told`` is called with its id, which ``Done`` will name."""

    def __init__(self, command: "Command", told: Callable[[int], None] | None = None) -> None:
        super().__init__()
        self.command = command
        self.told = told


class SendText(Message):
    """The user sent what is in the prompt: ``text`` with all pasted parts, and the files."""

    def __init__(self, text: str, attachments: "tuple[Attachment, ...]" = ()) -> None:
        super().__init__()
        self.text = text
        self.attachments = attachments


class Tell(Message):
    """Show the user one line for a few seconds."""

    def __init__(self, text: str, *, warning: bool = False) -> None:
        super().__init__()
        self.text = text
        self.warning = warning


class OpenEvent(Message):
    """Show everything about the event with this id; ``index`` of the log tells pieces apart."""

    def __init__(self, event_id: str, index: int | None = None) -> None:
        super().__init__()
        self.event_id = event_id
        self.index = index


class OpenTicket(Message):
    """Show the ticket of this call in the approvals panel."""

    def __init__(self, call_id: str) -> None:
        super().__init__()
        self.call_id = call_id
