"""From what a person typed after ``run`` to a loaded agent.

ADK's own ``AgentLoader`` does the work wherever it takes the name, so that an
agent loads here exactly as under ``adk run``. It refuses folder names with
hyphens or dots, is misled by folders named like a module that is already
loaded (``email``), and knows neither files in packages nor
``package.module:attribute``: those are imported here, by the same order of
names (``app`` before ``root_agent``; the package before its ``agent`` module).
"""

import ast
import importlib
import importlib.machinery
import importlib.util
import logging
import os
import re
import sys
import warnings
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from google.adk.apps.app import App
from google.adk.cli.utils import envs
from google.adk.cli.utils.agent_loader import AgentLoader
from google.adk.workflow import BaseNode

from adk_tui.core.reports import Failure
from adk_tui.engine.load_errors import (
    LoadError,
    bad_env,
    explain,
    missing,
    no_agent,
    no_agent_file,
    no_module,
    no_root_agent,
    wrong_type,
)
from adk_tui.engine.nearby import holds_agent, shown

__all__ = ["LoadError", "Loaded", "load"]

_MODULE = re.compile(r"([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*):([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)")
_NAMES = ("app", "root_agent")


@dataclass(frozen=True, slots=True)
class Loaded:
    """A loaded agent.

    ``folder`` is the agent's folder, where ADK keeps ``.adk/session.db``;
    ``app_name`` the name sessions are stored under (``App.name``, else the
    folder's, as ``adk run`` has it); ``name`` what to call the agent on
    screen: the folder's or the file's name.
    """

    app: App
    folder: Path
    app_name: str
    name: str


def load(target: str) -> Loaded:
    """Load the agent at ``target``, a path or ``package.module:attribute``.

    Takes an agent's folder, its ``agent.py``, any ``.py`` file,
    ``root_agent.yaml``, or a module's attribute with the current directory on
    ``sys.path``. ``.env`` is read as ADK does: the nearest one upwards, and
    variables that are already set win. Changes ``sys.path``, ``sys.modules``
    and ``os.environ``, as importing an agent does.

    Raises:
        LoadError: whatever went wrong, in one plain sentence.
    """
    # Path.expanduser raises where nobody has that home.
    path = Path(os.path.expanduser(target))  # noqa: PTH111
    try:
        there = path.exists()
    except OSError:
        there = False
    if not there and (found := _MODULE.fullmatch(target)):
        return _load_attribute(found.group(1), found.group(2))
    path = Path(os.path.abspath(path))  # noqa: PTH100 - a link's own name is the agent's name
    if not there:
        raise LoadError(missing(path))
    if path.is_dir():
        return _load_folder(path)
    if path.name in ("agent.py", "__init__.py", "root_agent.yaml"):
        return _load_folder(path.parent)
    if path.suffix == ".py":
        return _load_file(path)
    raise LoadError(no_agent_file(path))


def _load_folder(folder: Path) -> Loaded:
    if not holds_agent(folder) and not (folder / "__init__.py").is_file():
        raise LoadError(no_agent(folder))
    _load_env(folder)
    _add_path(folder.parent)
    if _adk_takes(folder.name, folder):
        value = _by_adk(folder.name, folder)
    elif (folder / "root_agent.yaml").is_file() and not (folder / "agent.py").is_file():
        raise LoadError(_yaml_name(folder))
    else:
        value = _by_alias(folder)
    return _loaded(value, folder, folder.name)


def _load_file(file: Path) -> Loaded:
    _load_env(file.parent)
    if (file.parent / "__init__.py").is_file() or _imports_relatively(file):
        _add_path(file.parent.parent)
        package = _package(file.parent)
        module = _import(f"{package}.{file.stem}", file.parent)
        return _loaded(_pick(module, shown(file)), file.parent, file.stem)
    _add_path(file.parent)
    if _adk_takes(file.stem, file):
        return _loaded(_by_adk(file.stem, file.parent), file.parent, file.stem)
    module = _execute(_free_name(file.stem), file, file.parent)
    return _loaded(_pick(module, shown(file)), file.parent, file.stem)


def _load_attribute(module_name: str, attribute: str) -> Loaded:
    here = Path.cwd()
    _add_path(here)
    beside = here.joinpath(*module_name.split("."))
    _load_env(beside if beside.is_dir() else beside.parent if beside.parent.is_dir() else here)
    module = _import_target(module_name, here)
    value: object = module
    for name in attribute.split("."):
        if not hasattr(value, name):
            raise LoadError(
                Failure(
                    "load.no_root",
                    f"The module {module_name} has no attribute {attribute}.",
                    "Give the name the agent is assigned to.",
                    file=module.__file__ or "",
                )
            )
        value = getattr(value, name)
    file = Path(module.__file__) if module.__file__ else here / "agent.py"
    name = file.parent.name if file.name in ("agent.py", "__init__.py") else file.stem
    if not isinstance(value, App | BaseNode):
        raise LoadError(wrong_type(module, attribute, value))
    return _loaded(value, file.parent, name)


def _loaded(value: App | BaseNode, folder: Path, name: str) -> Loaded:
    if isinstance(value, App):
        return Loaded(value, folder, value.name, name)
    try:
        app = App(name=_app_name(name), root_agent=value)
    except Exception as error:
        raise LoadError(explain(error, folder)) from error
    return Loaded(app, folder, app.name, name)


