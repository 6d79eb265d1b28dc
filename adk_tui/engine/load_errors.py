"""Why an agent did not load: one plain sentence, a place in the user's own code, the next step."""

import ast
import inspect
import re
import sys
import sysconfig
import traceback
from pathlib import Path
from types import ModuleType, TracebackType
from typing import Any, cast

from google.adk.apps.app import App
from google.adk.workflow import BaseNode

from adk_tui.core.jsontools import as_list, as_object, as_text
from adk_tui.core.reports import Failure
from adk_tui.engine.nearby import shown, suggestions

_STANDARD_LIBRARY = {Path(sysconfig.get_path(name)).resolve() for name in ("stdlib", "platstdlib")}
_ADK_PREFIX = re.compile(r"^Fail to load '[^']*' (?:module|config)\.\s*")


class LoadError(Exception):
    """The agent could not be loaded; ``failure`` says why, where, and what to do next."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


def run_hint(paths: list[Path]) -> str:
    """The command line for the agents found nearby, empty for none."""
    commands = [f"adk-tui run {shown(path)}" for path in paths]
    return "Try " + ", or ".join(commands) + "." if commands else ""


def missing(path: Path) -> Failure:
    """Nothing is at the path."""
    hint = run_hint(suggestions(path)) or "Give the folder that holds the agent's agent.py."
    return Failure("load.missing", f"There is no file or folder {shown(path)}.", hint)


def no_agent_file(file: Path) -> Failure:
    """A file that is of no kind an agent comes in."""
    return Failure(
        "load.no_agent",
        f"{shown(file)} is neither a Python file nor a root_agent.yaml.",
        run_hint(suggestions(file)) or "Give the folder that holds the agent's agent.py.",
    )


def no_agent(folder: Path) -> Failure:
    """A folder without any of the files an agent is made of."""
    hint = run_hint(suggestions(folder))
    return Failure(
        "load.no_agent",
        f"The folder {shown(folder)} holds no agent: it has no agent.py, no root_agent.yaml, and"
        " no __init__.py that defines root_agent.",
        hint or "Give a folder whose agent.py defines root_agent.",
    )


def no_module(name: str, folder: Path) -> Failure:
    """``package.module:attribute`` was asked for, but Python finds no such module."""
    return Failure(
        "load.missing",
        f"There is no module {name} in {folder} or in this Python.",
        f"Start in the folder that holds {name.partition('.')[0]}, or give the agent's folder.",
    )


def is_own(filename: str) -> bool:
    """Whether a file is the user's: not Python's, not an installed package's, not ours."""
    path = Path(filename)
    if filename.startswith("<") or {"site-packages", "dist-packages"} & set(path.parts):
        return False
    others = (Path(__file__).resolve().parent.parent, *_STANDARD_LIBRARY)
    return not any(path.resolve().is_relative_to(other) for other in others)


def where(error: BaseException) -> tuple[str, int]:
    """File and line, in the user's own code, that an exception comes from; ``("", 0)`` if none."""
    if isinstance(error, SyntaxError) and error.filename and is_own(error.filename):
        return error.filename, error.lineno or 0
    own = [
        (frame.filename, frame.lineno or 0)
        for frame in traceback.extract_tb(error.__traceback__)
        if is_own(frame.filename)
    ]
    return own[-1] if own else ("", 0)


def details(error: BaseException) -> str:
    """The traceback, the user's own frames first, then all of it."""
    stack: TracebackType | None = error.__traceback__
    own = [frame for frame in traceback.extract_tb(stack) if is_own(frame.filename)]
    whole = "".join(traceback.format_exception(type(error), error, stack))
    return "".join(traceback.format_list(own)) + ("\n" if own else "") + whole


def reason(error: BaseException) -> str:
    """An exception's own words in one line, without what ADK's loader puts before them."""
    if isinstance(error, SyntaxError | ImportError):
        text = error.msg or ""
    else:
        first = error.args[0] if len(error.args) == 1 else None
        text = first if isinstance(first, str) else str(error)
    return (_ADK_PREFIX.sub("", text).strip().splitlines() or [""])[0]


