"""What no session service can store, said by key before it is sent."""

import math

import pytest

from adk_tui.core.state_check import explain, fleeting, refusals


@pytest.mark.parametrize(
    "value",
    [None, True, 0, -1.5, "", "tab\tand\nline", "\U0001f600", [], {}, {"a": [1, {"b": None}]}],
)
def test_json_can_be_stored(value: object) -> None:
    assert refusals({"key": value, "user:key": value, "temp:key": value}) == {}


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (math.nan, "nan"),
        (math.inf, "inf"),
        (1 << 63, "too large"),
        ("\udc80", "lone surrogate"),
        ("a\0b", "NUL"),
        (b"raw", "bytes"),
        ({"deep": [0, {"x": "\0"}]}, "deep[1].x"),
        ({1: 2}, "int, not text"),
        ([{"\0": 1}], "NUL"),
        (object(), "object"),
    ],
)
def test_anything_else_is_refused_with_its_place(value: object, said: str) -> None:
    found = refusals({"fine": 1, "bad": value})
    assert set(found) == {"bad"}
    assert said in found["bad"]


def test_what_is_nested_too_deep_is_refused_and_ends() -> None:
    deep: list[object] = []
    for _ in range(5_000):
        deep = [deep]
    assert "deeper" in refusals({"deep": deep})["deep"]


@pytest.mark.parametrize("key", ["", "user:", "app:", "a\0", "\ud800"])
def test_a_key_that_cannot_be_stored_is_refused(key: str) -> None:
    assert set(refusals({key: 1})) == {key}


def test_refusals_read_as_sentences() -> None:
    assert explain({"": "a key needs a name"}) == "(empty): a key needs a name."


def test_keys_that_end_with_the_turn_are_told() -> None:
    assert fleeting({"temp:a": 1, "a": 2, "user:b": 3}) == ("temp:a",)
