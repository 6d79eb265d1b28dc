"""A hostile world: agents that misuse their process and the terminal, and text to match."""
