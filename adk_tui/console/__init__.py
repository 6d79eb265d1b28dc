"""The line modes, on the same core and client."""
