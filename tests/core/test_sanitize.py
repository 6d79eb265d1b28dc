import json
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from adk_tui.core.brief import brief
from adk_tui.core.sanitize import MARKS, clean, file_name, json_safe, line, replaced

ANYTHING = st.text(st.characters())
NASTY = st.text(
    st.one_of(
        st.characters(categories=("Cc", "Cf", "Cs", "Mn", "Me", "Zl", "Zp")),
        st.sampled_from("\u200d\u200c\ufe0f\ufe0e❤🔥👩👦🏳क्षمa1 \n\t\r{+\\"),
        st.sampled_from("\U000e0100\U000e0041葛\u0301\u0e31\u094d"),
    ),
    max_size=40,
)
BIDI = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
KEPT_FORMATS = "\u200c\u200d\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2"


def is_harmless(char: str) -> bool:
    category = unicodedata.category(char)
    if category == "Cf":
        return char in KEPT_FORMATS or char in "\U000110bd\U000110cd"
    return category not in ("Cc", "Cs", "Zl", "Zp")


def longest_run_of_marks(text: str) -> int:
    longest = run = 0
    for char in text:
        run = run + 1 if unicodedata.category(char).startswith("M") else 0
        longest = max(longest, run)
    return longest


@given(st.one_of(ANYTHING, NASTY))
@example("".join(map(chr, range(0xA0))))
@example(BIDI)
def test_clean_leaves_no_control_bidi_or_invisible_character(text: str) -> None:
    safe = clean(text)
    assert [c for c in safe.replace("\n", "") if not is_harmless(c)] == []
    assert longest_run_of_marks(safe) <= MARKS
    safe.encode()


@given(st.one_of(ANYTHING, NASTY))
@example("\r\r\n")
@example("\U0001f3f3\ufe0f\u200d\u0301" + "\u0301" * 9)
def test_clean_does_not_change_its_own_result(text: str) -> None:
    assert clean(clean(text)) == clean(text)


@given(st.one_of(ANYTHING, NASTY), st.integers(0, 50))
@example("  a  ", 4)
@example("👩\u200d👦", 3)
def test_line_is_one_safe_line_of_the_length_asked_for(text: str, limit: int) -> None:
    safe = line(text, limit)
    assert "\n" not in safe
    assert clean(safe) == safe
    assert len(safe) <= max(limit, 1)
    assert line(safe, max(limit, 1)) == safe


@pytest.mark.parametrize(
    "text",
    [
        "plain text, ~!@#$%^&*()",
        "naïve café e\u0301 Ångström",
        "नमस्ते दुनिया क्\u200dष",
        "ภาษาไทยที่สุด",
        "می\u200cخواهم العربية",
        "עִבְרִית",
        "漢字かな交じり文 葛\U000e0100城",
        "👩\u200d👩\u200d👧\u200d👦 ❤️\u200d🔥 🏳️\u200d🌈 👍🏽 1️⃣ 🇩🇪",
        "Việt Nam Tiếng",
    ],
)
def test_ordinary_text_of_any_script_survives(text: str) -> None:
    assert clean(text) == text
    assert line(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred", "␛[31mred"),
        ("\x1b]52;c;Zm9v\x07", "␛]52;c;Zm9v␇"),
        ("\x1b]8;;http://x\x1b\\y", "␛]8;;http://x␛\\y"),
        ("\x1bPq\x1b\\", "␛Pq␛\\"),
        ("\x9b2J", "\\x9b2J"),
        ("a\x7fb\x00", "a␡b␀"),
        ("safe\u202egpj.exe", "safe\\u202egpj.exe"),
        ("a\u2066b\u2069", "a\\u2066b\\u2069"),
        ("pass\u200bword", "pass\\u200bword"),
        ("a\u200db", "a\\u200db"),
        ("\ufeffx\u2060", "\\ufeffx\\u2060"),
        ("hi\U000e0041", "hi\\U000e0041"),
        ("\ud800", "\\ud800"),
        ("x\ufe0f\ufe0e", "x\ufe0f\\ufe0e"),
        ("a\rb", "a␍b"),
        ("a\u2028b", "a\\u2028b"),
        ("z" + "\u0301" * (MARKS + 5), "z" + "\u0301" * MARKS + "{+5 marks}"),
    ],
)
def test_what_is_dangerous_becomes_visible(text: str, shown: str) -> None:
    assert clean(text) == shown


