"""The actions of the panes that have keys of their own: prompt, approvals, events, inspector."""

from typing import TypeAlias

from adk_tui.core.action import Action, Where

Row: TypeAlias = tuple[str, str, str, tuple[str, ...], str]
"""Name, title, help, keys, and the label in the footer."""


def _pane(where: Where, *rows: Row, **needs: str) -> tuple[Action, ...]:
    return tuple(
        Action(n, t, h, k, footer=f, where=where, needs=needs.get(n, "")) for n, t, h, k, f in rows
    )


PROMPT = _pane(
    "prompt",
    ("send", "Send", "Send the message", ("enter",), "send"),
    (
        "newline",
        "New line",
        "Begin a new line in the message",
        ("ctrl+j", "alt+enter", "shift+enter"),
        "new line",
    ),
    ("history_back", "Earlier message", "On the first line: what was sent before", ("up",), ""),
    (
        "history_forward",
        "Later message",
        "On the last line: what was sent after it, and at last the draft",
        ("down",),
        "",
    ),
    (
        "complete",
        "Complete",
        "Take the marked completion of a /command, an agent's name or an @file",
        ("tab",),
        "",
    ),
)
"""What can be done where messages are written."""

APPROVALS = _pane(
    "approvals",
    ("open_ticket", "Open", "Go into the form of the marked ticket", ("enter",), "open"),
    ("approve", "Approve", "Approve, confirm, or send the form", ("a",), "approve"),
    ("reject", "Reject", "Reject", ("r",), "reject"),
    ("progress", "Progress", "Send a progress report; the ticket stays open", ("u",), "progress"),
    ("edit_json", "Edit JSON", "Write the answer as JSON", ("e",), "edit JSON"),
    (
        "log_in",
        "Open the login",
        "Open the login page of a credential request, and copy its address",
        ("o",),
        "",
    ),
    (
        "hold",
        "Hold",
        "Keep the answer and send it later, together with others of the same invocation",
        ("h",),
        "hold",
    ),
    (
        "send_held",
        "Send held",
        "Send all held answers of this invocation in one message",
        ("s",),
        "send held",
    ),
    (
        "answered",
        "History",
        "Show or hide the tickets that are answered, with their answers",
        ("l",),
        "history",
    ),
    (
        "another",
        "Send another",
        "Give one more answer to an answered ticket; ADK takes the last one",
        ("n",),
        "",
    ),
    (
        "policies",
        "Policies",
        "Approve a tool without asking, for this session; list what is approved so, and revoke it",
        ("p",),
        "policies",
    ),
    (
        "rewind_ticket",
        "Rewind",
        "Undo the turn of a stuck ticket, with all that followed it",
        ("w",),
        "",
    ),
    ("leave", "Leave", "Back to the prompt; the draft of the answer stays", ("escape",), "leave"),
    rewind_ticket="rewind",
)
"""What can be done with what waits for a human."""

EVENTS = _pane(
    "events",
    ("inspect", "Inspect", "Open everything about the event", ("enter",), "inspect"),
    ("search", "Search", "Look for text in all events; nothing is hidden", ("slash",), "search"),
    ("search_next", "Next match", "Go to the next match of the search", ("n",), ""),
    ("search_back", "Previous match", "Go to the match before", ("N",), ""),
    (
        "filter",
        "Filter",
        "Show only events that fit an expression; an empty one shows all",
        ("F",),
        "filter",
    ),
    ("next_error", "Next error", "Go to the next error", ("e",), "next error"),
    ("last_error", "Previous error", "Go to the error before", ("E",), ""),
    ("next_ticket", "Next ticket", "Go to the next event that asks a person", ("t",), ""),
    ("last_ticket", "Previous ticket", "Go to the one before", ("T",), ""),
    ("next_state", "Next state change", "Go to the next event that changes state", ("s",), ""),
    ("last_state", "Previous state change", "Go to the state change before", ("S",), ""),
    ("next_turn", "Next turn", "Go to the user's next message", ("right_square_bracket",), ""),
    ("last_turn", "Previous turn", "Go to the message before", ("left_square_bracket",), ""),
    ("counterpart", "Call and response", "Go from a call to its response and back", ("c",), ""),
    ("in_chat", "Show in the chat", "Go to the chat's item of this event", ("o",), "in chat"),
    ("partials", "Partial events", "Show or fold the pieces of streamed answers", ("p",), ""),
    ("relative", "Relative times", "Times since the invocation began, or of the clock", ("r",), ""),
    ("inner", "Inner run", "Show or fold what ran inside the marked tool call", ("space",), ""),
    ("all_inner", "All inner runs", "Show or fold what ran inside all tool calls", ("i",), ""),
    (
        "select_down",
        "Select down",
        "Select the next event as well; dragging the mouse selects, too",
        ("shift+down",),
        "",
    ),
    ("select_up", "Select up", "Select the event before as well", ("shift+up",), ""),
    ("copy_text", "Copy as text", "Copy the selected events in words", ("y",), "copy"),
    ("copy_json", "Copy as JSON", "Copy the selected events as JSON, secrets masked", ("Y",), ""),
    (
        "copy_curl",
        "Copy as curl",
        "Copy a curl command that sends the message behind the event to adk api_server",
        ("C",),
        "",
    ),
    (
        "copy_python",
        "Copy as Python",
        "Copy a script that sends the message behind the event to the agent",
        ("P",),
        "",
    ),
    (
        "export",
        "Export",
        "Save the events that are shown to a file: JSON Lines, or the JSON that adk web imports",
        ("x",),
        "export",
    ),
)
"""What can be done in the event stream."""

INSPECTOR = _pane(
    "inspector",
    ("tab_summary", "Summary", "Show the event in plain words", ("1",), ""),
    ("tab_json", "JSON", "Show the event's JSON as a tree", ("2",), ""),
    ("tab_request", "Request", "Show what the model was sent, and what had changed", ("3",), ""),
    ("tab_response", "Response", "Show what the model answered, as it came", ("4",), ""),
    ("tab_state", "State", "Show the state before and after the event", ("5",), ""),
    ("tab_timing", "Timing", "Show where the time of the invocation went", ("6",), ""),
    (
        "next_tab",
        "Next tab",
        "Go to the next tab; in a tree → opens, Tab goes on",
        ("right", "tab"),
        "",
    ),
    ("last_tab", "Previous tab", "Go to the tab before", ("left", "shift+tab"), ""),
    ("next_event", "Next event", "Inspect the next event", ("j",), "next event"),
    ("last_event", "Previous event", "Inspect the event before", ("k",), "previous"),
    ("find", "Find", "Look for text in this tab; n and N go on", ("slash",), "find"),
    ("raw", "Raw request", "Show the request in parts, or as the JSON it was", ("v",), ""),
    ("reveal", "Reveal secrets", "Show masked values, or mask them again", ("r",), "reveal"),
    (
        "copy_tab",
        "Copy",
        "Copy what this tab shows, secrets masked unless revealed",
        ("c",),
        "copy",
    ),
    (
        "save_data",
        "Save data",
        "Save images and other data in the event to files",
        ("s",),
        "save data",
    ),
    ("to_counterpart", "Call and response", "Go from a call to its response and back", ("x",), ""),
    ("back", "Close", "Close the inspector", ("escape", "q"), "close"),
)
"""What can be done in the inspector."""
