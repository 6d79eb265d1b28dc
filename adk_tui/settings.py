"""What a person can set, and where from: a flag beats the environment, the environment the file.

Settings are read once, before anything starts, and are frozen from then on, so
that no two parts of the program can see different ones. Every complaint names
the place the bad value came from, because with three sources the value alone
does not tell where to look.
"""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, cast

from adk_tui.client.paths import typed_path

APP = "adk-tui"
PREFIX = "ADK_TUI_"
CONFIG_VARIABLE = PREFIX + "CONFIG"
"""Environment variable with the path of the settings file, for those who keep it elsewhere."""

_TRUE = frozenset({"1", "true", "yes", "on"})
_FALSE = frozenset({"0", "false", "no", "off"})


class SettingsError(ValueError):
    """A setting that cannot be used; the message names the setting, its source and the way out."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of one run. A field's name is its key in the file and, upper case, after
    ``ADK_TUI_`` its environment variable.
    """

    user: str = "user"
    """User id sessions are stored under. ADK's web page uses the same default."""
    streaming: bool = True
    """Ask models for their answer in pieces (ADK's SSE mode)."""
    in_memory: bool = False
    """Keep sessions in memory only; nothing is written beside the agent."""
    offline: bool = False
    """Put the offline model in the place of every model given by name."""
    model: str = ""
    """Name of the model to use in the place of those the agent names; empty: the agent's own."""
    python: str = ""
    """Python that runs the agent; empty: found (see ``client.pythons``)."""
    session_service_uri: str = ""
    """Where sessions live, as ADK's own option of that name takes it."""
    artifact_service_uri: str = ""
    """Where artifacts live, as ADK's own option of that name takes it."""
    memory_service_uri: str = ""
    """Where long-term memory lives, as ADK's own option of that name takes it."""
    theme: str = ""
    """Colour theme; empty: the default one."""
    reveal: bool = False
    """Show values that look like secrets instead of masking them. No file can."""
    reload: bool = False
    """Load the agent again whenever its files change."""
    secret_keys: tuple[str, ...] = ()
    """Names of keys whose values are masked as secrets, beside those that are known."""
    notify: bool = True
    """Ring, and send a terminal notification, when a ticket arrives while the window has no
    focus."""
    debug: bool = False
    """Show tracebacks, and which Python runs the agent."""


NAMES = frozenset(f.name for f in fields(Settings))
"""The names of all settings."""

_DEFAULTS = Settings()


def load_settings(
    flags: Mapping[str, Any], environment: Mapping[str, str] | None = None
) -> Settings:
    """The settings that hold: ``flags`` that are not None, then ``ADK_TUI_*``, then the file.

    ``environment`` is ``os.environ`` unless given.

    Raises:
        SettingsError: a value of the wrong type, an unknown key in the file, or
            a file that cannot be read.
    """
    variables = os.environ if environment is None else environment
    values: dict[str, Any] = dict(_from_file(*_config_file(variables)))
    values |= _from_environment(variables)
    values |= {name: value for name, value in flags.items() if value is not None}
    return replace(_DEFAULTS, **values)


def _config_file(environment: Mapping[str, str]) -> tuple[Path, bool]:
    if named := environment.get(CONFIG_VARIABLE):
        return typed_path(named), True
    import platformdirs

    return platformdirs.user_config_path(APP, appauthor=False) / "config.toml", False


Value = str | bool | tuple[str, ...]


def _from_environment(environment: Mapping[str, str]) -> Iterator[tuple[str, Value]]:
    for name in sorted(NAMES):
        variable = PREFIX + name.upper()
        text = environment.get(variable, "")
        if not text:
            continue
        if isinstance(getattr(_DEFAULTS, name), str):
            yield name, text
        elif isinstance(getattr(_DEFAULTS, name), tuple):
            yield name, tuple(word for word in text.replace(",", " ").split())
        elif text.lower() in _TRUE | _FALSE:
            yield name, text.lower() in _TRUE
        else:
            raise SettingsError(
                f"The environment variable {variable} is {text!r}, but it takes true or false:"
                " correct it or unset it."
            )


def _from_file(path: Path, must_exist: bool) -> Iterator[tuple[str, Value]]:
    try:
        text = path.read_bytes()
    except OSError as error:
        if must_exist or not isinstance(error, FileNotFoundError | NotADirectoryError):
            where = f" (named by {CONFIG_VARIABLE})" if must_exist else ""
            raise SettingsError(
                f"The settings file {path}{where} cannot be read: {error.strerror}."
            ) from error
        return
    import tomllib

    try:
        table = tomllib.loads(text.decode("utf-8"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SettingsError(f"The settings file {path} is no valid TOML: {error}.") from error
    for key, value in table.items():
        name = key.replace("-", "_")
        if name not in NAMES:
            known = ", ".join(sorted(NAMES))
            raise SettingsError(
                f"The settings file {path} has an unknown key {key!r}. Known keys: {known}."
            )
        if name == "reveal":
            raise SettingsError(
                f"The settings file {path} reveals secrets for good: leave {key!r} out, and use"
                " --reveal for the run that needs it."
            )
        default = getattr(_DEFAULTS, name)
        if isinstance(default, tuple) and isinstance(value, list):
            value = _strings(cast("list[object]", value))
        if type(cast(object, value)) is not type(cast(object, default)):
            wanted = next(words for kind, words in _KINDS if isinstance(default, kind))
            raise SettingsError(f"In the settings file {path}, {key!r} must be {wanted}.")
        yield name, cast(Value, value)


def _strings(items: list[object]) -> tuple[str, ...] | None:
    found = tuple(item for item in items if isinstance(item, str))
    return found if len(found) == len(items) else None


_KINDS = ((bool, "true or false"), (str, "a string"), (tuple, "a list of strings"))


def data_folder() -> Path:
    """Where adk-tui keeps data of its own: prompt history, sessions of read-only agents."""
    import platformdirs

    return platformdirs.user_data_path(APP, appauthor=False)


def log_folder() -> Path:
    """Where the output of agents is kept."""
    import platformdirs

    return platformdirs.user_log_path(APP, appauthor=False)