def _failure(code: str, error: BaseException, message: str, hint: str) -> Failure:
    file, line = where(error)
    return Failure(code, message, hint, file=file, line=line, details=details(error))


def at(file: str, line: int, fallback: Path) -> str:
    """``agents/stock/agent.py:12`` for a sentence; the fallback where the place is unknown."""
    if not file:
        return shown(fallback)
    return shown(Path(file)) + (f":{line}" if line else "")


def explain(error: BaseException, folder: Path) -> Failure:
    """What an exception during the import of the agent in ``folder`` means."""
    if type(error).__name__ == "_AgentLoadError" and error.__cause__:
        error = error.__cause__
    if not where(error)[0] and (yaml := folder / "root_agent.yaml").is_file():
        return _explain_yaml(error, yaml)
    if isinstance(error, SyntaxError) and not error.filename:
        # Python does not tell which file it is that holds null bytes.
        error.filename, error.lineno = _with_null_bytes(folder)
    place = at(*where(error), folder)
    if isinstance(error, SyntaxError):
        problem = f"Syntax error in {place}: {reason(error)}."
        hint = "Correct the line and reload."
        if "null bytes" in problem:
            hint = "It is not UTF-8 text, or damaged: save the file as UTF-8 and reload."
        elif "codec can't decode" in problem:
            hint = "Save the file as UTF-8 and reload."
        return _failure("load.syntax", error, problem, hint)
    if isinstance(error, ModuleNotFoundError) and error.name:
        return _failure(
            "load.import",
            error,
            f"{place} imports {error.name}, which this Python does not have.",
            _import_hint(error.name, folder),
        )
    if isinstance(error, ImportError):
        problem = f"An import in {place} failed: {reason(error)}."
        return _failure("load.import", error, problem, _name_hint(error))
    if isinstance(error, SystemExit):
        problem = f"{place} ends the program while it is imported (SystemExit: {error.code})."
        hint = 'Move that code under `if __name__ == "__main__":`.'
        return _failure("load.exit", error, problem, hint)
    if (errors := _validation(error)) is not None:
        problem = f"{place} makes an agent that google-adk refuses: {errors}."
        return _failure("load.config", error, problem, "Correct the field and reload.")
    words = reason(error)
    problem = f"{place} raised {type(error).__name__} while it was loaded"
    problem += f": {words.rstrip('.')}." if words else "."
    return _failure("load.error", error, problem, _error_hint(error))


def _with_null_bytes(folder: Path) -> tuple[str | None, int | None]:
    for file in sorted(folder.glob("*.py")):
        before, null, _ = file.read_bytes().partition(b"\0")
        if null:
            return str(file), before.count(b"\n") + 1
    return None, None


_NAMED_FILE = re.compile(r"config_path:[ \t]*[\"']?([^\"'\s#]+)")


