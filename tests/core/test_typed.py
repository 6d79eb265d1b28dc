import pytest

from adk_tui.core.typed import state_of, value_of


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3", 3),
        ("null", None),
        ('{"a": [1]}', {"a": [1]}),
        (" two words ", "two words"),
        ("NaN", "NaN"),
        ("[" * 5_000, "[" * 5_000),
    ],
)
def test_a_value_is_json_where_it_is_json_and_text_elsewhere(text: str, value: object) -> None:
    assert value_of(text) == value


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("", {}),
        ("city=Paris n=3", {"city": "Paris", "n": 3}),
        ("""name="Ada L" 'limits={"max": 3}'""", {"name": "Ada L", "limits": {"max": 3}}),
        ('{"user:name": null}', {"user:name": None}),
        ("formula=a=b", {"formula": "a=b"}),
    ],
)
def test_a_state_is_written_as_pairs_or_as_json(text: str, state: dict[str, object]) -> None:
    assert state_of(text) == state


@pytest.mark.parametrize(
    ("text", "told"),
    [("Paris", "KEY=VALUE"), ("=3", "KEY=VALUE"), ('a="x', "quote"), ("{1}", "not JSON")],
)
def test_what_is_no_state_is_told(text: str, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        state_of(text)
