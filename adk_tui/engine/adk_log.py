"""What google-adk logs of an exception, in a line: its traceback is told with the failure.

Held by tests against google-adk's own records, so that a change of theirs is seen.
"""

import logging
import traceback


def shorten() -> None:
    """Let Python's handler of last resort print no traceback of google-adk's loggers.

    An agent that sets up logging itself gets all of it, as under ``adk run``.
    """
    if logging.lastResort is not None:
        logging.lastResort.addFilter(_in_a_line)


def _in_a_line(record: logging.LogRecord) -> bool:
    error = record.exc_info[1] if record.exc_info else None
    if error is not None and record.name.startswith("google_adk"):
        frames = traceback.extract_tb(error.__traceback__)
        place = f" ({frames[-1].filename}:{frames[-1].lineno})" if frames else ""
        words = traceback.format_exception_only(error)[-1].strip()
        record.msg, record.args = f"{record.getMessage()}: {words}{place}", ()
        record.exc_info = record.exc_text = None
    return True
