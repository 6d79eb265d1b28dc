from pathlib import Path

import pytest

from adk_tui.settings import CONFIG_VARIABLE, Settings, SettingsError, load_settings


def config(tmp_path: Path, text: str) -> dict[str, str]:
    path = tmp_path / "config.toml"
    path.write_text(text, encoding="utf-8")
    return {CONFIG_VARIABLE: str(path)}


def test_without_any_source_the_defaults_hold() -> None:
    assert load_settings({}, {}) == Settings()


def test_a_flag_beats_the_environment_and_the_environment_beats_the_file(tmp_path: Path) -> None:
    env = config(tmp_path, 'user = "file"\nmodel = "file"\ntheme = "file"\n')
    env |= {"ADK_TUI_USER": "environment", "ADK_TUI_MODEL": "environment"}
    settings = load_settings({"user": "flag", "model": None}, env)
    assert (settings.user, settings.model, settings.theme) == ("flag", "environment", "file")


def test_a_flag_can_switch_off_what_the_environment_switched_on() -> None:
    assert load_settings({"offline": False}, {"ADK_TUI_OFFLINE": "1"}).offline is False


@pytest.mark.parametrize(
    ("text", "value"), [("1", True), ("TRUE", True), ("on", True), ("no", False), ("0", False)]
)
def test_yes_and_no_are_understood_in_the_environment(text: str, value: bool) -> None:
    assert load_settings({}, {"ADK_TUI_STREAMING": text}).streaming is value


def test_an_empty_variable_counts_as_unset() -> None:
    assert load_settings({}, {"ADK_TUI_USER": "", "ADK_TUI_DEBUG": ""}) == Settings()


def test_keys_in_the_file_may_be_spelled_like_the_options(tmp_path: Path) -> None:
    assert load_settings({}, config(tmp_path, "in-memory = true")).in_memory is True


def test_a_bad_variable_is_named_with_its_value() -> None:
    with pytest.raises(SettingsError, match=r"ADK_TUI_REVEAL is 'maybe'.*true or false"):
        load_settings({}, {"ADK_TUI_REVEAL": "maybe"})


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('streaming = "yes"', "'streaming' must be true or false"),
        ("user = 3", "'user' must be a string"),
        ('usr = "me"', "unknown key 'usr'.*Known keys: .*user"),
        ("user = ", "no valid TOML"),
        ('secret_keys = "pin"', "'secret_keys' must be a list of strings"),
        ("secret_keys = [1]", "'secret_keys' must be a list of strings"),
        ("reveal = true", "use --reveal for the run that needs it"),
    ],
)
def test_a_bad_file_is_named_with_what_is_wrong(tmp_path: Path, text: str, complaint: str) -> None:
    with pytest.raises(SettingsError, match=rf"config\.toml.*{complaint}"):
        load_settings({}, config(tmp_path, text))


def test_a_settings_file_named_by_the_environment_must_exist(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"none\.toml \(named by ADK_TUI_CONFIG\).*No such"):
        load_settings({}, {CONFIG_VARIABLE: str(tmp_path / "none.toml")})


def test_a_settings_file_that_is_a_folder_is_no_reason_for_a_traceback(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="cannot be read"):
        load_settings({}, {CONFIG_VARIABLE: str(tmp_path)})


def test_names_of_secrets_come_from_the_file_and_the_environment(tmp_path: Path) -> None:
    env = config(tmp_path, 'secret_keys = ["pin", "customer_number"]')
    assert load_settings({}, env).secret_keys == ("pin", "customer_number")
    env["ADK_TUI_SECRET_KEYS"] = "pin, tan"
    assert load_settings({}, env).secret_keys == ("pin", "tan")
