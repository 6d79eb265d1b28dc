"""The actions of two panes that are all keys: the event stream and the inspector.

Plain rows of ``(name, title, help, keys, label in the footer)``, which the
registry (``core.actions``) takes in with all others.
"""

from typing import TypeAlias

Row: TypeAlias = tuple[str, str, str, tuple[str, ...], str]

EVENTS: tuple[Row, ...] = (
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
    ("copy_text", "Copy as text", "Copy the event in words", ("y",), "copy"),
    ("copy_json", "Copy as JSON", "Copy the event as JSON, secrets masked", ("Y",), ""),
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

INSPECTOR: tuple[Row, ...] = (
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