def _explain_yaml(error: BaseException, file: Path) -> Failure:
    """What an exception in none of the user's Python code means, where a YAML file was read."""
    mark = getattr(error, "problem_mark", None)
    line = getattr(mark, "line", None)
    place = Path(str(getattr(mark, "name", file)))
    if isinstance(line, int) and place.is_file():
        message = f"{at(str(place), line + 1, place)} is no YAML: {reason(error)}."
        return _yaml_failure(error, message, "Correct the line and reload.", place, line + 1)
    if isinstance(error, UnicodeDecodeError):
        number = undecodable_line(file)
        message = f"{at(str(file), number, file)} is not UTF-8 text."
        return _yaml_failure(error, message, "Save the file as UTF-8.", file, number)
    if isinstance(error, ModuleNotFoundError) and error.name:
        message = f"{shown(file)} names {error.name}, which this Python does not have."
        hint = (
            "Write the name as package.module.name, the package being the agent's folder, or"
            f" install what it is in: {sys.executable} -m pip install …."
        )
        return _yaml_failure(error, message, hint, file)
    if (errors := _validation(error)) is not None:
        message = f"{shown(file)} describes an agent that google-adk refuses: {errors}."
        return _yaml_failure(error, message, "Correct the field and reload.", file)
    for number, text in enumerate(file.read_text("utf-8", "replace").splitlines(), 1):
        # ADK takes every missing file for a missing root_agent.yaml, which is there.
        if (named := _NAMED_FILE.search(text)) and not (file.parent / named[1]).exists():
            message = f"{at(str(file), number, file)} names {named[1]}, which is not there."
            hint = "Give the path as seen from this file, and reload."
            return _yaml_failure(error, message, hint, file, number)
    words = reason(error).rstrip(".") or type(error).__name__
    message = f"{shown(file)} cannot be loaded: {words}."
    return _yaml_failure(error, message, "Correct the file and reload.", file)


def _yaml_failure(
    error: BaseException, message: str, hint: str, file: Path, line: int = 0
) -> Failure:
    return Failure("load.config", message, hint, str(file), line, details(error))


def _name_hint(error: ImportError) -> str:
    if "circular import" in str(error):
        return (
            "Two modules import each other: move what both need into a third one, or import it"
            " inside the function that uses it."
        )
    if wanted := re.search(r"pip install [\"']?([\w.\[\],-]+)", str(error)):
        return f'Install it where the agent runs: {sys.executable} -m pip install "{wanted[1]}".'
    return "Check the name, and the version of the package in the Python that runs the agent."


def _error_hint(error: BaseException) -> str:
    if isinstance(error, AttributeError) and "circular import" in str(error):
        return _name_hint(ImportError(str(error)))
    if isinstance(error, PermissionError) and error.filename:
        return f"Make {error.filename} readable for you, then reload."
    if isinstance(error, RuntimeError) and "event loop" in str(error):
        return "Build the agent in plain code: no asyncio.run while the module is imported."
    if isinstance(error, KeyError) and reason(error).isupper():
        return f"Set {reason(error)} in the environment or in the agent's .env file, then reload."
    if isinstance(error, EOFError):
        return "An agent has no standard input while it is loaded: do not call input() there."
    return "Correct the code and reload."


def _import_hint(module: str, folder: Path) -> str:
    top = module.partition(".")[0]
    if top == "google":
        return "Install the google-adk version that the agent was written for."
    if (folder / f"{top}.py").exists() or (folder / top).is_dir():
        return f"It lies beside the importing file: write `from .{module} import …`."
    for base in folder.parents:
        if (base / top / "__init__.py").exists() or (base / f"{top}.py").exists():
            dotted = ".".join(folder.relative_to(base).parts)
            return f"It lies in {base}: start there, with `adk-tui run {dotted}.agent:root_agent`."
        if (base / ".git").exists():
            break
    return (
        f"Install it where the agent runs, `{sys.executable} -m pip install {top}`, or name the"
        " project's own Python with --python. If it is the project's own code, start in the"
        " folder above it, with adk-tui run package.module:root_agent."
    )


def _validation(error: BaseException) -> str | None:
    """The first problems of a pydantic error in words; None for any other exception."""
    listed = getattr(error, "errors", None)
    if type(error).__name__ != "ValidationError" or not callable(listed):
        return None
    found: dict[str, str] = {}
    for item in as_list(cast(Any, listed)()):
        problem = as_object(item)
        place = as_list(problem.get("loc"))
        numbers = [at for at, part in enumerate(place) if isinstance(part, int)]
        # What follows an item's number is one of the kinds that it could have been of.
        name = ".".join(map(str, place[: numbers[-1] + 1] if numbers else place))
        text = as_text(problem.get("msg")).removeprefix("Value error, ").strip().rstrip(".")
        if problem.get("type") == "extra_forbidden":
            text = "there is no such field"
        if name and name in found:
            found[name] += f", or {text.removeprefix('Input should be ')}"
        else:
            found[name or text] = f"{name}: {text}" if name else text
    title = as_text(getattr(error, "title", ""))
    return f"{title}, " * bool(title) + "; ".join(list(found.values())[:3])


