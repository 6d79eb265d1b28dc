"""How long ago something was, in a few cells."""


def age(seconds: float) -> str:
    """``just now``, ``12 s``, ``5 min``, ``3 h``, ``12 d``; a clock that is ahead is now."""
    if seconds < 3:
        return "just now"
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5_400:
        return f"{seconds / 60:.0f} min"
    if seconds < 129_600:
        return f"{seconds / 3_600:.0f} h"
    return f"{seconds / 86_400:.0f} d"


def ago(seconds: float) -> str:
    """The same as part of a sentence: ``just now``, ``5 min ago``."""
    text = age(seconds)
    return text if text == "just now" else f"{text} ago"
