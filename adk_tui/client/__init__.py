"""Talks to an engine: starts it, reads it, and checks what a person wants to tell it."""
