"""How actions are written for people: their keys, their commands, the README's table."""

from collections.abc import Iterable

from adk_tui.core.action import Action, Where
from adk_tui.core.actions import ACTIONS

_KEY_NAMES = {
    "question_mark": "?",
    "escape": "Esc",
    "enter": "Enter",
    "up": "↑",
    "down": "↓",
    "tab": "Tab",
    "space": "Space",
    "pageup": "PgUp",
    "pagedown": "PgDn",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
    "slash": "/",
    "full_stop": ".",
    "comma": ",",
    "colon": ":",
    "plus": "+",
    "minus": "-",
    "asterisk": "*",
    "left": "←",
    "right": "→",
}


def key_label(key: str) -> str:
    """A key as people write it: ``ctrl+j`` is ``Ctrl+J``."""
    *modifiers, last = key.split("+")
    name = _KEY_NAMES.get(last) or (last.upper() if len(last) > 1 or modifiers else last)
    if last in ("home", "end", "delete", "backspace"):
        name = last.capitalize()
    return "+".join([*(m.capitalize() for m in modifiers), name])


_PLACES: dict[Where, str] = {
    "everywhere": "",
    "prompt": " (prompt)",
    "lists": " (chat and events)",
    "events": " (events)",
    "approvals": " (approvals)",
    "inspector": " (inspector)",
}


def readme_table(where: Iterable[Where] = tuple(_PLACES)) -> str:
    """All actions as a Markdown table, for the README."""
    rows = ["| key | command | what it does |", "|---|---|---|"]
    for place in where:
        for action in ACTIONS:
            if action.where != place:
                continue
            keys = ", ".join(f"`{key_label(k)}`" for k in action.keys)
            slash = f"`{usage(action)}`" if action.slash else ""
            scope = _PLACES[place]
            scope += " (full screen only)" if action.full_screen else ""
            rows.append(f"| {keys} | {slash} | {action.help}{scope} |")
    return "\n".join(rows) + "\n"


def usage(action: Action) -> str:
    """The slash command with its argument: ``/transfer [AGENT]``."""
    argument = {"text": "KEY=VALUE", "action": "COMMAND", "words": "TITLE"}.get(
        action.argument, action.argument.upper()
    )
    return f"/{action.slash}" + (f" [{argument}]" if argument else "")
