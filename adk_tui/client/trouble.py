"""A trouble that comes with every message is told once, not every time."""


class Trouble:
    """What was told of a file, or whatever else may fail again and again."""

    def __init__(self) -> None:
        self._told: set[str] = set()
        self._lasts = False

    def news(self, problem: str) -> str:
        """``problem``, empty for none, if a person must hear of it now; else empty.

        Not while an earlier one lasts: the next try may fail in other words.
        And not in words that were told before: it may come and go.
        """
        fresh = not self._lasts and problem not in self._told
        self._lasts = bool(problem)
        if problem and fresh:
            self._told.add(problem)
            return problem
        return ""