def test_tabs_and_line_ends_stay_readable() -> None:
    assert clean("a\tb\r\nc\n") == "a    b\nc\n"
    assert line("a\tb\r\nc\n  d\n") == "a b↵c↵d"


def test_a_cut_line_says_so() -> None:
    assert line("abcdef", 4) == "abc…"
    assert line("abcd", 4) == "abcd"


class Counting(str):
    """A string that tells how much of it was asked for."""

    asked = 0

    def __getitem__(self, key: object) -> str:
        part = super().__getitem__(key)  # type: ignore[index]
        Counting.asked = max(Counting.asked, len(part))
        return part

    def isascii(self) -> bool:
        raise AssertionError("the whole text was looked at")

    isprintable = isascii


def test_line_looks_only_at_the_start_of_a_long_text() -> None:
    assert len(line(Counting("x\x1b" * 500_000), 80)) == 80
    assert Counting.asked <= 81


@given(ANYTHING)
def test_a_file_name_stays_in_its_folder(text: str) -> None:
    name = file_name(text)
    assert name
    assert not set(name) & set('/\\:*?"<>|\0\n ')
    assert not name.startswith((".", "-"))
    assert len(name.encode()) <= 121


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("../../etc/passwd", "etc_passwd"),
        ("report v2.json", "report_v2.json"),
        ("", "unnamed"),
        ("...", "unnamed"),
        ("CON.txt", "_CON.txt"),
        ("über\x1b[2J", "über_2J"),
    ],
)
def test_file_names(text: str, name: str) -> None:
    assert file_name(text) == name


JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), ANYTHING),
    lambda inner: st.one_of(st.lists(inner), st.dictionaries(ANYTHING, inner)),
    max_leaves=20,
)


@given(JSON, st.integers(1, 300))
def test_json_in_brief_is_one_safe_line(value: object, limit: int) -> None:
    text = brief(value, limit)
    assert len(text) <= max(limit, 60)
    assert "\n" not in text
    assert clean(text) == text


def test_brief_shows_data_as_type_and_size() -> None:
    assert brief({"image": "QUJD" * 10_000}) == "{image: <base64 30 KB>}"
    assert brief({"uri": "data:image/png;base64," + "QUJD" * 100}) == "{uri: <image/png 316 B>}"
    assert brief({"$dumped": "bytes", "size": 12, "base64": "aaaa"}) == "<bytes 12 B>"
    assert brief({"zeros": "A" * 400}) == "{zeros: <base64 300 B>}"


def test_brief_takes_no_line_of_one_letter_for_data() -> None:
    for rule in ("x" * 400, "-" * 400, "_" * 1000):
        assert "base64" not in brief({"rule": rule})


def test_brief_is_bounded_in_depth_and_width() -> None:
    deep: object = 1
    for _ in range(900):
        deep = [deep]
    assert brief(deep, 10_000).count("[") < 60
    assert len(brief(list(range(1_000_000)), 100)) == 100
    assert brief({"n": 10**5000}) == "{n: <a very long number>}"


def test_brief_masks_below_a_secret_key() -> None:
    shown = brief({"api_key": "abc", "nested": {"password": ["x", 12]}, "max_tokens": 5})
    assert shown == "{api_key: ••••, nested: {password: [••••, ••••]}, max_tokens: 5}"
    assert json.loads('"abc"') in brief({"api_key": "abc"}, reveal=True)


VALUES = st.recursive(
    st.one_of(st.none(), st.integers(), ANYTHING, NASTY),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NASTY, inner, max_size=3),
    max_leaves=6,
)


@given(VALUES)
def test_json_made_safe_means_the_same_and_is_shown_as_it_is(value: object) -> None:
    text = json_safe(json.dumps(value, ensure_ascii=False))
    # A pair of lone surrogates reads as the character it would be, however it is escaped.
    assert json.loads(text) == json.loads(json.dumps(value))
    assert [c for c in text if not is_harmless(c)] == []


@given(st.one_of(ANYTHING, NASTY))
def test_what_is_replaced_leaves_nothing_that_acts(text: str) -> None:
    safe = replaced(text, lambda _: "")
    assert [c for c in safe if not is_harmless(c)] == []
    assert longest_run_of_marks(safe) <= MARKS
    assert not set(safe) & {"\n", "\t"}
