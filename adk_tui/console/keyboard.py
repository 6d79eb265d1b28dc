"""The keyboard of ``adk-tui chat``: what is typed while there is no prompt waits for the next one.

Between two prompts a terminal goes back to collecting lines. It would echo keys
into the middle of an answer, and make a NUL of a Ctrl+D once the next prompt
wants single keys, so that nobody leaves. So it gives single keys all the time;
Ctrl+C and Ctrl+Z stay signals.
"""

import signal
import sys
import termios
from collections.abc import Generator
from contextlib import AbstractContextManager, contextmanager, nullcontext

from prompt_toolkit.input.typeahead import get_typeahead, store_typeahead
from prompt_toolkit.input.vt100 import Vt100Input
from prompt_toolkit.keys import Keys


class Keyboard(Vt100Input):
    """Standard input, which must be a terminal, for all prompts of a conversation."""

    def __init__(self) -> None:
        super().__init__(sys.stdin)

    def cooked_mode(self) -> AbstractContextManager[None]:
        """Keep single keys too while something is printed above a prompt."""
        return nullcontext()

    def typed_ahead(self) -> bool:
        """Whether keys wait for the next prompt. A terminal's report of its cursor is no key."""
        keys = [*get_typeahead(self), *self.read_keys()]
        store_typeahead(self, keys)
        return any(key.key is not Keys.CPRResponse for key in keys)

    @contextmanager
    def held(self) -> Generator[None]:
        """Hold keys back from the screen until the end; then the terminal is as it was.

        It is so too while the program is suspended.
        """
        terminal = self.fileno()
        before = termios.tcgetattr(terminal)
        silent = termios.tcgetattr(terminal)
        silent[3] = silent[3] & ~(termios.ECHO | termios.ICANON | termios.IEXTEN) | termios.ISIG
        silent[6][termios.VMIN], silent[6][termios.VTIME] = 1, 0

        def suspend(number: int, _frame: object) -> None:
            now = termios.tcgetattr(terminal)
            termios.tcsetattr(terminal, termios.TCSANOW, before)
            signal.signal(number, signal.SIG_DFL)
            signal.raise_signal(number)
            signal.signal(number, suspend)
            termios.tcsetattr(terminal, termios.TCSANOW, now)

        suspended = signal.signal(signal.SIGTSTP, suspend)
        try:
            termios.tcsetattr(terminal, termios.TCSANOW, silent)
            yield
        finally:
            termios.tcsetattr(terminal, termios.TCSANOW, before)
            signal.signal(signal.SIGTSTP, suspended)
