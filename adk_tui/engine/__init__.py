"""Runs the agent, in a process of its own. Standard library, core and google.* only."""
