"""Agents near a path, found by their files alone: nothing is imported to suggest a name."""

import difflib
import os
from collections.abc import Iterator
from pathlib import Path

_SKIPPED = frozenset(
    {"node_modules", "site-packages", "__pycache__", "venv", "env", "build", "dist"}
)
_MOST_FOLDERS = 500


def shown(path: Path) -> str:
    """A path as a person would type it: relative to the working directory where it is below."""
    try:
        return str(path.relative_to(Path.cwd()))
    except (ValueError, OSError):
        return str(path)


def holds_agent(folder: Path) -> bool:
    """Whether a folder looks like an agent's: ADK's three layouts, told by files and a word."""
    try:
        if (folder / "agent.py").is_file() or (folder / "root_agent.yaml").is_file():
            return True
        init = folder / "__init__.py"
        return init.is_file() and "root_agent" in init.read_text("utf-8", "replace")
    except OSError:
        return False


def _folders(root: Path, depth: int) -> Iterator[Path]:
    level = [root]
    seen = 0
    for _ in range(depth):
        below: list[Path] = []
        for folder in level:
            try:
                children = sorted(e.path for e in os.scandir(folder) if e.is_dir())
            except OSError:
                continue
            for child in map(Path, children):
                if child.name.startswith(".") or child.name in _SKIPPED:
                    continue
                seen += 1
                if seen > _MOST_FOLDERS:
                    return
                yield child
                below.append(child)
        level = below


def agents_below(folder: Path, depth: int = 3) -> list[Path]:
    """Agent folders under ``folder``, nearest first."""
    return [found for found in _folders(folder, depth) if holds_agent(found)]


def suggestions(wanted: Path, most: int = 4) -> list[Path]:
    """Agents a person may have meant by ``wanted``: below it, else beside it, like names first."""
    if wanted.is_file() and holds_agent(wanted.parent):
        return [wanted.parent]
    if wanted.is_dir() and (below := agents_below(wanted)):
        return below[:most]
    base = wanted.parent
    while not base.is_dir() and base != base.parent:
        base = base.parent
    beside = [found for found in agents_below(base, 2) if found != wanted]
    close = difflib.get_close_matches(wanted.name, [found.name for found in beside], most, 0.6)
    if not beside:
        # Perhaps the working directory is itself an agent's folder: only a like name counts there.
        beside = agents_below(base.parent, 1)
        close = difflib.get_close_matches(wanted.name, [found.name for found in beside], most, 0.6)
        beside = [found for found in beside if found.name in close]
    beside.sort(key=lambda found: close.index(found.name) if found.name in close else most)
    return beside[:most]
