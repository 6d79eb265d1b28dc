"""adk-tui: the terminal workbench for Google ADK agents."""

__version__ = "0.1.0"
