"""A screen over the main one that goes on showing what is true."""

from typing import TypeVar

from textual.screen import Screen

R = TypeVar("R")


class Following(Screen[R]):
    """The app tells it once a tick what of the ``SessionView`` has changed."""

    def follow(self, changed: frozenset[str]) -> None:
        """Draw what changed; ``changed`` are names as ``SessionView.apply`` returns them."""
