"""A hostile world: agents that do to a process and a terminal what they should not, and text to match."""