def bad_env(file: Path, error: UnicodeDecodeError) -> Failure:
    """A ``.env`` file that is no text."""
    line = undecodable_line(file)
    return Failure(
        "load.env",
        f"{at(str(file), line, file)} is not UTF-8 text.",
        "Save the file as UTF-8, or remove the line.",
        file=str(file),
        line=line,
        details=details(error),
    )


def undecodable_line(file: Path) -> int:
    """The first line of a file that is not UTF-8; 0 where all are."""
    for number, content in enumerate(file.read_bytes().split(b"\n"), 1):
        try:
            content.decode("utf-8")
        except UnicodeDecodeError:
            return number
    return 0


def line_of(module: ModuleType, name: str) -> int:
    """The line on which a module binds a name; 0 where its source does not show it."""
    try:
        tree = ast.parse(Path(module.__file__ or "").read_text("utf-8", "replace"))
    except (OSError, SyntaxError, ValueError):
        return 0
    line = 0
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            bound = [node.name]
        elif isinstance(node, ast.Assign):
            bound = [t.id for t in node.targets if isinstance(t, ast.Name)]
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            bound = [node.target.id]
        else:
            continue
        line = node.lineno if name in bound else line
    return line


def _kind(value: object) -> str:
    if inspect.iscoroutine(value):
        return "a coroutine"
    if inspect.isfunction(value) or inspect.ismethod(value):
        return "an async function" if inspect.iscoroutinefunction(value) else "a function"
    if inspect.isclass(value):
        return f"the class {value.__name__}"
    return "None" if value is None else f"a value of type {type(value).__name__}"


def wrong_type(module: ModuleType, name: str, value: object) -> Failure:
    """The name is there, but it is no agent."""
    file, line = module.__file__ or "", line_of(module, name)
    hint = f"Assign an agent to {name}, for example an LlmAgent."
    if inspect.iscoroutine(value):
        value.close()
        hint = f"Build the agent in plain code, or write `{name} = asyncio.run(…)`."
    elif inspect.isclass(value):
        hint = f"Assign an instance: `{name} = {value.__name__}(…)`."
    elif inspect.iscoroutinefunction(value):
        hint = f"Make it an agent: rename the function and write `{name} = asyncio.run(…)`."
    elif callable(value) and not isinstance(value, BaseNode):
        hint = f"Call it: rename the function and assign its result, `{name} = make_agent()`."
    elif isinstance(value, App):
        hint = "An App goes under the name app: rename root_agent to app."
    place = at(file, line, Path(file))
    message = f"{name} in {place} is {_kind(value)}, not an agent."
    return Failure("load.type", message, hint, file=file, line=line)


def no_root_agent(module: ModuleType, target: str) -> Failure:
    """The module was imported, but it has neither ``app`` nor ``root_agent``."""
    file = module.__file__ or ""
    found = {n: v for n, v in vars(module).items() if isinstance(v, App | BaseNode)}
    tops = [n for n, v in found.items() if getattr(v, "parent_agent", None) is None]
    place = at(file, 0, Path(target))
    if not tops and Path(file).name == "__init__.py":
        return no_agent(Path(file).parent)
    if not tops:
        message = f"{place} defines neither root_agent nor app."
        hint = "Assign the agent to the name root_agent."
        return Failure("load.no_root", message, hint, file=file)
    name = tops[-1]
    line = line_of(module, name)
    return Failure(
        "load.no_root",
        f"{place} defines no root_agent, but {name} (line {line}).",
        f"Rename {name} to root_agent, or add the line `root_agent = {name}`.",
        file=file,
        line=line,
    )
