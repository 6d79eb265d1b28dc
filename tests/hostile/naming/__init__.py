"""An agent whose names no terminal should hear."""
