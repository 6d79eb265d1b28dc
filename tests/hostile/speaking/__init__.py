"""An agent that says what no terminal should hear."""
