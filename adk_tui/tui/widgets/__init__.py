"""The regions of the screens. A widget knows no screen and not the app."""
