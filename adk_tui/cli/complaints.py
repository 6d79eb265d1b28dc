"""What goes wrong, said in one plain sentence on standard error."""

import sys


class CliError(Exception):
    """Ends the program with a sentence on stderr and an exit code."""

    def __init__(self, message: str, exit_code: int = 1) -> None:
        super().__init__(message)
        self.exit_code = exit_code


def say(message: str) -> None:
    """Tell the user, on standard error."""
    print(f"adk-tui: {shown(message)}", file=sys.stderr)


def shown(text: str) -> str:
    """The text as a terminal may show it."""
    from adk_tui.core.sanitize import clean, mask_text

    return clean(mask_text(text))
