"""The registry of actions, which the line mode shares, as Textual's bindings."""

from textual.binding import Binding
from textual.widget import Widget

from adk_tui.core.action import Action, Where
from adk_tui.core.action_text import key_label, readme_table, usage
from adk_tui.core.actions import ACTIONS, BY_NAME, BY_SLASH
from adk_tui.core.possible import Situation, why_not

__all__ = [
    "ACTIONS",
    "BY_NAME",
    "BY_SLASH",
    "Action",
    "Situation",
    "Where",
    "bindings",
    "key_label",
    "own_keys",
    "readme_table",
    "usage",
    "why_not",
]


def bindings(where: Where) -> list[Binding]:
    """Textual's bindings of the actions that ``where`` offers.

    Function and control keys of ``everywhere`` come before the focused widget,
    which would use some of them for itself (a TextArea takes F6 and F7); all
    other keys belong to the focused widget first.
    """
    return [
        Binding(
            key,
            f"act({a.name!r})",
            a.title,
            id=f"{where}.{a.name}.{key}",
            key_display=key_label(key),
            priority=where == "everywhere" and (key[0] == "f" or key.startswith("ctrl+")),
        )
        for a in ACTIONS
        if a.where == where
        for key in a.keys
    ]


def own_keys(widget: Widget | None) -> list[tuple[str, str]]:
    """The keys of a widget itself, as ``(key, what it does)``; those of the registry are not."""
    found: dict[str, list[str]] = {}
    for kind in type(widget).__mro__:
        if not kind.__module__.startswith("adk_tui"):
            continue
        for binding in kind.__dict__.get("BINDINGS", ()):
            if isinstance(binding, Binding) and binding.description:
                if binding.action.startswith("act("):
                    # The registry's own, which the help tells in their place.
                    continue
                keys = [key_label(k.strip()) for k in binding.key.split(",")]
                found.setdefault(binding.description, []).extend(keys)
    return [(" ".join(dict.fromkeys(keys)), what) for what, keys in found.items()]
