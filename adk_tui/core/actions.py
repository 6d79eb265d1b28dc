"""The one list of what a user can do.

Key bindings, slash commands, the command palette, the footer, the help screen
and the README's table are all read from here, for the full screen as for the
line mode, so that none of them can promise a key that another has never heard
of. Where an action is not possible right now, ``why_not`` says why, in a
sentence: no key is ever dead.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from adk_tui.core import pane_actions

if TYPE_CHECKING:
    from adk_tui.core.reports import Phase

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


@dataclass(frozen=True, slots=True)
class Situation:
    """What decides whether an action is possible now."""

    phase: "Phase" = "starting"
    capabilities: frozenset[str] = frozenset()
    loaded: bool = False
    waiting: int = 0
    answers: int = 0
    turns: int = 0
    tickets: int = 0
    undoable: int = 0
    failed: bool = False


ACTIONS: tuple[Action, ...] = (
    Action("send", "Send", "Send the message", ("enter",), footer="send", where="prompt"),
    Action(
        "newline",
        "New line",
        "Begin a new line in the message",
        ("ctrl+j", "alt+enter", "shift+enter"),
        footer="new line",
        where="prompt",
    ),
    Action(
        "history_back",
        "Earlier message",
        "On the first line: what was sent before",
        ("up",),
        where="prompt",
    ),
    Action(
        "history_forward",
        "Later message",
        "On the last line: what was sent after it, and at last the draft",
        ("down",),
        where="prompt",
    ),
    Action(
        "complete",
        "Complete",
        "Take the marked completion of a /command, an agent's name or an @file",
        ("tab",),
        where="prompt",
    ),
    Action(
        "stop",
        "Stop the run",
        "Stop what runs; pressed again while it is stopping, end the engine process and start it"
        " again on the same session",
        ("escape",),
        slash="stop",
        needs="stop",
        footer="stop",
    ),
    Action(
        "interrupt",
        "Copy or interrupt",
        "Copy what is selected; with nothing selected, stop the run, and pressed twice quit",
        ("ctrl+c",),
    ),
    Action(
        "retry",
        "Send again",
        "Send the last message again, after its run has failed",
        ("ctrl+r",),
        slash="retry",
        footer="send again",
        full_screen=True,
    ),
    Action(
        "unqueue",
        "Take back what waits",
        "Take the last waiting message back into the prompt",
        ("alt+up",),
        slash="unqueue",
        needs="cancel",
        full_screen=True,
    ),
    Action(
        "help",
        "Help",
        "Show all keys and commands, those of the focused pane first",
        ("f1", "question_mark"),
        slash="help",
        footer="help",
    ),
    Action(
        "prompt",
        "Prompt and chat",
        "Go to the prompt; from the prompt, to the chat",
        ("f2",),
        footer="prompt",
    ),
    Action(
        "events",
        "Events",
        "Go to the event stream (/events FILTER shows what fits)",
        ("f3",),
        slash="events",
        argument="filter",
        footer="events",
    ),
    Action(
        "approvals",
        "Approvals",
        "Go to what waits for a human (/approvals TICKET to that one)",
        ("f4",),
        slash="approvals",
        argument="ticket",
        footer="approvals",
    ),
    Action(
        "agents",
        "Agents",
        "Show the agent tree: models, tools, who may hand over to whom",
        ("f5",),
        slash="agents",
        footer="agents",
    ),
    Action(
        "transfer",
        "Transfer",
        "Choose who answers next (/transfer NAME does it at once)",
        ("f6",),
        slash="transfer",
        argument="agent",
        needs="transfer",
        footer="transfer",
    ),
    Action(
        "sessions",
        "Sessions",
        "List the sessions of this app: search, open, create, rename, delete",
        ("f7",),
        slash="sessions",
        needs="list_sessions",
        footer="sessions",
    ),
    Action(
        "new",
        "New session",
        "Start a new session (/new KEY=VALUE gives it a state)",
        slash="new",
        argument="text",
        needs="new_session",
    ),
    Action(
        "open",
        "Open a session",
        "Open the session with this id",
        slash="open",
        argument="session",
        needs="open_session",
    ),
    Action(
        "rename",
        "Rename the session",
        "Give the open session a title",
        slash="rename",
        argument="words",
        needs="rename_session",
    ),
    Action(
        "state",
        "State",
        "Show and edit the session's state (/state KEY=VALUE sets one)",
        ("f8",),
        slash="state",
        argument="text",
        footer="state",
    ),
    Action(
        "artifacts",
        "Artifacts",
        "List the files of this session with their versions; look at them, save them",
        slash="artifacts",
        needs="list_artifacts",
    ),
    Action(
        "settings",
        "Run settings",
        "How the next turns run: streaming, model, limit of model calls, threads …",
        slash="settings",
        needs="configure",
    ),
    Action(
        "rewind",
        "Rewind",
        "Undo a message and all that followed it, after a look at what that takes back",
        ("w",),
        slash="rewind",
        needs="rewind",
        footer="rewind",
        where="lists",
    ),
    Action(
        "edit",
        "Edit and send again",
        "Take a message back into the prompt, to send another one in its place",
        ("m",),
        slash="edit",
        needs="resend",
        footer="edit message",
        where="lists",
    ),
    Action(
        "fork",
        "Fork",
        "Go on from here in a new session; this one stays as it is",
        ("f",),
        slash="fork",
        needs="fork",
        footer="fork",
        where="lists",
    ),
    Action(
        "undo",
        "Undo",
        "Take back the last transfer, state edit, new title or deletion",
        ("u", "ctrl+z"),
        slash="undo",
        footer="undo",
        where="lists",
    ),
    Action(
        "reload",
        "Reload or restart",
        "Load the agent's code again; after a crash, start it again on the same session",
        ("f9",),
        slash="reload",
        footer="reload",
    ),
    Action(
        "output",
        "Output",
        "Show or hide what the agent's process printed",
        ("f10",),
        slash="output",
        footer="output",
    ),
    Action(
        "copy", "Copy the answer", "Copy the agent's last answer", slash="copy", full_screen=True
    ),
    Action(
        "theme",
        "Theme",
        "Choose the colours (/theme NAME)",
        slash="theme",
        argument="theme",
        full_screen=True,
    ),
    Action(
        "palette", "Command palette", "Find any of these by its name", ("ctrl+p",), footer="palette"
    ),
    Action("quit", "Quit", "Leave adk-tui", ("ctrl+q",), slash="quit", footer="quit"),
    Action(
        "open_ticket",
        "Open",
        "Go into the form of the marked ticket",
        ("enter",),
        footer="open",
        where="approvals",
    ),
    Action(
        "approve",
        "Approve",
        "Approve, confirm, or send the form",
        ("a",),
        footer="approve",
        where="approvals",
    ),
    Action("reject", "Reject", "Reject", ("r",), footer="reject", where="approvals"),
    Action(
        "progress",
        "Progress",
        "Send a progress report; the ticket stays open",
        ("u",),
        footer="progress",
        where="approvals",
    ),
    Action(
        "edit_json",
        "Edit JSON",
        "Write the answer as JSON",
        ("e",),
        footer="edit JSON",
        where="approvals",
    ),
    Action(
        "log_in",
        "Open the login",
        "Open the login page of a credential request, and copy its address",
        ("o",),
        where="approvals",
    ),
    Action(
        "hold",
        "Hold",
        "Keep the answer and send it later, together with others of the same invocation",
        ("h",),
        footer="hold",
        where="approvals",
    ),
    Action(
        "send_held",
        "Send held",
        "Send all held answers of this invocation in one message",
        ("s",),
        footer="send held",
        where="approvals",
    ),
    Action(
        "answered",
        "History",
        "Show or hide the tickets that are answered, with their answers",
        ("l",),
        footer="history",
        where="approvals",
    ),
    Action(
        "another",
        "Send another",
        "Give one more answer to an answered ticket; ADK takes the last one",
        ("n",),
        where="approvals",
    ),
    Action(
        "policies",
        "Policies",
        "Approve a tool without asking, for this session; list what is approved so, and revoke it",
        ("p",),
        footer="policies",
        where="approvals",
    ),
    Action(
        "rewind_ticket",
        "Rewind",
        "Undo the turn of a stuck ticket, with all that followed it",
        ("w",),
        needs="rewind",
        where="approvals",
    ),
    Action(
        "leave",
        "Leave",
        "Back to the prompt; the draft of the answer stays",
        ("escape",),
        footer="leave",
        where="approvals",
    ),
    *(Action(n, t, h, k, footer=f, where="events") for n, t, h, k, f in pane_actions.EVENTS),
    *(Action(n, t, h, k, footer=f, where="inspector") for n, t, h, k, f in pane_actions.INSPECTOR),
)

ALWAYS = frozenset({"leave", "answered", "another", "policies", "rewind_ticket"})
"""Actions of the approvals that may have something to act on though nothing is open."""

BY_NAME = {action.name: action for action in ACTIONS}
BY_SLASH = {action.slash: action for action in ACTIONS if action.slash}

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


_ON_AN_AGENT = frozenset(
    [
        "agents",
        "artifacts",
        "edit",
        "fork",
        "new",
        "open",
        "rename",
        "rewind",
        "sessions",
        "settings",
        "state",
        "transfer",
        "undo",
    ]
)


def why_not(action: Action, now: Situation) -> str:
    """Why the action is not possible now, as a sentence; empty when it is."""
    if action.name == "stop":
        if now.phase == "reloading":
            return "A reload cannot be stopped; the old agent serves until it is done."
        if now.phase not in ("running", "stopping"):
            return "Nothing is running."
    if action.where == "approvals" and action.name not in ALWAYS:
        return "" if now.tickets else "Nothing waits for you."
    if action.name == "unqueue" and not now.waiting:
        return "Nothing waits to be sent."
    if action.name == "retry" and not now.failed:
        return "No run has failed since the last message."
    if action.name == "copy" and not now.answers:
        return "The agent has not said anything yet."
    if action.name in ("rewind", "edit", "fork") and not now.turns:
        return "There is no message yet."
    if action.name == "undo" and not now.undoable:
        return "There is nothing to undo: no transfer, state edit, new title or deletion."
    if action.name in _ON_AN_AGENT and not now.loaded:
        return _not_loaded(now.phase)
    if action.name == "reload" and now.phase in ("starting", "loading", "reloading"):
        return "The agent is being loaded already."
    if action.needs and now.loaded and action.needs not in now.capabilities:
        return f"{action.title}: this engine cannot do that ({action.needs} is not offered)."
    return ""


def _not_loaded(phase: "Phase") -> str:
    if phase == "failed":
        return "The agent is not loaded. Mend it, then press F9 or type /reload."
    if phase == "dead":
        return "The engine process has ended. Press F9 or type /reload to start it again."
    return "The agent is still being loaded."


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
