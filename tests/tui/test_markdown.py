import pytest

from adk_tui.tui.widgets import markdown_text
from adk_tui.tui.widgets.markdown_lines import Block, parse
from adk_tui.tui.widgets.markdown_text import MarkdownText
from adk_tui.tui.widgets.syntax import code_lines
from adk_tui.tui.widgets.text_lines import plain, width_of

DOCUMENT = """# Prices *today*

The price of **GOOG** is `180.25` USD, up *1.2 %* since [yesterday](https://example.com/goog).
A second sentence in the same paragraph, with ~~old~~ data and snake_case_names in it.

1. First item, which is long enough to be wrapped at the width the test uses here
2. Second
   - nested one
   - nested **two**
3. Third

> A quote.
> It goes on.

```python
def price(symbol: str) -> float:
    return table[symbol]  # markup
```

| Symbol | Name | Price |
|:--|---|--:|
| GOOG | Alphabet | 180.25 |
| AAPL | Apple Inc. | 231.10 |

---

The end, with <b>no HTML</b> &amp; an entity.
"""


def shown(text: str, width: int = 60) -> list[str]:
    document = MarkdownText()
    document.update(text)
    return [plain(line).rstrip() for line in document.lines(width)]


def looks_of(text: str, part: str, width: int = 60) -> str:
    document = MarkdownText()
    document.update(text)
    return next(look for line in document.lines(width) for t, look in line if part in t)


def test_every_construct_has_its_look():
    assert "line--h1" in looks_of(DOCUMENT, "Prices")
    assert "line--strong" in looks_of(DOCUMENT, "GOOG")
    assert "line--inline-code" in looks_of(DOCUMENT, "180.25")
    assert "line--em" in looks_of(DOCUMENT, "1.2")
    assert "line--strike" in looks_of(DOCUMENT, "old")
    assert "line--quote" in looks_of(DOCUMENT, "quote")
    assert "line--keyword" in looks_of(DOCUMENT, "def")


@pytest.mark.parametrize("width", [3, 9, 24, 60, 200])
def test_no_line_is_wider_than_the_screen(width: int):
    document = MarkdownText()
    document.update(DOCUMENT)
    assert max(width_of(line) for line in document.lines(width)) <= width


def test_html_stays_text():
    assert "The end, with <b>no HTML</b> & an entity." in shown(DOCUMENT)


def test_a_link_shows_where_it_goes():
    text = " ".join(shown("See [the bank](https://evil.example) and <https://ok.example>."))
    assert "the bank (https://evil.example)" in text
    assert text.count("https://ok.example") == 1


def test_an_image_is_its_description_and_its_address():
    assert shown("![chart](http://x/y.png)") == ["▣ chart (http://x/y.png)"]


@pytest.mark.parametrize("hostile", ["\x1b[31mred", "&#x202e;abc", "\u202eabc", "`\x1b]0;t\x07`"])
def test_nothing_that_acts_on_a_terminal_gets_through(hostile: str):
    for text in (hostile, f"# {hostile}", f"- {hostile}", f"```\n{hostile}\n```", f"> {hostile}"):
        joined = "\n".join(shown(text))
        assert "\x1b" not in joined
        assert "\u202e" not in joined
        assert "\x07" not in joined


def test_a_table_gives_way_and_then_stacks():
    assert "GOOG   │ Alphabet   │ 180.25" in shown(DOCUMENT)
    narrow = shown(DOCUMENT, 12)
    assert "Symbol: GOOG" in narrow
    assert "Price: 231.10"[:12].strip() in " ".join(narrow)


def test_text_nested_deeper_than_the_parser_goes_is_still_shown():
    assert "buried" in "".join(shown("> " * 300 + "buried", 2000))


def test_a_document_that_streams_in_looks_as_if_it_had_come_at_once():
    document = MarkdownText()
    for end in range(1, len(DOCUMENT) + 1):
        document.update(DOCUMENT[:end])
    for width in (18, 60):
        assert [plain(line).rstrip() for line in document.lines(width)] == shown(DOCUMENT, width)


def test_a_long_paragraph_that_streams_in_looks_as_if_it_had_come_at_once():
    words = "alpha **beta gamma** delta `code here` snake_case [link](http://a.b) _em_ 3 * 4 end. "
    text = "Start " + words * 150
    document = MarkdownText()
    for end in range(0, len(text), 37):
        document.update(text[:end])
        document.lines(50)
    document.update(text)
    assert len(document.blocks) > 3
    got = [line for line in document.lines(50) if line]
    want = MarkdownText()
    want._open = parse(text)
    whole = list(want.lines(50))
    assert [plain(x).rstrip() for x in got] == [plain(x).rstrip() for x in whole]
    assert [[s for s in x if s[0].strip()] for x in got] == [
        [s for s in x if s[0].strip()] for x in whole
    ]


def test_a_list_that_streams_in_keeps_its_numbers():
    text = "".join("1. item\n" for _ in range(40))
    document = MarkdownText()
    for end in range(0, len(text) + 1, 5):
        document.update(text[:end])
    assert [plain(line) for line in document.lines(40)][-1] == "40. item"


def test_text_that_changed_before_its_end_is_read_anew():
    document = MarkdownText()
    document.update("# One\n\nTwo\n\nThree")
    document.update("# Other\n\nTwo")
    assert [plain(line) for line in document.lines(40)] == ["Other", "", "Two"]


def test_finished_blocks_are_not_laid_out_again_while_the_answer_grows():
    document = MarkdownText()
    text = DOCUMENT * 20
    document.update(text)
    document.lines(60)
    finished = document.blocks[:-1]
    kept = [block.lines(60) for block in finished if not block.flows]
    document.update(text + " and more")
    document.lines(60)
    assert list(document.blocks[: len(finished)]) == list(finished)
    again = [block.lines(60) for block in finished if not block.flows]
    assert all(a is b for a, b in zip(kept, again, strict=True))


@pytest.mark.parametrize("piece", ["word ", "Para.\n\n", "- item\n", "# A\n", "a **b** `c` "])
def test_a_growing_answer_is_not_parsed_again_from_its_beginning(
    piece: str, monkeypatch: pytest.MonkeyPatch
):
    longest = 0

    def counting(text: str) -> list[Block]:
        nonlocal longest
        longest = max(longest, len(text))
        return parse(text)

    monkeypatch.setattr(markdown_text, "parse", counting)
    document = MarkdownText()
    text = ""
    for _ in range(600):
        text += piece * 10
        document.update(text)
    assert len(text) > 20_000
    assert longest < 3 * markdown_text.LONG


def test_unclosed_brackets_are_text_and_not_a_search_for_links():
    assert "".join(shown("[" * 20_000)) == "[" * 20_000


def test_code_in_chunks_is_highlighted_as_a_whole():
    text = "\n\n".join(
        f"def f{n}():\n    '''Doc\n    string.'''\n    return {n}" for n in range(80)
    )
    lines = code_lines(text, "python")
    assert [plain(line) for line in lines] == text.split("\n")
    assert all("line--keyword" in line[0][1] for line in lines if plain(line).startswith("def"))


def test_code_of_an_unknown_language_is_plain():
    assert code_lines("a <b>", "no-such-language") == [(("a <b>", "line--code"),)]
