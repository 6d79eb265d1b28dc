"""Two themes of our own, calm enough to look at all day, beside all of Textual's.

The contrast of words is at least 4.5:1 in both, of faint ones on a marked row 3.5:1; colour is
never the only carrier of a meaning (a mark or a word says it too).
"""

from textual.theme import Theme

DARK = "adk-dark"
LIGHT = "adk-light"

THEMES = (
    Theme(
        name=DARK,
        primary="#7fb4e6",
        secondary="#5d7a99",
        accent="#e0b072",
        warning="#e3b35b",
        error="#ef7f84",
        success="#86c58f",
        foreground="#d7dce2",
        background="#14171b",
        surface="#1a1e23",
        panel="#22272e",
        dark=True,
        variables={
            "block-cursor-background": "#274059",
            "block-cursor-foreground": "#f2f5f8",
            "block-cursor-text-style": "none",
            "block-cursor-blurred-background": "#262c34",
            "border": "#5d7a99",
            "border-blurred": "#2b323a",
            "input-selection-background": "#3d6a96 55%",
            "scrollbar": "#333b45",
            "scrollbar-hover": "#46515e",
            "scrollbar-background": "#171b1f",
            "scrollbar-corner-color": "#171b1f",
        },
    ),
    Theme(
        name=LIGHT,
        primary="#1a5690",
        secondary="#4a6279",
        accent="#8a4f00",
        warning="#8a5300",
        error="#b3262e",
        success="#1f6f35",
        foreground="#0d1116",
        background="#f7f7f4",
        surface="#ffffff",
        panel="#e9eaea",
        dark=False,
        variables={
            "block-cursor-background": "#cfe0f1",
            "block-cursor-foreground": "#12181e",
            "block-cursor-text-style": "none",
            "block-cursor-blurred-background": "#e6eaee",
            "border": "#4a6279",
            "border-blurred": "#cfd3d6",
            "input-selection-background": "#a9cbee 70%",
            "scrollbar": "#c3c8cc",
            "scrollbar-hover": "#a9b1b8",
            "scrollbar-background": "#efefec",
            "scrollbar-corner-color": "#efefec",
        },
    ),
)