def _app_name(name: str) -> str:
    """The folder's name, changed only where ADK would refuse it as an app name."""
    safe = re.sub(r"[^A-Za-z0-9_-]", "_", name)
    return safe if safe[:1].isalpha() and safe != "user" else f"agent_{safe}"


def _load_env(folder: Path) -> None:
    try:
        envs.load_dotenv_for_agent(folder.name, str(folder.parent))
    except UnicodeDecodeError as error:
        file = next(p / ".env" for p in (folder, *folder.parents) if (p / ".env").is_file())
        raise LoadError(bad_env(file, error)) from error


def _add_path(folder: Path) -> None:
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))


def _adk_takes(name: str, path: Path) -> bool:
    """Whether ADK's loader accepts the name and would find this path under it."""
    if not re.fullmatch(r"[A-Za-z0-9_]+", name) or name.startswith("__"):
        return False
    if name in sys.stdlib_module_names:
        return False
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError, AttributeError):
        return False
    places = [spec.origin, *(spec.submodule_search_locations or ())] if spec else []
    return any(place and Path(place).resolve().is_relative_to(path.resolve()) for place in places)


def _by_adk(name: str, folder: Path) -> App | BaseNode:
    base = folder.parent if folder.name == name and folder.is_dir() else folder
    try:
        _quiet()
        loader = AgentLoader(str(base))
        # A folder of agents that holds an agent.py itself would be taken for one agent.
        loader.agents_dir, loader._is_single_agent = str(base), False  # pyright: ignore[reportPrivateUsage]
        return loader.load_agent(name)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        modules = [sys.modules.get(f"{name}.agent"), sys.modules.get(name)]
        for module in modules if type(error) is ValueError else ():
            if module is not None and module.__file__:
                _pick(module, name)
        raise LoadError(explain(error, folder)) from error


def _quiet() -> None:
    """Keep what ADK's loader says on the way off the agent's output: failures tell it better."""
    logging.getLogger(f"google_adk.{AgentLoader.__module__}").setLevel(logging.ERROR)
    warnings.filterwarnings("ignore", r"\[EXPERIMENTAL\] _load_from_yaml_config", UserWarning)


def _by_alias(folder: Path) -> App | BaseNode:
    """A folder whose name cannot be imported: imported as a package under a name that can."""
    package = _package(folder)
    module = sys.modules[package]
    if any(isinstance(getattr(module, name, None), App | BaseNode) for name in _NAMES):
        return _pick(module, shown(folder))
    if (folder / "agent.py").is_file():
        module = _import(f"{package}.agent", folder)
    return _pick(module, shown(folder))


def _package(folder: Path) -> str:
    """Import a folder as a package, under its own name where that is free; the name it got."""
    if folder.name.isidentifier() and _adk_takes(folder.name, folder):
        _import(folder.name, folder)
        return folder.name
    name = _free_name(folder.name)
    init = folder / "__init__.py"
    if init.is_file():
        _execute(name, init, folder)
        return name
    module = ModuleType(name)
    module.__path__ = [str(folder)]
    module.__spec__ = importlib.machinery.ModuleSpec(name, None, is_package=True)
    sys.modules[name] = module
    return name


def _free_name(name: str) -> str:
    """An importable name like ``name`` that no module has: ``email`` becomes ``email_agent``."""
    safe = re.sub(r"\W", "_", name)
    safe = safe if safe.isidentifier() else f"agent_{safe}"
    while safe in sys.modules or safe in sys.stdlib_module_names:
        safe += "_agent"
    return safe


def _execute(name: str, file: Path, folder: Path) -> ModuleType:
    """Import a file under a given name."""
    package = [str(file.parent)] if file.name == "__init__.py" else None
    spec = importlib.util.spec_from_file_location(name, file, submodule_search_locations=package)
    if spec is None or spec.loader is None:
        raise LoadError(missing(file))
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise LoadError(explain(error, folder)) from error
    return module


def _import(name: str, folder: Path) -> ModuleType:
    try:
        return importlib.import_module(name)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise LoadError(explain(error, folder)) from error


def _import_target(name: str, here: Path) -> ModuleType:
    try:
        return _import(name, here)
    except LoadError as error:
        lacking = getattr(error.__cause__, "name", None)
        if isinstance(error.__cause__, ModuleNotFoundError) and f"{name}.".startswith(
            f"{lacking}."
        ):
            raise LoadError(no_module(name, here)) from error.__cause__
        raise


def _imports_relatively(file: Path) -> bool:
    try:
        tree = ast.parse(file.read_bytes())
    except (SyntaxError, ValueError):
        return False
    return any(isinstance(node, ast.ImportFrom) and node.level for node in ast.walk(tree))


def _pick(module: ModuleType, target: str) -> App | BaseNode:
    """What a module calls its agent: an App named ``app`` first, as in ADK, then ``root_agent``."""
    app = getattr(module, "app", None)
    if isinstance(app, App):
        return app
    if hasattr(module, "root_agent"):
        root: object = module.root_agent
        if isinstance(root, BaseNode):
            return root
        raise LoadError(wrong_type(module, "root_agent", root))
    raise LoadError(no_root_agent(module, target))


def _yaml_name(folder: Path) -> Failure:
    return Failure(
        "load.name",
        f"ADK cannot load a YAML agent from a folder named {folder.name}.",
        "Rename the folder to letters, digits and underscores.",
        file=str(folder / "root_agent.yaml"),
    )
