"""What the PATH of a command means, by a look at file names only.

Nothing is imported here: a mistyped path must be answered at once, and
completion must stay fast. Whether what is found there really loads, only the
engine can say.
"""

import difflib
import re
from collections.abc import Iterator
from pathlib import Path

from adk_tui.client.paths import typed_path

_MODULE = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*")
_DEFINES_AGENT = re.compile(rb"^(?:root_agent|app)\s*(?::[^=\n]*)?=|import.*\broot_agent\b", re.M)
_SKIPPED = frozenset({"__pycache__", "node_modules", "site-packages", "venv", "build", "dist"})
_SEEN_FOLDERS = 500
_SEEN_BYTES = 200_000
DEPTH = 3
"""How many folders below a path agents are looked for."""


class TargetError(Exception):
    """There is no agent at the path. ``exit_code`` is 2 for a wrong path, 3 for no agent at it."""

    def __init__(self, message: str, exit_code: int = 2) -> None:
        super().__init__(message)
        self.exit_code = exit_code


def is_agent(folder: Path) -> bool:
    """Whether the folder looks like an agent to ADK: ``agent.py``, ``root_agent.yaml`` or a
    package that defines ``root_agent`` or ``app``.
    """
    if (folder / "agent.py").is_file() or (folder / "root_agent.yaml").is_file():
        return True
    package = folder / "__init__.py"
    try:
        with package.open("rb") as file:
            return _DEFINES_AGENT.search(file.read(_SEEN_BYTES)) is not None
    except OSError:
        return False


def find_agents(folder: Path, depth: int = DEPTH) -> Iterator[Path]:
    """Agent folders in ``folder``, nearest first; bounded in depth and in folders looked at."""
    level, seen = [folder], 0
    for _ in range(depth):
        below: list[Path] = []
        for parent in level:
            try:
                entries = sorted(p for p in parent.iterdir() if p.is_dir())
            except OSError:
                continue
            for entry in entries:
                seen += 1
                if entry.name.startswith(".") or entry.name in _SKIPPED:
                    continue
                if seen > _SEEN_FOLDERS:
                    return
                if is_agent(entry):
                    yield entry
                else:
                    below.append(entry)
        level = below


def resolve_target(text: str) -> str:
    """The target as the engine takes it: an absolute path, or ``package.module:attribute``.

    Raises:
        TargetError: nothing is there, or nothing that looks like an agent.
    """
    path = typed_path(text)
    if path.is_dir():
        path = path.resolve()
        if not is_agent(path):
            raise TargetError(_no_agent(text, path), exit_code=3)
        return str(path)
    if path.exists():
        if path.suffix not in (".py", ".yaml"):
            raise TargetError(
                f"{text} is no agent: give a folder, a Python file, root_agent.yaml or"
                " package.module:attribute."
            )
        return str(path.resolve())
    if _MODULE.fullmatch(text):
        return text
    raise TargetError(_missing(text, path))


def target_name(target: str) -> str:
    """What to call a resolved target until the agent has said its own name."""
    if _MODULE.fullmatch(target):
        return target.rpartition(":")[2]
    path = Path(target)
    return path.parent.name if path.name in ("agent.py", "root_agent.yaml") else path.stem


def complete_target(incomplete: str) -> list[str]:
    """Agent folders, and folders that hold some, whose path begins with ``incomplete``."""
    base, _, name = incomplete.rpartition("/")
    start = base + "/" if base or incomplete.startswith("/") else ""
    folder = typed_path(start or ".")
    found: list[str] = []
    try:
        entries = sorted(p for p in folder.iterdir() if p.is_dir() and p.name.startswith(name))
    except OSError:
        return found
    for entry in entries:
        if (entry.name.startswith(".") and not name) or entry.name in _SKIPPED:
            continue
        if is_agent(entry):
            found.append(start + entry.name)
        elif next(find_agents(entry), None):
            found.append(start + entry.name + "/")
    return found


def _shown(path: Path) -> str:
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)


def _listed(agents: list[Path]) -> str:
    names = [_shown(a) for a in agents[:8]]
    return ", ".join(names) + (" …" if len(agents) > len(names) else "")


def _no_agent(text: str, folder: Path) -> str:
    what = f"{text} holds no agent (no agent.py, root_agent.yaml or __init__.py with root_agent)."
    if below := list(find_agents(folder)):
        return f"{what} Agents in it: {_listed(below)}."
    above = next((p for p in folder.parents if is_agent(p)), None)
    if above:
        return f"{what} The folder above is one: {_shown(above)}."
    if beside := list(find_agents(folder.parent, depth=1)):
        return f"{what} Agents beside it: {_listed(beside)}."
    return f"{what} Give the folder of an ADK agent, for example: adk-tui run path/to/my_agent"


def _missing(text: str, path: Path) -> str:
    what = f"There is no {text}."
    parent = next((p for p in path.absolute().parents if p.is_dir()), Path.cwd())
    agents = list(find_agents(parent, depth=2)) or list(find_agents(Path.cwd()))
    names = {a.name: a for a in agents}
    if close := difflib.get_close_matches(path.name, names, n=1):
        return f"{what} Did you mean {_shown(names[close[0]])}?"
    if agents:
        return f"{what} Agents near there: {_listed(agents)}."
    return f"{what} Give the folder of an ADK agent, a Python file or package.module:attribute."
