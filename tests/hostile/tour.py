"""A walk through all screens of the application on a real terminal."""

from tests.e2e.terminal import Terminal

SIZE = {"columns": 150, "rows": 45}
SCREENS = {
    "f5": "Agents  ",
    "f6": "Who answers next?",
    "f7": "Sessions",
    "f8": "State",
    "f1": "─ Help ─",
    "ctrl+p": "Search for commands",
}
"""Keys, and a word that only the screen they open shows."""


def tour(terminal: Terminal) -> None:
    """Open every screen and every page of the inspector, and leave them again."""
    for key, word in SCREENS.items():
        terminal.press(key)
        terminal.wait_for(word)
        for inside in ("down", "down", "tab", "end"):
            terminal.press(inside)
        terminal.read(0.3)
        terminal.press_until("escape", lambda w=word: w not in terminal.text, again=3.0)
    for up in range(4):
        terminal.press("f3")
        terminal.wait_for("Enter inspect")
        terminal.press("end", *["up"] * up, "enter")
        terminal.wait_for("Summary")
        for page in "123456":
            terminal.press(page, "down", "end")
        terminal.read(0.3)
        terminal.press_until("escape", lambda: "Summary" not in terminal.text, again=3.0)
    terminal.press("f10")
    terminal.wait_for("Output of the agent")
    terminal.press("home", "pagedown", "end")
    terminal.read(0.3)
    terminal.press("f10")
