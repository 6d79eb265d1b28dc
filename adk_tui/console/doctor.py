"""``adk-tui doctor``: what works here, what does not, and the next step."""

import json
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib import metadata
from pathlib import Path
from typing import TextIO

from adk_tui.client import pythons
from adk_tui.client.engine import Engine
from adk_tui.client.process import Launch
from adk_tui.console.conversation import Conversation, NotLoaded
from adk_tui.console.listing import Stored
from adk_tui.console.plain import failure_text
from adk_tui.console.stored import Store, StoreError
from adk_tui.core.agent_tree import Tree
from adk_tui.core.jsontools import JsonObject, as_object, as_text
from adk_tui.core.masking import mask_text
from adk_tui.core.reports import Ready
from adk_tui.core.sanitize import line

OLDEST = (3, 11)
SMALLEST = (80, 24)
REACH_SECONDS = 60.0
"""Seconds all models together have to answer."""
PACKAGES = ("adk-tui", "google-adk", "google-genai", "textual", "rich", "prompt-toolkit")
CREDENTIALS = (
    "GOOGLE_API_KEY",
    "GEMINI_API_KEY",
    "GOOGLE_GENAI_USE_VERTEXAI",
    "GOOGLE_CLOUD_PROJECT",
    "GOOGLE_CLOUD_LOCATION",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "OPENAI_API_KEY",
    "ANTHROPIC_API_KEY",
    "AZURE_API_KEY",
    "MISTRAL_API_KEY",
    "GROQ_API_KEY",
)
"""Variables that give an agent access to a model. Only their names are ever shown."""


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at. ``ok`` None: nothing to judge. ``step`` is what to do next."""

    ok: bool | None
    what: str
    step: str = ""

    def __str__(self) -> str:
        """The line that is printed."""
        mark = {True: "✓", False: "✗", None: "–"}[self.ok]
        step = f" → {self.step}" if self.step else ""
        return line(f"{mark} {self.what}{step}", 500)


def check_python() -> Check:
    """The Python adk-tui runs on."""
    fits = sys.version_info >= OLDEST
    step = "" if fits else f"Install Python {OLDEST[0]}.{OLDEST[1]} or newer."
    return Check(fits, f"Python {platform.python_version()} ({sys.executable})", step)


def check_packages() -> Check:
    """The versions of what adk-tui is made of."""
    found: list[str] = []
    missing: list[str] = []
    for name in PACKAGES:
        try:
            found.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            missing.append(name)
    # Run from a checkout, adk-tui itself is not installed and works all the same.
    missing = [name for name in missing if name != "adk-tui"]
    step = f"{', '.join(missing)} missing: install adk-tui again with pip." if missing else ""
    return Check(not missing, ", ".join(found), step)


def check_terminal(out: TextIO, environment: Mapping[str, str]) -> Check:
    """What the terminal can do."""
    if not out.isatty():
        return Check(None, "output is no terminal", "ask and pipe work; run and chat need one.")
    size = shutil.get_terminal_size()
    kind = environment.get("TERM", "")
    colours = environment.get("COLORTERM") or ("256color" in kind and "256") or "16"
    what = f"terminal {kind or 'of unknown kind'}, {size.columns}×{size.lines}, colours: {colours}"
    steps: list[str] = []
    if kind in ("", "dumb"):
        steps.append("Set TERM, or use adk-tui ask: the full screen cannot be drawn here.")
    if (out.encoding or "").lower().replace("-", "") != "utf8":
        what += f", {out.encoding}"
        steps.append("Use a UTF-8 locale (LANG=C.UTF-8).")
    if size.columns < SMALLEST[0] or size.lines < SMALLEST[1]:
        steps.append(f"Make it {SMALLEST[0]}×{SMALLEST[1]} or larger to see everything.")
    return Check(not steps, what, " ".join(steps))


def check_credentials(environment: Mapping[str, str], folder: Path | None) -> Check:
    """The names of the variables that give access to models."""
    found = [f"{name} (environment)" for name in CREDENTIALS if environment.get(name)]
    if folder is not None:
        for file in (p / ".env" for p in (folder, *folder.parents)):
            if file.is_file():
                found += [f"{n} ({file})" for n in _names_in(file) if n in CREDENTIALS]
                break
    if found:
        return Check(True, "credentials: " + ", ".join(found))
    step = "The offline model stands in. Set GOOGLE_API_KEY to use the agent's own."
    return Check(None, "no credentials for a model", step)


def _names_in(file: Path) -> Iterator[str]:
    with suppress(OSError, UnicodeDecodeError):
        for row in file.read_text("utf-8").splitlines():
            name, equals, value = row.strip().removeprefix("export ").partition("=")
            if equals and value.strip().strip("'\""):
                yield name.strip()


def check_store(file: Path | None) -> Check:
    """The file the sessions are in."""
    if file is None:
        return Check(None, "no sessions are stored yet", "The first run makes the file.")
    try:
        with Store(file) as store:
            count = len(store.sessions())
    except StoreError as error:
        return Check(False, "session store", str(error))
    if not os.access(file, os.W_OK):
        step = "Make it writable; until then sessions go to adk-tui's own folder."
        return Check(False, f"session store {file} is read-only", step)
    return Check(True, f"session store {file}, {count} session{'' if count == 1 else 's'}")


def check_service(uri: str, stored: Stored) -> Check:
    """The session service at a URI. ``stored`` is what it holds, as far as it can be read."""
    try:
        count = sum(1 for _ in stored)
    except StoreError as error:
        return Check(False, f"session service {mask_text(uri)}", str(error))
    words = f"{count} session{'' if count == 1 else 's'}"
    return Check(True, f"session service {mask_text(uri)}, {words}")


def check_agent(engine: Engine) -> tuple[Check, Ready | None]:
    """Load the agent in an engine that keeps its session in memory."""
    with Conversation(engine) as talk:
        try:
            talk.wait_until_ready()
        except NotLoaded as error:
            failure = error.failure
            words = failure_text(replace(failure, hint="", details=""))
            step = failure.hint or "adk-tui run shows the details."
            return Check(False, f"the agent does not load: {words}", step), None
        ready = talk.view.ready
    if ready is None:
        return Check(False, "the agent does not load", "adk-tui run shows the details."), None
    agents = [agent for agent, _ in Tree(ready.root).order]
    tools = sum(len(a.tools) for a in agents)
    words = f"{len(agents)} agent{'' if len(agents) == 1 else 's'}, {tools} tools"
    model = f", model {ready.root.model}" if ready.root.model else ""
    offline = " (the offline model stands in)" if ready.offline else ""
    what = (
        f"{ready.app} loads: {words}{model}{offline}; google-adk {ready.adk_version}"
        f" in {ready.python}"
    )
    return Check(True, what), ready


def failed(checks: list[Check]) -> bool:
    """Whether anything is wrong."""
    return any(c.ok is False for c in checks)


def check_models(launch: Launch) -> list[Check]:
    """Ask every model of the agent for a word, in the Python that runs the agent."""
    start = launch.start
    try:
        python = pythons.find_python(pythons.agent_path(start.target), launch.python)
    except pythons.NoPython as error:
        return [Check(False, error.failure.message, error.failure.hint)]
    command = [*pythons.engine_command(python, "adk_tui.engine.reach"), start.target, start.model]
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=REACH_SECONDS,
            check=False,
            start_new_session=True,
        )
    except subprocess.TimeoutExpired:
        step = "Look at your network and the service's status page."
        return [Check(False, f"the models did not answer within {REACH_SECONDS:.0f} s", step)]
    found: list[Check] = []
    for row in done.stdout.splitlines():
        with suppress(ValueError):
            told = as_object(json.loads(row))
            if "model" in told:
                found.append(_reached(told))
    last = done.stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
    return found or [Check(False, "the models could not be asked", " ".join(last))]


def _reached(told: JsonObject) -> Check:
    name, error = as_text(told.get("model")), as_text(told.get("error"))
    if not error:
        return Check(True, f"model {name} answers")
    step = as_text(told.get("hint")) or "Look at the key, the model's name and the network."
    return Check(False, f"model {name} does not answer: {mask_text(error)}", step)
