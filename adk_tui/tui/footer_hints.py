"""Which keys the footer names in each pane, the most useful first."""

from collections.abc import Sequence

from adk_tui.tui.actions import BY_NAME, key_label
from adk_tui.tui.widgets.footer import Hint

LIST_KEYS = {
    "chat": (
        ("enter", "open"),
        ("space", "fold"),
        ("y", "copy"),
        ("e", "event"),
        ("end", "newest"),
    ),
    "filter": (("tab", "complete"), ("enter", "keep"), ("escape", "show all"), ("f1", "explain")),
    "search": (("enter", "next match"), ("escape", "close")),
    "failure": (("enter", "go on"), ("d", "traceback"), ("x", "put away")),
    "output": (("escape", "close"), ("end", "newest")),
}
"""The keys of a pane worth a place in the footer; F1 lists all."""


def footer_hints(
    place: str,
    *,
    running: bool,
    unread: int,
    open_tickets: int,
    possible: set[str],
    own: Sequence[Hint] = (),
) -> list[Hint]:
    """The footer of a pane, the most useful key first; ``own`` are those the pane tells itself."""
    # Esc leaves the panel or its form before it stops anything.
    names = ["stop"] if running and not own else []
    hints = [Hint(key_label(key), what, f"key:{key}") for key, what in LIST_KEYS.get(place, ())]
    hints += own
    if place == "prompt":
        names += (["retry"] if "retry" in possible else []) + ["send", "newline"]
    elif place == "events":
        names += ["inspect", "filter", "search", "copy_text", "next_error", "in_chat", "export"]
    elif place == "chat":
        names += ["rewind", "edit", "fork"] + (["undo"] if "undo" in possible else [])
    names += ["help", "prompt", "events", "approvals", "palette", "agents", "transfer"]
    names += ["sessions", "state", "reload", "output", "quit"]
    if place == "prompt":
        names.remove("prompt")
    if place == "filter":
        names.remove("help")
    if unread:
        names.remove("output")
        names.insert(names.index("palette"), "output")
    for name in names:
        action = BY_NAME[name]
        label = action.footer
        if name == "output" and unread:
            label += f" +{unread}"
        if name == "approvals" and open_tickets:
            label += f" ({open_tickets})"
        hints.append(Hint(key_label(action.keys[0]), label, name, name in possible))
    return hints
