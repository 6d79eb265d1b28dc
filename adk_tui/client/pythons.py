"""Which Python runs the engine, and how.

The agent belongs to a project with dependencies of its own, so it should run in
the project's environment, with the project's google-adk. Nothing but google-adk
is asked of that environment: of adk-tui only ``core`` and ``engine`` are made
importable there, by a few lines given to the interpreter instead of a folder on
``PYTHONPATH``, so nothing of ours reaches the processes an agent starts.
"""

import errno
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import adk_tui
from adk_tui.client.paths import typed_path
from adk_tui.core.reports import Failure

OLDEST = (3, 11)
PROBE_SECONDS = 30.0
ENVIRONMENT_NAMES = (".venv", "venv")

_PROBE = """
import importlib.util, sys
try:
    adk = importlib.util.find_spec("google.adk") is not None
except ImportError:
    adk = False
print("%d %d %d" % (sys.version_info[0], sys.version_info[1], adk))
"""

_BOOT = """
import importlib.util, sys
def package(name, folder):
    spec = importlib.util.spec_from_file_location(
        name, folder + "/__init__.py", submodule_search_locations=[folder])
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module
root = sys.argv.pop(1)
top = package("adk_tui", root)
top.__path__ = []
top.core = package("adk_tui.core", root + "/core")
top.engine = package("adk_tui.engine", root + "/engine")
from adk_tui.engine.ending import end_with
from MODULE import main
del package, root, top
end_with(main)
"""


@dataclass(frozen=True, slots=True)
class Python:
    """An interpreter, why it was chosen, and a sentence on each one that was passed over."""

    path: Path
    why: str
    skipped: tuple[str, ...] = ()


class NoPython(Exception):
    """No interpreter can be used; carries the failure to show."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


def agent_path(target: str) -> Path:
    """Where to look from for the project of ``target``: itself, or the current folder."""
    path = Path(target)
    return path if path.exists() else Path.cwd()


def _executable(folder: Path) -> Path:
    return folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def _probe(python: Path) -> str:
    """What is wrong with an interpreter, in words that follow its name; empty if nothing is.

    Raises:
        OSError: the machine cannot start a program at all now.
    """
    try:
        run = subprocess.run(
            [str(python), "-c", _PROBE],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=PROBE_SECONDS,
            check=False,
            cwd=python.parent,
            start_new_session=True,
        )
        answer = run.stdout.split()
        major, minor, adk = (int(word) for word in answer[-3:])
    except subprocess.TimeoutExpired:
        return f"did not answer within {PROBE_SECONDS:.0f} s"
    except OSError as error:
        if error.errno in (errno.EMFILE, errno.ENFILE, errno.EAGAIN, errno.ENOMEM):
            # That is no fault of the interpreter's: another must not take its place.
            raise
        return f"cannot be run: {error.strerror or error}"
    except ValueError:
        return "is no working Python"
    if (major, minor) < OLDEST:
        return f"is Python {major}.{minor}; adk-tui needs {OLDEST[0]}.{OLDEST[1]} or newer"
    return "" if adk else "has no google-adk"


def _explicit(wanted: str) -> Python:
    path = typed_path(wanted)
    if path.is_dir():
        path = _executable(path)
    elif os.sep not in wanted and (found := shutil.which(wanted)):
        path = Path(found)
    path = path.absolute()
    if not path.exists():
        raise NoPython(
            Failure(
                "python.missing",
                f"There is no Python at {path}.",
                "Give --python the path of an interpreter or of a virtual environment.",
            )
        )
    if problem := _probe(path):
        raise NoPython(
            Failure(
                "python.unfit",
                f"{path} {problem}.",
                f"Install it there ({path} -m pip install google-adk) or give another --python."
                if problem.endswith("google-adk")
                else "Give another --python.",
            )
        )
    return Python(path, "given by --python")


def _folders(target: Path) -> list[Path]:
    """The folders whose environments count: the target's and those above, up to the project."""
    start = Path(os.path.normpath(target.absolute()))
    if not start.is_dir():
        start = start.parent
    home = Path.home()
    found: list[Path] = []
    for folder in (start, *start.parents):
        if folder == home or folder.parent == folder:
            break
        found.append(folder)
        if (folder / ".git").exists():
            break
    return found


def _candidates(target: Path) -> list[tuple[Path, str]]:
    found: list[tuple[Path, str]] = []
    active = os.environ.get("VIRTUAL_ENV", "")
    if active:
        found.append((Path(active), "the active virtual environment"))
    for folder in _folders(target):
        for name in ENVIRONMENT_NAMES:
            place = folder / name
            if _executable(place).exists():
                found.append((place, "the project's virtual environment"))
    return found


def _foreign(place: Path) -> bool:
    """Whether somebody else could have put a Python there for us to run."""
    if os.name == "nt":
        return False
    return place.stat().st_uid not in (os.getuid(), 0)


def find_python(target: Path, explicit: str = "") -> Python:
    """The interpreter for the agent at ``target``.

    In this order: the one the user gave, the active virtual environment, a
    ``.venv`` or ``venv`` beside the agent or above it (up to the folder with
    ``.git``, never in the home folder itself), our own. Runs each candidate
    once to see whether it has google-adk, so it may take some tenths of a
    second. Raises NoPython when the one the user gave cannot be used.
    """
    if explicit:
        return _explicit(explicit)
    ours = Path(sys.prefix).resolve()
    skipped: list[str] = []
    seen: set[Path] = set()
    for place, why in _candidates(target):
        real = place.resolve()
        if real in seen:
            continue
        seen.add(real)
        if real == ours:
            return Python(Path(sys.executable), why, tuple(skipped))
        python = _executable(place)
        if not python.exists():
            skipped.append(f"{why.capitalize()} {place} was not used: it has no Python.")
        elif _foreign(place):
            skipped.append(f"{why.capitalize()} {place} was not used: it belongs to another user.")
        elif problem := _probe(python):
            skipped.append(f"{why.capitalize()} {place} was not used: it {problem}.")
        else:
            return Python(python, why, tuple(skipped))
    return Python(Path(sys.executable), "adk-tui's own Python", tuple(skipped))


def engine_command(python: Python, module: str = "adk_tui.engine.__main__") -> tuple[str, ...]:
    """The command line of an engine: see the bootstrap above. ``module`` is the one that is run.

    ``-P`` keeps the current folder off the module path (a ``json.py`` there
    would break the engine), ``-u`` lets prints come out at once, and
    ``faulthandler`` says where a crash in C code happened.
    """
    root = Path(adk_tui.__file__).resolve().parent
    return (
        str(python.path),
        "-P",
        "-u",
        "-X",
        "faulthandler",
        "-c",
        _BOOT.replace("MODULE", module),
        str(root),
    )
