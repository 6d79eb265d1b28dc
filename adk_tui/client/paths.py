"""Paths as a person types them."""

import os
from pathlib import Path


def typed_path(text: str) -> Path:
    """The path, ``~`` being the home folder; left as it is where nobody has that home.

    ``Path.expanduser`` raises RuntimeError for ``~nobody``, which must not end a
    program in the middle of a word.
    """
    return Path(os.path.expanduser(text))  # noqa: PTH111
