"""How a process of ours in the project's Python ends: at once, and with a code that tells how."""

import os
import signal
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from typing import NoReturn


def end_with(main: Callable[[], int]) -> NoReturn:
    """Run ``main`` and end the process with its code.

    Python itself would wait for the threads that the agent left behind, for
    ever if they never end. A tool that calls ``sys.exit`` ends the process too;
    it must not look like a good end.
    """
    code, interrupted = 1, False
    try:
        code = main()
    except BaseException as error:
        with suppress(Exception):
            traceback.print_exc()
        interrupted = isinstance(error, KeyboardInterrupt)
        if isinstance(error, SystemExit) and isinstance(error.code, int) and error.code:
            code = error.code
    for stream in (sys.stdout, sys.stderr):
        with suppress(Exception):
            stream.flush()
    if interrupted:
        # The end that Python gives to it, so that the client can name it.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
    os._exit(code)
